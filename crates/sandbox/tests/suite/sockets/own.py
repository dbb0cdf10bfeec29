# Sockets of the command's own, in the ways in which programs use them. Prints a line for each way
# that works; what does not ends it.
import array, asyncio, ctypes, multiprocessing, multiprocessing.managers, multiprocessing.reduction, os, select, signal
import socket, socketserver, struct, subprocess, sys, tempfile, threading, time

libc = ctypes.CDLL(None, use_errno=True)


def works(what): print(what, flush=True)


async def with_asyncio(path):
    async def answer(reader, writer):
        writer.write(await reader.readline()); await writer.drain(); writer.close()
    async with await asyncio.start_unix_server(answer, path):
        for _ in range(20):
            reader, writer = await asyncio.open_unix_connection(path)
            writer.write(b"hello\n")
            assert await reader.readline() == b"hello\n"
            writer.close()


class Echo(socketserver.StreamRequestHandler):
    def handle(self): self.wfile.write(self.rfile.readline())
class Threaded(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
    daemon_threads = True


def ask(path, client):
    with client: 
        client.connect(path); client.sendall(b"x\n")
        assert client.makefile().readline() == "x\n"


def many_clients(path):
    with Threaded(path, Echo) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        clients = [threading.Thread(target=ask, args=(path, socket.socket(socket.AF_UNIX))) for _ in range(30)]
        for one in clients: one.start()
        for one in clients: one.join()
        server.shutdown()


def managers():
    with multiprocessing.Manager() as manager:
        numbers = manager.list()
        workers = [multiprocessing.Process(target=numbers.append, args=(n,)) for n in range(4)]
        for one in workers: one.start()
        for one in workers: one.join()
        assert sorted(numbers) == [0, 1, 2, 3]


def handles():
    """A descriptor from a process to another, by the library's own way."""
    mine, theirs = multiprocessing.Pipe()
    child = os.fork()
    if child == 0:
        got = multiprocessing.reduction.recv_handle(theirs)
        os.write(got, b"through"); os._exit(0)
    read, write = os.pipe()
    multiprocessing.reduction.send_handle(mine, write, child)
    os.close(write); os.waitpid(child, 0)
    assert os.read(read, 20) == b"through"


def descriptors(kind):
    left, right = socket.socketpair(socket.AF_UNIX, kind)
    files = [tempfile.TemporaryFile() for _ in range(20)]
    for number, file in enumerate(files): file.write(b"%d" % number); file.flush()
    place = os.open(".", os.O_PATH)
    socket.send_fds(left, [b"a", b"b"], [file.fileno() for file in files] + [place])
    data, got, flags, _ = socket.recv_fds(right, 9, 30)
    assert (data, len(got), flags) == (b"ab", 21, 0), (data, got, flags)
    for number, file in enumerate(got[:20]): assert os.pread(file, 9, 0) == b"%d" % number
    assert os.path.samestat(os.fstat(got[20]), os.stat("."))
    try: left.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [999]))]); raise SystemExit("sent")
    except OSError as error: assert error.errno == 9, error


def large(blocking):
    left, right = socket.socketpair()
    data = os.urandom(1 << 20) * 6
    got = bytearray()
    def take():
        while len(got) < len(data): got.extend(right.recv(1 << 16))
    reader = threading.Thread(target=take); reader.start()
    left.setblocking(blocking)
    parts = [data[:10], data[10:3_000_000], b"", data[3_000_000:]]
    if blocking:
        assert left.sendmsg(parts) == len(data)
    else:
        sent = 0
        while sent < len(data):
            select.select([], [left], [])
            try: sent += left.sendmsg([memoryview(data)[sent:]])
            except BlockingIOError: pass
    reader.join()
    assert got == data


def who(kind):
    """Whoever asks who sent a message is told who did."""
    left, right = socket.socketpair(socket.AF_UNIX, kind)
    right.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
    child = os.fork()
    if child == 0:
        left.sendmsg([b"plain"])
        time.sleep(0.01)
        left.sendmsg([b"said"], [(socket.SOL_SOCKET, 2, struct.pack("3i", os.getpid(), os.getuid(), os.getgid()))])
        try: left.sendmsg([b"lie"], [(socket.SOL_SOCKET, 2, struct.pack("3i", os.getppid(), os.getuid(), os.getgid()))]); os._exit(1)
        except PermissionError: os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    for word in (b"plain", b"said"):
        data, control, _, _ = right.recvmsg(9 if kind == socket.SOCK_DGRAM else len(word), 100)
        assert data == word and struct.unpack("3i", control[0][2][:12]) == (child, os.getuid(), os.getgid()), (data, control)
    # From a thread that is not the first of its process.
    thread = threading.Thread(target=lambda: left.sendmsg([b"thread"])); thread.start(); thread.join()
    data, control, _, _ = right.recvmsg(9, 100)
    assert struct.unpack("3i", control[0][2][:12])[0] == os.getpid(), control


def peer(path):
    """Of a connection the user is known; the process is the first one of the sandbox."""
    with socket.socket(socket.AF_UNIX) as server, socket.socket(socket.AF_UNIX) as client:
        server.bind(path); server.listen(); client.connect(path)
        taken = server.accept()[0]
        theirs = struct.unpack("3i", taken.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
        mine = struct.unpack("3i", client.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
        assert theirs[1:] == (os.getuid(), os.getgid()) == mine[1:] and mine[0] == os.getpid(), (theirs, mine)
        assert client.getpeername() == path


def messages(folder):
    os.chdir(folder)
    server = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM); server.bind("messages")
    client = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM); client.bind("from")
    for address in ("messages", folder + "/messages", "./../" + os.path.basename(folder) + "/messages"):
        assert client.sendto(b"one", address) == 3
        assert server.recvfrom(9) == (b"one", "from")
        assert client.sendmsg([b"tw", b"o"], [], 0, address) == 3
        assert server.recv(9) == b"two"
    client.connect("messages")
    client.send(b"three"); client.sendmsg([b"four"]); client.sendmsg([b"x" * 100_000])
    assert [len(server.recv(200_000)) for _ in range(3)] == [5, 4, 100_000]
    try: client.sendmsg([b"x" * 2_000_000]); raise SystemExit("too long")
    except OSError as error: assert error.errno == 90, error
    # Who sends more than there is room for waits.
    thread = threading.Thread(target=lambda: [client.sendmsg([b"n"], [], 0, "messages") for _ in range(2000)])
    thread.start()
    for _ in range(2000): server.recv(9)
    thread.join()
    try: client.sendto(b"x", "nobody"); raise SystemExit("sent")
    except FileNotFoundError: pass
    open("file", "w").close()
    try: client.sendto(b"x", "file"); raise SystemExit("sent")
    except ConnectionRefusedError: pass


def packets(path):
    server = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET); server.bind(path); server.listen()
    client = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET); client.connect(path)
    taken = server.accept()[0]
    client.sendmsg([b"a", b"b"]); client.sendmsg([b"c"])
    assert (taken.recv(9), taken.recv(9)) == (b"ab", b"c")


def long_paths():
    """A path that is longer than an address, as systemd and others do it."""
    deep = os.path.join(os.getcwd(), "d" * 100, "e" * 100); os.makedirs(deep)
    folder = os.open(deep, os.O_PATH)
    server = socket.socket(socket.AF_UNIX); server.bind("/proc/self/fd/%d/s" % folder); server.listen()
    for path in ("/proc/self/fd/%d/s", "/dev/fd/%d/s"):
        with socket.socket(socket.AF_UNIX) as client: client.connect(path % folder)
    place = os.open(deep + "/s", os.O_PATH)
    with socket.socket(socket.AF_UNIX) as client: client.connect("/proc/self/fd/%d" % place)


def broken_pipe():
    child = os.fork()
    if child == 0:
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
        left, right = socket.socketpair(); right.close()
        try: left.sendmsg([b"x"], [], socket.MSG_NOSIGNAL); os._exit(1)
        except BrokenPipeError: pass
        left.sendmsg([b"x"]); time.sleep(5); os._exit(2)
    assert os.WTERMSIG(os.waitpid(child, 0)[1]) == signal.SIGPIPE


def full_queue(path):
    """Who connects to somebody who is busy waits."""
    server = socket.socket(socket.AF_UNIX); server.bind(path); server.listen(1)
    clients = [threading.Thread(target=lambda: socket.socket(socket.AF_UNIX).connect(path)) for _ in range(6)]
    for one in clients: one.start()
    for _ in clients: server.accept()
    for one in clients: one.join()
    with socket.socket(socket.AF_UNIX) as client:
        client.setblocking(False)
        fill = [socket.socket(socket.AF_UNIX) for _ in range(4)]
        for one in fill: one.setblocking(False)
        try:
            for one in fill: one.connect(path)
            raise SystemExit("no end")
        except BlockingIOError: pass


def opaque(path):
    """Nobody may look into a process that wants that, as agents with keys do; it connects as others do."""
    server = socket.socket(socket.AF_UNIX); server.bind(path); server.listen()
    child = os.fork()
    if child == 0:
        libc.prctl(4, 0, 0, 0, 0)
        client = socket.socket(socket.AF_UNIX); client.connect(os.path.abspath(path)); client.sendmsg([b"x"])
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0


def over_the_internet():
    server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); server.bind(("127.0.0.1", 0))
    client = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    for _ in range(50): client.sendto(b"x", server.getsockname())
    client.sendmsg([b"yy"], [(socket.IPPROTO_IP, 1, struct.pack("i", 16))], 0, server.getsockname())
    assert sum(len(server.recv(9)) for _ in range(51)) == 52
    server = socket.create_server(("127.0.0.1", 0))
    client = socket.create_connection(server.getsockname())
    taken = server.accept()[0]
    assert client.sendmsg([b"a" * 70_000, b"b"]) <= 70_001
    taken.close()
    # Ones' own interfaces are asked for over a socket with an address.
    assert socket.if_nameindex()


def run(*argv, **more):
    done = subprocess.run(argv, capture_output=True, text=True, timeout=60, **more)
    assert done.returncode == 0, done
    return done.stdout


NODE = """
const net = require('net'), { fork } = require('child_process');
if (process.argv[2] === 'child') {
  process.on('message', (m, socket) => { if (socket) socket.end('from the child'); process.send('done'); });
} else {
  const child = fork(__filename, ['child']);
  const server = net.createServer({ pauseOnConnect: true }, s => child.send('socket', s));
  server.listen('node.sock', () => {
    let text = '';
    const client = net.connect('node.sock').on('data', d => text += d).on('end', () => console.log(text));
  });
  child.on('message', () => { child.disconnect(); server.close(); });
}
"""


def main(base):
    folder = tempfile.mkdtemp(dir=base)
    os.chdir(folder)
    asyncio.run(with_asyncio("asyncio.sock")); asyncio.run(with_asyncio(folder + "/asyncio2.sock")); works("asyncio")
    many_clients(folder + "/many"); works("many clients")
    managers(); works("managers")
    handles(); works("handles")
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_SEQPACKET): descriptors(kind)
    works("descriptors")
    for blocking in (True, False): large(blocking)
    works("large")
    if sys.argv[2] == "who":
        for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM): who(kind)
        opaque("opaque")
    works("who")
    peer("peer"); works("peer")
    messages(folder); works("messages")
    packets("packets"); works("packets")
    long_paths(); works("long paths")
    broken_pipe(); works("broken pipe")
    full_queue("full"); works("full queue")
    if sys.argv[3] == "internet": over_the_internet()
    works("internet")
    # What programs of others do. None of them is needed for the rest.
    os.environ["HOME"] = folder
    if os.path.exists("/usr/bin/ssh-agent"):
        agent = run("ssh-agent", "-s", "-a", folder + "/agent")
        os.environ["SSH_AUTH_SOCK"] = folder + "/agent"
        run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", "key")
        run("ssh-add", "-q", "key"); assert "ED25519" in run("ssh-add", "-l")
    works("ssh-agent")
    if os.path.exists("/usr/lib/git-core/git-credential-cache"):
        os.mkdir("cache", 0o700)
        helper = ["git", "credential-cache", "--socket", folder + "/cache/socket"]
        run(*helper, "store", input="protocol=https\nhost=h\nusername=u\npassword=p\n")
        assert "password=p" in run(*helper, "get", input="protocol=https\nhost=h\n")
        run(*helper, "exit")
    works("git")
    if os.path.exists("/usr/bin/node"):
        with open("node.js", "w") as file: file.write(NODE)
        assert run("node", "node.js") == "from the child\n"
    works("node")


main(sys.argv[1])
