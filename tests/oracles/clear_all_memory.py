"""Fills and clears a memory with both classes of Retrace's back end, as an application does:

    clear_all_memory.py PROGRAM ROOT
"""

import asyncio
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "examples" / "memory-tool-python"))

from anthropic.lib.tools import ToolError
from retrace_memory import AsyncRetraceMemoryTool, RetraceMemoryTool

PROGRAM, ROOT = sys.argv[1:]
FILES = [{"command": "create", "path": f"/memories/{name}", "file_text": "x"} for name in ("a.md", "b c/\u00fc.md")]

with RetraceMemoryTool(ROOT, session="clearing", program=PROGRAM) as memory:
    for file in FILES:
        memory.call(file)
    os.symlink("a.md", f"{ROOT}/link.md")
    assert memory.clear_all_memory() == "All memory cleared"
    assert os.listdir(ROOT) == []
try:
    memory.call(FILES[0])
except ToolError as error:
    assert "retrace has ended" in str(error), error
else:
    raise AssertionError("a memory that was closed answered")


async def main():
    async with AsyncRetraceMemoryTool(ROOT, session="clearing", program=PROGRAM) as memory:
        await asyncio.gather(*(memory.call(file) for file in FILES))
        assert await memory.clear_all_memory() == "All memory cleared"
    assert os.listdir(ROOT) == []


asyncio.run(main())
