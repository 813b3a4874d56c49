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

from pipeline.onboarding.dry_run import TookTooLong, replay_past
from pipeline.onboarding.files import Mode, is_reference, wanted_files
from tests.workflow.act import git

REFERENCE = "octocat/askfirst@" + "a1" * 20
SAMPLE = Path(__file__).parents[2] / "sample_repositories" / "orders_fastapi"
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
    case ["secret", "set", name]:
        known["secrets"][name] = len(sys.stdin.read())
    case ["issue", "list", *_]:
        print(json.dumps(known["issues"]))
    case ["pr", "create", "--head", branch, *_]:
        known["pulls"].append(branch)
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
            state = {"labels": [], "secrets": {}, "issues": [issue], "pulls": []}
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


def test_a_fresh_repository_gets_a_workflow_that_is_pinned_and_a_configuration_with_its_tests(
    init: Init, checkout: Path
) -> None:
    done = init("--action", REFERENCE)
    assert done.returncode == 0, done.stderr
    workflow = (checkout / ".github/workflows/askfirst.yml").read_text()
    assert f"uses: {REFERENCE}\n" in workflow
    assert f"uses: octocat/askfirst/github_app/action@{'a1' * 20}\n" in workflow
    assert "0000000" not in workflow
    assert "OWNER" not in workflow
    configuration = (checkout / ".github/askfirst/config.yml").read_text()
    assert configuration.startswith(
        "# yaml-language-server: $schema=https://raw.githubusercontent.com/octocat/"
    )
    assert "\n# test_command: python3 -m pytest -q\n" in configuration
    assert "gh label create askfirst" in done.stdout
    assert "git add .github/workflows/askfirst.yml .github/askfirst/config.yml" in done.stdout


def test_without_issues_it_looks_back_over_the_last_commits_and_says_what_it_would_have_done(
    init: Init, checkout: Path
) -> None:
    source = "".join(f"def refund_{step}():\n    return 0\n\n" for step in range(3))
    for message, text in (
        ("chore: refunds", source),
        ("Count \x1b[31mone more of the refunds", source.replace("0", "1")),
    ):
        (checkout / "refunds.py").write_text(text)
        git(checkout, "add", "--all")
        git(checkout, "commit", "--quiet", "--message", message)
    done = init("--action", REFERENCE)
    assert done.returncode == 0, done.stderr
    shown = done.stdout.partition("What a run would have done with your last commits")[2].splitlines()
    newest = git(checkout, "rev-parse", "--short=7", "HEAD")
    assert shown[1] == f"  {newest} Count \\x1b[31mone more of the refunds"
    assert shown[2].strip().startswith("would ")


def test_without_issues_and_without_a_past_it_says_what_it_looked_for(init: Init) -> None:
    done = init("--action", REFERENCE)
    assert "None of your commits reads like a ticket" in done.stdout
    assert "askfirst explain --issue -" in done.stdout


def test_a_past_that_takes_too_long_is_given_up_and_nothing_is_left_behind(
    checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "temporary").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "temporary"))
    with pytest.raises(TookTooLong):
        replay_past(checkout, 5, seconds=0.05)
    assert list((tmp_path / "temporary").iterdir()) == []


def test_called_again_it_changes_nothing_and_needs_no_reference(init: Init, checkout: Path) -> None:
    init("--app", "--definition", "build", "--action", REFERENCE)
    before = (checkout / ".github/workflows/askfirst.yml").read_text()
    (checkout / ".github/askfirst/config.yml").write_text("test_command: ./mine.sh\n")
    done = init()
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("as it should be") == 2
    assert (checkout / ".github/workflows/askfirst.yml").read_text() == before
    assert "\n          definition: build " in before
    assert (checkout / ".github/askfirst/config.yml").read_text() == "test_command: ./mine.sh\n"


def test_check_says_what_differs_and_changes_nothing(init: Init, checkout: Path) -> None:
    init("--action", REFERENCE)
    assert init("--check").returncode == 0
    workflow = checkout / ".github/workflows/askfirst.yml"
    workflow.write_text(workflow.read_text().replace("timeout-minutes: 60", "timeout-minutes: 600"))
    done = init("--check")
    assert done.returncode == 1
    assert "differs  .github/workflows/askfirst.yml" in done.stdout
    assert "timeout-minutes: 600" in workflow.read_text()


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


def test_with_gh_it_makes_the_label_the_secret_and_the_pull_request_and_tries_the_open_issues(
    init: Init, checkout: Path, tmp_path: Path
) -> None:
    done = init("--action", REFERENCE, "--marker-key", "--pull-request", gh=True)
    assert done.returncode == 0, done.stderr
    known = json.loads((tmp_path / "gh" / "gh.json").read_text())
    assert known["labels"] == ["askfirst"]
    assert known["secrets"] == {"ASKFIRST_MARKER_KEY": 64}
    assert known["pulls"] == ["askfirst/set-up"]
    assert git(checkout, "log", "--oneline", "--format=%s", "origin/askfirst/set-up", "-1") == (
        "Ask before any code is written"
    )
    assert "#7 Add a dry_run flag to the bulk action\n      asks: Which route" in done.stdout, done.stdout
    git(checkout, "switch", "--quiet", "askfirst/set-up")
    again = init("--check", gh=True)
    assert (again.returncode, again.stdout.splitlines()[-1]) == (0, "Everything is as it should be.")


def test_the_pull_request_takes_its_own_files_and_leaves_the_checkout_as_it_was(
    init: Init, checkout: Path
) -> None:
    (checkout / "half_done.py").write_text("secret = 1\n")
    git(checkout, "add", "half_done.py")
    before = git(checkout, "status", "--short", "--branch")
    done = init("--action", REFERENCE, "--pull-request", gh=True)
    assert done.returncode == 0, done.stderr
    committed_paths = git(checkout, "show", "--format=", "--name-only", "origin/askfirst/set-up")
    assert committed_paths.split() == [".github/askfirst/config.yml", ".github/workflows/askfirst.yml"]
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


def test_every_file_of_every_kind_is_pinned() -> None:
    for mode in Mode:
        for build in (False, True):
            for file in wanted_files(mode, REFERENCE, build=build, test_command=None):
                assert "0" * 40 not in file.text
                assert "OWNER" not in file.text
    assert not is_reference("OWNER/askfirst@" + "0" * 40)


@pytest.mark.parametrize("mode", Mode)
def test_every_workflow_fetches_the_history_that_places_are_ranked_with(mode: Mode) -> None:
    workflow, *_ = wanted_files(mode, REFERENCE, build=False, test_command=None)
    steps = [step for job in yaml.safe_load(workflow.text)["jobs"].values() for step in job["steps"]]
    (checkout,) = [step["with"] for step in steps if step["uses"].startswith("actions/checkout@")]
    assert "2000" in checkout["fetch-depth"]
    assert "blob:none" in checkout["filter"]
