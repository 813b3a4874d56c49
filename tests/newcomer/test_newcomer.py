"""Somebody at a fresh machine, who has never seen askfirst: what they type, and how long they wait.

Three commands, and three minutes of work of the machine, lead to the first result. The seconds on the clock are printed
(`pytest -s`) and not asserted: they depend on the network and on who else uses the machine. From a clone to `make demo`
nobody goes here: CI itself begins as a clone, and the demo has a test of its own (`test_demo_command.py`).
"""

import os
import re
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from sandbox import Sandbox
from tests.github_app.setup.button import press_button
from tests.release import ROOT, build_wheel
from tests.workflow.act import git

MOST_COMMANDS = 3
MOST_SECONDS = 180

pytestmark = pytest.mark.timeout(900)


def worked_by_children() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


@dataclass
class Newcomer:
    """An empty home and an environment of nothing else; where packages come from is the machine's own affair."""

    home: Path
    commands: int = 0
    seconds: float = 0
    _worked: float = field(default_factory=worked_by_children)

    @property
    def environment(self) -> dict[str, str]:
        machine = {name: os.environ[name] for name in os.environ if name.startswith(("PIP_", "SSL_"))}
        return machine | {"PATH": os.environ["PATH"], "HOME": str(self.home)}

    @property
    def worked(self) -> float:
        """Seconds that processors spent."""
        return worked_by_children() - self._worked

    def type(self, command: str, directory: Path) -> subprocess.CompletedProcess[str]:
        """Type a line in a shell, and wait."""
        self.commands += 1
        begun = time.monotonic()
        done = subprocess.run(
            ["sh", "-c", command], cwd=directory, env=self.environment, stdin=subprocess.DEVNULL,
            capture_output=True, text=True, timeout=600,
        )  # fmt: skip
        self.seconds += time.monotonic() - begun
        return done

    def has_arrived(self, where: str) -> None:
        print(
            f"\n{where}: {self.commands} commands, {self.seconds:.0f} s, {self.worked:.0f} s of a processor"
        )
        assert self.commands <= MOST_COMMANDS
        assert self.worked <= MOST_SECONDS


@pytest.fixture
def newcomer(tmp_path: Path) -> Newcomer:
    (tmp_path / "home").mkdir()
    return Newcomer(tmp_path / "home")


def test_from_a_fresh_repository_to_the_first_answer_without_the_app(
    newcomer: Newcomer, tmp_path: Path
) -> None:
    wheel = build_wheel(tmp_path)
    orders = newcomer.home / "orders"
    shutil.copytree(ROOT / "tests" / "sample_repositories" / "orders_fastapi", orders)
    git(orders, "init", "--quiet", "--initial-branch=main")
    git(orders, "add", "--all")
    git(orders, "commit", "--quiet", "--message", "Orders")
    # As `pipx install askfirst`, but for the versions, which are those of the lock file.
    pinned = re.findall(
        r"^[\w.-]+==[^ ;\\]+", (ROOT / "pipeline/requirements.lock").read_text(), re.MULTILINE
    )
    (tmp_path / "versions.txt").write_text("\n".join(pinned))
    install = f"python3 -m venv ~/tools && ~/tools/bin/pip install --quiet -c '{tmp_path / 'versions.txt'}' '{wheel}'"
    installed = newcomer.type(install, newcomer.home)
    assert installed.returncode == 0, installed.stderr
    written = newcomer.type("~/tools/bin/askfirst init --no-app", orders)
    assert written.returncode == 0, written.stderr
    assert "written     .github/workflows/askfirst.yml" in written.stdout
    tried = newcomer.type(
        "echo '# Add a dry_run flag to the bulk action' | ~/tools/bin/askfirst explain --issue -", orders
    )
    assert tried.returncode == 0, tried.stderr
    assert "It asks: Which route" in " ".join(tried.stdout.split())
    newcomer.has_arrived("init --no-app to the first answer")


@pytest.fixture
def github() -> Iterator[Sandbox]:
    with Sandbox.start() as started:
        started.create_repository("orders")
        yield started


def test_from_nothing_to_an_app_that_is_checked_and_what_is_said_of_a_wrong_key_and_a_missing_permission(
    newcomer: Newcomer, github: Sandbox
) -> None:
    program = Path(sys.executable).with_name("askfirst-app")
    begun = time.monotonic()
    with subprocess.Popen(
        [program, "setup", "--url", "https://askfirst.example", "--output", "app.env"], cwd=newcomer.home,
        env=newcomer.environment | {"GITHUB_API_URL": github.api_url}, stderr=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        assert process.stderr is not None
        press_button(process.stderr.readline().split()[-1])
        assert "Start the App with it: set -a; . ./app.env" in process.stderr.read()
    newcomer.commands, newcomer.seconds = 1, time.monotonic() - begun
    check = f"set -a; . ./app.env; set +a; '{program}' check --no-ping --repository acme/orders"
    first = newcomer.type(check, newcomer.home)
    # What a newcomer has not done yet, with the command that does it.
    assert [line for line in first.stdout.splitlines() if not line.startswith("fine ")] == [
        "wrong    the label askfirst is missing",
        "         gh label create askfirst --repo acme/orders",
    ]
    newcomer.has_arrived("setup and check")

    del github.app.permissions["contents"]
    lacking = newcomer.type(check, newcomer.home)
    assert lacking.returncode == 1
    assert "wrong    missing permissions: contents: write\n" in lacking.stdout
    assert "settings/apps/askfirst" in lacking.stdout
    file = newcomer.home / "app.env"
    file.write_text(re.sub(r"(?<=ASKFIRST_PRIVATE_KEY=).*", f'"{another_key()}"', file.read_text()))
    wrong = newcomer.type(check, newcomer.home)
    assert wrong.returncode == 1
    assert "wrong    GitHub does not take the private key for this client id\n" in wrong.stdout
    assert "make a new key there under 'Private keys'" in wrong.stdout


def another_key() -> str:
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    encoding, form = serialization.Encoding.PEM, serialization.PrivateFormat.TraditionalOpenSSL
    return key.private_bytes(encoding, form, serialization.NoEncryption()).decode().replace("\n", "\\n")
