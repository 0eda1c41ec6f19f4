"""Plays scripts with the tool runner of the Python SDK against a server on this machine.

Reads one case a line from the file named by the first argument: {"control", "max_iterations", "messages", "turns",
"summaries"}. A turn is {"usage", "ending", "calls"}, a summary {"usage", "text"}. Writes one answer a line to the file
named by the second: {"calls", "yields", "tool_runs", "error"}, where a call is [kind, messages sent, names of its keys].
"""

import json
import logging
import sys
import threading
import warnings
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import anthropic
from anthropic import beta_tool

logging.disable(logging.CRITICAL)
warnings.simplefilter("ignore")


class Script:
    """What the server answers, and what it was asked."""

    def begin(self, case):
        self.turns = iter(case["turns"])
        self.summaries = iter(case["summaries"])
        self.calls = []
        self.number = 0

    def answer(self, body, helper):
        self.number += 1
        summary = "compaction" in helper
        self.calls.append(["summary" if summary else "normal", len(body["messages"]), sorted(body)])
        said = next(self.summaries if summary else self.turns, None)
        if said is None:
            return None
        return self.message(said, *(self.of_summary(said) if summary else self.of_turn(said)))

    def of_summary(self, said):
        if said["text"]:
            return [{"type": "text", "text": "<summary>so far</summary>"}], "end_turn"
        return [self.call(0)], "tool_use"

    def of_turn(self, said):
        if said["ending"] == "calls":
            return [self.call(index) for index in range(said["calls"])], "tool_use"
        return [{"type": "text", "text": "done"}], "refusal" if said["ending"] == "refusal" else "end_turn"

    def call(self, index):
        return {"type": "tool_use", "id": f"toolu_{self.number}_{index}", "name": "work", "input": {}}

    def message(self, said, content, reason):
        return {
            "id": f"msg_{self.number}",
            "type": "message",
            "role": "assistant",
            "model": "claude-opus-4-5",
            "content": content,
            "stop_reason": reason,
            "stop_sequence": None,
            "usage": said["usage"],
        }


SCRIPT = Script()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Head and body leave together; else each answer waits for the other side's acknowledgement.
    wbufsize = 65536

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        message = SCRIPT.answer(body, self.headers.get("x-stainless-helper", ""))
        end = {"type": "error", "error": {"type": "invalid_request_error", "message": "the script ended"}}
        data = json.dumps(message or end).encode()
        self.send_response(200 if message else 400)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *arguments):
        pass


def play(client, case):
    runs = []

    @beta_tool
    def work() -> str:
        """Works."""
        runs.append(1)
        return "worked"

    SCRIPT.begin(case)
    runner = client.beta.messages.tool_runner(
        model="claude-opus-4-5",
        max_tokens=100,
        system="be brief",
        tools=[work],
        messages=case["messages"],
        compaction_control=case["control"],
        **({"max_iterations": case["max_iterations"]} if case.get("max_iterations") is not None else {}),
    )
    yields, error = 0, None
    try:
        for _ in runner:
            yields += 1
    except anthropic.BadRequestError:
        error = "script ended"
    except ValueError as raised:
        error = str(raised)
    return {"calls": SCRIPT.calls, "yields": yields, "tool_runs": len(runs), "error": error}


def main(source, target):
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    client = anthropic.Anthropic(
        api_key="none", base_url=f"http://127.0.0.1:{server.server_address[1]}", max_retries=0
    )
    with open(source, encoding="utf-8") as cases, open(target, "w", encoding="utf-8") as answers:
        for line in cases:
            print(json.dumps(play(client, json.loads(line))), file=answers)
    server.shutdown()


main(*sys.argv[1:])
