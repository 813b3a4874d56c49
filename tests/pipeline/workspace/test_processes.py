"""Attack 23: a process of the worktree sees no secret, leaves nothing running, and ends in its time.

In each way in which a machine can confine it: what namespaces hide, Landlock alone must hide too.
"""

import base64
import os
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from pipeline.confinement.confinement import Confinement
from pipeline.confinement.landlock import version as landlock_version
from pipeline.workspace.environment import readable_folders, tool_environment
from pipeline.workspace.paths import CallRefused
from pipeline.workspace.processes import ProcessLimits
from pipeline.workspace.tools import Tools
from pipeline.workspace.worktree import Worktree

CANARY = "canary-7Hq2xV9mK4tR8wZ1pL5n"
SECRETS = dict.fromkeys(
    (
        "ANTHROPIC_API_KEY GITHUB_TOKEN ACTIONS_RUNTIME_TOKEN ACTIONS_ID_TOKEN_REQUEST_TOKEN ASKFIRST_MARKER_KEY "
        "AWS_SECRET_ACCESS_KEY HARMLESS_NAME LD_PRELOAD PYTHONPATH NODE_OPTIONS GIT_SSH_COMMAND GOFLAGS"
    ).split(),
    CANARY,
)

HERE = Confinement.of_this_machine()
WAYS = [HERE, replace(HERE, namespaces=False)] if HERE.namespaces else [HERE]


@pytest.fixture(params=WAYS, ids=lambda way: "namespaces" if way.namespaces else "no namespaces")
def confinement(request: pytest.FixtureRequest) -> Confinement:
    found: Confinement = request.param
    return found


@pytest.fixture
def tools(worktree: Worktree, confinement: Confinement) -> Tools:
    return Tools(worktree, confinement=confinement)


needs_landlock = pytest.mark.skipif(landlock_version() == 0, reason="this kernel has no Landlock")


def ours() -> dict[str, str]:
    return {**os.environ, **SECRETS}


def python(tools: Tools, program: str, seconds: float | None = None) -> str:
    (tools_root(tools) / "program.py").write_text(program)
    return tools.run_command("python3 program.py", seconds=seconds).output


def tools_root(tools: Tools) -> Path:
    return tools._root


def holds_the_canary(text: str) -> bool:
    forms = (
        CANARY,
        CANARY[7:],
        CANARY[::-1],
        CANARY.encode().hex(),
        base64.b64encode(CANARY.encode()).decode(),
    )
    return any(form in text for form in forms)


@pytest.mark.parametrize("command", ["env", "cat /proc/self/environ", "sh -c 'cat /proc/$$/environ; export'"])
def test_no_key_of_ours_is_visible_in_a_tool_process(
    worktree: Worktree, confinement: Confinement, command: str
) -> None:
    ended = Tools(worktree, ours=ours(), confinement=confinement).run_command(command)
    assert ended.exit_code == 0
    assert "HOME=" in ended.output
    assert not holds_the_canary(ended.output)


def test_the_environment_is_built_from_nothing(worktree: Worktree) -> None:
    built = tool_environment(
        ours(), home=worktree.home, temporary=worktree.temporary, tree=worktree.tree, online=False
    )
    plain = tool_environment(
        {"PATH": os.environ["PATH"], "HOME": os.environ.get("HOME", "")},
        home=worktree.home,
        temporary=worktree.temporary,
        tree=worktree.tree,
        online=False,
    )
    assert built == plain
    assert not any(holds_the_canary(value) for value in built.values())


CANARY_IN_A_PARENT = """
import sys
from pathlib import Path
from pipeline.workspace.tools import Tools
from pipeline.workspace.worktree import Worktree
from pipeline.confinement.confinement import Confinement
worktree = Worktree(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3])
found = Confinement.of_this_machine()
confinement = Confinement(sys.argv[4] == "True", found.landlock, found.sockets)
print(Tools(worktree, confinement=confinement).run_command("python3 look.py").output)
"""

LOOK = """
import glob, os
seen = 0
for place in glob.glob("/proc/[0-9]*/environ") + glob.glob("/proc/[0-9]*/task/*/environ"):
    try:
        text = open(place, "rb").read()
    except OSError:
        continue
    seen += 1
    if b"canary" in text:
        print(place, text)
print("could read", seen)
"""


@needs_landlock
def test_the_environment_of_no_other_process_can_be_read(
    worktree: Worktree, confinement: Confinement
) -> None:
    (worktree.tree / "look.py").write_text(LOOK)
    root = Path(__file__).parents[3]
    done = subprocess.run(
        [
            *(sys.executable, "-c", CANARY_IN_A_PARENT),
            *(worktree.folder, worktree.repository, worktree.commit, str(confinement.namespaces)),
        ],
        env={
            **os.environ,
            "ANTHROPIC_API_KEY": CANARY,
            "PYTHONPATH": os.pathsep.join([str(root), *sys.path]),
        },
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    assert "could read" in done.stdout
    assert int(done.stdout.split("could read")[1]) >= 1
    assert not holds_the_canary(done.stdout + done.stderr)


@needs_landlock
def test_no_file_outside_is_read_or_written(tools: Tools, worktree: Worktree, tmp_path: Path) -> None:
    home = tmp_path / "home-of-a-user"
    home.mkdir()
    for name in (".netrc", ".git-credentials"):
        (home / name).write_text(CANARY)
    config = worktree.repository / ".git" / "config"
    config.write_text(config.read_text() + f"[http]\n\textraheader = {CANARY}\n")
    for place in (home / ".netrc", home / ".git-credentials", config, worktree.folder / "complete"):
        ended = tools.run_command(f"cat {place}")
        assert (ended.exit_code, holds_the_canary(ended.output)) == (1, False), place
        assert tools.run_command(f"sh -c 'echo x > {place}'").exit_code != 0
        assert tools.run_command(f"ln {place} stolen").exit_code != 0
    assert CANARY in config.read_text()
    assert tools.run_command("sh -c 'echo x > new && cat new && rm new'").output == "x\n"


@needs_landlock
def test_we_cannot_be_signalled_or_traced(tools: Tools) -> None:
    ended = tools.run_command(f"kill -0 {os.getpid()}")
    assert ended.exit_code != 0
    assert "ermitted" in ended.output or "No such process" in ended.output


def test_no_right_is_left_or_can_be_gained(tools: Tools) -> None:
    if sys.platform != "linux":
        pytest.skip("capabilities are Linux's")
    status = tools.run_command("cat /proc/self/status").output
    lines = dict(line.split(":\t", 1) for line in status.splitlines() if ":\t" in line)
    assert lines["NoNewPrivs"] == "1"
    assert {int(lines[name], 16) for name in ("CapEff", "CapPrm", "CapInh", "CapAmb")} == {0}


def test_standard_input_is_empty_and_no_file_of_ours_is_open(tools: Tools, tmp_path: Path) -> None:
    kept = os.open(tmp_path, os.O_RDONLY)
    os.set_inheritable(kept, True)
    try:
        told = python(
            tools, "import os, sys; print(repr(sys.stdin.read()), sorted(os.listdir('/proc/self/fd')))"
        )
    finally:
        os.close(kept)
    assert told == "'' ['0', '1', '2', '3']\n"  # the last one is the folder that is being listed


def test_a_process_that_takes_too_long_is_ended_with_all_it_started(tools: Tools) -> None:
    marker = f"{os.getpid()}.25"
    script = f'setsid sh -c "sleep {marker} & sleep {marker}" & sleep {marker} & echo begun; sleep {marker}'
    ended = tools.run_command(f"sh -c '{script}'", seconds=1.5)
    assert (ended.exit_code, ended.output) == (None, "begun\n")
    assert still_running_soon(marker) == []


def test_what_a_process_leaves_behind_is_ended_with_it(tools: Tools) -> None:
    marker = f"{os.getpid()}.75"
    ended = tools.run_command(f"sh -c 'setsid sleep {marker} & sleep {marker} & echo done'")
    assert (ended.exit_code, ended.output) == (0, "done\n")
    assert still_running(marker) == []


def still_running_soon(marker: str) -> list[str]:
    """What is there after a minute at most: on a busy machine a killed process needs a moment until it is gone."""
    deadline = time.monotonic() + 60
    while (found := still_running(marker)) and time.monotonic() < deadline:
        time.sleep(0.1)
    return found


def still_running(marker: str) -> list[str]:
    found = []
    for place in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = place.read_bytes().split(b"\0")
        except OSError:
            continue
        if marker.encode() in words:
            found.append(str(place))
    return found


def test_of_a_long_output_head_and_tail_are_kept(worktree: Worktree) -> None:
    tools = Tools(worktree, limits=ProcessLimits(output_bytes=200))
    told = python(tools, "print('first'); print('x' * 5_000_000); print('last')")
    assert told.startswith("first\nxxx")
    assert told.endswith("xxx\nlast\n")
    assert "\n[4999812 bytes left out]\n" in told
    assert len(told) < 300


def test_endless_output_costs_time_and_no_memory(worktree: Worktree) -> None:
    ended = Tools(worktree, limits=ProcessLimits(output_bytes=1000)).run_command("yes", seconds=1)
    assert ended.exit_code is None
    assert len(ended.output) < 1100
    assert ended.left_out > 1000


@pytest.mark.parametrize(
    ("command", "code"), [("false", 1), ("sh -c 'exit 42'", 42), ("sh -c 'kill -9 $$'", 137)]
)
def test_the_exit_code_is_the_programs(tools: Tools, command: str, code: int) -> None:
    assert tools.run_command(command).exit_code == code


def test_a_program_that_is_not_there_is_refused(tools: Tools) -> None:
    for command in ("no-such-program", "./no-such-program", "README.md"):
        with pytest.raises(CallRefused, match="There is no program"):
            tools.run_command(command)
    assert tools.run_command("./run.sh").output == "ran\n"


def test_the_users_home_is_never_among_the_readable_folders(tmp_path: Path) -> None:
    home = tmp_path / "home"
    (home / "bin").mkdir(parents=True)
    (home / ".tool" / "bin").mkdir(parents=True)
    folders = readable_folders({"HOME": str(home), "PATH": f"{home}/bin:{home}/.tool/bin:relative::/nowhere"})
    assert str(home) not in folders
    assert str(tmp_path) not in folders
    assert {str(home / "bin"), str(home / ".tool" / "bin")} <= set(folders)


def test_around_programs_only_what_an_interpreter_needs_can_be_read(tmp_path: Path) -> None:
    """Attack 23: beside `~/.docker/bin` lie the keys to registries."""
    for place in (".docker/bin", ".venv/bin", "python/bin"):
        (tmp_path / place).mkdir(parents=True)
    (tmp_path / ".venv" / "pyvenv.cfg").touch()
    (tmp_path / "python" / "bin" / "python3").touch()
    (tmp_path / ".docker" / "bin" / "docker").touch()
    path = f"{tmp_path}/.docker/bin:{tmp_path}/.venv/bin:{tmp_path}/python/bin"
    folders = set(readable_folders({"HOME": "/root", "PATH": path}))
    assert {str(tmp_path / ".venv"), str(tmp_path / "python"), str(tmp_path / ".docker" / "bin")} <= folders
    assert str(tmp_path / ".docker") not in folders


SIGNALS_KEPT_BACK = [way for way in WAYS if way.namespaces or landlock_version() >= 6]


@pytest.mark.parametrize("way", SIGNALS_KEPT_BACK, ids=str)
def test_the_launcher_cannot_be_ended_by_what_it_has_started(way: Confinement, worktree: Worktree) -> None:
    marker = f"{os.getpid()}.25"
    script = f"sh -c 'setsid sleep {marker} & kill -9 $PPID; echo on'"
    ended = Tools(worktree, confinement=way).run_command(script)
    assert "on\n" in ended.output
    assert still_running(marker) == []
