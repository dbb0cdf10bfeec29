"""A small MCP server of 2026-07-28 over stdio.

modern.py MODE FILE [TTL]: each list that is asked for, each stream that is opened and each call
appends a line to FILE. TTL is the JSON value that its lists have as `ttlMs`."""

import json
import sys

MODE, FILE = sys.argv[1], sys.argv[2]
TTL = json.loads(sys.argv[3]) if len(sys.argv) > 3 else None
VERSION = "2026-07-28"
STREAMS = []
CHANGED = 0
WAITING = {}


def note(word):
    with open(FILE, "a") as file:
        file.write(word + "\n")


def send(message):
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def answer(request, **result):
    send({"jsonrpc": "2.0", "id": request["id"], "result": {"resultType": "complete", **result}})


def text(words):
    return [{"type": "text", "text": words}]


def tools():
    listed = [{"name": name, "description": name, "inputSchema": {"type": "object"}}
              for name in ("echo", "do")]
    listed += [{"name": f"new_{at}", "inputSchema": {"type": "object"}} for at in range(CHANGED)]
    return listed


def tell_change():
    for stream in STREAMS:
        send({"jsonrpc": "2.0", "method": "notifications/tools/list_changed",
              "params": {"_meta": {"io.modelcontextprotocol/subscriptionId": stream}}})


def end_streams():
    while STREAMS:
        stream = STREAMS.pop()
        send({"jsonrpc": "2.0", "id": stream, "result": {
            "resultType": "complete", "_meta": {"io.modelcontextprotocol/subscriptionId": stream}}})


def call(request):
    global CHANGED
    params = request["params"]
    arguments = params.get("arguments") or {}
    what = arguments.get("what")
    if what == "change":
        CHANGED += 1
        tell_change()
    elif what == "change unheard":
        CHANGED += 1
        end_streams()
    elif what == "flood of changes":
        for _ in range(10_000):
            tell_change()
    elif what == "elicit":
        if "inputResponses" not in params:
            question = {"method": "elicitation/create", "params": {
                "mode": "form", "message": "Your name?", "requestedSchema": {
                    "type": "object", "properties": {"name": {"type": "string"}}}}}
            return send({"jsonrpc": "2.0", "id": request["id"], "result": {
                "resultType": "input_required", "inputRequests": {"q": question},
                "requestState": "s"}})
        return answer(request, content=text(json.dumps(params["inputResponses"]["q"])))
    answer(request, content=text(arguments.get("text", params["name"])))


def handle(message):
    method = message.get("method")
    if method == "server/discover":
        answer(message, supportedVersions=[VERSION], ttlMs=0, cacheScope="private",
               capabilities={"tools": {"listChanged": True}},
               _meta={"io.modelcontextprotocol/serverInfo": {"name": "modern", "version": "1"}})
    elif method == "tools/list":
        note("listed")
        more = {} if TTL is None else {"ttlMs": TTL, "cacheScope": "private"}
        if MODE == "pages":
            cursor = message.get("params", {}).get("cursor")
            if cursor is None:
                return answer(message, tools=tools()[:1], nextCursor="2", **more)
            # The second page says nothing of its own, or holds for ever.
            return answer(message, tools=tools()[1:], ttlMs=10**15, cacheScope="private")
        answer(message, tools=tools(), **more)
    elif method == "tools/call":
        note("called")
        call(message)
    elif method == "subscriptions/listen":
        note("asked to listen")
        if MODE == "no streams":
            return send({"jsonrpc": "2.0", "id": message["id"],
                         "error": {"code": -32601, "message": "no streams"}})
        note("listens")
        STREAMS.append(message["id"])
        send({"jsonrpc": "2.0", "method": "notifications/subscriptions/acknowledged", "params": {
            "_meta": {"io.modelcontextprotocol/subscriptionId": message["id"]},
            "notifications": message["params"]["notifications"]}})
    elif "id" in message and method:
        send({"jsonrpc": "2.0", "id": message["id"],
              "error": {"code": -32601, "message": "unknown method " + method}})


for line in sys.stdin:
    handle(json.loads(line))
