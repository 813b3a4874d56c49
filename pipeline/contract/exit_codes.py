"""The four ways in which `askfirst` ends."""

from enum import IntEnum


class ExitCode(IntEnum):
    """Exit code of the process.

    `PERSON_ASKED` alone proves nothing: shells, argparse and click end with 2 for other reasons. It is a question only
    together with a valid `clarification.json` that is bound to this run (see `pipeline.contract.artifact`).
    """

    DONE = 0
    PIPELINE_ERROR = 1
    PERSON_ASKED = 2
    USAGE = 64
