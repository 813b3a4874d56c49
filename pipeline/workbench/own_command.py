"""Run a program of the repository's own in a tree of its own, which is thrown away afterwards."""

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from pipeline.contract.wire import CommitSha
from pipeline.domain.errors import StageFailed
from pipeline.workspace.confinement import Confinement
from pipeline.workspace.paths import Refused
from pipeline.workspace.processes import Finished, Limits, Processes
from pipeline.workspace.worktree import Worktree

_OUTPUT_BYTES = 1 << 20


def run_own_command(
    repository: Path,
    commit: CommitSha,
    words: Sequence[str],
    standard_input: bytes,
    *,
    seconds: float | None,
    environment: Mapping[str, str],
) -> Finished:
    """Run it on that commit, confined as well as this machine can.

    Raises:
        StageFailed: there is no such program.
        WorkspaceUnusable: the tree cannot be made.
    """
    with tempfile.TemporaryDirectory(prefix="askfirst-command-", ignore_cleanup_errors=True) as folder:
        worktree = Worktree.create(repository, commit, Path(folder) / "tree", packages_of=repository)
        processes = Processes(
            worktree,
            ours=environment,
            limits=Limits(output_bytes=_OUTPUT_BYTES),
            confinement=Confinement.of_this_machine(),
        )
        try:
            return processes.run(words, seconds=seconds, standard_input=standard_input)
        except Refused as error:
            raise StageFailed(
                f"the command {' '.join(words)} cannot be started",
                why=str(error),
                what_to_do="Commit the program, or install it on the machine that runs the pipeline.",
            ) from error
        finally:
            worktree.remove()
