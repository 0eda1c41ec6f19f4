"""A whole conversation of the Python SDK's tool runner over Retrace's back end, with a model that follows a script.

    conversation.py PROGRAM ROOT SCRIPT [async]      prints {"results": [...], "final": "..."}

SCRIPT is a list of turns; each is {"prompt": text, "calls": [input, ...]}. The model (a server on this machine that answers
Messages requests) makes one call after the other and then ends the turn. `results` are the tool results as the model was sent
them.
"""

import asyncio
import json
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "examples" / "memory-tool-python"))

import anthropic
from retrace_memory import AsyncRetraceMemoryTool, RetraceMemoryTool

PROGRAM, ROOT, SCRIPT = sys.argv[1], sys.argv[2], json.loads(Path(sys.argv[3]).read_text("utf-8"))


def answers():
    number = 0
    for turn in SCRIPT:
        for call in turn["calls"]:
            number += 1
            yield [{"type": "tool_use", "id": f"toolu_{number}", "name": "memory", "input": call}], "tool_use"
        yield [{"type": "text", "text": f"Done: {turn['prompt']}"}], "end_turn"


class Model(BaseHTTPRequestHandler):
    said = answers()
    requests = []

    def do_POST(self):
        self.requests.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
        content, reason = next(self.said)
        body = {
            "id": f"msg_{len(self.requests)}",
            "type": "message",
            "role": "assistant",
            "model": "claude-sonnet-4-5",
            "content": content,
            "stop_reason": reason,
            "stop_sequence": None,
            "usage": {"input_tokens": 1, "output_tokens": 1},
        }
        data = json.dumps(body).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Model)
threading.Thread(target=server.serve_forever, daemon=True).start()
CLIENT = {"api_key": "none", "base_url": f"http://127.0.0.1:{server.server_port}", "max_retries": 0}
MEMORY = {"session": "conversation-py", "program": PROGRAM}


def request(messages, memory):
    return {"model": "claude-sonnet-4-5", "max_tokens": 1024, "messages": messages, "tools": [memory]}


def converse():
    client, messages, final = anthropic.Anthropic(**CLIENT), [], None
    with RetraceMemoryTool(ROOT, **MEMORY) as memory:
        for number, turn in enumerate(SCRIPT, 1):
            memory.after(turn["prompt"], turn=number)
            messages.append({"role": "user", "content": turn["prompt"]})
            final = client.beta.messages.tool_runner(**request(messages, memory)).until_done()
            messages.append({"role": "assistant", "content": final.content[0].text})
    return final


async def converse_async():
    client, messages, final = anthropic.AsyncAnthropic(**CLIENT), [], None
    async with AsyncRetraceMemoryTool(ROOT, **MEMORY) as memory:
        for number, turn in enumerate(SCRIPT, 1):
            memory.after(turn["prompt"], turn=number)
            messages.append({"role": "user", "content": turn["prompt"]})
            final = await client.beta.messages.tool_runner(**request(messages, memory)).until_done()
            messages.append({"role": "assistant", "content": final.content[0].text})
    return final


final = asyncio.run(converse_async()) if sys.argv[4:] == ["async"] else converse()
server.shutdown()

assert Model.requests[0]["tools"] == [{"type": "memory_20250818", "name": "memory"}], Model.requests[0]["tools"]


def text(content):
    return content if isinstance(content, str) else "".join(block["text"] for block in content)


# A runner may send the whole conversation each time, or only what is new.
results = {
    block["tool_use_id"]: {"content": text(block["content"]), "is_error": block.get("is_error", False)}
    for request in Model.requests
    for message in request["messages"]
    if isinstance(message["content"], list)
    for block in message["content"]
    if block["type"] == "tool_result"
}
print(json.dumps({"results": list(results.values()), "final": final.content[0].text}))
