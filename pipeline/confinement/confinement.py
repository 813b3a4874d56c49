"""What this machine can do to confine a command: found out once, by trying it, and reported with the run."""

import subprocess
import sys
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Self

from pipeline.confinement import landlock, seccomp
from pipeline.confinement.confined_start import NAMESPACES, NETWORK, SOCKETS

# Our own modules are on no path of an isolated interpreter, and nothing else may be.
_START = (
    "import sys; sys.path.insert(0, sys.argv[1]); from pipeline.confinement.confined_start import main; "
    "sys.exit(main(sys.argv[2:]))"
)
_OUR_MODULES = str(Path(__file__).parents[2])
_SECONDS = 30


@dataclass(frozen=True)
class Reach:
    """The files that a command may reach: folders to read and to write.

    `root` is an empty folder for a root of its own, `link_paths` are paths by which folders to read are called over links.
    """

    root: Path
    readable: tuple[str, ...]
    writable: tuple[str, ...]
    link_paths: tuple[str, ...]


@dataclass(frozen=True)
class Confinement:
    """How commands are confined. `landlock` is the version, 0 for none; `sockets` says whether there is a filter of them."""

    namespaces: bool
    landlock: int
    sockets: bool

    @classmethod
    def of_this_machine(cls) -> Self:
        """The best that works here."""
        return cls(*_found_out())

    def start(self, reach: Reach, *, tasks: int, network: bool) -> list[str]:
        """The words that start a command so confined; its path and all its words come behind them."""
        measures = {NAMESPACES: self.namespaces, SOCKETS: self.sockets, NETWORK: network}
        return [
            *(sys.executable, "-I", "-S", "-c", _START, _OUR_MODULES),
            " ".join(name for name, is_on in measures.items() if is_on),
            str(reach.root),
            *("\n".join(paths) for paths in (reach.readable, reach.writable, reach.link_paths)),
            str(tasks),
        ]

    @property
    def in_words(self) -> str:
        """What a command has that no rule gives a network, in one sentence, and what it rests on."""
        rests_on = {"Landlock": self.landlock > 0, "seccomp": self.sockets}
        names = ", ".join(name for name, there in rests_on.items() if there)
        if self.namespaces:
            return (
                f"Commands have files, processes and a loopback network of their own (namespaces, {names})."
            )
        if not self.landlock:
            network = "no network" if self.sockets else "the network of this machine"
            return (
                f"Commands have {network}, and can read every file of this user and the environment of their other "
                "processes, keys included: this machine allows neither namespaces nor Landlock."
            )
        if self.sockets:
            return (
                f"Commands have no network, 127.0.0.1 included ({names}); this machine allows no namespaces, with which "
                "they would have a loopback network of their own."
            )
        return f"Commands have the network of this machine, which cannot take it away ({names or 'no confinement'})."


@cache
def _found_out() -> tuple[bool, int, bool]:
    landlock_version = landlock.version()
    with tempfile.TemporaryDirectory(prefix="askfirst-try-", ignore_cleanup_errors=True) as folder:
        reach = Reach(Path(folder), ("/proc",), (), ())
        for namespaces, sockets in ((True, True), (False, True)):
            confinement = Confinement(namespaces=namespaces, landlock=landlock_version, sockets=sockets)
            if sys.platform == "linux" and seccomp.known_here() and _works(confinement, reach):
                return namespaces, landlock_version, sockets
    return False, landlock_version, False


def _works(confinement: Confinement, reach: Reach) -> bool:
    words = confinement.start(reach, tasks=4096, network=False)
    try:
        process = subprocess.run(
            words,
            cwd="/",
            env={},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return process.returncode == 0
