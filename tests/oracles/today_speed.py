#!/usr/bin/env python3
"""How long `retrace` alone takes over a log of 10,000 versions, with 300 transcripts of an agent beside it.

    tests/oracles/today_speed.py [--program target/release/retrace] [--runs 20] [--memories 2000] [--transcripts 300]

It makes everything in a directory of its own: a store whose memories are written anew and recorded until there are 10,000
versions, all of them left to review, and transcripts in whose sessions some of them were written. The program is then started
as a person starts it, once with nothing kept and then the given number of times. Printed are the time on the clock and the
processor's (user and system), least, median and most, in milliseconds.
"""

import argparse
import json
import os
import pathlib
import random
import subprocess
import tempfile
import time

WORDS = "cart checkout release branch token deploy cache index prompt review Tuesday budget retry queue".split()


def sentence(numbers):
    return "- " + " ".join(numbers.choice(WORDS) for _ in range(8)) + f" {numbers.randrange(1000)}.\n"


def transcript(file, numbers, number, written):
    """A session of forty turns that wrote some memories."""
    session, lines = f"00000000-0000-4000-8000-{number:012}", []
    began = time.time() - 3600

    def line(turn, message):
        stamp = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(began + turn))
        lines.append({"type": message["role"], "timestamp": stamp, "sessionId": session, "uuid": f"{session}-{turn}",
                      "cwd": "/srv/app", "version": "2.1.330", "message": message})

    for turn in range(40):
        text = "".join(sentence(numbers) for _ in range(10))
        if turn % 2 == 0:
            line(turn, {"role": "user", "content": f"Session {number}: {text}"})
            continue
        content = [{"type": "text", "text": text}]
        if turn // 2 < len(written):
            path, held = written[turn // 2]
            content.append({"type": "tool_use", "id": f"toolu_{number}_{turn}", "name": "Write",
                            "input": {"file_path": str(path), "content": held}})
        line(turn, {"role": "assistant", "id": f"msg_{number}_{turn}", "model": "claude-sonnet-4-5", "content": content,
                    "usage": {"input_tokens": 100 * turn, "output_tokens": 50}})
    file.write_text("".join(json.dumps(one) + "\n" for one in lines))


def prepare(wanted, folder, run):
    numbers = random.Random(7)
    home, root = folder / "home", folder / "memories"
    projects = home / ".claude" / "projects" / "-srv-app"
    projects.mkdir(parents=True)
    root.mkdir()
    contents = {}
    for turn in range(wanted.versions // wanted.memories):
        for number in range(wanted.memories):
            path = root / f"topic-{number}.md"
            head = f"---\nname: note {number}\ndescription: What was decided.\ntype: project\n---\n\n"
            contents[path] = contents.get(path, head + "".join(sentence(numbers) for _ in range(20))) + sentence(numbers)
            path.write_text(contents[path])
        run("record", "--once") if turn else run("stores", "add", str(root))
    written = list(contents.items())
    for number in range(wanted.transcripts):
        first = number * 5 % len(written)
        transcript(projects / f"00000000-0000-4000-8000-{number:012}.jsonl", numbers, number, written[first:first + 5])


def timed(command, environment):
    """Milliseconds on the clock, and of the processor."""
    began = time.monotonic()
    child = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(child.pid, 0)
    clock = time.monotonic() - began
    child.returncode = os.waitstatus_to_exitcode(status)
    assert child.returncode == 0, f"it ended with {child.returncode}"
    return clock * 1000, (used.ru_utime + used.ru_stime) * 1000


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="target/release/retrace")
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--versions", type=int, default=10_000)
    parser.add_argument("--memories", type=int, default=2000)
    parser.add_argument("--transcripts", type=int, default=300)
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="retrace-today-") as folder:
        folder = pathlib.Path(folder)
        program = [os.path.abspath(wanted.program), "--data-dir", str(folder / "data")]
        environment = dict(os.environ, HOME=str(folder / "home"))
        environment.pop("CLAUDE_CONFIG_DIR", None)
        quiet = {"check": True, "env": environment, "stdout": subprocess.DEVNULL}
        prepare(wanted, folder, lambda *words: subprocess.run([*program, *words], **quiet))
        first = timed(program, environment)
        took = [timed(program, environment) for _ in range(wanted.runs)]
        print(f"{'':12}{'clock':>24}{'processor':>24}")
        print(f"{'first':12}{first[0]:>24.0f}{first[1]:>24.0f}")
        columns = []
        for column in zip(*took):
            column = sorted(column)
            columns.append(f"{column[0]:.0f}, {column[len(column) // 2]:.0f}, {column[-1]:.0f}")
        print(f"{'then':12}{columns[0]:>24}{columns[1]:>24}")


if __name__ == "__main__":
    main()
