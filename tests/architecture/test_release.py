"""A release, up to the upload: built from a prepared tree, installed from the wheel into an environment of its own."""

import json
import os
import re
import shutil
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import click
import pytest

from tests.release import ROOT, SHA, VERSION, build_wheel, prepare, source_files
from tests.workflow.act import git

pytestmark = pytest.mark.process


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_wheel(tmp_path_factory.mktemp("release"))


def test_the_wheel_says_where_it_comes_from_and_its_description_has_no_relative_link(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        metadata = archive.read(f"askfirst-{VERSION}.dist-info/METADATA").decode()
    assert f"\nVersion: {VERSION}\n" in metadata
    assert "\nProject-URL: Homepage, https://github.com/octocat/askfirst\n" in metadata
    assert f"\nProject-URL: Source, https://github.com/octocat/askfirst/tree/{SHA}\n" in metadata
    links = re.findall(r"\]\(([^)\s]+)\)", metadata)
    assert links
    assert [link for link in links if not link.startswith("https://")] == []
    pictures = re.findall(r"!\[[^\]]*\]\(([^)\s]+)\)", metadata)
    assert pictures
    raw = f"https://raw.githubusercontent.com/octocat/askfirst/v{VERSION}/docs/pictures/"
    assert [picture for picture in pictures if not picture.startswith(raw)] == [], "a page is no picture"


def test_installed_from_the_wheel_init_pins_the_release_itself(wheel: Path, tmp_path: Path) -> None:
    place, home = tmp_path / "place", tmp_path / "orders"
    install = ["install", "--quiet", "--no-deps", "--no-index", "--target", str(place), str(wheel)]
    subprocess.run([sys.executable, "-I", "-m", "pip", *install], check=True, capture_output=True)
    home.mkdir()
    (home / "test_orders.py").write_text("def test_it(): ...\n")
    git(home, "init", "--quiet", "--initial-branch=main")
    program = f"import sys; sys.path.insert(0, {str(place)!r}); from pipeline.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-P", "-c", program, "init"], cwd=home, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    written = (home / ".github" / "workflows" / "askfirst.yml").read_text()
    assert f"uses: octocat/askfirst@{SHA}\n" in written
    assert f"uses: octocat/askfirst/github_app/action@{SHA}\n" in written


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The scripts of an environment that holds the wheel, as pipx and uvx make one. What it depends on lies beside it."""
    home = tmp_path_factory.mktemp("installed") / "venv"
    venv.create(home, symlinks=True)
    (packages,) = home.glob("lib/python*/site-packages")
    install = [
        "--python",
        str(home / "bin" / "python"),
        "install",
        "--quiet",
        "--no-deps",
        "--no-index",
        str(wheel),
    ]
    subprocess.run([sys.executable, "-I", "-m", "pip", *install], check=True, capture_output=True)
    (packages / "dependencies.pth").write_text(f"{Path(click.__file__).parents[1]}\n")
    return home / "bin"


def call(script: Path, *arguments: str, directory: Path, text: str = "") -> subprocess.CompletedProcess[str]:
    """Somebody's shell: nothing of this checkout shows."""
    environment = {"PATH": os.environ["PATH"], "HOME": str(directory)}
    return subprocess.run(
        [script, *arguments],
        cwd=directory,
        env=environment,
        input=text,
        capture_output=True,
        text=True,
        timeout=120,
    )


def test_the_scripts_of_the_wheel_run_from_anywhere(installed: Path, tmp_path: Path) -> None:
    for name in ("askfirst", "askfirst-app"):
        done = call(installed / name, "--version", directory=tmp_path)
        assert (done.returncode, done.stdout) == (0, f"{name}, version {VERSION}\n"), done.stderr
    assert "gate" in call(installed / "askfirst", "plan", directory=tmp_path).stdout


def test_the_wheel_holds_both_programs_with_their_types_and_nothing_else(wheel: Path) -> None:
    names = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    programs = {name for name in source_files() if name.startswith(("pipeline/", "github_app/"))}
    of_the_action = {
        name for name in programs if name.endswith((".lock", "/install.sh", "/action/action.yml"))
    }
    assert names == programs - of_the_action
    assert {"pipeline/py.typed", "github_app/py.typed"} < names


def test_the_wheel_asks_a_question_about_a_repository(installed: Path, tmp_path: Path) -> None:
    orders = tmp_path / "orders"
    shutil.copytree(ROOT / "tests" / "sample_repositories" / "orders_fastapi", orders)
    git(orders, "init", "--quiet", "--initial-branch=main")
    git(orders, "add", "--all")
    git(orders, "commit", "--quiet", "--message", "Orders")
    words = "# Add a dry_run flag to the bulk action\n\nThe bulk action should take a `dry_run` flag, so that `process_item` can be tried.\n"
    done = call(installed / "askfirst", "run", "--issue", "-", "--json", directory=orders, text=words)
    assert done.returncode == 2, done.stderr
    assert json.loads(done.stdout)["kind"] == "ClarificationNeeded"


def test_without_the_extra_the_app_says_what_to_install(installed: Path, tmp_path: Path) -> None:
    (packages,) = installed.parent.glob("lib/python*/site-packages")
    program = (
        f"import sys; sys.path.insert(0, {str(packages)!r}); sys.modules['sqlalchemy'] = None\n"
        "from github_app.cli import main; main()"
    )
    done = call(Path(sys.executable), "-P", "-c", program, "stuck", directory=tmp_path)
    assert (done.returncode, done.stderr) == (
        1,
        "askfirst-app: this command needs sqlalchemy, which is not installed. Install it: pip install --upgrade 'askfirst[app]'\n",
    )


def test_a_library_that_is_missing_is_named_in_one_line(installed: Path, tmp_path: Path) -> None:
    (packages,) = installed.parent.glob("lib/python*/site-packages")
    program = (
        f"import sys; sys.path.insert(0, {str(packages)!r}); sys.modules['orjson'] = None\n"
        "from pipeline.cli import main; main()"
    )
    done = call(
        Path(sys.executable), "-P", "-c", program, "registry", "--repository", str(ROOT), directory=tmp_path
    )
    assert (done.returncode, done.stderr) == (
        1,
        "askfirst: this command needs orjson, which is not installed. Install it: pip install --upgrade 'askfirst'\n",
    )


@pytest.mark.parametrize(
    ("repository", "sha", "tag"),
    [
        ("octocat/askfirst", SHA, "v99.0.0"),
        ("octocat/askfirst", "0" * 40, f"v{VERSION}"),
        ("octocat", SHA, f"v{VERSION}"),
    ],
)
def test_a_release_of_another_version_or_of_no_commit_is_refused(
    tmp_path: Path, repository: str, sha: str, tag: str
) -> None:
    (tmp_path / "pipeline" / "contract").mkdir(parents=True)
    shutil.copyfile(ROOT / "pipeline/contract/version.py", tmp_path / "pipeline/contract/version.py")
    assert prepare(tmp_path, repository, sha, tag) == 1
