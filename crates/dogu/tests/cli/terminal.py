"""Runs a command on a terminal of its own, answers its question, prints how it went as JSON.

usage: terminal.py ANSWER COMMAND...
"""

import json
import os
import pty
import select
import signal
import sys
import time

answer, command = sys.argv[1], sys.argv[2:]
pid, terminal = pty.fork()
if pid == 0:
    os.execvp(command[0], command)

deadline = time.monotonic() + 60
output, answered = b"", False
while True:
    left = deadline - time.monotonic()
    if left <= 0 or not select.select([terminal], [], [], left)[0]:
        os.kill(pid, signal.SIGKILL)
        break
    try:
        piece = os.read(terminal, 4096)
    except OSError:  # Linux says so when the other side is closed.
        break
    if not piece:
        break
    output += piece
    if not answered and b"Allow?" in output and output.endswith(b": "):
        os.write(terminal, answer.encode())
        answered = True

_, status = os.waitpid(pid, 0)
code = os.waitstatus_to_exitcode(status)
print(json.dumps({"code": code, "asked": answered, "output": output.decode()}))
