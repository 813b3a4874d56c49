"""What runs on installation is named, and what is new of it waits for an approval: compared by meaning, not by lines."""

import base64
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.contract.change import FileChange
from pipeline.contract.change_check import ChangeVerdict, check_change
from pipeline.contract.install_hooks import check_install_hooks, executed_files, new_hooks
from tests.contract.test_change_check import change


def file(path: str, content: bytes | None = b"x") -> FileChange:
    return FileChange(path=path, content=None if content is None else base64.b64encode(content))


def package(**keys: object) -> bytes:
    return json.dumps({"name": "orders", **keys}, indent=2).encode()


PLAIN = package(scripts={"test": "jest"}, dependencies={"left-pad": "1"})
HOOKED = package(scripts={"test": "jest", "postinstall": "node build.js"})


@pytest.mark.parametrize(
    ("name", "before", "after", "hooks"),
    [
        ("package.json", PLAIN, package(scripts={"test": "jest"}, dependencies={"left-pad": "2", "x": "1"}), ()),
        ("package.json", PLAIN, package(scripts={"test": "vitest"}), ()),
        ("package.json", PLAIN, HOOKED, ("postinstall",)),
        ("package.json", None, HOOKED, ("postinstall",)),
        ("package.json", None, PLAIN, ()),
        ("package.json", HOOKED, HOOKED.replace(b"build.js", b"evil.js"), ("postinstall",)),
        ("package.json", HOOKED, json.dumps(json.loads(HOOKED), separators=(",", ":")).encode(), ()),
        ("package.json", HOOKED, PLAIN, ()),
        ("package.json", PLAIN, package(scripts={"prepare": "husky", "preinstall": "x"}), ("preinstall", "prepare")),
        ("package.json", HOOKED, b"{", ("it cannot be read",)),
        ("package.json", HOOKED, b"[" * 100_000, ("it cannot be read",)),
        ("package.json", HOOKED, b'{"scripts": []}', ("it cannot be read",)),
        ("package.json", b"not json", HOOKED, ("postinstall",)),
        ("composer.json", None, b'{"scripts": {"post-install-cmd": ["x"], "test": "y"}}', ("post-install-cmd",)),
        ("pyproject.toml", b'[build-system]\nrequires = ["a"]', b'[build-system]\nrequires = ["a", "b"]', ()),
        (
            "pyproject.toml",
            b'[build-system]\nbuild-backend = "hatchling.build"',
            b'[build-system]\nbuild-backend = "evil"\nbackend-path = ["."]',
            ("backend-path", "build-backend"),
        ),
        ("pyproject.toml", None, b"[project]\nname = 'x'", ()),
    ],
)  # fmt: skip
def test_a_hook_is_new_where_installation_runs_something_else(
    name: str, before: bytes | None, after: bytes, hooks: tuple[str, ...]
) -> None:
    assert new_hooks(name, before, after) == hooks


@given(
    st.binary(max_size=300),
    st.none() | st.binary(max_size=300),
    st.sampled_from(["package.json", "pyproject.toml"]),
)
def test_no_manifest_breaks_the_check(after: bytes, before: bytes | None, name: str) -> None:
    new_hooks(name, before, after)


def test_a_changed_hook_waits_for_an_approval_and_a_new_dependency_does_not() -> None:
    def problems(*files: FileChange) -> list[tuple[str | None, ChangeVerdict]]:
        found = check_install_hooks(change(*files), {"web/package.json": PLAIN}.get)
        return [(problem.path, problem.verdict) for problem in found]

    assert problems(file("web/package.json", PLAIN.replace(b"left-pad", b"right-pad"))) == []
    assert problems(file("web/package.json", HOOKED)) == [("web/package.json", ChangeVerdict.CONFIRM)]
    assert problems(file("web/package.json", None), file("src/app.py", b"x")) == []


@pytest.mark.parametrize(
    "path",
    ["setup.py", "crates/a/build.rs", ".cargo/config", ".yarn/releases/yarn-4.cjs", ".pnp.cjs", "Setup.py"],
)
def test_a_build_script_waits_for_an_approval(path: str) -> None:
    [problem] = check_change(change(file(path, b"x")))
    assert problem.verdict is ChangeVerdict.CONFIRM


def test_what_runs_on_installation_or_in_ci_is_named_with_its_reason() -> None:
    paths = [
        "package.json",
        "tests/conftest.py",
        "Makefile",
        "tox.ini",
        "Dockerfile",
        "web.dockerfile",
        "build.rs",
    ]
    named = executed_files(change(*(file(path) for path in (*paths, "src/app.py", "docs/makefile.md"))))
    assert [path for path, _ in named] == paths
    assert all(why for _, why in named)
    assert executed_files(change(file("Makefile", None))) == ()
