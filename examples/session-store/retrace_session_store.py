"""A `SessionStore` for claude-agent-sdk (0.2.189 was tried): sessions are mirrored to a hub of Retrace, and resumed from it.

    from claude_agent_sdk import ClaudeAgentOptions, query
    from retrace_session_store import RetraceSessionStore

    store = RetraceSessionStore(os.environ["RETRACE_HUB"], os.environ["RETRACE_AGENT_KEY"])
    async for message in query(prompt="…", options=ClaudeAgentOptions(session_store=store)): ...

The key is an agent's: `retrace hub agent-token --all --name ci`, on a machine of an owner. Nothing but the standard library is used.
"""

from __future__ import annotations

import asyncio
import json
import urllib.error
import urllib.request
from typing import Any, Iterator


class RetraceHubError(Exception):
    """What the hub refused."""

    def __init__(self, status: int, kind: str, message: str) -> None:
        super().__init__(message)
        self.status, self.kind = status, kind


class RetraceSessionStore:
    """Mirrors sessions to a hub of Retrace, and loads them from it."""

    def __init__(self, hub: str, key: str, timeout: float = 30.0) -> None:
        self._base, self._key, self._timeout = hub.rstrip("/"), key, timeout

    async def append(self, key: dict[str, str], entries: list[dict[str, Any]]) -> None:
        for batch in _batches(entries):
            await self._ask("append", {"key": _key(key), "entries": batch})

    async def load(self, key: dict[str, str]) -> list[dict[str, Any]] | None:
        found: list[dict[str, Any]] = []
        after = 0
        while True:
            page = await self._ask("load", {"key": _key(key), "after": after})
            if page["entries"] is None:
                return None
            found.extend(page["entries"])
            if page["next"] is None:
                return found
            after = page["next"]

    async def list_sessions(self, project_key: str) -> list[dict[str, Any]]:
        listed = await self._ask("list", {"key": {"projectKey": project_key}})
        return [{"session_id": one["sessionId"], "mtime": one["mtime"]} for one in listed["sessions"]]

    async def list_subkeys(self, key: dict[str, str]) -> list[str]:
        return (await self._ask("subkeys", {"key": _key(key)}))["subpaths"]

    async def delete(self, key: dict[str, str]) -> None:
        await self._ask("delete", {"key": _key(key)})

    async def _ask(self, operation: str, body: dict[str, Any]) -> dict[str, Any]:
        return await asyncio.to_thread(self._send, operation, json.dumps(body).encode())

    def _send(self, operation: str, body: bytes) -> dict[str, Any]:
        headers = {"content-type": "application/json", "x-api-key": self._key}
        request = urllib.request.Request(f"{self._base}/v1/agent_sessions/{operation}", body, headers, method="POST")
        try:
            with urllib.request.urlopen(request, timeout=self._timeout) as response:
                return json.load(response)
        except urllib.error.HTTPError as refused:
            try:
                error = json.load(refused).get("error", {})
            except ValueError:
                error = {}
            message = error.get("message", f"status {refused.code}")
            raise RetraceHubError(refused.code, error.get("type", "unknown"), message) from None


def _key(key: dict[str, str]) -> dict[str, str]:
    names = {"project_key": "projectKey", "session_id": "sessionId", "subpath": "subpath"}
    return {names[name]: value for name, value in key.items() if name in names and value is not None}


def _batches(entries: list[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    """The hub takes 32 MiB in one request."""
    batch: list[dict[str, Any]] = []
    size = 0
    for entry in entries:
        own = len(json.dumps(entry))
        if batch and (len(batch) == 1000 or size + own > 24 * 1024 * 1024):
            yield batch
            batch, size = [], 0
        batch.append(entry)
        size += own
    if batch:
        yield batch
