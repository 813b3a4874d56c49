"""Files of a change that run as soon as somebody installs, builds or tests it, or pushes its branch. Pure.

Two lists. What runs is named first in the pull request (`executed_files`). Of that, what installation starts by itself
waits for an approval: whole files by their path (`change_check`), and manifests by meaning, because a new dependency is no
new `postinstall` (`check_install_hooks`).
"""

import json
import re
import tomllib
from collections.abc import Callable, Mapping
from typing import Any

from pipeline.contract.change import Change
from pipeline.contract.change_check import ChangeProblem, ChangeVerdict

_EXECUTED_PATHS = {
    r"(?:.*/)?(?:package\.json|composer\.json)": "its scripts run on installation and in CI",
    r"(?:.*/)?(?:pyproject\.toml|setup\.(?:py|cfg)|hatch_build\.py|build\.rs|cargo\.toml|binding\.gyp|extconf\.rb|[^/]*\.gemspec"
    r"|[^/]*\.gradle(?:\.kts)?|gradlew[^/]*|gradle-wrapper\.jar|pom\.xml|mvnw[^/]*|maven-wrapper\.jar|\.mvn/.*|mix\.exs"
    r"|cmakelists\.txt|[^/]*\.cmake|meson\.build|sconstruct|build\.zig)": "it runs or steers what runs when the package is built",
    r"(?:.*/)?(?:\.cargo/config(?:\.toml)?|\.yarn/(?:releases|plugins)/.*|\.pnp\.(?:c?js|loader\.mjs)|\.pnpmfile\.[^/]*|gemfile"
    r"|gems\.rb|(?:site|user)customize\.py|[^/]*\.pth)": "the package manager or the interpreter runs it, or is steered by it",
    r"(?:.*/)?(?:conftest\.py|tox\.ini|noxfile\.py|pytest\.ini|(?:gnu)?makefile|[^/]*\.mk|rakefile|gruntfile\.js|gulpfile\.js|justfile"
    r"|(?:jest|vitest|playwright|cypress|karma\.conf|\.mocharc|vite|webpack|rollup|babel)(?:\.config)?\.(?:[cm]?[jt]s))": "it runs with the tests, or starts them",
    r"(?:.*/)?(?:(?:[^/]*\.)?dockerfile(?:\.[^/]*)?|docker-compose[^/]*\.ya?ml|compose\.ya?ml)": "it says what a container builds and starts",
}
"""Paths, compared without regard to case, of what runs before anybody calls the code, and why."""

_NPM_HOOKS = frozenset(
    {
        "preinstall",
        "install",
        "postinstall",
        "prepublish",
        "preprepare",
        "prepare",
        "postprepare",
        "dependencies",
    }
)
"""Scripts that `npm install`, and other managers like it, run without being told to."""

_COMPOSER_HOOK = re.compile(
    r"(?:pre|post)-(?:install|update|autoload-dump|root-package-install|create-project|package-[a-z]+)(?:-cmd)?"
)


class ManifestUnreadable(ValueError):
    """A manifest is no table where it must be one."""


_UNREADABLE = (ValueError, RecursionError)
"""What readers raise for bytes that are no manifest: `ManifestUnreadable`, faults of JSON, TOML and UTF-8, endless nesting."""


def executed_files(change: Change) -> tuple[tuple[str, str], ...]:
    """Path and reason of each changed file that runs on installation or in CI, in the order of the change."""
    reasons = ((file.path, _why(file.path)) for file in change.files if file.content is not None)
    return tuple((path, why) for path, why in reasons if why is not None)


def check_install_hooks(change: Change, before: Callable[[str], bytes | None]) -> tuple[ChangeProblem, ...]:
    """The manifests whose hooks are new or others than before. `before` gives a file of the base commit, None for none."""
    problems = []
    for file in change.files:
        name = file.path.rpartition("/")[2].casefold()
        if file.content is None or name not in _READERS:
            continue
        hooks = new_hooks(name, before(file.path), file.content)
        if hooks:
            why = f"installation would run something new ({', '.join(hooks)})"
            problems.append(ChangeProblem(ChangeVerdict.CONFIRM, file.path, why))
    return tuple(problems)


def new_hooks(name: str, before: bytes | None, after: bytes) -> tuple[str, ...]:
    """The hooks of a manifest that are new or changed, by name. One that cannot be read may have any."""
    read = _READERS[name]
    try:
        hooks_after = read(after)
    except _UNREADABLE:
        return ("it cannot be read",)
    try:
        hooks_before = read(before) if before is not None else {}
    except _UNREADABLE:
        hooks_before = {}
    return tuple(sorted(hook for hook, command in hooks_after.items() if hooks_before.get(hook) != command))


def _why(path: str) -> str | None:
    lower_path = path.casefold()
    return next(
        (why for pattern, why in _EXECUTED_PATHS.items() if re.fullmatch(pattern, lower_path, re.DOTALL)),
        None,
    )


def _object(value: Any) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise ManifestUnreadable
    return value


def _scripts(data: bytes) -> Mapping[str, Any]:
    return _object(_object(json.loads(data)).get("scripts", {}))


def _of_npm(data: bytes) -> dict[str, str]:
    return {name: json.dumps(script) for name, script in _scripts(data).items() if name in _NPM_HOOKS}


def _of_composer(data: bytes) -> dict[str, str]:
    scripts = _scripts(data).items()
    return {name: json.dumps(script) for name, script in scripts if _COMPOSER_HOOK.fullmatch(name)}


_PYTHON_HOOKS = (
    *(
        "build-system.build-backend",
        "build-system.backend-path",
        "tool.hatch.build.hooks",
        "tool.hatch.metadata.hooks",
    ),
    *("tool.pdm.build", "tool.pdm.version", "tool.poetry.build", "tool.setuptools.cmdclass"),
)
"""Keys of a pyproject.toml that name what builds the package, or its own code that runs meanwhile."""


def _of_pyproject(data: bytes) -> dict[str, str]:
    """What builds the package, and from where. What it requires is a dependency, unless it comes from an address."""
    document = tomllib.loads(data.decode("utf-8"))
    values = {path: _at(document, path) for path in _PYTHON_HOOKS}
    for target, table in _object(_at(document, "tool.hatch.build.targets") or {}).items():
        values[f"tool.hatch.build.targets.{target}.hooks"] = _object(table).get("hooks")
    needs = _at(document, "build-system.requires") or []
    if not isinstance(needs, list):
        raise ManifestUnreadable
    values |= {item: item for item in map(str, needs) if "@" in item}
    return {name: json.dumps(value, default=str) for name, value in values.items() if value is not None}


def _of_cargo(data: bytes) -> dict[str, str]:
    build = _at(tomllib.loads(data.decode("utf-8")), "package.build")
    return {} if build is None else {"package.build": json.dumps(build, default=str)}


def _at(document: Any, path: str) -> Any:
    for key in path.split("."):
        document = _object(document).get(key, {})
    return document if document != {} else None


_READERS: Mapping[str, Callable[[bytes], dict[str, str]]] = {
    "package.json": _of_npm,
    "composer.json": _of_composer,
    "pyproject.toml": _of_pyproject,
    "cargo.toml": _of_cargo,
}
"""How the hooks of a manifest are read, by the name of the file."""
