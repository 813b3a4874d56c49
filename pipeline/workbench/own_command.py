"""Run a program of the repository's own in a tree of its own, which is thrown away afterwards."""

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pipeline.confinement.confinement import Confinement
from pipeline.contract.wire import CommitSha
from pipeline.domain.errors import StageFailed
from pipeline.workspace.paths import CallRefused
from pipeline.workspace.processes import Processes, ProcessLimits, ProcessResult
from pipeline.workspace.worktree import Worktree

_OUTPUT_BYTES = 1 << 20


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
