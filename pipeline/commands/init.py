"""`askfirst init`: set a repository up, once or again, and show what it would do with its issues."""

import os
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click

from pipeline.contract.exit_codes import ExitCode
from pipeline.contract.version import checkout_folder
from pipeline.domain.errors import PreconditionFailed, RepositoryUnreadable
from pipeline.domain.printable import printable
from pipeline.git import run_git
from pipeline.onboarding.dry_run import DryRun, dry_runs
from pipeline.onboarding.github import LABEL, MARKER_KEY, GitHubCommand
from pipeline.onboarding.workflow import (
    PATH,
    Mode,
    Setup,
    Update,
    is_reference,
    known_reference,
    merge,
    setup_of,
)
from pipeline.options import repository_option
from pipeline.run_inputs.issue_source import repository_of_origin
from pipeline.settings.repository_settings import CONFIGURATION, SETTINGS_FOLDER

_ISSUES = 10
_SECONDS = 50
_BRANCH = "askfirst/set-up"
_TITLE = "Ask before any code is written"
_SETTINGS_PATH = (SETTINGS_FOLDER / CONFIGURATION).as_posix()
_SETTINGS_TEXT = """\
# yaml-language-server: $schema=https://raw.githubusercontent.com/{name}/{sha}/pipeline/settings/schemas/config.schema.json
# What askfirst knows of this repository. You can leave out every key; `askfirst plan` checks the file.
# A run looks for the test command. If you name one here, it runs only that.
# test_command: pytest -q
"""


@click.command("init", epilog="Example: askfirst init --pull-request")
@click.option(
    "--app/--no-app", "with_app", default=None,
    help="Whether the askfirst App is installed.  [default: as the workflow has it, else --no-app]",
)  # fmt: skip
@repository_option("The checkout.")
@click.option(
    "--definition", type=click.Choice(["gate", "build"]),
    help="End with a ticket, or go on to a pull request.  [default: as the workflow has it, else gate]",
)  # fmt: skip
@click.option(
    "--action", metavar="OWNER/REPO@SHA",
    help="The commit of the action to pin.  [default: this release's, or that of this checkout of askfirst]",
)  # fmt: skip
@click.option("--check", is_flag=True, help="Change nothing; exit with 1 if the workflow is not up to date.")
@click.option(
    "--pull-request", is_flag=True,
    help="Commit on a branch, push it, and open a pull request with gh that shows the dry run.",
)  # fmt: skip
@click.option("--settings", is_flag=True, help=f"Write {_SETTINGS_PATH}, too, if there is none.")
def command(
    *,
    with_app: bool | None,
    repository: Path,
    definition: str | None,
    action: str | None,
    check: bool,
    pull_request: bool,
    settings: bool,
) -> ExitCode:
    """Write the workflow, create the label, and show what a run would do with the open issues.

    You can run it again: it keeps what you changed in the workflow, and says what it changes.
    """
    checkout = repository.resolve()
    click.echo(
        f"Repository: {repository_of_origin(checkout, os.environ) or 'none on GitHub yet'} ({checkout})"
    )
    if pull_request and not check:
        _refuse_second_branch(checkout)
    path = checkout / PATH
    before = path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""
    if check and not before:
        click.echo(f"Nothing is set up here: there is no {PATH}. Set it up: askfirst init")
        return ExitCode.PIPELINE_ERROR
    old = setup_of(before)
    if before and old is None:
        raise PreconditionFailed(
            f"{PATH} is not a workflow of askfirst.",
            why="No step in it has the id `askfirst` and an action that is pinned to a commit.",
            what_to_do=f"Rename it, and start again: git mv {PATH} .github/workflows/other.yml",
        )
    mode = Mode.APP if with_app else Mode.NO_APP
    setup = Setup(
        mode if with_app is not None or old is None else old.mode,
        _reference(action, old),
        old is not None and old.build if definition is None else definition == "build",
    )
    update = merge(before, old, setup) if old is not None else Update("", setup.workflow())
    gh = GitHubCommand(checkout)
    if check:
        return _report(update, gh)
    paths = _write(checkout, update) + (_write_settings(checkout, setup) if settings else [])
    if update.conflicts:
        click.echo(
            f"Your changes and the new version change the same lines. Resolve what git marked in {PATH}."
        )
        return ExitCode.PIPELINE_ERROR
    _set_up_github(gh, setup.mode)
    issues = gh.open_issues(_ISSUES) if gh.is_ready() else ()
    runs = _show_dry_runs(dry_runs(checkout, issues, seconds=_SECONDS)) if issues else []
    if pull_request and paths:
        _open_pull_request(checkout, gh, paths, runs)
    elif paths:
        click.echo(f"\nNow commit it: git add {' '.join(paths)} && git commit -m '{_TITLE}' && git push")
    if not issues:
        click.echo(
            "\nTry it: echo '# What you want from this code' | askfirst explain --issue -\n"
            "On your past commits: askfirst evaluate --history 50\n"
            f"Then set the label {LABEL} on an issue."
        )
    return ExitCode.DONE


def _reference(action: str | None, old: Setup | None) -> str:
    reference = action or known_reference() or (old.reference if old is not None else None)
    checkout = checkout_folder()
    head = (
        f"git -C {shlex.quote(os.fspath(checkout))} rev-parse HEAD"
        if checkout is not None
        else "git ls-remote https://github.com/OWNER/REPO HEAD | cut -f1"
    )
    name_a_commit = f"askfirst init --action OWNER/REPO@$({head})"
    if reference is None:
        raise click.UsageError(
            "This askfirst is no release, and its commit is not on GitHub.\n"
            f"Push it to a repository of yours, OWNER/REPO. Then: {name_a_commit}"
        )
    if not is_reference(reference):
        raise click.UsageError(
            f"--action {reference!r} does not name one commit: OWNER/REPO@ and 40 hex digits. "
            f"A tag or a branch can be moved by others, so it is not accepted. Name a commit: {name_a_commit}"
        )
    return reference


def _write(checkout: Path, update: Update) -> list[str]:
    """Write the workflow if it changes; the paths that were written."""
    if update.edits:
        click.echo(f"  kept        {update.edits} changed lines of yours in {PATH}")
    if update.text == update.before:
        click.echo(f"  up to date  {PATH}")
        return []
    _put(checkout / PATH, update.text)
    click.echo(f"  {'updated' if update.before else 'written'}     {PATH}")
    if update.before:
        click.echo(_changes(update))
    return [PATH]


def _changes(update: Update) -> str:
    return printable("\n".join(f"              {line}" for line in update.changes()))


def _write_settings(checkout: Path, setup: Setup) -> list[str]:
    path = checkout / _SETTINGS_PATH
    if path.exists():
        click.echo(f"  kept        {_SETTINGS_PATH}")
        return []
    name, _, sha = setup.reference.partition("@")
    _put(path, _SETTINGS_TEXT.format(name=name, sha=sha))
    click.echo(f"  written     {_SETTINGS_PATH}")
    return [_SETTINGS_PATH]


def _put(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="")


def _report(update: Update, gh: GitHubCommand) -> ExitCode:
    if update.edits:
        click.echo(f"  changed by you  {update.edits} lines in {PATH}")
    is_behind = update.text != update.before
    if is_behind:
        click.echo(f"  out of date     {PATH}\n{_changes(update)}")
    lacks_label = gh.is_ready() and not gh.has_label()
    if lacks_label:
        click.echo(f"  missing         the label {LABEL}")
    click.echo(
        "Put it right with: askfirst init" if is_behind or lacks_label else "Everything is up to date."
    )
    return ExitCode.PIPELINE_ERROR if is_behind or lacks_label else ExitCode.DONE


def _set_up_github(gh: GitHubCommand, mode: Mode) -> None:
    """Create the label; what only a person can set up on GitHub is printed as commands to copy."""
    is_ready = gh.is_ready()
    if is_ready and gh.create_label():
        click.echo(f"  up to date  the label {LABEL}")
    else:
        why = (
            "refused, a person with write access can do it" if is_ready else "gh is missing or not signed in"
        )
        click.echo(f"  to do       gh label create {LABEL}   ({why})")
    missing = {
        "ANTHROPIC_API_KEY": "gh secret set ANTHROPIC_API_KEY   (a model; without one, structural questions only)"
    }
    if mode is Mode.NO_APP:
        missing[MARKER_KEY] = (
            f"openssl rand -hex 32 | gh secret set {MARKER_KEY}   (signs what its comments remember)"
        )
    for name in sorted(missing.keys() - (gh.secret_names() if is_ready else frozenset())):
        click.echo(f"  optional    {missing[name]}")


def _refuse_second_branch(checkout: Path) -> None:
    if _git(checkout, "rev-parse", "--verify", "--quiet", f"refs/heads/{_BRANCH}") is not None:
        raise PreconditionFailed(
            f"The branch {_BRANCH} exists already.",
            why="The commit for the pull request is made on a new branch of that name.",
            what_to_do=f"Open its pull request: gh pr create --head {_BRANCH}\n"
            f"Or remove it, and start again: git branch -D {_BRANCH}",
        )


def _open_pull_request(checkout: Path, gh: GitHubCommand, paths: list[str], runs: list[DryRun]) -> None:
    """Commit these files and nothing else on a branch of their own, and go back to where the checkout was."""
    is_committed = False
    _git_step(checkout, "switch", "--create", _BRANCH)
    try:
        _git_step(checkout, "add", "--", *paths)
        _git_step(checkout, "commit", "--message", _TITLE, "--", *paths)
        is_committed = True
        _git_step(checkout, "push", "--set-upstream", "origin", _BRANCH)
    finally:
        _git_step(checkout, "checkout", "-")
        if not is_committed:
            _git(checkout, "reset", "--quiet", "--", *paths)
            _git(checkout, "branch", "--delete", "--force", _BRANCH)
    body = [f"When this is merged, set the label `{LABEL}` on an issue. Without a label, nothing runs."]
    if runs:
        body.append("A dry run over the newest open issues, without a model:")
        body.append("\n".join(run.as_list_item() for run in runs))
    address = gh.open_pull_request(_BRANCH, _TITLE, "\n\n".join(body))
    click.echo(f"\nPull request: {address or f'gh could not open one. Open it from the branch {_BRANCH}'}")
    click.echo(f"Your checkout is as it was before; the files are on the branch {_BRANCH}.")


def _git_step(checkout: Path, *arguments: str) -> None:
    """A step with the person's own git: hooks, names and keys of theirs count, another repository of the environment does not."""
    pointers = (_git(checkout, "rev-parse", "--local-env-vars") or "").split()
    process = subprocess.run(
        ["git", *arguments],
        cwd=checkout,
        env={name: value for name, value in os.environ.items() if name not in pointers},
        stdin=subprocess.DEVNULL,
        stderr=sys.stderr if arguments[0] in {"commit", "push"} else subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        check=False,
    )
    if process.returncode != 0:
        raise RepositoryUnreadable(
            f"git {arguments[0]} did not work.",
            why="The commit for the pull request is made with your own git.",
            what_to_do=f"See why: git {shlex.join(arguments)}",
        )


def _show_dry_runs(runs: Iterator[DryRun]) -> list[DryRun]:
    click.echo("\nWhat a run would do with your newest open issues, without a model:")
    shown_runs = []
    for run in runs:
        click.echo(
            printable(f"  #{run.issue.number} {' '.join(run.issue.title.split())}\n      {run.sentence}")
        )
        shown_runs.append(run)
    return shown_runs


def _git(directory: Path, *arguments: str) -> str | None:
    process = run_git(directory, *arguments)
    return process.stdout.decode("utf-8", "replace").strip() if process.returncode == 0 else None
