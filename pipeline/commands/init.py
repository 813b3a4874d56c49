"""`askfirst init`: set a repository up, once or again, and show what it would do with its issues."""

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import click

from pipeline.contract.exit_codes import ExitCode
from pipeline.domain.errors import PreconditionFailed, RepositoryUnreadable
from pipeline.domain.printable import printable
from pipeline.evaluation import ReplayedTicket, in_words
from pipeline.git import run_git
from pipeline.onboarding.dry_run import TookTooLong, dry_run, replay_past
from pipeline.onboarding.files import (
    WORKFLOW_PATH,
    Mode,
    WantedFile,
    builds,
    is_reference,
    mode_of,
    released_reference,
    used_reference,
    wanted_files,
)
from pipeline.onboarding.github import LABEL, MARKER_KEY, GitHubCommand
from pipeline.options import repository_option
from pipeline.run_inputs.issue_source import repository_of_origin
from pipeline.workspace.paths import WorkspaceTree
from pipeline.workspace.suite_commands import find_test_commands

_ISSUES = 3
_COMMITS = 5
_SECONDS = 50
_BRANCH = "askfirst/set-up"
_TITLE = "Ask before any code is written"
_NAME_A_COMMIT = (
    "askfirst init --action OWNER/REPO@$(git ls-remote https://github.com/OWNER/REPO HEAD | cut -f1)"
)


@click.command("init", epilog="Example: askfirst init --no-app --action octocat/askfirst@<commit>")
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
    help="The action to pin: a release's commit, or one of your fork.  [default: this release's]",
)  # fmt: skip
@click.option("--check", is_flag=True, help="Change nothing; exit with 1 if something differs.")
@click.option(
    "--pull-request", is_flag=True, help="Commit on a branch, push it, and open a pull request with gh."
)
@click.option(
    "--marker-key", is_flag=True, help=f"Set the secret {MARKER_KEY} with gh, which signs the markers."
)
def command(
    with_app: bool | None,
    repository: Path,
    definition: str | None,
    action: str | None,
    check: bool,
    pull_request: bool,
    marker_key: bool,
) -> ExitCode:
    """Write the workflow and the configuration, create the label, and show what a run would do with open issues.

    You can run it again: it keeps the files that exist, and never overwrites a configuration.
    """
    checkout = repository.resolve()
    origin = repository_of_origin(checkout, os.environ)
    click.echo(f"Repository: {origin or 'none on GitHub yet'} ({checkout})")
    if pull_request and not check:
        _refuse_second_branch(checkout)
    before = _text(checkout / WORKFLOW_PATH)
    if check and not before:
        click.echo(f"Nothing is set up here: there is no {WORKFLOW_PATH}. Set it up: askfirst init")
        return ExitCode.PIPELINE_ERROR
    mode = mode_of(before) if with_app is None and before else Mode.APP if with_app else Mode.NO_APP
    build = builds(before) if definition is None else definition == "build"
    files = wanted_files(mode, _reference(action, before), build=build, test_command=_test_command(checkout))
    changed_files = [file for file in files if _differs(checkout, file)]
    gh = GitHubCommand(checkout)
    if check:
        return _report(changed_files, gh)
    for file in files:
        _write(checkout, file, is_changed=file in changed_files)
    _set_up_github(gh, mode, marker_key=marker_key)
    if pull_request:
        _open_pull_request(checkout, gh, files)
    elif changed_files:
        paths = " ".join(file.path for file in changed_files)
        click.echo(f"\nNow commit it: git add {paths} && git commit -m '{_TITLE}' && git push")
    _show_dry_runs(checkout, gh)
    return ExitCode.DONE


def _reference(action: str | None, before: str) -> str:
    reference = action or released_reference() or used_reference(before)
    if reference is None:
        raise click.UsageError(
            "This askfirst is no release, so no commit of the action is known.\n"
            f"Fork its repository (or use your own copy) and name a commit of it: {_NAME_A_COMMIT}"
        )
    if not is_reference(reference):
        raise click.UsageError(
            f"--action {reference!r} does not name one commit: OWNER/REPO@ and 40 hex digits. "
            f"A tag or a branch can be moved by others, so it is not taken. Name a commit: {_NAME_A_COMMIT}"
        )
    return reference


def _test_command(checkout: Path) -> str | None:
    try:
        test_command = find_test_commands(WorkspaceTree(checkout))[0]
    except (PreconditionFailed, RepositoryUnreadable) as failure:
        click.echo(f"Tests: {failure}")
        return None
    click.echo(f"Tests: {' '.join(test_command.words)} ({test_command.because})")
    return " ".join(test_command.words)


def _differs(checkout: Path, file: WantedFile) -> bool:
    path = checkout / file.path
    return not path.exists() if file.is_theirs else _text(path) != file.text


def _write(checkout: Path, file: WantedFile, *, is_changed: bool) -> None:
    path = checkout / file.path
    if not is_changed:
        click.echo(f"  as it should be  {file.path}")
        return
    verb = "updated" if path.exists() else "written"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(file.text, encoding="utf-8", newline="")
    click.echo(f"  {verb:15}  {file.path}")


def _report(changed_files: list[WantedFile], gh: GitHubCommand) -> ExitCode:
    for file in changed_files:
        click.echo(f"  differs  {file.path}")
    lacks_label = gh.is_ready() and not gh.has_label()
    if lacks_label:
        click.echo(f"  missing  the label {LABEL}")
    if changed_files or lacks_label:
        click.echo("Put it right with: askfirst init")
        return ExitCode.PIPELINE_ERROR
    click.echo("Everything is as it should be.")
    return ExitCode.DONE


def _set_up_github(gh: GitHubCommand, mode: Mode, *, marker_key: bool) -> None:
    if not gh.is_ready():
        click.echo(
            "\nOn GitHub, in the repository (gh is not there or not signed in, so this is yours to do):\n"
            f"  create the label   gh label create {LABEL}\n"
            "  for a model        gh secret set ANTHROPIC_API_KEY   (without one, structural questions only)"
        )
        if mode is Mode.NO_APP:
            click.echo(f"  to sign markers    openssl rand -hex 32 | gh secret set {MARKER_KEY}   (optional)")
        return
    if gh.create_label():
        click.echo(f"  as it should be  the label {LABEL}")
    else:
        click.echo(f"  refused          the label {LABEL}: somebody with write access creates it")
    names = gh.secret_names()
    if mode is Mode.NO_APP and MARKER_KEY not in names:
        if marker_key and gh.set_marker_key():
            click.echo(f"  set              the secret {MARKER_KEY}")
        else:
            click.echo(f"  optional         the secret {MARKER_KEY}: askfirst init --marker-key")
    if "ANTHROPIC_API_KEY" not in names:
        click.echo("  optional         a model: gh secret set ANTHROPIC_API_KEY")


def _refuse_second_branch(checkout: Path) -> None:
    if _git(checkout, "rev-parse", "--verify", "--quiet", f"refs/heads/{_BRANCH}") is not None:
        raise PreconditionFailed(
            f"The branch {_BRANCH} exists already.",
            why="The commit for the pull request is made on a new branch of that name.",
            what_to_do=f"Open its pull request: gh pr create --head {_BRANCH}\n"
            f"Or remove it, and start again: git branch -D {_BRANCH}",
        )


def _open_pull_request(checkout: Path, gh: GitHubCommand, files: tuple[WantedFile, ...]) -> None:
    """Commit these files and nothing else on a branch of their own, and go back to where the checkout was."""
    paths = [file.path for file in files]
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
    address = gh.open_pull_request(_BRANCH, _TITLE, "Label an issue `askfirst` once this is merged.")
    click.echo(f"\nPull request: {address or f'open it from the branch {_BRANCH}; gh could not'}")
    click.echo(f"Your checkout is where it was; the files are on the branch {_BRANCH}.")


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


def _show_dry_runs(checkout: Path, gh: GitHubCommand) -> None:
    issues = gh.open_issues(_ISSUES) if gh.is_ready() else ()
    if not issues:
        _show_past(checkout)
        click.echo(
            "\nTry it: echo '# a wish for this code' | askfirst explain --issue -\nThen set the label askfirst on an issue."
        )
        return
    click.echo("\nWhat a run would do with your newest open issues, without a model:")
    for issue in issues:
        click.echo(
            f"  #{issue.number} {' '.join(issue.title.split())}\n      {dry_run(checkout, issue.title, issue.body)}"
        )


def _show_past(checkout: Path) -> None:
    """Without issues, the newest commits stand in for them: each message as a ticket, on the code as it was before all."""
    if _git(checkout, "rev-parse", "--verify", "--quiet", "HEAD") is None:
        return
    click.echo(f"\nLooking back over your last {_COMMITS} commits that read like a ticket …", err=True)
    try:
        document = replay_past(checkout, _COMMITS, seconds=_SECONDS)
    except TookTooLong:
        click.echo(f"That takes longer than a minute here. Try: askfirst evaluate --history {_COMMITS}")
        return
    tickets = json.loads(document)["tickets"] if document is not None else []
    if not tickets:
        click.echo(
            "None of your commits reads like a ticket: a sentence on one to four changed source files."
        )
        return
    click.echo(
        "\nWhat a run would have done with your last commits, had each been an issue, without a model:"
    )
    for entry in tickets:
        ticket = ReplayedTicket.model_validate(entry)
        subject = _git(checkout, "log", "-1", "--format=%s", ticket.commit) or ""
        click.echo(printable(f"  {ticket.commit[:7]} {subject}\n      {in_words(ticket)}"))


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""


def _git(directory: Path, *arguments: str) -> str | None:
    process = run_git(directory, *arguments)
    return process.stdout.decode("utf-8", "replace").strip() if process.returncode == 0 else None
