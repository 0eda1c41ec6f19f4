"""Writes recorded.json: the requests that the vendor's Python SDK sends for count_tokens.

    python3 -m venv venv && venv/bin/pip install anthropic==2.11.0
    env -i venv/bin/python record.py > recorded.json

Nothing leaves the machine: the SDK talks to a server in this program.
"""

import http.server
import json
import threading

import anthropic

CONTEXT = {"edits": [
    {"type": "clear_thinking_20251015", "keep": {"type": "thinking_turns", "value": 2}},
    {"type": "clear_tool_uses_20250919", "trigger": {"type": "input_tokens", "value": 1000}, "exclude_tools": ["memory"]},
]}
HELLO = [{"role": "user", "content": "Hello, é 日本語 \u0001 world"}]
TOOLS = [{"name": "read", "description": "Reads a file.", "input_schema": {"type": "object", "properties": {"path": {"type": "string"}}}}]
CALLED = HELLO + [
    {"role": "assistant", "content": [{"type": "tool_use", "id": "toolu_1", "name": "read", "input": {"path": "notes.md"}}]},
    {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "three lines"}]},
]
CALLS = [
    ("plain", False, {"model": "claude-opus-5", "messages": HELLO}),
    ("full", False, {
        "model": "claude-sonnet-4-6", "messages": CALLED, "system": [{"type": "text", "text": "Be brief."}], "tools": TOOLS,
        "thinking": {"type": "enabled", "budget_tokens": 1024}, "tool_choice": {"type": "auto"},
    }),
    ("edited", True, {
        "model": "claude-opus-5", "messages": CALLED, "tools": TOOLS, "thinking": {"type": "enabled", "budget_tokens": 1024},
        "context_management": CONTEXT, "betas": ["context-management-2025-06-27"],
    }),
    ("betas", True, {"model": "claude-opus-5", "messages": HELLO, "betas": ["one", "two"]}),
]


class Recorder(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        self.server.seen = {
            "method": self.command,
            "path": self.path,
            "headers": {name.lower(): value for name, value in self.headers.items()},
            "body": body.decode(),
        }
        answer = b'{"input_tokens":1}'
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_):
        pass


server = http.server.HTTPServer(("127.0.0.1", 0), Recorder)
threading.Thread(target=server.serve_forever, daemon=True).start()
client = anthropic.Anthropic(api_key="key-of-the-test", base_url=f"http://127.0.0.1:{server.server_port}")
recorded = []
for name, beta, arguments in CALLS:
    (client.beta if beta else client).messages.count_tokens(**arguments)
    server.seen["headers"]["host"] = "HOST"
    recorded.append({"name": name, "arguments": arguments, **server.seen})
print(json.dumps({"sdk": f"anthropic {anthropic.__version__}", "calls": recorded}, ensure_ascii=False, indent=1))
