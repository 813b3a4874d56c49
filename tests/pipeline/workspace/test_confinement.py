"""What a command reaches of the machine it runs on, and how much of it, in each way in which it can be confined."""

import os
import shlex
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from threading import Thread

import pytest
from inline_snapshot import snapshot

from pipeline.confinement.confined_start import NOT_CONFINED
from pipeline.confinement.confinement import Confinement
from pipeline.workspace.changes import changed_files
from pipeline.workspace.paths import CallRefused
from pipeline.workspace.processes import ProcessLimits, ProcessResult
from pipeline.workspace.tools import Tools
from pipeline.workspace.worktree import Worktree

HERE = Confinement.of_this_machine()
WITHOUT_NAMESPACES = replace(HERE, namespaces=False)
ONLY_FILES = replace(HERE, namespaces=False, sockets=False)
"""As on a machine that knows Landlock and nothing else: attacks on the network succeed, so a test of them can fail."""

pytestmark = pytest.mark.skipif(not HERE.sockets, reason="this machine has no filter of system calls")
needs_namespaces = pytest.mark.skipif(not HERE.namespaces, reason="this machine allows no namespaces")

WAYS = [
    *([pytest.param(HERE, id="namespaces")] if HERE.namespaces else []),
    pytest.param(WITHOUT_NAMESPACES, id="no namespaces"),
]


def python(
    worktree: Worktree,
    program: str,
    confinement: Confinement = HERE,
    *,
    limits: ProcessLimits | None = None,
    network: bool = False,
) -> ProcessResult:
    (worktree.tree / "program.py").write_text(program)
    tools = Tools(worktree, limits=limits, confinement=confinement)
    return tools.run_command("python3 program.py", network=network)


@contextmanager
def listening(server: socket.socket) -> Iterator[list[bytes]]:
    """Keeps what is sent to a server, by datagram or by connection."""
    heard: list[bytes] = []
    server.settimeout(0.1)

    def hear() -> None:
        while server.fileno() >= 0:
            try:
                if server.type == socket.SOCK_DGRAM:
                    heard.append(server.recv(100))
                else:
                    connection, _ = server.accept()
                    with connection:
                        heard.append(connection.recv(100))
            except TimeoutError:
                continue
            except OSError:
                return

    thread = Thread(target=hear)
    with closing(server):
        thread.start()
        yield heard
        thread.join(timeout=0.3)  # so that what is on its way arrives
    thread.join()


SENDS = """
import socket
with socket.socket(socket.{family}, socket.{kind}) as one:
    one.connect({address!r})
    one.send(b"the secret")
"""


def sending(server: socket.socket) -> str:
    return SENDS.format(family=server.family.name, kind=server.type.name, address=server.getsockname())


def tcp(_: Path) -> socket.socket:
    return socket.create_server(("127.0.0.1", 0))


def tcp6(_: Path) -> socket.socket:
    return socket.create_server(("::1", 0), family=socket.AF_INET6)


def udp(_: Path) -> socket.socket:
    server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    server.bind(("127.0.0.1", 0))
    return server


def docker(folder: Path) -> socket.socket:
    """A socket in a folder of the machine, as /var/run/docker.sock is one."""
    server = socket.socket(socket.AF_UNIX)
    here = Path.cwd()
    os.chdir(folder)  # the path of a socket has 108 bytes at most
    try:
        server.bind("docker.sock")
    finally:
        os.chdir(here)
    server.listen()
    return server


def abstract(_: Path) -> socket.socket:
    server = socket.socket(socket.AF_UNIX)
    server.bind(f"\0askfirst-test-{os.getpid()}")
    server.listen()
    return server


def reaching(server: socket.socket, folder: Path) -> str:
    if server.getsockname() != "docker.sock":
        return sending(server)
    # Over a folder that is open, since the path may be longer than a socket's can be.
    return f"import os\nos.chdir({str(folder)!r})\n{sending(server)}"


@pytest.mark.parametrize("confinement", WAYS)
@pytest.mark.parametrize("kind", [tcp, tcp6, udp, docker, abstract])
def test_nothing_on_the_machine_is_reached_over_a_socket(
    kind: object, confinement: Confinement, worktree: Worktree, tmp_path: Path
) -> None:
    """Attack 23: docker.sock; and what a command has read is not sent anywhere."""
    server = kind(tmp_path)  # type: ignore[operator]
    with listening(server) as heard:
        python(worktree, reaching(server, tmp_path), confinement)
    assert heard == []


@pytest.mark.parametrize("kind", [tcp, udp])
@pytest.mark.parametrize("confinement", [*WAYS, pytest.param(ONLY_FILES, id="only files")])
def test_with_a_network_the_machine_is_reached(
    kind: object, confinement: Confinement, worktree: Worktree, tmp_path: Path
) -> None:
    server = kind(tmp_path)  # type: ignore[operator]
    with listening(server) as heard:
        ended = python(worktree, sending(server), confinement, network=True)
    assert (ended.output, heard) == ("", [b"the secret"])


@pytest.mark.parametrize("kind", [docker, abstract])
@pytest.mark.parametrize("confinement", WAYS)
def test_a_network_is_no_way_to_the_sockets_of_other_programs(
    kind: object, confinement: Confinement, worktree: Worktree, tmp_path: Path
) -> None:
    server = kind(tmp_path)  # type: ignore[operator]
    with listening(server) as heard:
        python(worktree, reaching(server, tmp_path), confinement, network=True)
    assert heard == []


@pytest.mark.parametrize("kind", [tcp, udp])
def test_without_a_filter_and_namespaces_the_same_attacks_succeed(
    kind: object, worktree: Worktree, tmp_path: Path
) -> None:
    server = kind(tmp_path)  # type: ignore[operator]
    with listening(server) as heard:
        python(worktree, sending(server), ONLY_FILES)
    assert heard == [b"the secret"]


ASKS_FOR_KEYS = """
import ctypes, errno, os
libc = ctypes.CDLL(None, use_errno=True)
first = {"x86_64": 248, "aarch64": 217}[os.uname().machine]
for call, arguments in ((first, (b"user", b"x", b"y", 1, -3)), (first + 1, (b"user", b"x", 0, 0)), (first + 2, (0, -3, 0))):
    done = libc.syscall(call, *arguments)
    print("key" if done != -1 else errno.errorcode[ctypes.get_errno()])
for path in ("/etc/shadow", "/etc/passwd"):
    try:
        print(open(path).read(0) == "")
    except OSError as error:
        print(error.strerror)
"""


@pytest.mark.parametrize("confinement", WAYS)
def test_attack_38_keys_of_the_kernel_and_of_the_machine_are_out_of_reach(
    confinement: Confinement, worktree: Worktree
) -> None:
    ended = python(worktree, ASKS_FOR_KEYS, confinement)
    *keys, shadow, users = ended.output.splitlines()
    assert keys == ["ENOSYS"] * 3
    assert shadow in {"Permission denied", "No such file or directory"}
    assert users == "True"


def test_a_pair_of_datagrams_is_no_way_around_the_filter(worktree: Worktree, tmp_path: Path) -> None:
    """One of a pair can send to any path, though nobody has made a socket."""
    server = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    path = f"/tmp/askfirst-{os.getpid()}.sock"
    server.bind(path)
    try:
        program = (
            "import socket\n"
            "print(socket.socketpair()[0].type.name)\n"
            "try:\n"
            f"    socket.socketpair(type=socket.SOCK_DGRAM)[0].sendto(b'the secret', {path!r})\n"
            "except OSError as error:\n"
            "    print(error.strerror)\n"
        )
        ended = python(worktree, program, replace(HERE, namespaces=False))
        assert ended.output == "SOCK_STREAM\nOperation not supported\n"
        server.setblocking(False)
        with pytest.raises(BlockingIOError):
            server.recv(100)
    finally:
        server.close()
        os.unlink(path)  # noqa: PTH108


SERVES_ITSELF = """
import socket, threading
server = socket.create_server(("127.0.0.1", 0))
threading.Thread(target=lambda: server.accept()[0].send(b"served"), daemon=True).start()
print(socket.create_connection(server.getsockname()).recv(10))
local = socket.socket(socket.AF_UNIX)
local.bind("own.sock")
"""


@pytest.mark.parametrize("confinement", WAYS)
def test_tests_may_serve_on_a_loopback_of_their_own_or_are_told_that_there_is_none(
    confinement: Confinement, worktree: Worktree
) -> None:
    ended = python(worktree, SERVES_ITSELF, confinement)
    if confinement.namespaces:
        assert (ended.output, ended.exit_code) == ("b'served'\n", 0)
    else:
        assert "Address family not supported by protocol" in ended.output


MAKES_SOCKETS = """
import ctypes, errno, socket
libc = ctypes.CDLL(None, use_errno=True)
print(libc.socket(40, 1, 0), errno.errorcode[ctypes.get_errno()])
print(libc.syscall(425, 8, None), errno.errorcode[ctypes.get_errno()])
one, other = socket.socketpair()
one.send(b"ok")
print(other.recv(10), socket.socket(socket.AF_NETLINK, socket.SOCK_RAW).family.name)
"""


@pytest.mark.parametrize("confinement", WAYS)
def test_the_host_of_a_virtual_machine_is_not_reached_nor_io_uring(
    confinement: Confinement, worktree: Worktree
) -> None:
    ended = python(worktree, MAKES_SOCKETS, confinement)
    assert ended.output == "-1 EAFNOSUPPORT\n-1 ENOSYS\nb'ok' AF_NETLINK\n"


WRITES = {
    "a file": "open('src/orders.py', 'w').write('theirs')",
    "a new file": "open('src/new.py', 'w').write('theirs')",
    "another name": "os.replace('README.md', 'src/orders.py')",
    "a deletion": "os.unlink('src/orders.py')",
    "a second name": "os.link('src/orders.py', os.environ['TMPDIR'] + '/own'); open(os.environ['TMPDIR'] + '/own', 'w')",
    "another program": "subprocess.run(['sh', '-c', 'echo theirs > src/orders.py'], check=True)",
    "a process that stays": "os.fork() or (os.setsid(), os.fork() or open('src/orders.py', 'w').write('theirs'))",
    "git": "subprocess.run(['git', 'rm', 'README.md'], check=True)",
    "the home of later commands": "open(os.environ['HOME'] + '/.gitconfig', 'w')",
}


@pytest.mark.parametrize("confinement", WAYS)
@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES.keys())
def test_code_that_an_agent_tries_out_writes_no_file_of_the_tree(
    write: str, confinement: Confinement, worktree: Worktree
) -> None:
    tools = Tools(worktree, confinement=confinement)
    ended = tools.run_code("python", f"import os, subprocess\n{write}\nprint('done')")
    assert not (ended.output == "done\n" and "fork" not in write)
    assert changed_files(worktree) == ()
    assert list(worktree.home.iterdir()) == []


@pytest.mark.parametrize("confinement", WAYS)
@pytest.mark.parametrize("kind", [tcp, udp, docker, abstract])
def test_code_that_an_agent_tries_out_reaches_nothing_over_a_socket(
    kind: object, confinement: Confinement, worktree: Worktree, tmp_path: Path
) -> None:
    server = kind(tmp_path)  # type: ignore[operator]
    with listening(server) as heard:
        Tools(worktree, confinement=confinement).run_code("python", reaching(server, tmp_path))
    assert heard == []


@pytest.mark.parametrize("confinement", WAYS)
def test_code_that_an_agent_tries_out_sees_the_tree_and_installed_packages(
    confinement: Confinement, worktree: Worktree
) -> None:
    tools = Tools(worktree, confinement=confinement)
    code = (
        "import inspect, json, os, tempfile\nfrom src import orders\nprint(orders.count([1]), 'def loads' in inspect.getsource(json))\n"
        "tempfile.TemporaryFile().write(b'x')"
    )
    ended = tools.run_code("python", code)
    assert (ended.output, ended.exit_code, ended.command) == ("1 True\n", 0, ("python3", "-c"))


def test_a_machine_that_cannot_keep_code_from_writing_runs_none(worktree: Worktree) -> None:
    for confinement in (replace(HERE, namespaces=False, landlock=0), ONLY_FILES):
        with pytest.raises(CallRefused, match="cannot keep code from writing"):
            Tools(worktree, confinement=confinement).run_code("python", "print(1)")


@needs_namespaces
def test_other_processes_and_folders_are_not_there(worktree: Worktree, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret")
    ended = python(
        worktree,
        "import os\nprint(sorted(name for name in os.listdir('/proc') if name.isdigit()))\n"
        f"print(os.path.exists({str(tmp_path / 'secret')!r}), os.path.exists('/var'), os.path.exists('/run/systemd'))\n",
    )
    assert ended.output == "['1', '2']\nFalse False False\n"


@needs_namespaces
def test_no_rights_are_found_in_a_namespace_of_ones_own(worktree: Worktree) -> None:
    ended = python(
        worktree, "import ctypes\nprint([ctypes.CDLL(None).unshare(1 << bit) for bit in (17, 28, 30)])"
    )
    assert ended.output == "[-1, -1, -1]\n"


def test_a_program_on_a_path_over_links_is_found(worktree: Worktree, tmp_path: Path) -> None:
    """As version managers lay them: `PATH` names a link, and the interpreter in it is one too."""
    (tmp_path / "v1" / "bin").mkdir(parents=True)
    (tmp_path / "v1" / "bin" / "python3").symlink_to(sys.executable)
    (tmp_path / "current").symlink_to("v1")
    tools = Tools(worktree, ours={"PATH": f"{tmp_path}/current/bin:/usr/bin:/bin"})
    ended = tools.run_command("python3 -c 'import json, sys; print(sys.argv)'")
    assert (ended.output, ended.exit_code) == ("['-c']\n", 0)


@needs_namespaces
def test_a_command_that_cannot_be_confined_as_promised_is_not_started(worktree: Worktree) -> None:
    worktree.root.rmdir()
    ended = python(worktree, "open('started', 'w')")
    assert ended.exit_code == NOT_CONFINED
    assert "was not started, because it cannot be confined" in ended.output
    assert not (worktree.tree / "started").exists()


FILLS_MEMORY = "import time\nkept = bytearray(b'x' * {mebibytes} * (1 << 20))\nprint('kept', flush=True)\ntime.sleep(30)\n"
IN_TWO_CHILDREN = (
    "import subprocess, sys\n"
    "children = [subprocess.Popen([sys.executable, 'fills.py'], start_new_session=True) for _ in range(2)]\n"
    "[child.wait() for child in children]\n"
)


@pytest.mark.parametrize("confinement", WAYS)
@pytest.mark.parametrize("program", [FILLS_MEMORY.format(mebibytes=300), IN_TWO_CHILDREN], ids=["one", "two"])
def test_too_much_memory_ends_a_command_with_all_its_children(
    program: str, confinement: Confinement, worktree: Worktree
) -> None:
    (worktree.tree / "fills.py").write_text(FILLS_MEMORY.format(mebibytes=150))
    ended = python(worktree, program, confinement, limits=ProcessLimits(memory_bytes=200 << 20, seconds=25))
    assert ended.exit_code is None
    assert ended.for_model().startswith(
        "python3 program.py: used more than 200 MiB of memory and was ended\n"
    )
    assert ended.seconds < 20


def test_memory_that_is_only_reserved_counts_nothing(worktree: Worktree) -> None:
    """Go and Node reserve gigabytes of addresses and use little of it."""
    reserves = "import mmap\nkept = mmap.mmap(-1, 8 << 30)\nprint(len(kept) >> 30)\n"
    ended = python(worktree, reserves, limits=ProcessLimits(memory_bytes=200 << 20))
    assert (ended.output, ended.exit_code) == ("8\n", 0)


FORKS = (
    "import os, time\nfor _ in range(400):\n    if os.fork() == 0:\n        time.sleep(30)\ntime.sleep(30)\n"
)


@pytest.mark.parametrize("confinement", WAYS)
def test_too_many_processes_end_a_command(confinement: Confinement, worktree: Worktree) -> None:
    ended = python(worktree, FORKS, confinement, limits=ProcessLimits(tasks=100, seconds=25))
    if (
        os.getuid() == 0 or not confinement.namespaces
    ):  # else the kernel refuses the 101st, and the program ends
        assert ended.too_much == "ran more than 100 processes and threads at once"
    assert ended.exit_code != 0
    assert ended.seconds < 20
    assert _soon_nothing_runs_in(worktree.tree)


def _soon_nothing_runs_in(folder: Path) -> bool:
    """What has been killed takes a moment to be gone."""
    end = time.monotonic() + 60
    while any(_leads_to(place, folder) for place in Path("/proc").glob("[0-9]*/cwd")):
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True


def _leads_to(link: Path, folder: Path) -> bool:
    try:
        return link.resolve() == folder
    except OSError:
        return False


def test_what_is_in_force_is_said_in_a_sentence() -> None:
    ways = [
        Confinement(namespaces=True, landlock=7, sockets=True),
        Confinement(namespaces=False, landlock=4, sockets=True),
        Confinement(namespaces=False, landlock=0, sockets=False),
    ]
    assert [way.in_words for way in ways] == snapshot(
        [
            "Commands have files, processes and a loopback network of their own (namespaces, Landlock, seccomp).",
            "Commands have no network, 127.0.0.1 included (Landlock, seccomp); this machine allows no namespaces, with which they would have a loopback network of their own.",
            "Commands have the network of this machine, and can read every file of this user and the environment of their other processes, keys included: this machine allows neither namespaces nor Landlock.",
        ]
    )


TOUCHES = """
import os, resource, sys
kind, path, process = sys.argv[1:]
attempts = {
    "setuid": lambda: os.chmod(path, 0o4755),
    "setgid": lambda: os.chmod(path, 0o2755),
    "setuid of an open file": lambda: os.fchmod(os.open(path, os.O_RDONLY), 0o4755),
    "attribute": lambda: os.setxattr(path, "user.note", b"ours"),
    "limit": lambda: resource.prlimit(int(process), resource.RLIMIT_CPU, (1, 1)),
}
try:
    attempts[kind]()
except OSError as error:
    sys.exit(error.strerror)
print("done")
"""


@pytest.mark.parametrize("kind", ["setuid", "setgid", "setuid of an open file", "attribute", "limit"])
def test_without_namespaces_no_rights_are_set_and_no_other_process_is_limited(
    kind: str, worktree: Worktree
) -> None:
    (worktree.tree / "touches.py").write_text(TOUCHES)
    (worktree.tree / "file").touch()
    with subprocess.Popen(["sleep", "60"]) as other:
        words = shlex.join(["python3", "touches.py", kind, "file", str(other.pid)])
        refused = Tools(worktree, confinement=WITHOUT_NAMESPACES).run_command(words)
        reached = Tools(worktree, confinement=ONLY_FILES).run_command(words)
        other.kill()
    assert (refused.exit_code, refused.output.strip()) in (
        (1, "Operation not permitted"),
        (1, "Function not implemented"),
    )
    assert reached.output == "done\n"


def test_without_namespaces_plain_modes_and_limits_of_its_own_can_be_set(worktree: Worktree) -> None:
    program = "import os, resource; open('x', 'w'); os.chmod('x', 0o755); resource.setrlimit(resource.RLIMIT_CPU, (9, 9))"
    assert python(worktree, program, WITHOUT_NAMESPACES).exit_code == 0
