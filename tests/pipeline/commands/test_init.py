"""`askfirst init`: the files, the label and the secrets, once and again."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from pipeline.onboarding.workflow import PATH, Mode, Setup, is_reference
from pipeline.settings.repository_settings import RepositorySettings
from tests.workflow.act import git

REFERENCE = "octocat/askfirst@" + "a1" * 20
SAMPLE = Path(__file__).parents[2] / "sample_repositories" / "orders_fastapi"
TEMPLATES = Path(__file__).parents[3] / "pipeline" / "commands" / "templates"
PROGRAM = Path(sys.executable).with_name("askfirst")
GH = """\
#!/usr/bin/env python3
import json, pathlib, sys
state = pathlib.Path(__file__).with_name("gh.json")
known = json.loads(state.read_text())
match sys.argv[1:]:
    case ["auth", "status"]:
        pass
    case ["label", "list", *_]:
        print(json.dumps([{"name": name} for name in known["labels"]]))
    case ["label", "create", name, *_]:
        known["labels"].append(name)
    case ["secret", "list", *_]:
        print(json.dumps([{"name": name} for name in known["secrets"]]))
    case ["issue", "list", *_]:
        print(json.dumps(known["issues"]))
    case ["pr", "create", "--head", branch, "--title", _, "--body", body]:
        known["pulls"].append([branch, body])
        print("https://github.com/acme/orders/pull/1")
    case other:
        sys.exit(f"unexpected: {other}")
state.write_text(json.dumps(known))
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A fresh clone of acme/orders."""
    origin, folder = tmp_path / "orders.git", tmp_path / "orders"
    shutil.copytree(SAMPLE, folder)
    git(folder, "init", "--quiet", "--initial-branch=main")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", "Orders")
    git(tmp_path, "clone", "--quiet", "--bare", str(folder), str(origin))
    git(folder, "remote", "add", "origin", str(origin))
    git(folder, "config", "user.name", "octocat")
    git(folder, "config", "user.email", "octocat@users.noreply.github.com")
    return folder


@pytest.fixture
def init(checkout: Path, tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    def call(*arguments: str, gh: bool = False) -> subprocess.CompletedProcess[str]:
        path = os.environ["PATH"]
        if gh and not (tmp_path / "gh" / "gh").exists():
            (tmp_path / "gh").mkdir()
            (tmp_path / "gh" / "gh").write_text(GH)
            (tmp_path / "gh" / "gh").chmod(0o755)
            issue = {
                "number": 7,
                "title": "Add a dry_run flag to the bulk action",
                "body": "The bulk action should take a `dry_run` flag, so that `process_item` can be tried.",
            }
            state = {"labels": [], "secrets": [], "issues": [issue], "pulls": []}
            (tmp_path / "gh" / "gh.json").write_text(json.dumps(state))
        search = f"{tmp_path / 'gh'}{os.pathsep}{path}" if gh else path
        return subprocess.run(
            [str(PROGRAM), "init", *arguments],
            cwd=checkout,
            env={"PATH": search, "HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path / "cache")},
            capture_output=True,
            text=True,
            timeout=240,
        )

    return call


Init = Callable[..., subprocess.CompletedProcess[str]]


def workflow_of(checkout: Path) -> Path:
    return checkout / PATH


def edit(path: Path, *changes: tuple[str, str]) -> None:
    text = path.read_text()
    for before, after in changes:
        assert before in text
        text = text.replace(before, after, 1)
    path.write_text(text)


EDITS = (
    ("runs-on: ubuntu-latest", "runs-on: [self-hosted, linux]"),
    ("timeout-minutes: 60", "timeout-minutes: 600"),
    (f"      - uses: {REFERENCE}\n", f"      - run: npm ci\n      - uses: {REFERENCE}\n"),
)
"""A runner, a timeout, and a step just above the line that a new version changes."""


def test_a_fresh_repository_gets_one_file_pinned_to_a_commit(init: Init, checkout: Path) -> None:
    done = init("--action", REFERENCE)
    assert done.returncode == 0, done.stderr
    workflow = workflow_of(checkout).read_text()
    assert f"uses: {REFERENCE}\n" in workflow
    assert f"uses: octocat/askfirst/github_app/action@{'a1' * 20}\n" in workflow
    assert git(checkout, "status", "--short", "--untracked-files=all") == f"?? {PATH}"
    assert "gh label create askfirst" in done.stdout
    assert f"git add {PATH} &&" in done.stdout
    assert "askfirst explain --issue -" in done.stdout


def test_settings_are_written_if_they_are_asked_for_and_never_overwritten(init: Init, checkout: Path) -> None:
    done = init("--action", REFERENCE, "--settings")
    assert done.returncode == 0, done.stderr
    settings = checkout / ".github/askfirst/config.yml"
    assert settings.read_text().startswith(
        "# yaml-language-server: $schema=https://raw.githubusercontent.com/octocat/"
    )
    assert "\n# test_command: pytest -q\n" in settings.read_text()
    assert RepositorySettings(checkout).configuration.test_command is None
    settings.write_text("test_command: ./mine.sh\n")
    init("--settings")
    assert settings.read_text() == "test_command: ./mine.sh\n"


def test_called_again_it_changes_nothing_and_needs_no_reference(init: Init, checkout: Path) -> None:
    init("--app", "--definition", "build", "--action", REFERENCE)
    before = workflow_of(checkout).read_text()
    done = init()
    assert done.returncode == 0, done.stderr
    assert f"up to date  {PATH}" in done.stdout
    assert workflow_of(checkout).read_text() == before
    assert "\n          definition: build " in before


def test_a_check_accepts_a_runner_a_timeout_and_more_steps(init: Init, checkout: Path) -> None:
    init("--action", REFERENCE)
    edit(workflow_of(checkout), *EDITS)
    done = init("--check")
    assert (done.returncode, done.stdout.splitlines()[1:]) == (
        0,
        [f"  changed by you  5 lines in {PATH}", "Everything is up to date."],
    )


def test_a_new_version_reaches_a_changed_workflow_and_keeps_what_people_changed(
    init: Init, checkout: Path, tmp_path: Path
) -> None:
    """The version that wrote the workflow is a commit of the action's repository, where its templates are read."""
    action = tmp_path / "action"
    shutil.copytree(TEMPLATES, action / "pipeline/commands/templates")
    for mode in Mode:
        edit(action / "pipeline/commands/templates" / mode, ("filter: ${{", "filter: blob:limit=1k # ${{"))
    git(action, "init", "--quiet", "--initial-branch=main")
    git(action, "config", "uploadpack.allowAnySHA1InWant", "true")
    git(action, "add", "--all")
    git(action, "commit", "--quiet", "--message", "An earlier version")
    old = Setup(Mode.NO_APP, f"octocat/askfirst@{git(action, 'rev-parse', 'HEAD')}", build=False)
    workflow = workflow_of(checkout)
    workflow.parent.mkdir(parents=True)
    workflow.write_text(old.workflow(action / "pipeline/commands/templates"))
    edit(workflow, *((before.replace(REFERENCE, old.reference), after) for before, after in EDITS[:2]))

    refused = init("--action", REFERENCE)
    assert (refused.returncode, "whose templates cannot be read" in refused.stderr) == (1, True)
    (tmp_path / ".gitconfig").write_text(
        f'[url "file://{action}"]\n    insteadOf = https://github.com/octocat/askfirst\n'
    )
    checked = init("--action", REFERENCE, "--check")
    assert (checked.returncode, "out of date" in checked.stdout) == (1, True)
    done = init("--action", REFERENCE)
    assert done.returncode == 0, done.stderr
    assert f"kept        4 changed lines of yours in {PATH}" in done.stdout
    assert f"+      - uses: {REFERENCE}" in done.stdout
    assert "-          filter: blob:limit=1k" in done.stdout
    wanted = Setup(Mode.NO_APP, REFERENCE, build=False).workflow()
    for before, after in EDITS[:2]:
        wanted = wanted.replace(before, after, 1)
    assert workflow.read_text() == wanted


def test_an_edit_of_the_same_lines_is_marked_as_git_marks_it(init: Init, checkout: Path) -> None:
    init("--action", REFERENCE)
    edit(workflow_of(checkout), ("# definition: build   # goes", "# definition: gate   # stays"))
    done = init("--definition", "build")
    assert (done.returncode, "Resolve what git marked in" in done.stdout) == (1, True)
    assert "<<<<<<< yours\n          # definition: gate " in workflow_of(checkout).read_text()


def test_a_workflow_of_that_name_that_askfirst_did_not_write_is_left_alone(
    init: Init, checkout: Path
) -> None:
    workflow_of(checkout).parent.mkdir(parents=True)
    workflow_of(checkout).write_text("on: push\n")
    done = init("--action", REFERENCE)
    assert (done.returncode, "is not a workflow of askfirst" in done.stderr) == (1, True)
    assert workflow_of(checkout).read_text() == "on: push\n"


@pytest.mark.parametrize(
    "reference", ["octocat/askfirst@v1", "octocat/askfirst@" + "0" * 40, "askfirst@" + "a" * 40, "x/y@z w"]
)
def test_what_is_no_commit_is_refused(init: Init, checkout: Path, reference: str) -> None:
    done = init("--action", reference)
    assert done.returncode == 64
    assert "does not name one commit" in done.stderr
    assert not (checkout / ".github").exists()


def test_without_a_release_it_says_where_a_reference_comes_from(init: Init, checkout: Path) -> None:
    done = init()
    assert done.returncode == 64
    assert "askfirst init --action OWNER/REPO@" in done.stderr
    assert not (checkout / ".github").exists()


def test_a_check_before_anything_is_set_up_says_how_to_set_it_up(init: Init) -> None:
    done = init("--check")
    assert (done.returncode, done.stdout.splitlines()[-1]) == (
        1,
        "Nothing is set up here: there is no .github/workflows/askfirst.yml. Set it up: askfirst init",
    )


def test_outside_a_checkout_it_says_so(init: Init, tmp_path: Path) -> None:
    done = init("--repository", str(tmp_path), "--action", REFERENCE)
    assert (done.returncode, "not a git checkout" in done.stderr) == (64, True)


def test_with_gh_it_makes_the_label_and_the_pull_request_shows_what_it_would_have_asked(
    init: Init, checkout: Path, tmp_path: Path
) -> None:
    done = init("--action", REFERENCE, "--pull-request", gh=True)
    assert done.returncode == 0, done.stderr
    known = json.loads((tmp_path / "gh" / "gh.json").read_text())
    assert known["labels"] == ["askfirst"]
    ((branch, body),) = known["pulls"]
    assert branch == "askfirst/set-up"
    asked = "asks: Which route should get dry_run? 1. POST /actions; 2. POST /actions/stream"
    assert body.endswith(f"\n- #7\n  ` {asked} `")
    assert git(checkout, "log", "--oneline", "--format=%s", "origin/askfirst/set-up", "-1") == (
        "Ask before any code is written"
    )
    assert f"#7 Add a dry_run flag to the bulk action\n      {asked}" in done.stdout, done.stdout
    git(checkout, "switch", "--quiet", "askfirst/set-up")
    again = init("--check", gh=True)
    assert (again.returncode, again.stdout.splitlines()[-1]) == (0, "Everything is up to date.")


def test_the_pull_request_takes_its_own_files_and_leaves_the_checkout_as_it_was(
    init: Init, checkout: Path
) -> None:
    (checkout / "half_done.py").write_text("secret = 1\n")
    git(checkout, "add", "half_done.py")
    before = git(checkout, "status", "--short", "--branch")
    done = init("--action", REFERENCE, "--pull-request", gh=True)
    assert done.returncode == 0, done.stderr
    committed_paths = git(checkout, "show", "--format=", "--name-only", "origin/askfirst/set-up")
    assert committed_paths.split() == [PATH]
    assert git(checkout, "status", "--short", "--branch") == before


def test_a_commit_that_a_hook_refuses_leaves_no_branch_and_nothing_staged(init: Init, checkout: Path) -> None:
    hook = checkout / ".git/hooks/pre-commit"
    hook.write_text("#!/bin/sh\nexit 1\n")
    hook.chmod(0o755)
    done = init("--action", REFERENCE, "--pull-request", gh=True)
    assert (done.returncode, "git commit did not work." in done.stderr) == (1, True)
    assert git(checkout, "branch", "--format=%(refname:short)") == "main"
    assert git(checkout, "status", "--short") == "?? .github/"


def test_a_branch_that_an_earlier_pull_request_left_is_named_and_nothing_is_written(
    init: Init, checkout: Path
) -> None:
    git(checkout, "branch", "askfirst/set-up")
    done = init("--action", REFERENCE, "--pull-request", gh=True)
    assert (done.returncode, "The branch askfirst/set-up exists already." in done.stderr) == (1, True)
    assert "git branch -D askfirst/set-up" in done.stderr
    assert not (checkout / ".github").exists()


def test_every_workflow_is_pinned() -> None:
    for mode in Mode:
        for build in (False, True):
            text = Setup(mode, REFERENCE, build).workflow()
            assert "0" * 40 not in text
            assert "OWNER" not in text
    assert not is_reference("OWNER/askfirst@" + "0" * 40)


@pytest.mark.parametrize("mode", Mode)
def test_every_workflow_fetches_the_history_that_places_are_ranked_with(mode: Mode) -> None:
    workflow = Setup(mode, REFERENCE, build=False).workflow()
    steps = [step for job in yaml.safe_load(workflow)["jobs"].values() for step in job["steps"]]
    (checkout,) = [step["with"] for step in steps if step["uses"].startswith("actions/checkout@")]
    assert "2000" in checkout["fetch-depth"]
    assert "blob:none" in checkout["filter"]
