# Somebody outside, who makes sockets after a command has started and says who came. Takes the
# workspace; the folder that it starts in is where its sockets are.
import os, select, socket, sys, time

WS, ABSTRACT = sys.argv[1:3]


def until(name):
    while not os.path.exists(os.path.join(WS, name)):
        time.sleep(0.005)


until("started")
made = []
for kind, name in [
    (socket.SOCK_STREAM, os.path.join(os.getcwd(), "late")),
    (socket.SOCK_SEQPACKET, os.path.join(os.getcwd(), "late-packets")),
    (socket.SOCK_DGRAM, os.path.join(os.getcwd(), "late-messages")),
    (socket.SOCK_STREAM, "relative"),
    (socket.SOCK_DGRAM, "relative-messages"),
    (socket.SOCK_STREAM, "\0" + ABSTRACT),
    (socket.SOCK_DGRAM, "\0" + ABSTRACT + "-messages"),
]:
    one = socket.socket(socket.AF_UNIX, kind)
    one.bind(name)
    if not name.startswith("\0"):
        os.chmod(name, 0o777)
    if kind != socket.SOCK_DGRAM:
        one.listen(64)
    one.setblocking(False)
    made.append((one, kind))
open(os.path.join(WS, "go"), "w").close()
came, last = 0, False
while True:
    ready = select.select([one for one, _ in made], [], [], 0.02)[0]
    for one, kind in made:
        while one in ready:
            try:
                if kind == socket.SOCK_DGRAM:
                    one.recv(64)
                else:
                    one.accept()[0].close()
                came += 1
            except BlockingIOError:
                break
    # What was sent before the end is there at the end.
    if last and not ready:
        break
    last = os.path.exists(os.path.join(WS, "done"))
print(came)
