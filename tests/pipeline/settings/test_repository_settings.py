"""What a repository says about itself is one value: each file is read once, and only for those who need it."""

import os
from pathlib import Path

import pytest

from pipeline.domain.errors import PipelineError
from pipeline.gate.rules import Tier
from pipeline.gate.rules_file import GateRulesInvalid
from pipeline.llm.prices import PricesInvalid
from pipeline.settings.agent_files import SHIPPED_AGENTS
from pipeline.settings.repository_settings import (
    SETTINGS_FOLDER,
    ConfigurationInvalid,
    RepositoryConfiguration,
    RepositorySettings,
)

STRICT = "version: 1\nrules:\n  - {id: all, tier: deny, tools: [edit_file], why: nobody edits here}\n"


def checkout(path: Path, **files: str) -> Path:
    for name, text in files.items():
        file = path / SETTINGS_FOLDER / name.replace("__", "/").replace("_", ".")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return path


def test_a_repository_that_says_nothing_has_the_defaults_and_what_is_shipped(tmp_path: Path) -> None:
    settings = RepositorySettings(tmp_path)
    assert settings.configuration.test_command is None
    assert settings.decisions == ()
    assert settings.gate.decide("edit_file", {"path": "src/app.py"}).tier is Tier.ALLOW
    assert settings.configuration.model in settings.prices
    assert settings.agents.find("coder").sha256 == SHIPPED_AGENTS.find("coder").sha256


@pytest.mark.parametrize("text", ["", "# test_command: pytest -q\n", "---\n"])
def test_a_configuration_without_a_key_has_the_defaults(tmp_path: Path, text: str) -> None:
    settings = RepositorySettings(checkout(tmp_path, config_yml=text))
    assert settings.configuration == RepositoryConfiguration()


def test_rules_without_a_key_are_a_mistake(tmp_path: Path) -> None:
    """Their version has no default: rules that were commented out by accident must not be gone without a word."""
    with pytest.raises(GateRulesInvalid, match="the file is empty"):
        _ = RepositorySettings(checkout(tmp_path, gate_yml="# rules: []\n")).gate


def test_a_file_that_changes_while_a_run_goes_on_changes_nothing_for_it(tmp_path: Path) -> None:
    settings = RepositorySettings(checkout(tmp_path, gate_yml=STRICT, config_yml="test_command: make test\n"))
    assert settings.configuration.test_command == "make test"
    assert settings.gate.decide("edit_file", {"path": "src/app.py"}).rule == "all"
    checkout(tmp_path, gate_yml="version: 1\nrules: []\n", config_yml="test_command: 'true'\n")
    assert settings.configuration.test_command == "make test"
    assert settings.gate.decide("edit_file", {"path": "src/app.py"}).rule == "all"


def test_a_mistake_in_one_file_stops_only_who_reads_it(tmp_path: Path) -> None:
    settings = RepositorySettings(checkout(tmp_path, prices_yml="models: 3\n", config_yml="models: 3\n"))
    assert settings.decisions == ()
    with pytest.raises(PricesInvalid):
        _ = settings.prices
    with pytest.raises(ConfigurationInvalid, match="models"):
        _ = settings.configuration


def test_rules_of_which_only_a_folder_or_a_dead_link_is_left_are_a_mistake(tmp_path: Path) -> None:
    """Else rules that deny would be gone without a word."""
    folder = tmp_path / "one" / SETTINGS_FOLDER
    (folder / "gate.yml").mkdir(parents=True)
    with pytest.raises(GateRulesInvalid, match="Is a directory"):
        _ = RepositorySettings(tmp_path / "one").gate
    folder = tmp_path / "two" / SETTINGS_FOLDER
    folder.mkdir(parents=True)
    (folder / "gate.yml").symlink_to("nowhere.yml")
    with pytest.raises(GateRulesInvalid, match="It is a link that leads nowhere"):
        _ = RepositorySettings(tmp_path / "two").gate


@pytest.mark.parametrize("name", ["config.yml", "decisions.yml", "gate.yml", "prices.yml"])
def test_what_is_no_file_is_a_mistake_and_is_not_waited_for(tmp_path: Path, name: str) -> None:
    """A pipe never ends, and a link that leads nowhere would drop what a repository has decided."""
    for kind in ("pipe", "link"):
        folder = tmp_path / kind / SETTINGS_FOLDER
        folder.mkdir(parents=True)
        if kind == "pipe":
            os.mkfifo(folder / name)
        else:
            (folder / name).symlink_to("nowhere.yml")
        settings = RepositorySettings(tmp_path / kind)
        readers = {
            "config.yml": "configuration",
            "decisions.yml": "decisions",
            "gate.yml": "gate",
            "prices.yml": "prices",
        }
        with pytest.raises(PipelineError) as refused:
            getattr(settings, readers[name])
        assert ("It is no regular file" if kind == "pipe" else "leads nowhere") in str(refused.value)


def test_an_agent_of_the_repository_goes_before_the_shipped_one_of_its_name(tmp_path: Path) -> None:
    text = "---\nname: coder\ndescription: Ours.\noutput: {type: object, properties: {x: {type: string}}}\n---\nCode.\n"
    settings = RepositorySettings(checkout(tmp_path, agents__coder_md=text))
    assert settings.agents.find("coder").description == "Ours."
    assert settings.agents.find("reviewer").sha256 == SHIPPED_AGENTS.find("reviewer").sha256
