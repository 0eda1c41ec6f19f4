#!/usr/bin/env python3
"""How long `retrace inbox` takes over many changes that nobody reviewed, as a person starts it.

    tests/oracles/inbox_speed.py [--program target/dist/retrace] [--changes 50000]

It makes a store of so many memories of 0.7 KB, records them, changes each and records again. The program is then started for the
rows with nothing kept, for the rows again, for everything as JSON, and alone. Printed are the time on the clock and the processor's
(user and system), in milliseconds.
"""

import argparse
import os
import pathlib
import random
import resource
import subprocess
import tempfile
import time

WORDS = "cart checkout release branch token deploy cache index prompt review Tuesday budget retry queue".split()


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--program", default="target/dist/retrace")
    arguments.add_argument("--changes", type=int, default=50_000)
    wanted = arguments.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        measure(wanted, pathlib.Path(folder))


def measure(wanted, folder):
    numbers = random.Random(1)
    root, home = folder / "memories", folder / "home"
    root.mkdir()
    home.mkdir()
    environment = {"HOME": str(home), "PATH": os.environ["PATH"]}

    def run(*words):
        before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
        command = [wanted.program, "--data-dir", str(folder / "data"), *words]
        subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        clock, after = time.monotonic() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
        processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        return f"{clock * 1000:.0f} ms, processor {processor * 1000:.0f} ms"

    def line():
        return "- " + " ".join(numbers.choice(WORDS) for _ in range(9)) + f" {numbers.randrange(1000)}.\n"

    files = []
    for number in range(wanted.changes):
        file = root / f"d{number // 500}" / f"n{number}.md"
        file.parent.mkdir(exist_ok=True)
        file.write_text(f"# Note {number}\n" + "".join(line() for _ in range(10)))
        files.append(file)
    run("stores", "add", str(root), "--name", "notes")
    run("record", "--once")
    for number, file in enumerate(files):
        with file.open("a") as end:
            end.write(f"- changed {number}.\n")
    run("record", "--once")
    print(f"{wanted.changes} changes")
    print("rows, nothing kept:", run("inbox"))
    for _ in range(3):
        print("rows again:", run("inbox"))
    for _ in range(3):
        print("all as JSON:", run("inbox", "--json"))
    for _ in range(3):
        print("alone:", run())


if __name__ == "__main__":
    main()
