"""A change is refused, or waits for an approval, by what it holds: the same words on both sides."""

from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from pipeline.contract.change import Change, FileChange
from pipeline.contract.change_check import ChangeProblem, ChangeVerdict, check_change
from pipeline.contract.wire import RunIdentity

GATE = Path(__file__).parents[2] / "pipeline/gate/gate.yml"
RUN = RunIdentity(repository="acme/orders", issue=418, commit="c" * 40, run_id="7", ticket_sha256="a" * 64)


def change(*files: FileChange, base: str = "c" * 40) -> Change:
    return Change(run=RUN, base_commit=base, message="Add a flag", files=files)


def file(path: str, content: bytes | None = b"") -> FileChange:
    return FileChange(path=path, content=content)


def verdict(path: str, content: bytes | None = b"") -> ChangeVerdict | None:
    problems = check_change(change(file(path, content)))
    return problems[0].verdict if problems else None


@pytest.mark.parametrize(
    "path",
    [
        ".github/workflows/ci.yml",
        ".github/workflows/deep/er.yml",
        ".GitHub/Workflows/ci.yml",
        ".github/work\u200bflows/ci.yml",
        ".ｇithub/workflows/ci.yml",
        ".GIT/config",
        "a/.git./hooks/x",
        "git~1/config",
        "a:b",
        "a\u202eb.py",
        "a\nb.py",
        "name /b.py",
        "name.",
        "x" * 256,
        "d/" * 500 + "e",
    ],
)
def test_a_path_that_is_never_changed_is_refused(path: str) -> None:
    assert verdict(path) is ChangeVerdict.REFUSE
    assert verdict(path, None) is ChangeVerdict.REFUSE


@pytest.mark.parametrize(
    "path",
    [
        ".github/dependabot.yml",
        ".github/askfirst/config.yml",
        ".github/CODEOWNERS",
        ".github/actions/build/action.yml",
        "CODEOWNERS",
        "docs/CODEOWNERS",
        "action.yml",
        "tools/action.yaml",
        "package-lock.json",
        "web/yarn.lock",
        "uv.lock",
        "requirements-dev.lock",
        "go.sum",
        ".husky/pre-commit",
        ".pre-commit-config.yaml",
        ".gitattributes",
        "lib/.gitmodules",
        ".npmrc",
        "orders/migrations/0002_flag.py",
        "alembic/versions/ab12.py",
    ],
)
def test_a_path_that_needs_an_approval_says_so(path: str) -> None:
    assert verdict(path) is ChangeVerdict.CONFIRM
    assert verdict(path, None) is ChangeVerdict.CONFIRM
    assert verdict(path.upper()) is ChangeVerdict.CONFIRM


def examples_of(pattern: str) -> list[str]:
    """A path at the root and one deep in the tree that a pattern of the gate names."""
    names = pattern.removeprefix("**/").replace("**", "x").replace("*", "x")
    return [names, f"a/b/{names}"] if pattern.startswith("**/") else [names]


def asked_about() -> list[str]:
    """Examples of all that the shipped gate lets nobody write unasked."""
    rules: list[dict[str, Any]] = yaml.safe_load(GATE.read_text())["rules"]
    guarding = [rule for rule in rules if rule["tier"] != "allow" and rule["id"] != "credentials"]
    return [path for rule in guarding for pattern in rule["paths"] for path in examples_of(pattern)]


@pytest.mark.parametrize("path", asked_about())
def test_attack_26_what_the_gate_asks_about_is_asked_about_again_before_it_is_published(path: str) -> None:
    assert verdict(path) is not None


@pytest.mark.parametrize(
    "path",
    [
        "src/orders.py",
        ".gitignore",
        "github/workflows/x.yml",
        "docs/migrations.md",
        "src/actions.yml",
        "é.py",
    ],
)
def test_any_other_path_is_free(path: str) -> None:
    assert verdict(path) is None


@pytest.mark.parametrize(
    "path", ["/etc/passwd", "../x", "a/../b", "a//b", ".git/config", "a/.git/x", "a\\b", "a\0b", ""]
)
def test_a_path_that_leaves_the_tree_is_no_change_at_all(path: str) -> None:
    with pytest.raises(ValidationError):
        file(path)


@pytest.mark.parametrize("mode", ["120000", "160000", "040000", "100777", ""])
def test_links_and_submodules_are_no_change_at_all(mode: str) -> None:
    with pytest.raises(ValidationError):
        FileChange.model_validate({"path": "a", "mode": mode, "content": ""})


def whole(problems: tuple[ChangeProblem, ...]) -> list[str]:
    return [problem.why for problem in problems if problem.path is None]


def test_sizes_and_counts_are_capped() -> None:
    large = FileChange.model_construct(path="a", mode="100644", content=b"x" * ((1 << 20) + 1))
    assert "at most 1048576" in check_change(change(large))[0].why
    full = [
        FileChange.model_construct(path=f"f{n}", mode="100644", content=b"x" * (1 << 20)) for n in range(11)
    ]
    assert whole(check_change(change(*full))) == ["it holds 11534336 bytes; at most 10485760 are allowed"]
    assert check_change(change(*full[:10])) == ()
    many = [file(f"f{n}") for n in range(301)]
    assert whole(check_change(change(*many))) == ["it changes 301 files; at most 300 are allowed"]
    assert check_change(change(*many[1:])) == ()


def test_a_change_of_nothing_or_of_another_commit_is_refused() -> None:
    assert whole(check_change(change())) == ["it changes nothing"]
    assert "was about" in whole(check_change(change(file("a"), base="d" * 40)))[0]


def test_two_files_that_some_systems_hold_for_one_are_refused() -> None:
    assert "differ only" in whole(check_change(change(file("A.py"), file("a.py"))))[0]
    assert "differ only" in whole(check_change(change(file("\u00e9"), file("e\u0301"))))[0]
    assert check_change(change(file("A.py", None), file("a.py"))) == ()


def test_a_name_is_not_a_file_and_a_folder_at_once() -> None:
    assert [problem.path for problem in check_change(change(file("src"), file("src/a")))] == ["src/a"]
    assert check_change(change(file("src"), file("src/a", None))) == ()


@given(path=st.text(min_size=1, max_size=40))
def test_no_spelling_of_the_workflow_folder_gets_through(path: str) -> None:
    try:
        made = file(f".github/workflows/{path}")
    except ValidationError:
        return
    assert any(problem.verdict is ChangeVerdict.REFUSE for problem in check_change(change(made)))
