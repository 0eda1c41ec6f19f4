"""The memory tool of the Python SDK, kept and recorded by Retrace.

    from retrace_memory import RetraceMemoryTool

    with RetraceMemoryTool("./memories", session="my-session") as memory:
        client.beta.messages.tool_runner(..., tools=[memory])

With `AsyncAnthropic`, the same with `async with AsyncRetraceMemoryTool(...) as memory`.

`memory.after(prompt, turn=3)` says what the next calls are made after; it is kept with them as the reason.
Every call goes to a `retrace memory-tool` process over a pipe; who wrote what and when is then in Retrace's log.
"""

from __future__ import annotations

import json
import os
import subprocess
import threading
from typing import Any

from anthropic.lib.tools import BetaAbstractMemoryTool, BetaAsyncAbstractMemoryTool, ToolError
from anyio.to_thread import run_sync


class _Retrace:
    """A `retrace memory-tool` process, one call at a time."""

    def __init__(self, root: str, session: str | None, program: str) -> None:
        command = [program, "memory-tool", "--dialect", "py", "--root", root]
        if session is not None:
            command += ["--session", session]
        self._root = root
        self._lock = threading.Lock()
        self.reason: dict[str, Any] = {}
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8")

    def call(self, command: dict[str, Any]) -> str:
        line = json.dumps({**self.reason, "input": command})
        with self._lock:
            try:
                self._process.stdin.write(line + "\n")
                self._process.stdin.flush()
                answered = self._process.stdout.readline()
            except (BrokenPipeError, ValueError):
                answered = ""
        if not answered:
            raise ToolError("The memory is not available: retrace has ended.")
        answer = json.loads(answered)
        if answer["is_error"]:
            raise ToolError(answer["content"])
        return answer["content"]

    def clear(self) -> str:
        for name in sorted(os.listdir(self._root)):
            path = os.path.join(self._root, name)
            # A link is no memory; the tool would delete what it leads to.
            if os.path.islink(path):
                os.unlink(path)
            else:
                self.call({"command": "delete", "path": f"/memories/{name}"})
        return "All memory cleared"

    def close(self) -> None:
        with self._lock:
            self._process.stdin.close()
            self._process.wait()
            self._process.stdout.close()


def _reason(prompt: str, turn: int | None) -> dict[str, Any]:
    return {"prompt": prompt} if turn is None else {"prompt": prompt, "turn": turn}


class RetraceMemoryTool(BetaAbstractMemoryTool):
    """Memory in `root`, which the model sees as `/memories`. `session` is the author of what is written."""

    def __init__(self, root: str, *, session: str | None = None, program: str = "retrace", **options: Any) -> None:
        super().__init__(**options)
        self._retrace = _Retrace(root, session, program)

    def after(self, prompt: str, *, turn: int | None = None) -> None:
        """The calls from now on are made after `prompt`, in the `turn`-th turn of the session."""
        self._retrace.reason = _reason(prompt, turn)

    def close(self) -> None:
        """Ends the process. What was answered is on disk and recorded."""
        self._retrace.close()

    def __enter__(self) -> RetraceMemoryTool:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def execute(self, command: Any) -> str:
        return self._retrace.call(command.model_dump(exclude_none=True))

    # The six commands are one line each to the process, so that `execute` serves them all.
    view = create = str_replace = insert = delete = rename = execute

    def clear_all_memory(self) -> str:
        return self._retrace.clear()


class AsyncRetraceMemoryTool(BetaAsyncAbstractMemoryTool):
    """The same for the asynchronous client. The event loop goes on while a call is made."""

    def __init__(self, root: str, *, session: str | None = None, program: str = "retrace", **options: Any) -> None:
        super().__init__(**options)
        self._retrace = _Retrace(root, session, program)

    def after(self, prompt: str, *, turn: int | None = None) -> None:
        """The calls from now on are made after `prompt`, in the `turn`-th turn of the session."""
        self._retrace.reason = _reason(prompt, turn)

    async def close(self) -> None:
        """Ends the process. What was answered is on disk and recorded."""
        await run_sync(self._retrace.close)

    async def __aenter__(self) -> AsyncRetraceMemoryTool:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def execute(self, command: Any) -> str:
        return await run_sync(self._retrace.call, command.model_dump(exclude_none=True))

    view = create = str_replace = insert = delete = rename = execute

    async def clear_all_memory(self) -> str:
        return await run_sync(self._retrace.clear)
