"""Drives an MCP server with the official Python SDK and checks what comes back.

    mcp_client_check.py stdio FOLDER COMMAND [ARGUMENT...]
    mcp_client_check.py http FOLDER URL TOKEN

FOLDER is the server's workspace; it must hold `hello.txt` with the text `hello from a file`.
Each check is made in both eras of the protocol, and where the SDK chooses, and prints one line. Exit 1 if one failed.
"""

import os
import sys
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import httpx2
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.types import ElicitResult

# How the SDK is told which era to speak, and the version that must come of it.
ERAS = {"legacy": "2025-11-25", "auto": "2026-07-28", "2026-07-28": "2026-07-28"}
SECONDS = 60


class Checks:
    """Counts and prints what was found."""

    def __init__(self, era: str) -> None:
        self.era = era
        self.failed = 0

    def check(self, what: str, ok: bool, found: object) -> None:
        print(f"{'ok' if ok else 'FAILED'}  {self.era}  {what}" + ("" if ok else f": {found!r}"))
        self.failed += not ok


@asynccontextmanager
async def connected(transport: str, target: list[str], era: str, asked=None):
    """A client that speaks the given era; `asked` answers the questions of the server."""
    if transport == "stdio":
        # The SDK hands on a few variables only; the server's folders are in others.
        server = StdioServerParameters(command=target[0], args=target[1:], env=dict(os.environ))
        async with Client(server, mode=era, elicitation_callback=asked) as client:
            yield client
        return
    url, token = target
    headers = {"Authorization": f"Bearer {token}"}
    async with httpx2.AsyncClient(headers=headers, timeout=SECONDS) as http:
        transport = streamable_http_client(url, http_client=http)
        async with Client(transport, mode=era, elicitation_callback=asked) as client:
            yield client


def text_of(result) -> str:
    return "\n".join(block.text for block in result.content if block.type == "text")


async def check_era(transport: str, folder: Path, target: list[str], era: str, version: str) -> int:
    checks = Checks(era)
    async with connected(transport, target, era) as client:
        checks.check("the era is spoken", client.protocol_version == version, client.protocol_version)

        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        wanted = {"read_file", "write_file", "list_files"}
        checks.check("tools are listed", wanted <= tools.keys(), sorted(tools))
        hint = tools["read_file"].annotations.read_only_hint
        checks.check("read_file says that it only reads", hint is True, hint)

        result = await client.call_tool("read_file", {"path": "hello.txt"})
        ok = not result.is_error and "hello from a file" in text_of(result)
        checks.check("read_file reads", ok, result)

        result = await client.call_tool("list_files", {"path": ".", "recursive": False})
        ok = not result.is_error and "hello.txt" in text_of(result)
        checks.check("list_files lists", ok, result)

        result = await client.call_tool("read_file", {"path": "missing.txt"})
        checks.check("a missing file is a result with an error", result.is_error, result)

        new = folder / "new.txt"
        result = await client.call_tool("write_file", {"path": "new.txt", "content": "x"})
        ok = result.is_error and "Permission denied for tool: write_file" in text_of(result)
        checks.check("a write that nobody approved is refused", ok, result)
        checks.check("and nothing was written", not new.exists(), str(new))

    questions = []

    async def asked(_, params):
        questions.append(params.message)
        return ElicitResult(action="accept", content={"answer": "allow_once"})

    async with connected(transport, target, era, asked) as client:
        result = await client.call_tool("write_file", {"path": "new.txt", "content": "x"})
        ok = len(questions) == 1 and "new.txt" in questions[0]
        checks.check("the user is asked once, about what would be written", ok, questions)
        checks.check("a write that the user approves is made", not result.is_error and new.exists(), result)
        new.unlink(missing_ok=True)
    return checks.failed


async def main(transport: str, folder: Path, target: list[str]) -> int:
    failed = 0
    for era, version in ERAS.items():
        with anyio.fail_after(SECONDS):
            failed += await check_era(transport, folder, target, era, version)
    return failed


if __name__ == "__main__":
    if len(sys.argv) < 4 or sys.argv[1] not in ("stdio", "http"):
        print(__doc__, file=sys.stderr)
        sys.exit(2)
    sys.exit(1 if anyio.run(main, sys.argv[1], Path(sys.argv[2]), sys.argv[3:]) else 0)
