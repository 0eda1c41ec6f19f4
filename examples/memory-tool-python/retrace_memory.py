"""The memory tool of the Python SDK, kept and recorded by Retrace.

    from retrace_memory import RetraceMemoryTool

    with RetraceMemoryTool("./memories", session="my-session") as memory:
        client.beta.messages.tool_runner(..., tools=[memory])

`memory.after(prompt, turn=3)` says what the next calls are made after; it is kept with them as the reason.
Every call goes to a `retrace memory-tool` process over a pipe; who wrote what and when is then in Retrace's log.
"""

from __future__ import annotations

import json
import subprocess
import threading
from typing import Any

from anthropic.lib.tools import BetaAbstractMemoryTool, ToolError


class RetraceMemoryTool(BetaAbstractMemoryTool):
    """Memory in `root`, which the model sees as `/memories`. `session` is the author of what is written."""

    def __init__(self, root: str, *, session: str | None = None, program: str = "retrace", **options: Any) -> None:
        super().__init__(**options)
        command = [program, "memory-tool", "--dialect", "py", "--root", root]
        if session is not None:
            command += ["--session", session]
        self._lock = threading.Lock()
        self._reason: dict[str, Any] = {}
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8")

    def after(self, prompt: str, *, turn: int | None = None) -> None:
        """The calls from now on are made after `prompt`, in the `turn`-th turn of the session."""
        self._reason = {"prompt": prompt} if turn is None else {"prompt": prompt, "turn": turn}

    def close(self) -> None:
        """Ends the process. What was answered is on disk and recorded."""
        if self._process.stdin is not None:
            self._process.stdin.close()
        self._process.wait()
        if self._process.stdout is not None:
            self._process.stdout.close()

    def __enter__(self) -> RetraceMemoryTool:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def execute(self, command: Any) -> str:
        line = json.dumps({**self._reason, "input": command.model_dump(exclude_none=True)})
        with self._lock:
            self._process.stdin.write(line + "\n")
            self._process.stdin.flush()
            answered = self._process.stdout.readline()
        if not answered:
            raise ToolError("The memory is not available: retrace has ended.")
        answer = json.loads(answered)
        if answer["is_error"]:
            raise ToolError(answer["content"])
        return answer["content"]

    # The six commands are one line each to the process, so that `execute` serves them all.
    view = create = str_replace = insert = delete = rename = execute
