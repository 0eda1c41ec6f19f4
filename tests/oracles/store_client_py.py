"""Uses every method of the Python SDK's memory stores, sync and async, against a server, and checks each answer.

    store_client_py.py BASE_URL KEY

Runs with any version of the SDK that has memory stores. Responses are validated strictly. Ends with a line that says how
many calls were made; a wrong answer is an AssertionError.
"""

import asyncio
import datetime
import hashlib
import sys

import anthropic

BASE, KEY = sys.argv[1:3]
OLD = anthropic.__version__.startswith("0.")
calls = 0


class Sync:
    """The asynchronous client's face on the synchronous one, so that one scenario serves both."""

    def __init__(self, **options):
        self.client = anthropic.Anthropic(base_url=BASE, _strict_response_validation=True, **options)

    async def do(self, method, *args, **kwargs):
        global calls
        calls += 1
        return method(*args, **kwargs)

    async def all(self, method, *args, **kwargs):
        global calls
        calls += 1
        return list(method(*args, **kwargs))


class Async:
    def __init__(self, **options):
        self.client = anthropic.AsyncAnthropic(base_url=BASE, _strict_response_validation=True, **options)

    async def do(self, method, *args, **kwargs):
        global calls
        calls += 1
        return await method(*args, **kwargs)

    async def all(self, method, *args, **kwargs):
        global calls
        calls += 1
        return [item async for item in method(*args, **kwargs)]


def sha(text):
    return hashlib.sha256(text.encode()).hexdigest()


async def refused(side, error, status, kind, method, *args, **kwargs):
    """The call fails with this class, status and type, and was not sent again."""
    try:
        await side.do(method, *args, **kwargs)
    except anthropic.APIStatusError as caught:
        assert type(caught) is error, (type(caught), error)
        assert caught.status_code == status, caught.status_code
        body = caught.body
        assert body["type"] == "error" and body["error"]["type"] == kind, body
        assert isinstance(body["error"]["message"], str) and body["error"]["message"], body
        assert body["request_id"].startswith("req_"), body
        assert caught.response.headers["request-id"] == body["request_id"]
        sent = caught.response.request.headers.get("x-stainless-retry-count", "0")
        assert sent == "0", f"sent {sent} more times"
        return body["error"]
    raise AssertionError(f"{kind} was expected")


async def stores(side):
    api = side.client.beta.memory_stores
    before = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(seconds=5)
    made = [await side.do(api.create, name=f"Store {n}", description="d", metadata={"n": str(n)}) for n in range(5)]
    first = made[0]
    assert first.type == "memory_store" and first.id.startswith("memstore_"), first
    assert first.metadata == {"n": "0"} and first.archived_at is None
    bare = await side.do(api.create, name="Bare")
    assert bare.description == "" and bare.metadata == {}
    listed = await side.all(api.list, limit=2)
    ids = [store.id for store in listed]
    assert ids[0] == bare.id and [store.id for store in reversed(made)] == ids[1:6], "newest first, over pages"
    assert first.id in [store.id for store in await side.all(api.list, created_at_gte=before)]
    assert first.id not in [store.id for store in await side.all(api.list, created_at_lte=before)]
    got = await side.do(api.retrieve, first.id)
    assert got == first
    changed = await side.do(api.update, first.id, name="Renamed", metadata={"more": "x", "n": None})
    assert changed.name == "Renamed" and changed.metadata == {"more": "x"} and changed.description == "d"
    assert changed.updated_at > first.updated_at and changed.created_at == first.created_at
    assert (await side.do(api.update, first.id, description="")).description == ""
    archived = await side.do(api.archive, first.id)
    assert archived.archived_at is not None
    assert await side.do(api.archive, first.id) == archived, "archiving twice"
    assert first.id not in [store.id for store in await side.all(api.list)]
    assert first.id in [store.id for store in await side.all(api.list, include_archived=True)]
    bad = (anthropic.BadRequestError, 400, "invalid_request_error")
    await refused(side, *bad, api.update, first.id, name="No")
    await refused(side, *bad, api.memories.create, first.id, path="/a", content="x")
    await refused(side, *bad, api.create, name="")
    await refused(side, *bad, api.create, name="x" * 256)
    await refused(side, *bad, api.create, name="x", metadata={str(n): "v" for n in range(17)})
    await refused(side, *bad, api.list, limit=0)
    await refused(side, *bad, api.list, limit=1, page="page_nonsense")
    deleted = await side.do(api.delete, first.id)
    assert deleted.id == first.id and deleted.type == "memory_store_deleted"
    missing = (anthropic.NotFoundError, 404, "not_found_error")
    await refused(side, *missing, api.retrieve, first.id)
    await refused(side, *missing, api.delete, first.id)
    await refused(side, *missing, api.memories.list, first.id)
    await refused(side, *missing, api.memory_versions.list, first.id)
    await refused(side, *missing, api.retrieve, "memstore_unknown")


async def memories(side):
    api = side.client.beta.memory_stores
    store = (await side.do(api.create, name="Memories")).id
    text = "Always use tabs, not spaces."
    made = await side.do(api.memories.create, store, path="/prefs/format.md", content=text)
    assert made.content is None and made.content_sha256 == sha(text) and made.content_size_bytes == len(text)
    assert made.path == "/prefs/format.md" and made.memory_store_id == store
    full = await side.do(api.memories.retrieve, made.id, memory_store_id=store)
    assert full.content == text and full.memory_version_id == made.memory_version_id
    basic = await side.do(api.memories.retrieve, made.id, memory_store_id=store, view="basic")
    assert basic == made
    empty = await side.do(api.memories.create, store, path="/empty", content="", view="full")
    assert empty.content == "" and empty.content_sha256 == sha("") and empty.content_size_bytes == 0
    odd = "a\r\nb\u0000c\U0001f980 e\u0301"
    assert (await side.do(api.memories.create, store, path="/.odd é", content=odd, view="full")).content == odd

    conflict = (anthropic.ConflictError, 409, "memory_path_conflict_error")
    error = await refused(side, *conflict, api.memories.create, store, path="/prefs/format.md", content="y")
    assert error["conflicting_path"] == "/prefs/format.md" and error["conflicting_memory_id"] == made.id
    error = await refused(side, *conflict, api.memories.create, store, path="/prefs", content="y")
    assert error["conflicting_path"] == "/prefs/format.md"
    error = await refused(side, *conflict, api.memories.create, store, path="/empty/below", content="y")
    assert error["conflicting_path"] == "/empty"

    async def update(memory, **change):
        return await side.do(api.memories.update, memory, memory_store_id=store, **change)

    second = await update(made.id, content="two", view="full")
    assert second.id == made.id and second.content == "two" and second.memory_version_id != made.memory_version_id
    assert await update(made.id, content="two", view="full") == second, "an update that changes nothing"
    moved = await update(made.id, path="/prefs/other.md")
    assert moved.id == made.id and moved.path == "/prefs/other.md" and moved.content_sha256 == sha("two")
    both = await update(made.id, path="/prefs/format.md", content="three")
    assert both.path == "/prefs/format.md" and both.content_sha256 == sha("three")
    error = await refused(side, *conflict, api.memories.update, made.id, memory_store_id=store, path="/empty/x")
    assert error["conflicting_path"] == "/empty"

    stale = {"type": "content_sha256", "content_sha256": sha("old")}
    now = {"type": "content_sha256", "content_sha256": sha("three")}
    failed = (anthropic.ConflictError, 409, "memory_precondition_failed_error")
    await refused(
        side, *failed, api.memories.update, made.id, memory_store_id=store, content="four", precondition=stale
    )
    await refused(side, *failed, api.memories.update, made.id, memory_store_id=store, path="/p", precondition=stale)
    assert (await update(made.id, content="three", precondition=stale)).id == made.id, "already as wanted"
    assert (await update(made.id, content="four", precondition=now)).content_sha256 == sha("four")

    bad = (anthropic.BadRequestError, 400, "invalid_request_error")
    for path in ["a", "/", "/a/", "/a//b", "/../x", "/a/./b", "/a\n", "/e\u0301", "/" + "x" * 1024, "/x" * 21]:
        await refused(side, *bad, api.memories.create, store, path=path, content="x")
    await refused(side, *bad, api.memories.create, store, path="/big", content="x" * 102_401)
    assert (await side.do(api.memories.create, store, path="/big", content="x" * 102_400)).content_size_bytes == 102_400
    await refused(
        side, anthropic.RequestTooLargeError if hasattr(anthropic, "RequestTooLargeError") else anthropic.APIStatusError,
        413, "request_too_large", api.memories.create, store, path="/huge", content="x" * 2_000_000,
    )
    await refused(side, *bad, api.memories.list, store, path_prefix="/prefs")
    await refused(side, *bad, api.memories.list, store, depth=2)

    for name in ["/prefs/a", "/prefs/deep/b", "/prefs/deep/c", "/prefs-archive/d", "/top"]:
        await side.do(api.memories.create, store, path=name, content=name)
    paths = [item.path for item in await side.all(api.memories.list, store, limit=2)]
    assert paths == sorted(paths, key=str.encode) and len(paths) == 9, paths
    items = await side.all(api.memories.list, store, depth=1, limit=1)
    assert [(item.type, item.path) for item in items] == [
        ("memory", "/.odd é"), ("memory", "/big"), ("memory", "/empty"), ("memory_prefix", "/prefs-archive/"),
        ("memory_prefix", "/prefs/"), ("memory", "/top"),
    ], items
    items = await side.all(api.memories.list, store, path_prefix="/prefs/", depth=1)
    assert [item.path for item in items] == ["/prefs/a", "/prefs/deep/", "/prefs/format.md"]
    items = await side.all(api.memories.list, store, path_prefix="/prefs/", view="full", limit=100)
    assert [item.content for item in items] == ["/prefs/a", "/prefs/deep/b", "/prefs/deep/c", "four"]

    other = (await side.do(api.create, name="Other")).id
    missing = (anthropic.NotFoundError, 404, "not_found_error")
    await refused(side, *missing, api.memories.retrieve, made.id, memory_store_id=other)
    await refused(side, *missing, api.memories.update, made.id, memory_store_id=other, content="x")
    await refused(side, *missing, api.memories.delete, made.id, memory_store_id=other)
    await refused(side, *missing, api.memory_versions.retrieve, both.memory_version_id, memory_store_id=other)

    await refused(
        side, anthropic.ConflictError, 409, "memory_precondition_failed_error", api.memories.delete, made.id,
        memory_store_id=store, expected_content_sha256=sha("old"),
    )
    gone = await side.do(api.memories.delete, made.id, memory_store_id=store, expected_content_sha256=sha("four"))
    assert gone.id == made.id and gone.type == "memory_deleted"
    await refused(side, *missing, api.memories.delete, made.id, memory_store_id=store)
    again = await side.do(api.memories.create, store, path="/prefs/format.md", content="new")
    assert again.id != made.id, "an id is not used again"
    return store, made.id


async def versions(side, store, memory):
    api = side.client.beta.memory_stores.memory_versions
    listed = await side.all(api.list, store, memory_id=memory, limit=2)
    assert [version.operation for version in listed] == ["deleted"] + ["modified"] * 4 + ["created"], listed
    deleted, newest, oldest = listed[0], listed[1], listed[-1]
    assert deleted.path == "/prefs/format.md" and deleted.content is None and deleted.content_sha256 is None
    assert deleted.content_size_bytes is None
    assert all(version.content is None for version in listed)
    assert oldest.created_by.type == "api_actor" and oldest.created_by.api_key_id.startswith("apikey_")
    full = await side.all(api.list, store, memory_id=memory, view="full")
    assert [version.content for version in full] == [None, "four", "three", "two", "two", "Always use tabs, not spaces."]
    key = oldest.created_by.api_key_id
    assert len(await side.all(api.list, store, memory_id=memory, api_key_id=key)) == 6
    assert not await side.all(api.list, store, api_key_id="apikey_other")
    assert not await side.all(api.list, store, session_id=key)
    assert len(await side.all(api.list, store, memory_id=memory, operation="modified")) == 4
    assert len(await side.all(api.list, store, operation="deleted")) == 1
    future = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(days=1)
    assert not await side.all(api.list, store, created_at_gte=future)
    assert len(await side.all(api.list, store, memory_id=memory, created_at_lte=future)) == 6
    got = await side.do(api.retrieve, oldest.id, memory_store_id=store)
    assert got.content == "Always use tabs, not spaces." and got.path == "/prefs/format.md"

    redacted = await side.do(api.redact, oldest.id, memory_store_id=store)
    assert redacted.redacted_at is not None and redacted.redacted_by.type == "api_actor"
    assert redacted.content is redacted.content_sha256 is redacted.content_size_bytes is redacted.path is None
    assert redacted.operation == "created" and redacted.created_by == oldest.created_by
    assert await side.do(api.redact, oldest.id, memory_store_id=store) == redacted, "redacting twice"
    assert await side.do(api.retrieve, oldest.id, memory_store_id=store) == redacted
    for version in (newest, deleted):
        assert (await side.do(api.redact, version.id, memory_store_id=store)).redacted_at is not None
    memories = side.client.beta.memory_stores.memories
    live = await side.do(memories.create, store, path="/head", content="one")
    bad = (anthropic.BadRequestError, 400, "invalid_request_error")
    await refused(side, *bad, api.redact, live.memory_version_id, memory_store_id=store)
    await side.do(memories.update, live.id, memory_store_id=store, content="two")
    assert (await side.do(api.redact, live.memory_version_id, memory_store_id=store)).redacted_at is not None
    # The same content in another version stays: only what was named is redacted.
    first = await side.do(memories.create, store, path="/twin-1", content="same")
    twin = await side.do(memories.create, store, path="/twin-2", content="same")
    await side.do(memories.delete, first.id, memory_store_id=store)
    await side.do(api.redact, first.memory_version_id, memory_store_id=store)
    assert (await side.do(memories.retrieve, twin.id, memory_store_id=store)).content == "same"
    missing = (anthropic.NotFoundError, 404, "not_found_error")
    await refused(side, *missing, api.retrieve, "memver_unknown", memory_store_id=store)


async def headers(side, other):
    api = side.client.beta.memory_stores
    bad = (anthropic.BadRequestError, 400, "invalid_request_error")
    beta = "agent-memory-2026-07-22" if OLD else "managed-agents-2026-04-01"
    own = "managed-agents-2026-04-01" if OLD else "agent-memory-2026-07-22"
    await refused(side, *bad, api.list, extra_headers={"anthropic-beta": f"{beta},{own}"})
    await refused(side, *bad, api.list, extra_headers={"anthropic-beta": "something-else"})
    await side.do(api.list, extra_headers={"anthropic-beta": beta})
    await refused(side, anthropic.AuthenticationError, 401, "authentication_error", other.client.beta.memory_stores.list)
    raw = await side.do(api.with_raw_response.create, name="Raw")
    assert raw.headers["request-id"].startswith("req_")


async def main():
    for kind in (Sync, Async):
        side = kind(api_key=KEY)
        await stores(side)
        store, memory = await memories(side)
        await versions(side, store, memory)
        await headers(side, kind(api_key="wrong-key"))
    print(f"{anthropic.__version__}: {calls} calls as they should be")


asyncio.run(main())
