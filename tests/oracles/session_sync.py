"""The session sync of the Python SDK (`anthropic/lib/tools/_memories.py`, 2.12.0) against `retrace serve`, to convergence.

    session_sync.py RETRACE FOLDER SEED STEPS     the scenario; RETRACE is the program, FOLDER an empty directory
    session_sync.py RETRACE FOLDER SEED STEPS URL the same against two `retrace hub serve` over the database at URL
    session_sync.py worker BASE KEY STORE MOUNT   the process that syncs, told what to do on standard input

Each step edits files in the mount and memories on the server, has the worker sync, and holds both sides against the merge rules
written down here anew. Some steps kill the worker, some the server, with SIGKILL, before, while or after a request is sent; some
change the server while the worker is between its listing and its uploads. In the end both sides are the same and every content
that the server ever answered for is a version. The numbers follow from the seed; nothing waits for a time.
"""

import asyncio
import hashlib
import json
import os
import pathlib
import random
import shutil
import signal
import socket
import socketserver
import subprocess
import sys
import threading
import types
import unicodedata

import anthropic
import httpx2 as httpx

# ---------------------------------------------------------------------------------------------------------------- the worker


class Gate(httpx.AsyncBaseTransport):
    """Sends requests; at the one that was named it dies, or says so and waits."""

    def __init__(self):
        self.inner, self.left, self.how = httpx.AsyncHTTPTransport(), None, None

    def reached(self, when):
        if self.left != 0 or not self.how or self.how["when"] != when:
            return
        how, self.how = self.how, None
        if how["do"] == "die":
            os.kill(os.getpid(), signal.SIGKILL)
        print(json.dumps({"at": when}), flush=True)
        if when != "during":
            assert sys.stdin.readline() == "go\n"

    async def handle_async_request(self, request):
        if self.how:
            self.left -= 1
        self.reached("before")
        if self.left == 0 and self.how and self.how["when"] == "during":
            sent = asyncio.create_task(self.inner.handle_async_request(request))
            await asyncio.sleep(0)
            self.reached("during")
            return await sent
        response = await self.inner.handle_async_request(request)
        if response.status_code == 200 and request.method == "POST":
            await response.aread()
            answer = json.loads(response.content)
            print(json.dumps({"accepted": [answer["memory_version_id"], answer["content_sha256"]]}), flush=True)
        self.reached("after")
        return response


async def worker(base, key, store, mount):
    from anthropic.lib.tools import _memories

    # A file's absence is believed at once, so that no test waits for half a minute. The rules stay.
    _memories.DELETE_CORROBORATION_SECONDS = 0.0
    gate = Gate()
    client = anthropic.AsyncAnthropic(
        base_url=base, api_key=key, http_client=httpx.AsyncClient(transport=gate, timeout=60), _strict_response_validation=True
    )
    stores = _memories.SessionMemoryStores(client, workdir="/nowhere")
    resource = types.SimpleNamespace(
        type="memory_store", memory_store_id=store, mount_path=mount, name="store", access="read_write"
    )
    while line := sys.stdin.readline():
        order = json.loads(line)
        gate.how, gate.left = order.get("gate"), (order.get("gate") or {}).get("at")
        match order["do"]:
            case "download":
                await stores.download(types.SimpleNamespace(resources=[resource]))
            case "sync":
                await stores._sync_all(final=False)
            case "finish":
                await stores.finish()
            case "flush":
                await stores.flush_writes()
        gate.how = None
        print(json.dumps({"done": order["do"]}), flush=True)


# -------------------------------------------------------------------------------------------------------------- the scenario

ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith("ANTHROPIC_")}
LARGEST = 102_400
# No name of one is a directory of another. The last is not NFC: the server refuses it whatever is in it.
PATHS = [
    "a.md", "b.md", "notes/c.md", "notes/d.md", "notes/deep/er/e.md", "with space/f g.md", "naïve/é.md", "記憶/メモ.md",
    "🦀.md", "x.txt", "log/2026/11/21.md", "%2e%2e.md", "q?#&=.md", ".hidden/z.md",
]
REFUSED_PATH = unicodedata.normalize("NFD", "refusé.md")


def sha(content):
    return hashlib.sha256(content).hexdigest()


def acceptable(path, content):
    """Whether the server can hold it."""
    if path == REFUSED_PATH or len(content) > LARGEST:
        return False
    try:
        content.decode()
    except UnicodeDecodeError:
        return False
    return True


def merged(path, base, local, remote):
    """What a path has on both sides after a sync, as (local, remote); None is nothing. The rules of the SDK's docstring."""
    if remote == base and local == base:
        return local, remote
    if local is None and base is not None:
        return (None, None) if remote == base else (remote, remote)
    if remote != base and remote is not None:
        return remote, remote
    if remote is None and (local is None or local == base):
        return None, None
    # Only the file changed, or the memory went while the file was edited: it is uploaded, unless it is refused.
    return (local, local) if acceptable(path, local) else (local, remote)


class Server:
    """`retrace serve` on one data directory, token and port, killed and started anew."""

    def __init__(self, program, folder):
        self.program, self.folder, self.port, self.process = program, folder, 0, None
        self.start()

    def start(self):
        self.process = subprocess.Popen(
            [self.program, "--data-dir", self.folder / "data", "--json", "serve", "--listen", f"127.0.0.1:{self.port}",
             "--token-file", self.folder / "token"],
            stdout=subprocess.PIPE, stderr=(self.folder / "server.log").open("ab"), text=True,
            env={**ENVIRONMENT, "HOME": str(self.folder)},
        )
        line = self.process.stdout.readline()
        assert line, (self.folder / "server.log").read_text()
        self.origin = json.loads(line)["origin"]
        self.port = int(self.origin.rsplit(":", 1)[1])
        self.key = (self.folder / "token").read_text().strip()

    def kill(self):
        self.process.kill()
        self.process.wait()

    def restart(self):
        self.kill()
        self.start()

    def end(self, accepted):
        """Stops; everything is in the log."""
        self.process.terminate()
        assert self.process.wait() == 0
        verified = subprocess.run(
            [self.program, "--data-dir", self.folder / "data", "verify"], capture_output=True, text=True,
            env={**ENVIRONMENT, "HOME": str(self.folder)},
        )
        assert verified.returncode == 0, verified.stdout + verified.stderr


class OneAddress(socketserver.ThreadingTCPServer):
    """One address before several processes: each request goes to the next one. The client is told that its connection ends."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Pass)
        self.targets, self.passed, self.lock = [None, None], 0, threading.Lock()
        threading.Thread(target=self.serve_forever, daemon=True).start()


class Pass(socketserver.BaseRequestHandler):
    def handle(self):
        head = b""
        while b"\r\n\r\n" not in head:
            if not (piece := self.request.recv(1 << 16)):
                return
            head += piece
        head, rest = head.split(b"\r\n\r\n", 1)
        kept = [line for line in head.split(b"\r\n") if not line.lower().startswith(b"connection:")]
        with self.server.lock:
            self.server.passed += 1
            target = self.server.targets[self.server.passed % len(self.server.targets)]
        # A process that was killed breaks the connection; the client comes again.
        try:
            with socket.create_connection(target) as server:
                server.sendall(b"\r\n".join([*kept, b"connection: close"]) + b"\r\n\r\n" + rest)
                threading.Thread(target=self.upwards, args=(server,), daemon=True).start()
                while piece := server.recv(1 << 16):
                    self.request.sendall(piece)
        except OSError:
            pass

    def upwards(self, server):
        try:
            while piece := self.request.recv(1 << 16):
                server.sendall(piece)
        except OSError:
            pass


class Hubs:
    """Two `retrace hub serve` over one database behind one address, of which one or both are killed and started anew."""

    def __init__(self, program, folder, database):
        self.program, self.folder, self.database, self.kills = program, folder, database, 0
        self.address, self.hubs, said = OneAddress(), [None, None], [None, None]
        for at in range(2):
            said[at] = self.start(at)
        self.origin = "http://%s:%d" % self.address.server_address
        self.run("hub", "join", self.origin, "--token", said[0]["owner_token"])
        self.key = json.loads(self.run("--json", "hub", "agent-token", "--all", "--name", "sync"))["token"]

    def run(self, *words):
        done = subprocess.run(
            [self.program, "--data-dir", self.folder / "owner", *words], capture_output=True, text=True,
            env={**ENVIRONMENT, "HOME": str(self.folder)},
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def start(self, at):
        self.hubs[at] = subprocess.Popen(
            [self.program, "--data-dir", self.folder / f"hub{at}", "--json", "hub", "serve", "--database", self.database,
             "--listen", "127.0.0.1:0", "--key-file", self.folder / "hub.key"],
            stdout=subprocess.PIPE, stderr=(self.folder / "server.log").open("ab"), text=True,
            env={**ENVIRONMENT, "HOME": str(self.folder)},
        )
        line = self.hubs[at].stdout.readline()
        assert line, (self.folder / "server.log").read_text()
        said = json.loads(line)
        host, port = said["url"].removeprefix("http://").rsplit(":", 1)
        self.address.targets[at] = (host, int(port))
        return said

    def restart(self):
        self.kills += 1
        which = [0, 1] if self.kills % 2 else [self.kills // 2 % 2]
        for at in which:
            self.hubs[at].kill()
            self.hubs[at].wait()
        for at in which:
            self.start(at)

    def kill(self):
        for hub in self.hubs:
            if hub and hub.poll() is None:
                hub.kill()

    def end(self, accepted):
        """Stops; every content that was answered for is in the history of the organisation."""
        listed = [json.loads(line) for line in self.run("--json", "hub", "versions").splitlines()]
        assert {version["machine_name"] for version in listed} == {"api"}
        assert {content_sha256 for _, content_sha256 in accepted} <= {version["content_sha256"] for version in listed}
        for hub in self.hubs:
            hub.terminate()
            assert hub.wait() == 0


class Worker:
    """The process that syncs."""

    def __init__(self, server, store, mount, accepted):
        self.accepted = accepted
        self.process = subprocess.Popen(
            [sys.executable, __file__, "worker", server.origin, server.key, store, str(mount)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=ENVIRONMENT,
        )

    def order(self, do, gate=None, reached=None):
        """Has it do something. `reached` is called when it comes to the gate. False when it died instead."""
        self.process.stdin.write(json.dumps({"do": do, "gate": gate}) + "\n")
        self.process.stdin.flush()
        while line := self.process.stdout.readline():
            said = json.loads(line)
            if "accepted" in said:
                self.accepted.append(tuple(said["accepted"]))
            elif "at" in said:
                reached()
                if said["at"] != "during":
                    self.process.stdin.write("go\n")
                    self.process.stdin.flush()
            else:
                return True
        assert self.process.wait() == -signal.SIGKILL, self.process.returncode
        return False

    def end(self):
        self.process.stdin.close()
        self.process.stdout.close()
        assert self.process.wait() == 0


class Scenario:
    def __init__(self, server, folder, seed):
        self.random, self.folder, self.server = random.Random(seed), folder, server
        self.client = anthropic.Anthropic(base_url=self.server.origin, api_key=self.server.key, _strict_response_validation=True)
        self.api = self.client.beta.memory_stores
        self.store = self.api.create(name=f"Sync {seed}").id
        # What the server answered for: pairs of version and hash.
        self.accepted, self.base, self.mounts, self.made = [], {}, 0, 0
        self.counts = dict.fromkeys(["steps", "edits", "conflicts", "refused", "worker kills", "server kills", "races", "wipes"], 0)
        self.begin()

    # ---- the two sides

    def begin(self):
        """A new worker with a new folder: what the one before left is not taken up."""
        self.mounts += 1
        self.mount = self.folder / f"mount{self.mounts}"
        self.worker = Worker(self.server, self.store, self.mount, self.accepted)
        assert self.worker.order("download")
        self.base = self.remote()
        assert self.local() == self.base, "a download is the store"

    def local(self):
        files = {}
        for path in self.mount.rglob("*"):
            assert not path.name.endswith(".tmp"), path
            if path.is_file() and path.name != ".anthropic-memory-store":
                files[str(path.relative_to(self.mount))] = path.read_bytes()
        return files

    def remote(self):
        return {item.path[1:]: item.content.encode() for item in self.listing("full")}

    def listing(self, view="basic"):
        return list(self.api.memories.list(self.store, view=view, limit=self.random.choice([3, 20, 100])))

    # ---- edits

    def content(self, strange=True):
        self.made += 1
        text = f"content {self.made}\n".encode() + self.random.choice([b"", b"\r\n", "zeile ä 漢\n".encode() * 3, b"\0", b"x" * 5000])
        if strange and self.random.random() < 0.12:
            self.counts["refused"] += 1
            return self.random.choice([b"\xff\xfe" + text, text + b"y" * LARGEST])
        return text

    def edit_locally(self, path):
        target = self.mount / path
        match self.random.choice(["write", "write", "delete", "rename"]):
            case "delete":
                target.unlink(missing_ok=True)
            case "rename":
                to = self.mount / self.random.choice(PATHS)
                if target.is_file():
                    to.parent.mkdir(parents=True, exist_ok=True)
                    target.rename(to)
            case _:
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(self.content())

    def edit_remotely(self, path):
        """Changes the memory at a path. The path that was made or moved to, or None when the server refused."""
        found = {item.path[1:]: item for item in self.listing()}
        known = found.get(path)
        try:
            if known is None:
                answer = self.api.memories.create(self.store, path="/" + path, content=self.content(strange=False).decode())
            else:
                guard = {"type": "content_sha256", "content_sha256": known.content_sha256}
                match self.random.choice(["write", "write", "delete", "rename"]):
                    case "delete":
                        self.api.memories.delete(known.id, memory_store_id=self.store, expected_content_sha256=known.content_sha256)
                        return
                    case "rename":
                        to = "/" + self.random.choice([other for other in PATHS if other not in found] or [path])
                        answer = self.api.memories.update(known.id, memory_store_id=self.store, path=to, precondition=guard)
                    case _:
                        content = self.content(strange=False).decode()
                        answer = self.api.memories.update(known.id, memory_store_id=self.store, content=content, precondition=guard)
        except (anthropic.ConflictError, anthropic.NotFoundError):
            return
        self.accepted.append((answer.memory_version_id, answer.content_sha256))

    # ---- steps

    def step(self):
        self.counts["steps"] += 1
        some = lambda most: self.random.sample([*PATHS, REFUSED_PATH], self.random.randint(0, most))
        kind = self.random.choice(["quiet"] * 4 + ["worker dies"] * 2 + ["server dies"] * 2 + ["race"] * 2 + ["wipe", "flush"])
        for path in some(5):
            self.edit_locally(path)
            self.counts["edits"] += 1
        for path in some(4):
            if path != REFUSED_PATH:
                self.edit_remotely(path)
                self.counts["edits"] += 1
        if kind == "wipe":
            self.counts["wipes"] += 1
            for path in self.local():
                (self.mount / path).unlink()
        base, local, remote = self.base, self.local(), self.remote()
        wiped = not local and len(base) > 1
        paths = {*base, *local, *remote}
        self.counts["conflicts"] += sum(
            base.get(p) != local.get(p) and base.get(p) != remote.get(p) and local.get(p) != remote.get(p) for p in paths
        )
        wanted = {p: (remote.get(p),) * 2 if wiped else merged(p, base.get(p), local.get(p), remote.get(p)) for p in paths}
        at = {"at": self.random.randint(1, 6), "when": self.random.choice(["before", "during", "after"])}
        if kind == "worker dies":
            if not self.worker.order("sync", {**at, "do": "die", "when": self.random.choice(["before", "after"])}):
                return self.after_death(base, local, remote, paths)
        elif kind == "server dies":
            self.counts["server kills"] += 1
            assert self.worker.order("sync", {**at, "do": "wait"}, self.server.restart)
        elif kind == "race":
            return self.race(at, some, local, remote)
        elif kind == "flush":
            # Pushes and pulls nothing; what follows merges as if it had not been.
            assert self.worker.order("flush")
        self.settle()
        now = self.local(), self.remote()
        for path in paths | {*now[0], *now[1]}:
            found = now[0].get(path), now[1].get(path)
            assert found == wanted.get(path), (kind, at, path, "found", found, "wanted", wanted.get(path))

    def settle(self):
        """Syncs until nothing is left to do: a delete and what a dead server did not hear of take a second time."""
        for _ in range(3):
            assert self.worker.order("sync")
        self.base = self.remote()

    def after_death(self, base, local, remote, paths):
        """A worker that died in its sync did some of what it had to do, and nothing else."""
        self.counts["worker kills"] += 1
        now = self.remote()
        for path in paths | {*now}:
            assert now.get(path) in (remote.get(path), local.get(path)), path
        shutil.rmtree(self.mount)
        self.begin()

    def race(self, at, some, local, remote):
        """Somebody else changes the server while the worker is in the middle. What both sides have in the end came from one of them."""
        self.counts["races"] += 1
        between = {}

        def meddle():
            for path in some(3):
                if path != REFUSED_PATH:
                    self.edit_remotely(path)
            between.update(self.remote())

        assert self.worker.order("sync", {**at, "when": "before", "do": "wait"}, meddle)
        self.settle()
        now = self.local(), self.remote()
        for path in {*now[0], *now[1]}:
            here, there = now[0].get(path), now[1].get(path)
            assert here == there or (here is not None and not acceptable(path, here)), (path, here, there)
            assert there in (local.get(path), remote.get(path), between.get(path), None), path

    def finish(self):
        assert self.worker.order("finish")
        local, remote = self.local(), self.remote()
        kept = {path: content for path, content in local.items() if content == remote.get(path) or acceptable(path, content)}
        refused = {path for path in local if path not in kept}
        assert {p: c for p, c in remote.items() if p not in refused} == kept, "both sides are the same"
        self.worker.end()
        versions = {item.id: item for item in self.api.memory_versions.list(self.store, view="full", limit=20)}
        for version, content_sha256 in self.accepted:
            found = versions[version]
            assert found.content_sha256 == content_sha256 == sha(found.content.encode()), version
        heads = {item.memory_version_id for item in self.listing()}
        assert heads <= {*versions}
        self.server.end(self.accepted)
        return {**self.counts, "accepted": len(self.accepted), "versions": len(versions)}


if __name__ == "__main__":
    if sys.argv[1] == "worker":
        asyncio.run(worker(*sys.argv[2:]))
    else:
        program, place = sys.argv[1], pathlib.Path(sys.argv[2])
        server = Hubs(program, place, sys.argv[5]) if len(sys.argv) > 5 else Server(program, place)
        try:
            scenario = Scenario(server, place, int(sys.argv[3]))
            try:
                for _ in range(int(sys.argv[4])):
                    scenario.step()
                print(f"seed {sys.argv[3]}:", ", ".join(f"{count} {name}" for name, count in scenario.finish().items()))
            finally:
                if scenario.worker.process.poll() is None:
                    scenario.worker.process.kill()
        finally:
            server.kill()
