"""What a tool process sees: an environment built from nothing, and the folders that it may read.

Of our own environment two things are taken: `PATH`, because it says which interpreter the repository's job set up, and
where downloaded Go modules lie, because Go finds them nowhere else without a network. Both are names of places. Commands
that install something are told, besides, which proxy and which certificates this machine uses.
"""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

_FIXED_VALUES = {
    "LANG": "C.UTF-8",
    "TERM": "dumb",
    "NO_COLOR": "1",
    "TZ": "UTC",
    "CI": "true",  # test runners then neither watch nor ask
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTHONNOUSERSITE": "1",
    "POETRY_VIRTUALENVS_IN_PROJECT": "true",
    "PIPENV_VENV_IN_PROJECT": "1",
    "npm_config_audit": "false",
    "npm_config_fund": "false",
    "npm_config_update_notifier": "false",
    "GOFLAGS": "-buildvcs=false",
    "GOTOOLCHAIN": "local",
    "GOTELEMETRY": "off",
}
"""Variables that toolchains need without a home and a terminal."""

_OFFLINE = {
    "PIP_NO_INDEX": "1",
    "UV_OFFLINE": "1",
    "UV_NO_SYNC": "1",
    "npm_config_offline": "true",
    "GOPROXY": "off",
}
"""Variables that toolchains need without a network: they would wait for it, or mend installed packages."""

_SYSTEM = (
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/etc",
    "/proc",
    "/sys",
    "/run/systemd/resolve/resolv.conf",
    "/run/systemd/resolve/stub-resolv.conf",
)
_INTERPRETERS = ("python3", "python", "node", "npm", "go")
_LINK_NAMES = (*_INTERPRETERS, "pnpm", "yarn", "bun", "uv", "poetry")
"""Programs that are often links into a folder of their own: that of an interpreter, or of a package."""

_WAYS_OUT = ("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy")
_CERTIFICATES = ("SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "NODE_EXTRA_CA_CERTS")
_DEFAULT_PATH = "/usr/local/bin:/usr/bin:/bin"


def with_programs(ours: Mapping[str, str], folder: Path | None) -> Mapping[str, str]:
    """Our environment with a folder of programs first on `PATH`."""
    return ours if folder is None else {**ours, "PATH": f"{folder}:{ours.get('PATH', '')}"}


def tool_environment(
    ours: Mapping[str, str], *, home: Path, temporary: Path, tree: Path, online: bool
) -> dict[str, str]:
    """The whole environment of a tool process. Nothing but places is taken from `ours`."""
    environment = {
        **_FIXED_VALUES,
        **(_network(ours) if online else _OFFLINE),
        "PATH": ":".join(_path_entries(ours)) or _DEFAULT_PATH,
        "HOME": str(home),
        "TMPDIR": str(temporary),
        "XDG_CACHE_HOME": str(home / ".cache"),
        "GOCACHE": str(home / ".cache" / "go-build"),
        # git would look for a repository above the tree, and find somebody's.
        "GIT_CEILING_DIRECTORIES": str(tree.parent),
        "GIT_CONFIG_NOSYSTEM": "1",
    }
    modules = _go_modules(ours)
    if modules is not None:
        environment["GOMODCACHE"] = str(modules)
    return environment


def readable_folders(ours: Mapping[str, str]) -> list[str]:
    """Folders that a tool process may read besides its own: the system's, and those of the programs on `PATH`.

    The folder around a `bin` holds what an interpreter in it needs. It is left out where it holds the user's home, or is
    that: keys and tokens lie there.
    """
    homes = {Path(ours[name]) for name in ("HOME", "GITHUB_WORKSPACE") if ours.get(name)} | {Path.cwd()}
    folders = dict.fromkeys(Path(folder) for folder in _SYSTEM)
    for entry in _path_entries(ours):
        for place in _around(Path(entry)):
            if not any(home.is_relative_to(place) for home in homes):
                folders[place] = None
    modules = _go_modules(ours)
    if modules is not None:
        folders[modules] = None
    return [str(folder) for folder in folders if folder.exists()]


def named_paths(ours: Mapping[str, str]) -> list[str]:
    """Paths by which a command may reach the programs of those folders: `PATH` itself, and links of interpreters."""
    entries = [Path(entry) for entry in _path_entries(ours)]
    programs = [entry / name for entry in entries for name in _LINK_NAMES]
    return [str(path) for path in (*entries, *programs) if path.exists()]


def _network(ours: Mapping[str, str]) -> dict[str, str]:
    """How this machine reaches the network: its proxies, as far as no password is in them, and whom it trusts."""
    proxies = {name: ours[name] for name in _WAYS_OUT if name in ours and "@" not in ours[name]}
    return proxies | {name: ours[name] for name in _CERTIFICATES if ours.get(name, "").startswith("/etc/")}


def _path_entries(ours: Mapping[str, str]) -> list[str]:
    entries = dict.fromkeys(ours.get("PATH", "").split(":"))
    return [entry for entry in entries if entry.startswith("/") and Path(entry).is_dir()]


def _around(entry: Path) -> Iterator[Path]:
    """The folder of programs, the one around it where an interpreter lies in it, and both of what interpreters link to.

    Around a `bin` of other programs lies anything: around `~/.docker/bin` the keys to registries.
    """
    real = entry.resolve()
    yield real
    programs = [real / name for name in _INTERPRETERS]
    if (real.parent / "pyvenv.cfg").is_file() or any(
        program.is_file() and not program.is_symlink() for program in programs
    ):
        yield real.parent
    for name in _LINK_NAMES:
        program = entry / name
        if program.is_symlink():
            target = Path(os.path.realpath(program))
            yield from (target.parent, target.parent.parent)


def _go_modules(ours: Mapping[str, str]) -> Path | None:
    """Where Go keeps downloaded modules, as `go env GOMODCACHE` says it, if the folder is there."""
    variable = ours.get("GOMODCACHE") or (f"{ours['GOPATH']}/pkg/mod" if ours.get("GOPATH") else "")
    place = Path(variable or f"{ours.get('HOME') or '/nonexistent'}/go/pkg/mod")
    return place if place.is_absolute() and place.is_dir() else None
