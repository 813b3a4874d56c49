"""The job that builds a release, from the workflow's own file under act, up to the upload of the wheel."""

import shutil
import zipfile
from pathlib import Path

import pytest

from tests.release import VERSION
from tests.workflow import act

pytestmark = pytest.mark.timeout(900)
TAG = f"refs/tags/v{VERSION}"


def test_a_tag_becomes_a_wheel_that_names_its_commit(runner: act.Runner, tmp_path: Path) -> None:
    source = tmp_path / "askfirst"
    shutil.copytree(runner.action, source)
    commit = act.commit_all(source)
    act.git(source, "tag", f"v{VERSION}")
    finished = runner.run(
        "push",
        {"ref": TAG},
        source,
        environment={
            "GITHUB_REPOSITORY": "octocat/askfirst",
            "GITHUB_REF": TAG,
            "GITHUB_REF_NAME": f"v{VERSION}",
        },
        options=("-W", ".github/workflows/release.yml", "-j", "build"),
    )
    assert finished.green, finished.text
    (names,) = finished.uploaded.values()
    (wheel,) = (name for name in names if name.endswith(".whl"))
    with zipfile.ZipFile(finished.artifacts / "dist" / wheel) as archive:
        metadata = archive.read(f"askfirst-{VERSION}.dist-info/METADATA").decode()
    assert f"\nProject-URL: Source, https://github.com/octocat/askfirst/tree/{commit}\n" in metadata
