# Ways to a Unix socket of somebody else that came to exist after the command had started. Prints a
# line for each: "name held why" or "name BREACH". What races is told by the one outside.
import ctypes, errno, mmap, os, platform, signal, socket, struct, sys, threading, time

WS, OUT, ABSTRACT, ROUNDS = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
libc = ctypes.CDLL(None, use_errno=True)
LATE, PACKETS, MESSAGES = OUT + "/late", OUT + "/late-packets", OUT + "/late-messages"
STREAM, DGRAM, SEQPACKET = socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_SEQPACKET
WAYS = []


def way(work):
    WAYS.append(work)
    return work


def connect(path, kind=STREAM):
    with socket.socket(socket.AF_UNIX, kind) as one:
        one.connect(path)
        if kind == DGRAM:
            one.send(b"x")
    return True


def place(path):
    return os.open(path, os.O_PATH)


def name(path):
    return struct.pack("=H", socket.AF_UNIX) + path.encode() + b"\0"


class Part(ctypes.Structure):
    _fields_ = [("base", ctypes.c_char_p), ("length", ctypes.c_size_t)]
class Message(ctypes.Structure):
    _fields_ = [("name", ctypes.c_void_p), ("name_length", ctypes.c_uint), ("parts", ctypes.c_void_p),
        ("count", ctypes.c_size_t), ("control", ctypes.c_void_p), ("control_length", ctypes.c_size_t),
        ("flags", ctypes.c_int), ("gap", ctypes.c_int), ("length", ctypes.c_uint)]
PART = Part(b"x", 1)


def message(address):
    buffer = ctypes.create_string_buffer(address, len(address))
    made = Message(ctypes.addressof(buffer), len(address), ctypes.addressof(PART), 1, None, 0, 0, 0, 0)
    made.kept = buffer
    return made


def checked(answer):
    if answer < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return True


@way
def absolute(): return connect(LATE)
@way
def packets(): return connect(PACKETS, SEQPACKET)
@way
def messages(): return connect(MESSAGES, DGRAM)
@way
def bound_by_a_relative_name(): return connect(OUT + "/relative")
@way
def from_its_folder():
    os.chdir(OUT)
    try:
        return connect("late")
    finally:
        os.chdir(WS)
@way
def through_dots(): return connect("../outside/late")
@way
def through_a_link(): os.symlink(LATE, "link"); return connect("link")
@way
def through_a_linked_folder(): os.symlink(OUT, "folder"); return connect("folder/late")
@way
def through_its_root(): return connect("/proc/self/root" + LATE)
@way
def through_its_number(): return connect("/proc/%d/root%s" % (os.getpid(), LATE))
@way
def through_its_thread(): return connect("/proc/thread-self/root" + LATE)
@way
def through_a_links_root(): os.symlink("/proc/self/root", "root"); return connect("root" + LATE)
@way
def through_its_cwd(): return connect("/proc/self/cwd/../outside/late")
@way
def through_a_descriptor(): return connect("/proc/self/fd/%d" % place(LATE))
@way
def through_a_device(): return connect("/dev/fd/%d" % place(LATE))
@way
def through_a_folder_descriptor(): return connect("/proc/self/fd/%d/late" % place(OUT))
@way
def through_a_threads_descriptor(): return connect("/proc/thread-self/fd/%d/late" % place(OUT))
@way
def through_dots_of_a_descriptor(): return connect("/proc/self/fd/%d/../outside/late" % place(WS))
@way
def hard_link(): os.link(LATE, "hard"); return connect("hard")
@way
def hard_link_of_a_descriptor():
    at = b"/proc/self/fd/%d" % place(LATE)
    return checked(libc.linkat(-100, at, -100, b"hard2", 0x400)) and connect("hard2")
@way
def moved(): os.rename(OUT + "/relative", "moved"); os.rename("moved", OUT + "/relative"); return True
@way
def send_to():
    with socket.socket(socket.AF_UNIX, DGRAM) as one:
        return one.sendto(b"x", MESSAGES) == 1
@way
def send_to_from_a_pair():
    with socket.socketpair(socket.AF_UNIX, DGRAM)[0] as one:
        return one.sendto(b"x", MESSAGES) == 1
@way
def send_by_raw():
    with socket.socket(socket.AF_UNIX, socket.SOCK_RAW) as one:
        return one.sendto(b"x", MESSAGES) == 1
@way
def send_message():
    with socket.socket(socket.AF_UNIX, DGRAM) as one:
        return one.sendmsg([b"x"], [], 0, MESSAGES) == 1
@way
def send_message_by_a_relative_name():
    os.chdir(OUT)
    try:
        with socket.socket(socket.AF_UNIX, DGRAM) as one:
            return one.sendmsg([b"x"], [], 0, "relative-messages") == 1
    finally:
        os.chdir(WS)
@way
def send_messages():
    with socket.socket(socket.AF_UNIX, DGRAM) as one:
        made = message(name(MESSAGES))
        return checked(libc.sendmmsg(one.fileno(), ctypes.byref(made), 1, 0))
@way
def second_of_a_list():
    own = socket.socket(socket.AF_UNIX, DGRAM)
    own.bind("first-of-a-list")
    with socket.socket(socket.AF_UNIX, DGRAM) as one:
        made = [message(name("first-of-a-list")), message(name(MESSAGES))]
        return libc.sendmmsg(one.fileno(), (Message * 2)(*made), 2, 0) == 2
@way
def descriptor_of_another():
    left, right = socket.socketpair()
    child = os.fork()
    if child == 0:
        socket.send_fds(left, [b"x"], [place(LATE), place(OUT)])
        os._exit(0)
    fds = socket.recv_fds(right, 1, 2)[1]
    os.waitpid(child, 0)
    try:
        return connect("/proc/self/fd/%d" % fds[0])
    except OSError:
        return connect("/proc/self/fd/%d/late" % fds[1])
@way
def socket_of_another():
    """A socket that somebody else uses with an address that was right for them."""
    left, right = socket.socketpair()
    one = socket.socket(socket.AF_UNIX)
    socket.send_fds(left, [b"x"], [one.fileno()])
    with socket.socket(fileno=socket.recv_fds(right, 1, 1)[1][0]) as same:
        same.connect(LATE)
    return True
@way
def in_a_thread():
    answers = []
    def work():
        try: answers.append(connect(LATE))
        except OSError as error: answers.append(error)
    thread = threading.Thread(target=work); thread.start(); thread.join()
    if isinstance(answers[0], OSError): raise answers[0]
    return answers[0]
@way
def in_a_thread_with_its_own_folder():
    answers = []
    def work():
        try:
            checked(libc.unshare(0x200))
            os.chdir(OUT)
            answers.append(connect("late"))
        except OSError as error: answers.append(error)
    thread = threading.Thread(target=work); thread.start(); thread.join()
    if isinstance(answers[0], OSError): raise answers[0]
    return answers[0]
@way
def abstract(): return connect("\0" + ABSTRACT)
@way
def abstract_messages():
    with socket.socket(socket.AF_UNIX, DGRAM) as one:
        return one.sendto(b"x", "\0" + ABSTRACT + "-messages") == 1
@way
def by_a_ring():
    # Nobody gets far enough to connect where there are none.
    ctypes.set_errno(0)
    return checked(libc.syscall(ctypes.c_long(425), ctypes.c_long(1), ctypes.create_string_buffer(120)))
@way
def by_32_bits():
    if platform.machine() != "x86_64":
        raise OSError(errno.ENOSYS, "not here")
    child = os.fork()
    if child == 0:
        # socketcall(SYS_CONNECT, …) by the gate of 32 bits, with all it needs below 4 GB.
        flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x40
        libc.mmap.restype = ctypes.c_void_p
        at = libc.mmap(None, ctypes.c_size_t(4096), 7, flags, -1, ctypes.c_long(0))
        one = socket.socket(socket.AF_UNIX)
        address = name(LATE)
        ctypes.memmove(at + 256, address, len(address))
        ctypes.memmove(at + 128, struct.pack("<3I", one.fileno(), at + 256, len(address)), 12)
        # push rbx; mov eax, 102; mov ebx, 3; mov ecx, imm; int 0x80; pop rbx; ret
        code = b"\x53\xb8\x66\0\0\0\xbb\x03\0\0\0\xb9" + struct.pack("<I", at + 128) + b"\xcd\x80\x5b\xc3"
        ctypes.memmove(at, code, len(code))
        os._exit(0 if ctypes.CFUNCTYPE(ctypes.c_int)(at)() == 0 else 1)
    status = os.waitpid(child, 0)[1]
    if os.WIFSIGNALED(status) or os.WEXITSTATUS(status):
        raise OSError(errno.EPERM, "ended with %d" % status)
    return True


# Two threads: one asks for its own socket, the other makes that mean somebody else's.
class Own:
    """Sockets of its own that take everything."""
    def __init__(self, at):
        os.makedirs(at, exist_ok=True)
        self.stream = socket.socket(socket.AF_UNIX); self.stream.bind(at + "/late"); self.stream.listen(64)
        self.messages = socket.socket(socket.AF_UNIX, DGRAM); self.messages.bind(at + "/late-messages")
        self.stream.setblocking(False); self.messages.setblocking(False)
    def drain(self):
        try:
            while True: self.stream.accept()[0].close()
        except OSError: pass
        try:
            while True: self.messages.recv(9)
        except OSError: pass


def race(swap, ask, own):
    """Asks again and again while a thread swaps."""
    ended = []
    def swapping():
        while not ended:
            swap()
    thread = threading.Thread(target=swapping); thread.start()
    ask_often(ask, own)
    ended.append(True)
    thread.join()
    return False


def race_beside(swap, ask, own):
    """The same with a process that swaps, which is faster."""
    child = os.fork()
    if child == 0:
        while True:
            swap()
    ask_often(ask, own)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return False


def ask_often(ask, own):
    for _ in range(ROUNDS):
        try: ask()
        except OSError: pass
        own.drain()


class Shared:
    """Memory that a child shares."""
    def __init__(self, size):
        self.memory = mmap.mmap(-1, size)
        self.at = ctypes.addressof(ctypes.c_char.from_buffer(self.memory))
    def put(self, bytes):
        self.memory[: len(bytes)] = bytes


def exchange(one, other):
    """One call, so that whoever looks twice is met in between often."""
    number = ctypes.c_long(316 if platform.machine() == "x86_64" else 276)
    at, flags = ctypes.c_long(-100), ctypes.c_long(2)
    one, other = one.encode(), other.encode()
    return lambda: libc.syscall(number, at, one, at, other, flags)


@way
def racing_links():
    own = Own("racing")
    os.symlink(WS + "/racing", "swapped")
    os.symlink(OUT, "other")
    return race_beside(exchange("swapped", "other"), lambda: connect(WS + "/swapped/late"), own)
@way
def racing_links_from_its_folder():
    own = Own("racing-here")
    os.symlink(WS + "/racing-here/late", "swapped-here")
    os.symlink(LATE, "other-here")
    return race_beside(exchange("swapped-here", "other-here"), lambda: connect("swapped-here"), own)
@way
def racing_folders():
    own = Own("folder-a")
    os.symlink(OUT, "folder-b")
    return race_beside(exchange("folder-a", "folder-b"), lambda: connect(WS + "/folder-a/late"), own)
@way
def racing_addresses():
    own = Own("racing-addresses")
    here, there = name(WS + "/racing-addresses/late"), name(LATE)
    size = max(len(here), len(there))
    here, there = here.ljust(size, b"\0"), there.ljust(size, b"\0")
    buffer = Shared(size)
    def swap():
        buffer.put(here)
        buffer.put(there)
    def ask():
        with socket.socket(socket.AF_UNIX) as one:
            libc.connect(one.fileno(), ctypes.c_void_p(buffer.at), size)
    return race_beside(swap, ask, own)
@way
def racing_messages():
    own = Own("racing-messages")
    here, there = name(WS + "/racing-messages/late-messages"), name(MESSAGES)
    size = max(len(here), len(there))
    here, there = here.ljust(size, b"\0"), there.ljust(size, b"\0")
    buffer, header = Shared(size), Shared(ctypes.sizeof(Message))
    make = lambda at: bytes(Message(at, size if at else 0, ctypes.addressof(PART), 1, None, 0, 0, 0, 0))
    with_name, without = make(buffer.at), make(None)
    one = socket.socket(socket.AF_UNIX, DGRAM)
    def swap():
        for address in (here, there):
            buffer.put(address)
            header.put(with_name)
            header.put(without)
    def ask():
        libc.sendmsg(one.fileno(), ctypes.c_void_p(header.at), 0x40)
        libc.sendto(one.fileno(), b"x", 1, 0x40, ctypes.c_void_p(buffer.at), size)
    return race_beside(swap, ask, own)
@way
def racing_sockets():
    own = Own("racing-sockets")
    made = message(name(MESSAGES))
    stream, other = socket.socketpair()
    datagrams = socket.socket(socket.AF_UNIX, DGRAM)
    number = os.dup(stream.fileno())
    def swap():
        for one in (datagrams, stream):
            os.dup2(one.fileno(), number)
    return race(swap, lambda: libc.sendmsg(number, ctypes.byref(made), 0x40), own)
@way
def racing_folders_of_a_process():
    own = Own("racing-cwd")
    def swap():
        for folder in (OUT, WS + "/racing-cwd"):
            os.chdir(folder)
    try:
        return race(swap, lambda: connect("late"), own)
    finally:
        os.chdir(WS)
@way
def racing_descriptors():
    own = Own("racing-fd")
    here, there = place(WS + "/racing-fd"), place(OUT)
    number = os.dup(here)
    def swap():
        for one in (there, here):
            os.dup2(one, number)
    return race(swap, lambda: connect("/proc/self/fd/%d/late" % number), own)


os.chdir(WS)
open("started", "w").close()
while not os.path.exists("go"):
    time.sleep(0.005)
for work in WAYS:
    try:
        outcome = "BREACH" if work() else "held (saw nothing)"
    except OSError as error:
        outcome = "held " + (errno.errorcode.get(error.errno) or str(error))
    print(work.__name__, outcome, flush=True)
open("done", "w").close()
print("tried all", flush=True)
