"""Compares `dogu serve` with @modelcontextprotocol/server-filesystem, over stdio, in one run.

    bench_mcp.py DOGU NODE FILESYSTEM_SERVER

Both serve the same folder and speak 2025-11-25. Measured: from the start of the process to the
answer to tools/list; memory after that; a file of 14 KB read one call at a time; calls a second
with 16 under way; how long dogu takes to end once its stdin is closed; and what it adds to a call of
that server when it stands behind dogu. Exit 1 if dogu misses
its targets.
"""

import json
import os
import subprocess
import sys
import tempfile
import time

STARTS = 15
CALLS = 2_000
# With several under way, more of them: they take less time.
MANY = 20_000
AT_ONCE = 16
# How much a pipe holds.
PIPE = 64 * 1024
# dogu refuses the same call over and over, as a model that is stuck makes it: these are read in turn.
FILES = 8
# How long the server behind dogu may take to be there, in seconds.
PATIENCE = 30
# The most that a call of a server behind dogu may take longer, in ms.
GATEWAY = 0.3


class Server:
    """A server process, spoken to by lines."""

    def __init__(self, command: list[str], environment: dict[str, str]) -> None:
        self.began = time.perf_counter()
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment
        )
        client = {"name": "bench", "version": "1"}
        params = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client}
        self.ask({"id": 0, "method": "initialize", "params": params})
        self.send({"method": "notifications/initialized"})
        tools = self.ask({"id": 1, "method": "tools/list", "params": {}})["result"]["tools"]
        self.first_answer = time.perf_counter() - self.began
        self.names = {tool["name"] for tool in tools}

    def send(self, message: dict) -> None:
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self.process.stdin.flush()

    def receive(self) -> dict:
        while True:
            message = json.loads(self.process.stdout.readline())
            if "id" in message:
                return message

    def ask(self, message: dict) -> dict:
        self.send(message)
        return self.receive()

    def memory(self) -> float:
        """Resident memory of the process, in MB."""
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as status:
            line = next(line for line in status if line.startswith("VmRSS"))
        return int(line.split()[1]) / 1024

    def end(self) -> float:
        began = time.perf_counter()
        self.process.stdin.close()
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        return time.perf_counter() - began


def call(number: int, tool: str, path: str) -> bytes:
    params = {"name": tool, "arguments": {"path": path}}
    message = {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}
    return json.dumps(message).encode() + b"\n"


def one_at_a_time(server: Server, tool: str, paths: list[str]) -> list[float]:
    times = []
    for number in range(CALLS):
        line = call(number + 10, tool, paths[number % FILES])
        began = time.perf_counter()
        server.process.stdin.write(line)
        server.process.stdin.flush()
        answer = server.process.stdout.readline()
        times.append(time.perf_counter() - began)
        assert b"isError\":true" not in answer, answer[:300]
    return sorted(times)


def many(server: Server, tool: str, paths: list[str]) -> float:
    """Calls a second with some of them always under way. Answers are taken as they come, several
    at once where they are there, so that it is the server that is measured. An answer that has not
    the size of a file is none."""
    lines = [call(number + 10_000, tool, paths[number % FILES]) for number in range(MANY)]
    answers, calls = server.process.stdout.fileno(), server.process.stdin.fileno()
    least = os.path.getsize(paths[0])
    buffer = bytearray(PIPE)
    began = time.perf_counter()
    os.write(calls, b"".join(lines[:AT_ONCE]))
    sent, answered, length = AT_ONCE, 0, 0
    while answered < MANY:
        size = os.readv(answers, [buffer])
        assert size, "the server is gone"
        new, start = 0, 0
        while (end := buffer.find(b"\n", start, size)) >= 0:
            assert length + end - start > least, bytes(buffer[start:end])
            length, start, new = 0, end + 1, new + 1
        length += size - start
        answered += new
        if new and sent < MANY:
            os.write(calls, b"".join(lines[sent : sent + new]))
            sent += new
    return MANY / (time.perf_counter() - began)


def measure(name: str, command: list[str], tool: str, paths: list[str], environment: dict[str, str]) -> dict:
    starts = []
    for _ in range(STARTS):
        server = Server(command, environment)
        starts.append(server.first_answer)
        memory = server.memory()
        end = server.end()
    server = Server(command, environment)
    assert tool in server.names, server.names
    times = one_at_a_time(server, tool, paths)
    many(server, tool, paths[::-1])
    rate = many(server, tool, paths)
    server.end()
    found = {
        "start": sorted(starts)[len(starts) // 2] * 1e3,
        "memory": memory,
        "p50": times[len(times) // 2] * 1e3,
        "p99": times[len(times) * 99 // 100] * 1e3,
        "rate": rate,
        "end": end * 1e3,
    }
    print(
        f"{name:12} first answer {found['start']:8.1f} ms   memory {found['memory']:6.1f} MB   "
        f"read p50 {found['p50']:6.3f} ms  p99 {found['p99']:6.3f} ms   "
        f"{found['rate']:8.0f} calls/s   end {found['end']:5.1f} ms"
    )
    return found


def added_by_gateway(dogu: str, node: str, filesystem: str, work: str, path: str, environment: dict[str, str]) -> float:
    """What dogu adds to a call of a server behind it, in ms: pairs of calls, the medians."""
    config = os.path.join(environment["XDG_CONFIG_HOME"], "dogu")
    os.makedirs(config, exist_ok=True)
    settings = {
        "mcp_servers": {"fs": {"command": node, "args": [filesystem, work]}},
        "permissions": {"rules": [{"allow": "Mcp(fs/*)"}]},
        "limits": {"identical_calls": 0},
    }
    with open(os.path.join(config, "config.yaml"), "w", encoding="utf-8") as file:
        json.dump(settings, file)
    direct = Server([node, filesystem, work], environment)
    through = Server([dogu, "serve", "--root", work], environment)
    number = 2
    until = time.perf_counter() + PATIENCE
    while "fs__read_text_file" not in through.names:
        assert time.perf_counter() < until, "the server behind dogu has no tools: dogu mcp list says why"
        time.sleep(0.05)
        tools = through.ask({"id": number, "method": "tools/list", "params": {}})["result"]["tools"]
        through.names = {tool["name"] for tool in tools}
        number += 1
    times: dict[str, list[float]] = {"read_text_file": [], "fs__read_text_file": []}
    for number in range(CALLS // 2):
        for server, tool in [(direct, "read_text_file"), (through, "fs__read_text_file")]:
            began = time.perf_counter()
            server.process.stdin.write(call(number + 1_000, tool, path))
            server.process.stdin.flush()
            answer = server.receive()
            times[tool].append(time.perf_counter() - began)
            assert not answer["result"].get("isError"), answer
    direct.end()
    through.end()
    medians = [sorted(each)[len(each) // 2] * 1e3 for each in times.values()]
    print(f"behind dogu: read p50 {medians[1]:.3f} ms, without it {medians[0]:.3f} ms")
    return medians[1] - medians[0]


def main(dogu: str, node: str, filesystem: str) -> int:
    with tempfile.TemporaryDirectory() as folder:
        folder = os.path.realpath(folder)
        work = os.path.join(folder, "work")
        os.mkdir(work)
        paths = [os.path.join(work, f"file{number}.txt") for number in range(FILES)]
        for path in paths:
            with open(path, "w", encoding="ascii") as file:
                file.writelines(f"line {number} of a file that is read again and again\n" for number in range(300))
        print(f"files of {os.path.getsize(paths[0])} bytes, {CALLS} calls one by one, {MANY} with {AT_ONCE} at once")
        environment = {**os.environ, "HOME": folder, "XDG_STATE_HOME": folder + "/state", "XDG_CONFIG_HOME": folder + "/config"}
        theirs = measure("filesystem", [node, filesystem, work], "read_text_file", paths, environment)
        ours = measure("dogu", [dogu, "serve", "--root", work], "read_file", paths, environment)
        added = added_by_gateway(dogu, node, filesystem, work, path, environment)
    print(f"the gateway adds {added:.3f} ms (target 0.3)" + ("" if added < GATEWAY else "  MISSED"))
    missed = int(added >= GATEWAY)
    for what, ratio, target in [
        ("first answer", theirs["start"] / ours["start"], 10),
        ("memory", theirs["memory"] / ours["memory"], 5),
        ("calls a second", ours["rate"] / theirs["rate"], 10),
        ("p50", theirs["p50"] / ours["p50"], 1),
    ]:
        print(f"{what}: {ratio:.1f} times better (target {target})" + ("" if ratio >= target else "  MISSED"))
        missed += ratio < target
    return 1 if missed else 0


if __name__ == "__main__":
    if len(sys.argv) != 4:
        print(__doc__, file=sys.stderr)
        sys.exit(2)
    sys.exit(main(*map(os.path.abspath, sys.argv[1:])))
