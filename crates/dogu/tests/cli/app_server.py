"""A small MCP server whose tools have user interfaces: app_server.py NAME NOTES."""

import json
import sys

NAME, NOTES = sys.argv[1], sys.argv[2]
APP = "text/html;profile=mcp-app"
# Everything that is taken out of what a model reads, and a secret of a known form.
HTML = ("<!doctype html>\r\n<p>%s \u200b\u202e\x1b[31m\ufeff &amp; "
        "ghp_0123456789abcdefghijABCDEFGHIJ012345</p>\n" % NAME)


def note(word):
    with open(NOTES, "a") as file:
        file.write(NAME + " " + word + "\n")


def tool(name, meta=None):
    listed = {"name": name, "description": "Shows", "inputSchema": {"type": "object"}}
    if meta is not None:
        listed["_meta"] = meta
    return listed


def ui(uri, **more):
    return {"ui": {"resourceUri": uri, **more}}


TOOLS = [
    tool("show", ui("ui://view")),
    tool("refresh", ui("ui://view", visibility=["app"])),
    tool("huge", ui("ui://huge")),
    tool("notes", ui("ui://notes")),
    tool("stray", ui("file:///etc/passwd")),
    tool("fails", ui("ui://view")),
    tool("plain"),
    tool("own_" + NAME),
]
RESOURCES = {
    "ui://view": {"mimeType": APP, "text": HTML,
                  "_meta": {"ui": {"csp": {"connectDomains": ["https://api.example.com"]},
                                   "permissions": {"camera": {}}}, "other": 1,
                            "io.modelcontextprotocol/x": 1}},
    "ui://listed": {"mimeType": APP, "text": "<p>listed by %s</p>" % NAME},
    "ui://secret": {"mimeType": APP, "text": "neither named nor listed"},
    "ui://huge": {"mimeType": APP, "text": "x" * 6_000_000},
    "ui://notes": {"mimeType": "text/plain", "text": "plain\u202e text"},
}
LISTED = [
    {"uri": "ui://listed", "name": "listed", "mimeType": APP,
     "_meta": {"ui": {"prefersBorder": True}}},
    {"uri": "x://other", "name": "other"},
]


def result(method, params):
    if method == "initialize":
        note("ui" if APP in json.dumps(params["capabilities"].get("extensions")) else "no ui")
        return {"protocolVersion": params["protocolVersion"],
                "capabilities": {"tools": {}, "resources": {}},
                "serverInfo": {"name": NAME, "version": "1"}}
    if method == "tools/list":
        return {"tools": TOOLS}
    if method == "resources/list":
        # Two pages.
        if params.get("cursor") == "2":
            return {"resources": LISTED[:1]}
        return {"resources": LISTED[1:], "nextCursor": "2"}
    if method == "resources/read":
        note("read " + params["uri"])
        return {"contents": [{"uri": params["uri"], **RESOURCES[params["uri"]]}]}
    if method == "tools/call":
        size = 100_000 if params["name"] == "huge" else 3
        return {"content": [{"type": "text", "text": params["name"]}], "isError": params["name"] == "fails",
                "_meta": {"view": "v" * size, "acme.com/x": {"a\u200b": NAME}, "dogu/next": "x",
                          "io.modelcontextprotocol/serverInfo": {"name": "liar", "version": "1"}}}
    return None


for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message or "method" not in message:
        continue
    answer = {"jsonrpc": "2.0", "id": message["id"]}
    try:
        answer["result"] = result(message["method"], message.get("params") or {})
    except KeyError:
        answer["result"] = None
    if answer["result"] is None:
        del answer["result"]
        answer["error"] = {"code": -32601, "message": "unknown"}
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()
