#!/usr/bin/env python3
"""How much memory `retrace serve` takes under mixed load for a long time, and whether that is level.

    tests/oracles/soak.py [--minutes 60] [--program target/release/retrace] [--pause 0.02]

It starts the program on a directory of its own, where some stores of files are recorded and some are of the Memory Stores
API, and lets clients work on them at once: writes and reads through that API, the commands of the window, calls of the
memory tool, files that an agent writes, reviews, rollbacks, streams of events that come and go, connections that break off.
What there is to read is bounded: the same memories change again and again, and what is left to review is approved now and
then. Only the log grows.

Each minute it prints the memory in megabytes: anonymous, which is what the program holds, and all that is resident, which
counts pages of mapped files that the system takes back at will. At the end it compares the last third with the third
before it, and ends with 1 where the anonymous memory grew by more than a twentieth and two megabytes, or a request failed
that should not have.
"""

import argparse
import http.client
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time

MEMORIES = 120
STORES = 3
WORDS = "cart checkout release branch token deploy cache index prompt review Tuesday budget retry queue".split()


def sentence(numbers):
    return "- " + " ".join(numbers.choice(WORDS) for _ in range(8)) + f" {numbers.randrange(1000)}.\n"


def note(numbers, number):
    head = f"---\nname: note {number}\ndescription: What was decided about {numbers.choice(WORDS)}.\ntype: project\n---\n\n"
    return head + "".join(sentence(numbers) for _ in range(numbers.randrange(5, 60)))


def edited(numbers, text):
    lines = text.splitlines(keepends=True)
    for _ in range(numbers.randrange(1, 4)):
        lines[numbers.randrange(min(6, len(lines) - 1), len(lines))] = sentence(numbers)
    return "".join(lines)


class Load:
    def __init__(self, address, token, roots, pause):
        self.address, self.token, self.roots, self.pause = address, token, roots, pause
        self.stopped = threading.Event()
        self.lock = threading.Lock()
        self.done, self.unexpected = {}, {}

    def count(self, what, status, body=b""):
        with self.lock:
            self.done[what] = self.done.get(what, 0) + 1
            # A memory that another client has changed or deleted meanwhile is no fault.
            if status not in (200, 404, 409):
                key = f"{what}: {status} {body[:200]!r}"
                self.unexpected[key] = self.unexpected.get(key, 0) + 1

    def worker(self, work, number):
        numbers = random.Random(number)
        client = Client(self, numbers)
        while not self.stopped.is_set():
            try:
                work(client, numbers)
            except (OSError, http.client.HTTPException) as error:
                if self.stopped.is_set():
                    return
                self.count("connection", 0, str(error).encode())
                client = Client(self, numbers)
            self.stopped.wait(self.pause * numbers.uniform(0.5, 1.5))


class Client:
    def __init__(self, load, numbers):
        self.load, self.numbers, self.memories = load, numbers, {}
        self.connect()

    def connect(self):
        self.connection = http.client.HTTPConnection(self.load.address, timeout=60)

    def ask(self, method, path, body=None, what=None):
        headers = {"Authorization": f"Bearer {self.load.token}", "Content-Type": "application/json",
                   "anthropic-beta": "agent-memory-2026-07-22"}
        text = json.dumps(body) if body is not None else None
        # Some clients keep a connection, some come anew.
        if self.numbers.random() < 0.02:
            self.connection.close()
        self.connection.request(method, path, text, headers)
        answer = self.connection.getresponse()
        found = answer.read()
        self.load.count(what or path.split("?")[0].rsplit("/", 1)[-1], answer.status, found)
        return (answer.status, json.loads(found) if found else {})

    def command(self, name, **request):
        return self.ask("POST", f"/api/v1/{name}", request, name)[1]


def stores_api(client, numbers):
    """A client of the Memory Stores API with a store of its own."""
    ask = lambda method, tail, body=None, what="api": client.ask(method, "/v1/memory_stores" + tail, body, "api " + what)
    if not hasattr(client, "store"):
        client.store = ask("POST", "", {"name": f"soak-{numbers.randrange(10**9)}"}, "make a store")[1]["id"]
    known, memories = client.memories, f"/{client.store}/memories"
    turn = numbers.random()
    if len(known) < MEMORIES or turn < 0.02:
        text = note(numbers, len(known))
        path = f"/notes/{numbers.randrange(10**9)}.md"
        status, made = ask("POST", memories, {"path": path, "content": text}, "create")
        if status == 200:
            known[made["id"]] = text
        return
    memory = numbers.choice(list(known))
    if turn < 0.45:
        known[memory] = edited(numbers, known[memory])
        ask("POST", f"{memories}/{memory}", {"content": known[memory]}, "update")
    elif turn < 0.75:
        ask("GET", f"{memories}/{memory}", what="read")
    elif turn < 0.85:
        ask("GET", f"{memories}?limit=100&view={numbers.choice(['basic', 'full'])}", what="list")
    elif turn < 0.95:
        ask("GET", f"/{client.store}/memory_versions?limit=50&memory_id={memory}", what="versions")
    elif len(known) > MEMORIES:
        ask("DELETE", f"{memories}/{memory}", what="delete")
        del known[memory]


def window(client, numbers):
    """What the window asks for while somebody works in it."""
    stores = [store["id"] for store in client.command("stores")["stores"]]
    if not stores:
        return
    store = numbers.choice(stores)
    page = client.command("log", store=store, limit=50)
    versions = [version for version in page.get("versions", []) if version.get("path")]
    turn = numbers.randrange(16)
    if turn == 0:
        client.command("status")
        client.command("inbox_kinds")
    elif turn == 1:
        client.command("inbox", limit=40)
    elif turn == 2:
        client.command("memories", store=store)
    elif turn == 3:
        client.command("timeline", limit=50)
        client.command("activity", store=store)
    elif turn == 4:
        client.command("search", query=numbers.choice(WORDS), history=numbers.random() < 0.3)
    elif turn == 5:
        client.command("findings", store=store)
    elif turn == 6 and numbers.random() < 0.3:
        client.command("health")
    elif turn == 7:
        client.command("expiry", store=store)
    elif turn == 8:
        client.command("receipts")
    elif turn == 9:
        items = [item for group in client.command("inbox", limit=100).get("groups", []) for item in group["items"]]
        if len(items) > 60:
            client.command("review_up_to", up_to=items[0]["version_id"], with_findings=True)
    elif turn == 10:
        client.command("instructions")
    elif turn == 11 and numbers.random() < 0.05:
        client.command("verify")
    elif versions:
        version = numbers.choice(versions)
        target = f"{version['store_id']}:{version['path']}"
        if turn == 12:
            client.command("diff", a=version["id"], words=True, highlight=True)
        elif turn == 13:
            client.command("blame", target=target)
        elif turn == 14:
            client.command("document", target=target, highlight=True)
        else:
            client.command("origin", version=version["id"])
            client.command("show", version=version["id"], content=True)
            if numbers.random() < 0.3:
                client.command("rollback", memory=target, to=version["id"], dry_run=numbers.random() < 0.5)


def tool(client, numbers):
    """Calls of the memory tool on a directory."""
    root, path = str(client.load.roots[0]), f"/memories/tool-{numbers.randrange(40)}.md"
    kind = numbers.randrange(4)
    given = {
        0: {"command": "create", "path": path, "file_text": note(numbers, 1)},
        1: {"command": "view", "path": path},
        2: {"command": "view", "path": "/memories"},
        3: {"command": "insert", "path": path, "insert_line": 0, "insert_text": sentence(numbers)},
    }[kind]
    client.command("memory_tool", root=root, session=f"soak-{numbers.randrange(200)}", input=given)


def agent(client, numbers):
    """Files that somebody writes beside the program."""
    root = numbers.choice(client.load.roots)
    path = root / f"topic-{numbers.randrange(MEMORIES)}.md"
    text = path.read_text() if path.exists() else note(numbers, 2)
    if numbers.random() < 0.03:
        path.unlink(missing_ok=True)
    else:
        beside = path.with_name(f".{path.name}.tmp")
        beside.write_text(edited(numbers, text))
        beside.replace(path)
    client.load.count("file", 200)


def listener(client, numbers):
    """A stream of events that somebody follows for a while, and then goes away from."""
    connection = http.client.HTTPConnection(client.load.address, timeout=2)
    connection.request("GET", "/api/v1/events", headers={"Authorization": f"Bearer {client.load.token}"})
    answer = connection.getresponse()
    client.load.count("events", answer.status)
    until = time.monotonic() + numbers.uniform(0.1, 6)
    while time.monotonic() < until and not client.load.stopped.is_set():
        try:
            if not answer.fp.readline():
                break
        except TimeoutError:
            break
    connection.close()


def rude(client, numbers):
    """Connections that break off in the middle of a request, or are refused."""
    connection = http.client.HTTPConnection(client.load.address, timeout=10)
    if numbers.random() < 0.5:
        connection.putrequest("POST", "/api/v1/inbox")
        connection.putheader("Content-Length", "100000")
        connection.endheaders(b"{" * numbers.randrange(1, 5000))
        client.load.count("broken off", 200)
    else:
        connection.request("GET", "/api/v1/commands", headers={"Authorization": "Bearer wrong"})
        client.load.count("refused", 200 if connection.getresponse().status == 401 else 0)
    connection.close()
    client.load.stopped.wait(0.5)


def session(home, numbers):
    """A transcript, so that writers are looked for and the context lab has something to read."""
    folder = home / ".claude" / "projects" / "-work-soak"
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / f"{numbers.randrange(10**9)}.jsonl", "w") as file:
        for turn in range(60):
            stamp = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(time.time() - 3600 + turn))
            text = "".join(sentence(numbers) for _ in range(20))
            message = {"role": "user", "content": text} if turn % 2 == 0 else {
                "role": "assistant", "id": f"msg_{numbers.randrange(10**12)}", "model": "claude-sonnet-4-5",
                "content": [{"type": "text", "text": text}], "usage": {"input_tokens": 100 * turn, "output_tokens": 50}}
            file.write(json.dumps({"type": message["role"], "timestamp": stamp, "sessionId": "soak", "uuid": f"u{turn}",
                                   "cwd": "/srv/soak", "message": message}) + "\n")


def lab(client, numbers):
    """The list of sessions, and one of them."""
    client.command("transcripts", wait=True)
    for file in sorted((client.load.roots[0].parent / "home").rglob("*.jsonl")):
        client.command("context_show", transcript=str(file))
    client.load.stopped.wait(2)


def memory(pid):
    """Megabytes: anonymous, resident, and the most there ever was; threads."""
    lines = pathlib.Path(f"/proc/{pid}/status").read_text().splitlines()
    fields = {line.split(":")[0]: line.split() for line in lines}
    megabytes = lambda name: int(fields[name][1]) / 1024
    return megabytes("RssAnon"), megabytes("VmRSS"), megabytes("VmHWM"), int(fields["Threads"][1])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--program", default="target/release/retrace")
    parser.add_argument("--pause", type=float, default=0.02, help="seconds a client waits between two requests")
    parser.add_argument("--every", type=float, default=60, help="seconds between two lines")
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="retrace-soak-") as folder:
        sys.exit(soak(wanted, pathlib.Path(folder)))


def soak(wanted, folder):
    numbers = random.Random(7)
    roots = [folder / f"memories-{number}" for number in range(STORES)]
    for root in roots:
        root.mkdir()
        for number in range(MEMORIES):
            (root / f"topic-{number}.md").write_text(note(numbers, number))
    home = folder / "home"
    for _ in range(5):
        session(home, numbers)
    program = [os.path.abspath(wanted.program), "--data-dir", str(folder / "data")]
    environment = dict(os.environ, HOME=str(home))
    for root in roots:
        subprocess.run([*program, "stores", "add", str(root)], check=True, env=environment, stdout=subprocess.DEVNULL)
    server = subprocess.Popen([*program, "--json", "serve"], env=environment, stdout=subprocess.PIPE, text=True)
    try:
        said = json.loads(server.stdout.readline())
        token = pathlib.Path(said["token_file"]).read_text().strip()
        load = Load(said["origin"].removeprefix("http://"), token, roots, wanted.pause)
        work = [stores_api] * 3 + [window] * 4 + [tool, agent, listener, listener, rude, lab]
        for number, one in enumerate(work):
            threading.Thread(target=load.worker, args=(one, number), daemon=True).start()
        return watch(wanted, server, load, folder)
    finally:
        server.send_signal(signal.SIGTERM)
        try:
            server.wait(30)
        except subprocess.TimeoutExpired:
            server.kill()


def watch(wanted, server, load, folder):
    print("minute  anonymous  resident  highest  threads   log   requests", flush=True)
    began, curve, before = time.monotonic(), [], 0
    while (minutes := (time.monotonic() - began) / 60) < wanted.minutes:
        time.sleep(wanted.every)
        if server.poll() is not None:
            print(f"the server ended with {server.returncode}")
            return 1
        anonymous, resident, highest, threads = memory(server.pid)
        done = sum(load.done.values())
        log = sum(file.stat().st_size for file in (folder / "data").glob("retrace.db*")) / 2**20
        curve.append(anonymous)
        minutes = (time.monotonic() - began) / 60
        print(f"{minutes:6.1f}  {anonymous:9.1f}  {resident:8.1f}  {highest:7.1f}  {threads:7}  {log:4.0f}   {done - before}",
              flush=True)
        before = done
    load.stopped.set()
    for what, times in sorted(load.done.items()):
        print(f"{times:9} {what}")
    for what, times in sorted(load.unexpected.items())[:20]:
        print(f"{times:9} unexpected: {what}")
    third = max(1, len(curve) // 3)
    middle = lambda part: sorted(part)[len(part) // 2]
    one, other = middle(curve[-2 * third:-third] or curve), middle(curve[-third:])
    grew = other - one
    print(f"anonymous memory in the middle third {one:.1f} MB, in the last {other:.1f} MB: {grew:+.1f} MB")
    return 1 if load.unexpected or grew > max(2, one / 20) else 0


if __name__ == "__main__":
    main()
