"""A small MCP server of the older era whose lists, start and pipes do harm.

hostile.py MODE [FILE [VALUE]]: each list that is asked for appends a line to FILE. VALUE is JSON."""

import json
import os
import sys
import threading
import time

MODE = sys.argv[1]
FILE = sys.argv[2] if len(sys.argv) > 2 else None
VALUE = json.loads(sys.argv[3]) if len(sys.argv) > 3 else None


def note(word):
    if FILE:
        with open(FILE, "a") as file:
            file.write(word + "\n")


def raw(data):
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def send(message):
    raw(json.dumps(message).encode() + b"\n")


def answer(request, result):
    send({"jsonrpc": "2.0", "id": request["id"], "result": result})


def tool(name, schema=None, **more):
    return {"name": name, "description": "d", "inputSchema": schema or {"type": "object"}, **more}


def text_schema(**more):
    return {"type": "object", "properties": {"text": {"type": "string", **more}}}


def tools():
    good = [tool("echo", text_schema())]
    if MODE == "ten thousand":
        return good + [tool(f"tool_{at}") for at in range(10_000)]
    if MODE == "long name":
        return good + [tool("x" * 1_000_000), tool("\u05d0\u202e\u05d1" * 200)]
    if MODE == "regex":
        return good + [
            tool("nested", text_schema(pattern="^(a+)+$")),
            tool("looks", text_schema(pattern="^(?=(a+)+b)(a|aa)+$")),
            tool("back", text_schema(pattern="^(a*)*\\1b$")),
            tool("large", text_schema(pattern="(((a{1000}){1000}){1000})")),
            tool("broken", text_schema(pattern="(((")),
        ]
    if MODE == "names":
        return [tool(name) for name in VALUE]
    if MODE == "junk meta":
        junk = [5, "x", None, [1], {"ui": 5}, {"ui": {"resourceUri": 7}}, {"a": {"b": [None]}}]
        return good + [tool(f"junk_{at}", _meta=meta, annotations=meta, icons=meta, title=meta,
                            execution=meta) for at, meta in enumerate(junk)]
    return good


def page(message):
    note("listed")
    if MODE == "pages for ever":
        cursor = int(message.get("params", {}).get("cursor", "0")) + 1
        return {"tools": [tool(f"tool_{cursor}")], "nextCursor": str(cursor)}
    if MODE == "slow pages":
        time.sleep(0.3)
        cursor = int(message.get("params", {}).get("cursor", "0")) + 1
        return {"tools": [], "nextCursor": str(cursor)}
    if MODE == "huge pages":
        cursor = int(message.get("params", {}).get("cursor", "0")) + 1
        return {"tools": [tool(f"tool_{cursor}", description="x" * 20_000_000)],
                "nextCursor": str(cursor)}
    return {"tools": tools()}


def junk_results():
    for junk in (5, "x", None, [1], {"ui": 5, "x": {"y": None}}):
        yield {"content": [{"type": "text", "text": "meta", "_meta": junk, "annotations": junk}],
               "_meta": junk}


def call(message):
    arguments = message["params"].get("arguments") or {}
    words = arguments.get("text", message["params"]["name"])
    if words == "deep":
        raw(b'{"jsonrpc": "2.0", "id": %d, "result": {"content": [], "structuredContent": '
            % message["id"] + b"[" * 100_000 + b"]" * 100_000 + b"}}\n")
    elif words == "not text":
        raw(b'{"jsonrpc": "2.0", "id": %d, "result": {"content": [{"type": "text", "text": '
            b'"\xff\xfe"}]}}\n' % message["id"])
    elif words == "twice":
        for said in ("the first", "the second"):
            answer(message, {"content": [{"type": "text", "text": said}]})
    elif arguments.get("text", "").startswith("junk"):
        answer(message, list(junk_results())[int(words[4:])])
    elif words == "odd progress":
        token = message["params"]["_meta"]["progressToken"]
        for progress, total in ((5, 10), (1, 10), (-7, 10), (1e308, 1), (3, 0), (3, -2), (0, 1e-320)):
            send({"jsonrpc": "2.0", "method": "notifications/progress", "params": {
                "progressToken": token, "progress": progress, "total": total,
                "message": "\x1b[2J" + "m" * 100_000}})
        for wrong in ({}, {"progressToken": token}, {"progressToken": None, "progress": "x"}, 7):
            send({"jsonrpc": "2.0", "method": "notifications/progress", "params": wrong})
        answer(message, {"content": [{"type": "text", "text": "done"}]})
    elif words == "progress flood":
        token = message["params"]["_meta"]["progressToken"]
        line = json.dumps({"jsonrpc": "2.0", "method": "notifications/progress", "params": {
            "progressToken": token, "progress": 1, "message": "m"}}).encode() + b"\n"
        for _ in range(200):
            raw(line * 1_000)
        answer(message, {"content": [{"type": "text", "text": "done"}]})
    elif words == "stderr flood":
        for _ in range(100):
            sys.stderr.write("e" * 1_000_000)
        answer(message, {"content": [{"type": "text", "text": "done"}]})
    elif words == "closes stdout":
        os.close(1)
        time.sleep(60)
    elif words == "stops reading":
        answer(message, {"content": [{"type": "text", "text": "done"}]})
        time.sleep(3_600)
    elif words == "asks and stops reading":
        answer(message, {"content": [{"type": "text", "text": "done"}]})
        asked = b"".join(b'{"jsonrpc": "2.0", "id": "p%d", "method": "ping"}\n' % at
                         for at in range(200_000))
        raw(asked)
        note("asked")
        time.sleep(3_600)
    else:
        answer(message, {"content": [{"type": "text", "text": words}]})


def handle(message):
    method = message.get("method")
    if method == "initialize":
        version = message["params"]["protocolVersion"]
        result = {"protocolVersion": VALUE if MODE == "version" else version,
                  "capabilities": {"tools": {}}, "serverInfo": {"name": "h", "version": "1"}}
        if MODE == "no version":
            del result["protocolVersion"]
        if MODE == "no initialize":
            return
        answer(message, result)
    elif method == "tools/list":
        answer(message, page(message))
    elif method == "tools/call":
        call(message)
    elif "id" in message and method:
        send({"jsonrpc": "2.0", "id": message["id"],
              "error": {"code": -32601, "message": "unknown method " + method}})


note("started")
for line in sys.stdin:
    handle(json.loads(line))
