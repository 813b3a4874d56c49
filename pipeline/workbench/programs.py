"""Programs that the repository names: another coding agent in place of our coder, and commands of its stages.

Both are confined like the commands of our own agents. The other agent has the network of the machine as well, because it asks
a model, and the variables of ours that the configuration names, because it signs in. Nothing of what it does passes the gate
while it works. What it leaves is judged afterwards: by the tests, the reviewer and the check of the change.
"""

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from click import unstyle

from pipeline.confinement.confinement import Confinement
from pipeline.contract.wire import CommitSha
from pipeline.domain.command_line import CoderCommand, words_of
from pipeline.domain.errors import AgentGaveUp, StageFailed
from pipeline.workspace.paths import CallRefused
from pipeline.workspace.processes import Processes, ProcessLimits, ProcessResult
from pipeline.workspace.worktree import Worktree

_MOST_CHARACTERS = 1_500  # of its output; a summary may not be longer
_OUTPUT_BYTES = 1 << 20


def run_other_agent(
    coder: CoderCommand, worktree: Worktree, prompt: str, *, ours: Mapping[str, str], minutes: float
) -> str:
    """Have it work until it ends: what it said last.

    Raises:
        AgentGaveUp: it cannot be started, takes too long, or ends with another exit code than 0.
    """
    processes = Processes(
        worktree,
        ours=ours,
        limits=ProcessLimits(seconds=minutes * 60),
        confinement=Confinement.of_this_machine(),
        online=True,
    )
    variables = {name: ours[name] for name in coder.environment if name in ours}
    try:
        result = processes.run(
            words_of(coder.command), network=True, standard_input=prompt.encode(), variables=variables
        )
    except CallRefused as error:
        raise _gave_up(coder, str(error)) from error
    if result.exit_code != 0:
        end = result.too_much or f"ended with exit code {result.exit_code}"
        raise _gave_up(coder, f"It {end}.\n{(result.errors or result.output)[-_MOST_CHARACTERS:]}".strip())
    return unstyle(result.output)[-_MOST_CHARACTERS:].strip() or "(it said nothing)"


def _gave_up(coder: CoderCommand, why: str) -> AgentGaveUp:
    return AgentGaveUp(
        f"The coder's command failed: {coder.command}",
        why=why,
        what_to_do="Run it by hand in a checkout, with the task on standard input: `coder` in .github/askfirst/config.yml",
    )


@dataclass(frozen=True)
class OwnCommands:
    """Runs programs of the repository on one commit of it. `environment` is ours, of which they see next to nothing."""

    repository: Path
    commit: CommitSha
    environment: Mapping[str, str]

    def run(self, words: Sequence[str], standard_input: bytes, *, seconds: float | None) -> ProcessResult:
        """Run one, confined as well as this machine can.

        Raises:
            StageFailed: there is no such program.
            WorkspaceUnusable: the tree cannot be made.
        """
        with tempfile.TemporaryDirectory(prefix="askfirst-command-", ignore_cleanup_errors=True) as folder:
            worktree = Worktree.create(
                self.repository, self.commit, Path(folder) / "tree", packages_of=self.repository
            )
            processes = Processes(
                worktree,
                ours=self.environment,
                limits=ProcessLimits(output_bytes=_OUTPUT_BYTES),
                confinement=Confinement.of_this_machine(),
            )
            try:
                return processes.run(words, seconds=seconds, standard_input=standard_input)
            except CallRefused as error:
                raise StageFailed(
                    f"the command {' '.join(words)} cannot be started",
                    why=str(error),
                    what_to_do="Commit the program, or install it on the machine that runs the pipeline.",
                ) from error
            finally:
                worktree.remove()
