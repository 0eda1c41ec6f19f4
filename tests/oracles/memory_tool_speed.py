"""How long calls of the memory tool take: with `retrace memory-tool`, which records each; with its library alone, which
records nothing; and with the file-system class of the Python SDK. The same calls, each on a directory of its own, in turns of
a hundred calls so that all three meet the same machine.

    PYTHON=$(scripts/oracles target/oracles memory-tool)/py/bin/python
    cargo build --release -p retrace-cli && cargo build --release -p retrace-memory-tool --example calls
    $PYTHON tests/oracles/memory_tool_speed.py target/release/retrace target/release/examples/calls [DIRECTORY]

DIRECTORY is where the directories and the log are made, the place for temporary files when absent: what an `fsync` costs
depends on the disk under it. Prints median and 99th percentile by command, in milliseconds, with the ratio of the medians, and how
many of the recorded calls took less than the goal.
"""

import json
import os
import subprocess
import sys
import tempfile
import time

from anthropic.lib.tools._beta_builtin_memory_tool import BetaLocalFilesystemMemoryTool

FILES = 300
TURN = 100
# What a call is to take at most, in seconds.
GOAL = 0.002


def calls():
    """What agents do with files of about 2 KB."""
    for number in range(FILES):
        path = f"/memories/topic-{number % 10}/note-{number}.md"
        lines = "".join(f"- Line {at} of note {number} says what was decided then, and why.\n" for at in range(30))
        yield {"command": "create", "path": path, "file_text": lines}
        yield {"command": "view", "path": path}
        old = f"Line 7 of note {number} says"
        yield {"command": "str_replace", "path": path, "old_str": old, "new_str": old + " now"}
        yield {"command": "insert", "path": path, "insert_line": 3, "insert_text": "- One line more.\n"}
        if number % 3 == 0:
            yield {"command": "rename", "old_path": path, "new_path": path + ".old.md"}
        if number % 3 == 1:
            yield {"command": "delete", "path": path}
        if number % 10 == 0:
            yield {"command": "view", "path": "/memories"}


class Child:
    """A program that answers one line with one line."""

    def __init__(self, command, environment=None):
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        self.process = subprocess.Popen(command, env=environment, **pipes)

    def ask(self, line):
        self.process.stdin.write(line)
        self.process.stdin.flush()
        return self.process.stdout.readline()

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def of_program(child, call):
    line = (json.dumps({"session": "speed", "input": call}) + "\n").encode()
    began = time.perf_counter()
    answer = child.ask(line)
    took = time.perf_counter() - began
    assert not json.loads(answer)["is_error"], answer
    return took


def of_library(child, call):
    nanoseconds, is_error = child.ask((json.dumps(call) + "\n").encode()).split()
    assert is_error == b"0", call
    return int(nanoseconds) / 1e9


def of_class(tool, call):
    began = time.perf_counter()
    tool.call(call)
    return time.perf_counter() - began


def at(times, share):
    return sorted(times)[min(len(times) - 1, int(len(times) * share))] * 1e3


def main(program, library, place=None):
    with tempfile.TemporaryDirectory(dir=place) as folder:
        of = lambda name: os.path.join(folder, name)
        environment = {**os.environ, "RETRACE_DATA_DIR": of("data"), "HOME": of("home")}
        recorded = Child([program, "memory-tool", "--dialect", "py", "--root", of("recorded")], environment)
        alone = Child([library, of("alone")])
        tool = BetaLocalFilesystemMemoryTool(of("class"))
        ways = {
            "recorded": lambda call: of_program(recorded, call),
            "library": lambda call: of_library(alone, call),
            "python": lambda call: of_class(tool, call),
        }
        wanted = list(calls())
        took = {way: {} for way in ways}
        for start in range(0, len(wanted), TURN):
            for way, ask in ways.items():
                for call in wanted[start : start + TURN]:
                    kind = call["command"]
                    if call["path" if "path" in call else "old_path"] == "/memories":
                        kind = "view of all"
                    took[way].setdefault(kind, []).append(ask(call))
        recorded.close()
        alone.close()
    load = os.getloadavg()[0]
    print(f"{len(wanted)} calls each, load {load:.1f}; milliseconds: median, 99 %")
    kinds = list(took["python"])
    for kind in [*kinds, "all"]:
        times = {way: sum(known.values(), []) if kind == "all" else known[kind] for way, known in took.items()}
        figures = "   ".join(f"{way} {at(one, 0.5):6.3f} {at(one, 0.99):7.3f}" for way, one in times.items())
        ratio = at(times["recorded"], 0.5) / at(times["python"], 0.5)
        print(f"{kind:12} {figures}   recorded/python {ratio:.2f}")
    recorded = sum(took["recorded"].values(), [])
    within = sum(one < GOAL for one in recorded)
    print(f"recorded calls below {GOAL * 1e3:.0f} ms: {within} of {len(recorded)} ({within / len(recorded):.1%})")


main(*sys.argv[1:])
