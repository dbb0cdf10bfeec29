"""Runs a command on a terminal of its own, answers its questions, prints how it went as JSON.

usage: terminal.py AHEAD ANSWERS COMMAND...

AHEAD is typed before the command asks anything; ANSWERS, a JSON list, one for each question;
nothing is typed for an empty one. An answer {"after": TEXT, "type": KEYS} does not wait for a
question but for that text.
"""

import json
import os
import pty
import select
import signal
import sys
import time

# Every question has one of these in its last line, which ends with a colon.
ASKS = [b"Allow?", b"for good?", b"[y]es, [n]o: ", b"answer to "]

ahead, answers, command = sys.argv[1], json.loads(sys.argv[2]), sys.argv[3:]
pid, terminal = pty.fork()
if pid == 0:
    os.execvp(command[0], command)

os.write(terminal, ahead.encode())
deadline = time.monotonic() + 60
output, seen, asked = b"", 0, 0
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
    question = output[seen:]
    if asked < len(answers) and isinstance(answers[asked], dict):
        if answers[asked]["after"].encode() in question:
            os.write(terminal, answers[asked]["type"].encode())
            seen, asked = len(output), asked + 1
        continue
    if any(word in question for word in ASKS) and question.endswith(b": "):
        answer = answers[asked] if asked < len(answers) else "\x04"
        os.write(terminal, answer.encode())
        seen, asked = len(output), asked + 1

_, status = os.waitpid(pid, 0)
code = os.waitstatus_to_exitcode(status)
print(json.dumps({"code": code, "asked": asked, "output": output.decode()}))
