"""Writes recorded.json: the requests that the vendor's Python SDK sends for hosted stores and dreams.

    python3 -m venv venv && venv/bin/pip install anthropic==2.11.0
    env -i venv/bin/python record.py > recorded.json

Nothing leaves the machine: the SDK talks to a server in this program.
"""

import http.server
import json
import threading

import anthropic

STORE, MEMORY, VERSION, DREAM = "memstore_01a", "mem_01b", "memver_01c", "drm_1"
SHA256 = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
INPUTS = [{"type": "memory_store", "memory_store_id": STORE}, {"type": "sessions", "session_ids": ["sesn_1"]}]
CALLS = [
    ("stores", lambda stores, dreams: list(stores.list(include_archived=True, limit=100))),
    ("store", lambda stores, dreams: stores.retrieve(STORE)),
    ("archive", lambda stores, dreams: stores.archive(STORE)),
    ("memories", lambda stores, dreams: list(stores.memories.list(STORE, view="full", limit=20, page="page_ä b"))),
    ("memory", lambda stores, dreams: stores.memories.retrieve(MEMORY, memory_store_id=STORE, view="full")),
    ("versions", lambda stores, dreams: list(stores.memory_versions.list(STORE, view="basic", limit=100))),
    ("version", lambda stores, dreams: stores.memory_versions.retrieve(VERSION, memory_store_id=STORE, view="full")),
    ("create", lambda stores, dreams: stores.memories.create(STORE, path="/é.md", content="one\n\u0001日本")),
    ("update", lambda stores, dreams: stores.memories.update(
        MEMORY, memory_store_id=STORE, path="/b.md", content="two\n",
        precondition={"type": "content_sha256", "content_sha256": SHA256})),
    ("delete", lambda stores, dreams: stores.memories.delete(MEMORY, memory_store_id=STORE, expected_content_sha256=SHA256)),
    ("redact", lambda stores, dreams: stores.memory_versions.redact(VERSION, memory_store_id=STORE)),
    ("dreams", lambda stores, dreams: list(dreams.list(include_archived=True, limit=100))),
    ("dream", lambda stores, dreams: dreams.retrieve(DREAM)),
    ("create_dream", lambda stores, dreams: dreams.create(
        inputs=INPUTS, model="claude-opus-5", instructions="Merge.",
        output_behavior={"type": "update_existing", "memory_store_id": STORE})),
    ("cancel_dream", lambda stores, dreams: dreams.cancel(DREAM)),
    ("archive_dream", lambda stores, dreams: dreams.archive(DREAM)),
]


class Recorder(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    seen = []

    def answer(self):
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        headers = {name.lower(): value for name, value in self.headers.items() if name.lower() != "host"}
        self.seen.append({"method": self.command, "target": self.path, "headers": headers, "body": body.decode()})
        answer = b'{"data":[],"next_page":null}'
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    do_GET = do_POST = do_DELETE = answer

    def log_message(self, *arguments):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Recorder)
threading.Thread(target=server.serve_forever, daemon=True).start()
client = anthropic.Anthropic(api_key="key-of-the-test", base_url=f"http://127.0.0.1:{server.server_port}")
calls = []
for name, call in CALLS:
    call(client.beta.memory_stores, client.beta.dreams)
    calls.append({"name": name, **Recorder.seen.pop()})
    assert not Recorder.seen, name
print(json.dumps({"sdk": f"anthropic {anthropic.__version__}", "calls": calls}, indent=1, sort_keys=True, ensure_ascii=True))
