"""The image without a Docker engine: a linter reads the Dockerfile, and its steps run in a clean directory.

The steps are taken from the Dockerfile itself: what it copies, what it installs, its environment, its health check and
its command. Only the paths are moved below a temporary directory, and the two lines that make the user are left out.
"""

import json
import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import time
import tomllib
import urllib.error
import urllib.request
import venv
from pathlib import Path

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from pipeline.contract.version import VERSION

ROOT = Path(__file__).parents[3]
DOCKERFILE = ROOT / "Dockerfile"
LOCK = ROOT / "github_app" / "requirements.lock"


def instructions() -> list[tuple[str, str]]:
    """The Dockerfile's instructions and their arguments, continued lines joined."""
    lines = [line for line in DOCKERFILE.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    joined = re.sub(r"\\\n", " ", "\n".join(lines))
    return [
        (word, rest.strip())
        for word, _, rest in (line.partition(" ") for line in joined.splitlines() if line)
    ]


def of(instruction: str) -> list[str]:
    return [rest for word, rest in instructions() if word == instruction]


def left_out() -> list[str]:
    """Names that the context of the build leaves out of what it lets in."""
    lines = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    return [Path(line).name for line in lines if line and line[0] not in "#!*"]


def test_the_labels_say_what_it_is_and_the_release_adds_where_it_comes_from() -> None:
    labels = dict(pair.split("=", 1) for label in of("LABEL") for pair in shlex.split(label))
    release = (ROOT / ".github" / "workflows" / "release.yml").read_text(encoding="utf-8")
    added = re.findall(r'--label "?(org\.opencontainers\.image\.\w+)=', release)
    assert {name.rpartition(".")[2] for name in labels} == {"title", "description", "licenses"}
    assert {name.rpartition(".")[2] for name in added} == {"source", "revision", "version"}


def test_the_linter_finds_nothing() -> None:
    linter = Path(sys.executable).with_name("hadolint")
    result = subprocess.run([linter, DOCKERFILE], capture_output=True, text=True)
    assert (result.returncode, result.stdout) == (0, "")


def test_the_image_is_pinned_runs_as_nobody_in_particular_and_compiles_nothing() -> None:
    [base] = of("FROM")
    assert re.fullmatch(r"python:3\.\d+-slim-trixie", base)
    assert of("USER") == ["10001:10001"]
    text = DOCKERFILE.read_text(encoding="utf-8")
    assert not re.search(r"apt-get|gcc|build-essential|git clone|curl|--privileged", text)
    assert "--require-hashes" in text
    assert "--only-binary :all:" in text


def test_the_lock_file_holds_what_the_app_needs_and_nothing_of_the_pipelines() -> None:
    locked = set(re.findall(r"^([a-z0-9-]+)==", LOCK.read_text(encoding="utf-8"), re.MULTILINE))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    extra, image = (
        {re.split(r"[<>=\[]", name)[0].lower() for name in names}
        for names in (
            project["project"]["optional-dependencies"]["app"],
            project["dependency-groups"]["image"],
        )
    )
    assert extra <= image <= locked
    assert (
        not {"anthropic", "tree-sitter", "cel-expr-python", "rich", "orjson", "hatchling", "pytest"} & locked
    )


def test_both_lock_files_name_the_same_versions() -> None:
    pattern = re.compile(r"^([a-z0-9-]+==[^ ;\\]+)", re.MULTILINE)
    ours = set(pattern.findall(LOCK.read_text(encoding="utf-8")))
    assert ours <= set(pattern.findall((ROOT / "requirements.lock").read_text(encoding="utf-8")))


class Container:
    """A directory in which the Dockerfile's steps are carried out."""

    def __init__(self, directory: Path) -> None:
        self.root = directory
        self.port = _free_port()
        venv.create(directory / "usr", with_pip=True, symlinks=True)
        (directory / "data").mkdir()
        self.workdir = directory / of("WORKDIR")[0].lstrip("/")
        self.workdir.mkdir(parents=True)
        self.environment = {"PATH": f"{directory / 'usr' / 'bin'}:{os.defpath}", "HOME": str(directory)}
        self.environment |= {
            name: os.environ[name] for name in os.environ if name.startswith(("PIP_", "SSL_"))
        }
        for line in of("ENV"):
            for name, value in (pair.split("=", 1) for pair in shlex.split(line)):
                self.environment[name] = self._moved(value)
        self.environment["ASKFIRST_PORT"] = str(self.port)
        self.environment["ASKFIRST_HOST"] = "127.0.0.1"

    def build(self) -> None:
        """Carry out the COPY and RUN instructions in their order."""
        for word, rest in instructions():
            if word == "COPY":
                source, target = rest.split()
                self._copy(ROOT / source, self.workdir / target)
            elif word == "RUN" and "useradd" not in rest:
                subprocess.run(
                    ["sh", "-ec", rest], cwd=self.workdir, env=self.environment, check=True, timeout=240
                )

    def start(self) -> subprocess.Popen[bytes]:
        told = {
            "ASKFIRST_APP_ID": "417", "ASKFIRST_CLIENT_ID": "Iv23liExample", "ASKFIRST_PRIVATE_KEY": _private_key(),
            "ASKFIRST_WEBHOOK_SECRET": "a webhook secret of some length",
            "ASKFIRST_MARKER_KEY": "a marker key of some length",
        }  # fmt: skip
        command = json.loads(of("CMD")[0])
        return subprocess.Popen(
            command, cwd=self.workdir, env={**self.environment, **told}, stderr=subprocess.PIPE
        )

    def call(self, *command: str) -> subprocess.CompletedProcess[str]:
        """What `docker exec` would do."""
        return subprocess.run(
            command, cwd=self.workdir, env=self.environment, capture_output=True, text=True, timeout=60
        )

    def is_healthy(self) -> bool:
        """What Docker's health check would say."""
        command = json.loads(of("HEALTHCHECK")[0].partition("CMD ")[2])
        result = subprocess.run(
            command, cwd=self.workdir, env=self.environment, capture_output=True, timeout=20
        )
        return result.returncode == 0

    def _moved(self, value: str) -> str:
        return str(self.root) + value if value.startswith("/") else value

    @staticmethod
    def _copy(source: Path, target: Path) -> None:
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(
                source, target, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__", *left_out())
            )
        else:
            shutil.copy(source, target)


def _private_key() -> str:
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    encoding, form = serialization.Encoding.PEM, serialization.PrivateFormat.TraditionalOpenSSL
    return key.private_bytes(encoding, form, serialization.NoEncryption()).decode()


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


@pytest.fixture
def container(tmp_path: Path) -> Container:
    return Container(tmp_path)


def test_the_steps_of_the_dockerfile_install_and_start_the_app_and_leave_no_process(
    container: Container,
) -> None:
    container.build()
    assert container.call("askfirst-app", "--version").stdout == f"askfirst-app, version {VERSION}\n"
    assert sorted(path.name for path in container.workdir.iterdir()) == ["github_app", "pipeline"]
    assert "ASKFIRST_APP_ID is not set" in container.call("askfirst-app", "check").stderr
    assert not container.is_healthy()
    process = container.start()
    try:
        deadline = time.monotonic() + 120
        while not container.is_healthy():
            assert process.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.2)
        with pytest.raises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(f"http://127.0.0.1:{container.port}/webhook", data=b"{}", timeout=5)
        assert refused.value.code == 401
        refused.value.close()
        assert (container.root / "data" / "askfirst.sqlite").exists()
    finally:
        process.send_signal(signal.SIGTERM)
        _, said = process.communicate(timeout=60)
    assert process.returncode == 0, said.decode()
    assert b"starting it again" not in said
    with socket.socket() as probe:
        assert probe.connect_ex(("127.0.0.1", container.port)) != 0
