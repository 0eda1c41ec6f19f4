"""Answers calls of the memory tool with the file-system class of the Python SDK.

Reads one case a line from the file named by the first argument: {"tree", "calls"}; a tree is a list of
[kind, path, text], where kind is "file", "directory" or "link" (then the text is its target, with "{root}" for the root).
Each case gets a directory of its own below the one named by the third argument. Writes one answer a line to the file
named by the second: {"answers": [[content, is_error]…], "tree", "seconds"}. Host paths are written as the model knows
them.
"""

import json
import os
import sys
import time

from anthropic.lib.tools._beta_builtin_memory_tool import BetaLocalFilesystemMemoryTool
from anthropic.lib.tools._tool_dispatch import tool_error_content


def build(root, tree):
    for kind, path, text in tree:
        target = os.path.join(root, path)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        if kind == "directory":
            os.makedirs(target, exist_ok=True)
        elif kind == "link":
            os.symlink(text.replace("{root}", root), target)
        else:
            with open(target, "wb") as file:
                file.write(text.encode("utf-8"))


def standing(root):
    """Every name below the root with what it is."""
    found = []
    for folder, directories, files in os.walk(root):
        for name in directories + files:
            path = os.path.join(folder, name)
            shown = os.path.relpath(path, root)
            if os.path.islink(path):
                found.append([shown, "link", os.readlink(path).replace(root, "{root}")])
            elif os.path.isdir(path):
                found.append([shown, "directory", ""])
            else:
                with open(path, "rb") as file:
                    found.append([shown, "file", file.read().decode("utf-8")])
    return sorted(found)


def main(cases, answers, scratch):
    with open(cases, encoding="utf-8") as lines, open(answers, "w", encoding="utf-8") as out:
        for number, line in enumerate(lines):
            case = json.loads(line)
            base = os.path.join(os.path.realpath(scratch), str(number))
            tool = BetaLocalFilesystemMemoryTool(base)
            root = os.path.join(base, "memories")
            build(root, case["tree"])
            answered = []
            began = time.perf_counter()
            for call in case["calls"]:
                try:
                    answered.append([tool.call(call), False])
                except Exception as error:
                    answered.append([tool_error_content(error), True])
            seconds = time.perf_counter() - began
            answered = [[text.replace(root, "/memories"), is_error] for text, is_error in answered]
            out.write(json.dumps({"answers": answered, "tree": standing(root), "seconds": seconds}) + "\n")


main(*sys.argv[1:])
