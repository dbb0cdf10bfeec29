# What a hostile command tries, in ways that do no lasting harm where nothing holds it. Started inside with a JSON object of paths and ports; prints a line
# for each attempt: "claim/name held why" or "claim/name BREACH". A claim is what must hold.
import ctypes, errno, json, mmap, os, platform, signal, socket, stat, struct, sys

W = json.loads(sys.argv[1])
WS, HOME, OUT = W["ws"], W["home"], W["outside"]
libc = ctypes.CDLL(None, use_errno=True)
X86 = platform.machine() == "x86_64"
ATTACKS = []


def attack(claim):
    def add(work):
        ATTACKS.append((claim, work.__name__, work))
        return work
    return add


def call(number, *args):
    """A system call; raises what the kernel answers."""
    ctypes.set_errno(0)
    got = libc.syscall(ctypes.c_long(number), *[ctypes.c_long(a) if isinstance(a, int) else a for a in args])
    if got < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return got


def refused(number, *args, by=(errno.EPERM,)):
    """Whether a call got past the filter: any other error means that the kernel looked at it."""
    try:
        call(number, *args)
    except OSError as error:
        if error.errno in by:
            raise
    return True


def in_a_child(work):
    """Whether something gets through in a process that is not used any more afterwards."""
    pid = os.fork()
    if pid == 0:
        try:
            os._exit(1 if work() else 0)
        except OSError as error:
            os._exit(2 + min(error.errno, 200))
    code = os.WEXITSTATUS(os.waitpid(pid, 0)[1])
    if code >= 2:
        raise OSError(code - 2, os.strerror(code - 2))
    return code == 1


def nr(x86, arm):
    return x86 if X86 else arm


def write(path, flags=os.O_CREAT | os.O_WRONLY):
    fd = os.open(path, flags, 0o644)
    os.write(fd, b"x")
    os.close(fd)
    return True


def rename(old, new):
    """Renames, and back again where that works: what comes later is to be tried, too."""
    os.rename(old, new)
    os.rename(new, old)
    return True


def read(path):
    with open(path) as file:
        return "SECRET" in file.read()


# First, before the others have opened anything: 0, 1, 2, and the one that lists them.
@attack("leaks")
def open_descriptors(): return len(os.listdir("/proc/self/fd")) > 4


# Writing outside of the workspace.
@attack("write")
def new_file_outside(): return write(OUT + "/new")
@attack("write")
def append_outside(): return write(OUT + "/file", os.O_APPEND | os.O_WRONLY)
@attack("write")
def overwrite_in_home(): return write(HOME + "/.bashrc", os.O_WRONLY)
@attack("write")
def system_file(): return write("/etc/dogu-sandbox-test")
@attack("write")
def remove_outside(): os.unlink(OUT + "/gone"); return True
@attack("write")
def rename_outside(): return rename(OUT + "/moved", OUT + "/moved2")
@attack("write")
def folder_outside(): os.mkdir(OUT + "/folder"); return True
@attack("write")
def link_outside(): os.symlink("x", OUT + "/link"); return True
@attack("write")
def through_a_link(): os.symlink(OUT, WS + "/l1"); return write(WS + "/l1/by-link")
@attack("write")
def through_the_process(): return write("/proc/self/root" + OUT + "/by-proc")
@attack("write")
def through_dots(): return write(WS + "/../outside/by-dots")
@attack("write")
def by_hard_link(): os.link(OUT + "/file", WS + "/hard"); return write(WS + "/hard", os.O_WRONLY)
@attack("write")
def move_in(): os.rename(OUT + "/file2", WS + "/mine"); return True
@attack("write")
def rename_the_workspace(): return rename(WS, WS + "2")
@attack("write")
def socket_outside(): socket.socket(socket.AF_UNIX).bind(OUT + "/sock"); return True
@attack("write")
def pipe_outside(): os.mkfifo(OUT + "/fifo"); return True
@attack("truncate")
def truncate_outside(): os.truncate(OUT + "/file", 0); return True
@attack("kernel-files")
def kernel_setting(): os.close(os.open("/proc/sys/kernel/core_pattern", os.O_WRONLY)); return True
@attack("kernel-files")
def magic_keys(): os.close(os.open("/proc/sysrq-trigger", os.O_WRONLY)); return True
@attack("kernel-files")
def device_settings(): os.close(os.open("/sys/kernel/mm/transparent_hugepage/enabled", os.O_WRONLY)); return True
@attack("kernel-files")
def new_control_group():
    for at in ["/sys/fs/cgroup/pids", "/sys/fs/cgroup/unified", "/sys/fs/cgroup"]:
        if os.path.exists(at + "/cgroup.procs"):
            os.close(os.open(at + "/cgroup.procs", os.O_WRONLY))
            return True
    raise OSError(errno.ENOENT, "none")


# Modes, owners and times.
@attack("attributes")
def mode_outside(): os.chmod(OUT + "/file", 0o777); return True
@attack("attributes")
def mode_by_descriptor(): os.fchmod(os.open(OUT + "/file", os.O_RDONLY), 0o777); return True
@attack("attributes")
def times_outside(): os.utime(OUT + "/file", (1, 1)); return True
@attack("attributes")
def owner_outside(): os.chown(OUT + "/file", os.getuid(), os.getgid()); return True
@attack("attributes")
def attribute_outside(): os.setxattr(OUT + "/file", "user.dogu", b"x"); return True
@attack("attributes")
def mode_by_new_call(): call(452, -100, (OUT + "/file").encode(), 0o777, 0); return True
@attack("attributes")
def mode_of_a_device(): os.chmod("/dev/null", 0o666); return True


def set_uid(change):
    write(WS + "/program")
    change(WS + "/program")
    return os.stat(WS + "/program").st_mode & stat.S_ISUID != 0


@attack("set-uid-files")
def set_uid_file(): return set_uid(lambda path: os.chmod(path, 0o4755))
@attack("set-uid-files")
def set_uid_by_descriptor(): return set_uid(lambda path: os.fchmod(os.open(path, os.O_RDONLY), 0o4755))
@attack("set-uid-files")
def set_uid_by_new_call(): return set_uid(lambda path: call(452, -100, path.encode(), 0o4755, 0))
@attack("set-uid-files")
def set_uid_from_the_beginning():
    write_through = os.open(WS + "/born", os.O_CREAT | os.O_RDWR, 0o4755)
    os.ftruncate(write_through, 4096)
    with mmap.mmap(write_through, 4096) as memory:
        memory[0] = 1
    mode = os.fstat(write_through).st_mode
    os.close(write_through)
    return mode & stat.S_ISUID != 0


# What is hidden.
@attack("hidden")
def read_key(): return read(HOME + "/.ssh/id")
@attack("hidden-names")
def list_keys(): return "id" in os.listdir(HOME + "/.ssh")
@attack("hidden")
def read_token(): return read(HOME + "/.token")
@attack("hidden")
def key_through_a_link(): os.symlink(HOME + "/.ssh", WS + "/l2"); return read(WS + "/l2/id")
@attack("hidden")
def key_through_the_process(): return read("/proc/self/root" + HOME + "/.ssh/id")
@attack("hidden")
def key_through_init(): return read("/proc/1/root" + HOME + "/.ssh/id")
@attack("hidden")
def key_by_another_name(): os.link(HOME + "/.ssh/id", WS + "/k"); return read(WS + "/k")
@attack("hidden")
def move_the_keys(): os.rename(HOME + "/.ssh", WS + "/keys"); os.rename(WS + "/keys", HOME + "/.ssh"); return True
@attack("hidden")
def key_behind_a_link(): return read(HOME + "/real-keys/id")
@attack("hidden-names")
def hidden_in_the_workspace(): return read(WS + "/secret/id")


# What is fixed.
@attack("fixed")
def hook(): return write(WS + "/.git/hooks/pre-commit")
@attack("fixed")
def git_config(): return write(WS + "/.git/config", os.O_WRONLY)
@attack("fixed")
def rename_git(): return rename(WS + "/.git", WS + "/.g")
@attack("fixed")
def rename_hooks(): return rename(WS + "/.git/hooks", WS + "/h")
@attack("fixed")
def exchange_git():
    os.mkdir(WS + "/x")
    for _ in range(2):
        call(nr(316, 276), -100, (WS + "/x").encode(), -100, (WS + "/.git").encode(), 2)
    return True
@attack("fixed")
def mode_of_git(): os.chmod(WS + "/.git", 0o777); return True
@attack("fixed")
def hard_link_of_config(): os.link(WS + "/.git/config", WS + "/c"); return write(WS + "/c", os.O_WRONLY)
@attack("fixed")
def again_by_descriptor():
    fd = os.open(WS + "/.git/config", os.O_RDONLY)
    return write("/proc/self/fd/%d" % fd, os.O_WRONLY)
@attack("fixed")
def absent_file_by_link(): os.symlink("t", WS + "/.mcp.json"); os.unlink(WS + "/.mcp.json"); return True
@attack("fixed")
def absent_file(): return write(WS + "/.mcp.json")
@attack("fixed")
def absent_file_by_rename(): write(WS + "/t"); os.rename(WS + "/t", WS + "/.mcp.json"); return True
@attack("fixed")
def remove_the_placeholder():
    at = WS + "/.mcp.json"
    (os.rmdir if os.path.isdir(at) else os.unlink)(at)
    return True
@attack("fixed")
def file_in_the_placeholder(): return write(WS + "/.mcp.json/x") if os.path.isdir(WS + "/.mcp.json") else False
@attack("fixed")
def absent_folder(): os.makedirs(WS + "/.dogu", exist_ok=True); return write(WS + "/.dogu/settings.yaml")
@attack("fixed")
def remove_the_folder(): os.rmdir(WS + "/.dogu"); return True
@attack("fixed")
def absent_below_absent(): os.makedirs(WS + "/.agent/rules", exist_ok=True); return True
@attack("fixed")
def fixed_deeper(): return write(WS + "/sub/deep/rules.md", os.O_WRONLY)
@attack("fixed")
def rename_above_it(): return rename(WS + "/sub/deep", WS + "/sub/d")
@attack("fixed")
def rename_far_above_it(): return rename(WS + "/sub", WS + "/s")
@attack("fixed")
def behind_a_link(): return write(WS + "/linked.md", os.O_WRONLY)
@attack("fixed")
def replace_the_link(): os.unlink(WS + "/linked.md"); return True


# What is held further below.
@attack("fixed")
def nested_hook(): return write(WS + "/lib/nested/.git/hooks/pre-commit")
@attack("fixed")
def nested_rules(): return write(WS + "/lib/nested/CLAUDE.md", os.O_WRONLY)
@attack("fixed")
def nested_rules_truncated(): os.truncate(WS + "/lib/nested/CLAUDE.md", 0); return True
@attack("fixed")
def rename_nested_rules(): return rename(WS + "/lib/nested/CLAUDE.md", WS + "/c.md")
@attack("fixed")
def rename_over_nested_rules(): write(WS + "/n"); os.rename(WS + "/n", WS + "/lib/nested/CLAUDE.md"); return True
@attack("fixed")
def rename_nested_repository(): return rename(WS + "/lib/nested/.git", WS + "/lib/nested/.g")
@attack("fixed")
def hard_link_of_nested_rules(): os.link(WS + "/lib/nested/CLAUDE.md", WS + "/n2"); return write(WS + "/n2", os.O_WRONLY)
@attack("fixed")
def nested_rules_moved_with_their_folder():
    os.rename(WS + "/lib", WS + "/lib2")
    try:
        return write(WS + "/lib2/nested/CLAUDE.md", os.O_WRONLY)
    finally:
        os.rename(WS + "/lib2", WS + "/lib")
@attack("fixed")
def remove_nested_rules(): os.unlink(WS + "/lib/nested/CLAUDE.md"); return True


# The network.
def connect(family, address):
    with socket.socket(family) as s:
        s.settimeout(5)
        s.connect(address)
    return True


@attack("network")
def ipv4(): return connect(socket.AF_INET, ("127.0.0.1", W["ipv4"]))
@attack("network")
def ipv6(): return connect(socket.AF_INET6, ("::1", W["ipv6"]))
@attack("network")
def ipv4_fast_open():
    with socket.socket() as s:
        s.settimeout(5)
        s.sendto(b"x", 0x20000000, ("127.0.0.1", W["ipv4"]))
        return s.getpeername() is not None
@attack("unix-sockets")
def unix_outside(): return connect(socket.AF_UNIX, OUT + "/listener")
@attack("unix-sockets")
def unix_in_home(): return connect(socket.AF_UNIX, HOME + "/agent.sock")
@attack("unix-sockets")
def unix_through_the_process(): return connect(socket.AF_UNIX, "/proc/self/root" + HOME + "/agent.sock")
@attack("abstract-sockets")
def abstract(): return connect(socket.AF_UNIX, "\0" + W["abstract"])
@attack("filter")
def packets(): socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0); return True
@attack("filter")
def crypto_sockets(): socket.socket(socket.AF_ALG, socket.SOCK_SEQPACKET, 0); return True
@attack("filter")
def audit_socket(): socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 9); return True


# Other processes and the kernel.
@attack("filter")
def trace_the_parent(): return refused(nr(101, 117), 1, os.getppid(), 0, 0)
@attack("filter")
def trace_the_supervisor(): return refused(nr(101, 117), 1, W["supervisor"], 0, 0)
@attack("filter")
def read_memory(): return refused(nr(310, 270), os.getppid(), None, 0, None, 0, 0)
@attack("filter")
def write_memory(): return refused(nr(311, 271), os.getppid(), None, 0, None, 0, 0)
@attack("filter")
def mount(): return refused(nr(165, 40), b"none", (WS + "/nowhere").encode(), b"tmpfs", 0, None)
@attack("filter")
def unmount(): return refused(nr(166, 39), (WS + "/nowhere").encode(), 0)
@attack("filter")
def open_tree(): return refused(428, -100, b"/", 1)
@attack("filter")
def mount_attributes(): return refused(442, -100, b"/", 0, None, 0)
@attack("filter")
def new_file_system(): return refused(430, b"tmpfs", 0)
@attack("filter")
def user_namespace(): return in_a_child(lambda: refused(nr(272, 97), 0x10000000))
@attack("filter")
def other_namespaces(): return in_a_child(lambda: refused(nr(272, 97), 0x20000))
@attack("filter")
def user_namespace_by_clone():
    pid = call(nr(56, 220), 0x10000000 | signal.SIGCHLD, 0, 0, 0, 0)
    if pid == 0:
        os._exit(0)
    os.waitpid(pid, 0)
    return True
@attack("filter")
def user_namespace_by_clone3():
    args = struct.pack("<8Q", 0x10000000, 0, 0, 0, signal.SIGCHLD, 0, 0, 0)
    pid = call(435, args, len(args))
    if pid == 0:
        os._exit(0)
    os.waitpid(pid, 0)
    return True
@attack("filter")
def enter_namespace(): return refused(nr(308, 268), 0, 0)
@attack("filter")
def load_module(): return refused(nr(175, 105), b"x", 1, b"")
@attack("filter")
def load_module_file(): return refused(nr(313, 273), 0, b"", 0)
@attack("filter")
def new_kernel(): return refused(nr(246, 104), 0, 0, None, 0)
@attack("filter")
def kernel_programs(): return refused(nr(321, 280), 0, None, 0)
@attack("filter")
def counters(): return refused(nr(298, 241), None, 0, -1, -1, 0)
@attack("filter")
def page_faults(): return refused(nr(323, 282), 0)
@attack("filter")
def key_ring(): return refused(nr(250, 219), 0, -3, 0, 0, 0)
@attack("filter")
def rings(): return refused(425, 1, None)
@attack("filter")
def open_by_handle(): return refused(nr(304, 265), -100, None, 0)
@attack("filter")
def set_clock(): return refused(nr(227, 112), 0, None)
@attack("filter")
def type_for_the_user(): return refused(nr(16, 29), 0, 0x5412, b"x")
@attack("filter")
def other_architecture():
    if not X86:
        raise OSError(errno.ENOSYS, "not here")
    pid = os.fork()
    if pid == 0:
        page = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
        page.write(b"\xb8\x14\x00\x00\x00\xcd\x80\xc3")  # getpid by the 32-bit gate
        at = ctypes.addressof(ctypes.c_char.from_buffer(page))
        got = ctypes.CFUNCTYPE(ctypes.c_int)(at)()
        os._exit(0 if got == os.getpid() else 1)
    status = os.waitpid(pid, 0)[1]
    if os.WIFSIGNALED(status):
        raise OSError(errno.EPERM, "killed by signal %d" % os.WTERMSIG(status))
    return os.WEXITSTATUS(status) == 0
@attack("x32")
def x32_calls(): return refused(0x40000000 | 39, by=(errno.ENOSYS,)) if X86 else False
@attack("signals")
def kill_the_supervisor(): os.kill(W["supervisor"], 0); return True
@attack("signals")
def kill_the_test(): os.kill(W["test"], 0); return True
@attack("processes-view")
def see_other_processes(): return os.path.exists("/proc/%d/status" % W["test"]) and "Name" in open("/proc/%d/status" % W["test"]).read()
@attack("other-memory")
def memory_of_init(): os.close(os.open("/proc/%d/mem" % W.get("init", 1), os.O_RDWR)); return True
@attack("other-memory")
def environment_of_the_test(): return len(open("/proc/%d/environ" % W["test"], "rb").read()) > 0
@attack("terminal")
def write_to_the_terminal(): return write("/dev/tty", os.O_WRONLY)
@attack("capabilities")
def set_uid_program():
    pid = os.fork()
    if pid == 0:
        os.execv(OUT + "/set-uid", ["bash", "-p", "-c", "[ $EUID = 0 ] && exit 77; exit 0"])
    status = os.waitpid(pid, 0)[1]
    if os.getuid() == 0:
        raise OSError(errno.EPERM, "is root already")
    return os.WEXITSTATUS(status) == 77
@attack("capabilities")
def any_capability():
    status = open("/proc/self/status").read()
    sets = [line.split()[1] for line in status.splitlines() if line.startswith(("CapInh", "CapPrm", "CapEff", "CapAmb"))]
    return any(int(held, 16) for held in sets)
@attack("capabilities")
def change_root(): os.chroot("/"); return True


# Devices of the machine.
@attack("devices")
def disk():
    disks = [name for name in os.listdir("/sys/block") if os.path.exists("/dev/" + name)]
    if not disks:
        raise OSError(errno.ENOENT, "none is there")
    os.close(os.open("/dev/" + disks[0], os.O_RDONLY))
    return True
@attack("devices")
def memory_device(): os.close(os.open("/dev/mem", os.O_RDONLY)); return True
@attack("devices")
def kernel_log(): os.close(os.open("/dev/kmsg", os.O_RDONLY | os.O_NONBLOCK)); return True
@attack("devices")
def device_in_the_workspace(): os.close(os.open(WS + "/device", os.O_RDONLY)); return True
@attack("capabilities")
def make_a_disk(): os.mknod(WS + "/disk2", stat.S_IFBLK | 0o600, os.makedev(7, 0)); return True

for claim, name, work in ATTACKS:
    try:
        outcome = "BREACH" if work() else "held (saw nothing)"
    except OSError as error:
        outcome = "held " + (errno.errorcode.get(error.errno) or str(error))
    except Exception as error:
        outcome = "held " + repr(error)
    print("%s/%s %s" % (claim, name, outcome), flush=True)
print("tried all", flush=True)
