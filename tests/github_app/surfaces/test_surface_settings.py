"""The file of surfaces: what it may say, and that all its mistakes are told at once."""

from pathlib import Path

import pytest
from inline_snapshot import snapshot

from github_app.surface_file import SurfacesInvalid, read_surfaces

SECRET = "whsec_" + "bjhu" * 8
RIGHT = f"""
public_url: https://askfirst.example
surfaces:
  - {{name: n8n, kind: webhook, url: "https://n8n.example/in", secret: {SECRET}, repositories: [acme/orders]}}
people:
  - {{login: octocat, id: 583231, accounts: {{n8n: octo@example}}}}
"""


def problems(tmp_path: Path, text: str) -> str:
    path = tmp_path / "surfaces.yml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(SurfacesInvalid) as refused:
        read_surfaces(path)
    return "\n".join(refused.value.problems)


def test_a_right_file_is_read_and_shows_no_secret(tmp_path: Path) -> None:
    path = tmp_path / "surfaces.yml"
    path.write_text(RIGHT, encoding="utf-8")
    settings = read_surfaces(path)
    surface = settings.surface("n8n")
    assert surface is not None
    shown = [surface.shows(name) for name in ("acme/orders", "Acme/Orders", "acme/other")]
    assert shown == [True, True, False]
    person = settings.person("n8n", "octo@example")
    assert person is not None
    assert person.id == 583231
    assert settings.person("n8n", "octocat") is None
    assert SECRET not in repr(settings)


JIRA = "{name: jira, kind: jira, url: https://jira.example, project: OPS, email: bot@example.com, token: t, secret: 0123456789abcdef}"
SLACK = "{name: slack, kind: slack, channel: C012AB3CD, token: xoxb-1, secret: 0123456789abcdef}"
LINEAR = "{name: linear, kind: linear, team: ENG, client_id: c, client_secret: s, secret: 0123456789abcdef}"


@pytest.mark.parametrize(
    ("right", "was", "wrong", "problem"),
    [
        (JIRA, "project: OPS", "project: ops", "surfaces.0.jira.project: must be what the keys of its tickets begin with: OPS"),
        (JIRA, "project: OPS, ", "", "surfaces.0.jira.project: is missing"),
        (JIRA, "https://jira.example", "http://jira.example", "surfaces.0.jira.url: must begin with https://"),
        (JIRA, "https://jira.example", "https://jira.example/browse/OPS-1", "surfaces.0.jira.url: must be the address of the site alone: https://jira.example"),
        (JIRA, "https://jira.example", "https://api.atlassian.com/ex/jira/1", "surfaces.0.jira.url: must be the address of the site alone"),
        (LINEAR, "team: ENG", "team: ENG, url: 'https://linear.app/acme'", "surfaces.0.linear.url: must be the address of the site alone: https://linear.app"),
        (JIRA, "bot@example.com", "bot", "surfaces.0.jira.email: must be the mail address of the account"),
        (JIRA, "0123456789abcdef", "short", "surfaces.0.jira.secret: String should have at least 16 characters"),
        (SLACK, "C012AB3CD", "'#general'", "surfaces.0.slack.channel: must be the id of a channel, such as C012AB3CD"),
        (SLACK, "xoxb-1", "xoxp-1", "surfaces.0.slack.token: must be the Bot User OAuth Token of the app: it begins with xoxb-"),
        (SLACK, "name: slack", "name: Slack", "surfaces.0.slack.name: must be a word of small letters, digits and -, such as slack"),
        (LINEAR, "team: ENG", "project: ENG", "surfaces.0.linear.team: is missing"),
        (LINEAR, "client_id: c, ", "", "surfaces.0.linear.client_id: is missing"),
    ],
)  # fmt: skip
def test_a_mistake_about_a_tracker_is_told_with_its_place(
    tmp_path: Path, right: str, was: str, wrong: str, problem: str
) -> None:
    head = "public_url: https://askfirst.example\nsurfaces:\n  - "
    path = tmp_path / "right.yml"
    path.write_text(f"{head}{right}\n", encoding="utf-8")
    shown = repr(read_surfaces(path))
    assert "0123456789abcdef" not in shown
    assert problem in problems(tmp_path, f"{head}{right.replace(was, wrong)}\n")


@pytest.mark.parametrize(
    ("was", "wrong", "said"),
    [
        ("https://n8n.example/in", "http://n8n.example/in", "surfaces.0.webhook.url: must begin with https://"),
        (SECRET, "whsec_c2hvcnQ=", "must be whsec_ and 24 to 64 bytes in base64"),
        (SECRET, "plain", "must be whsec_ and 24 to 64 bytes in base64"),
        ("accounts: {n8n: octo@example}", 'accounts: {n8n: ""}', "people.0.accounts.n8n"),
        ("kind: webhook", "kind: telex", "surfaces.0: Input tag 'telex'"),
        ("id: 583231", "id: octocat", "people.0.id"),
        ("id: 583231, ", "", "people.0.id: is missing"),
        ("accounts: {n8n", "accounts: {slack", "there is no such surface"),
        ("people:", "peopel:", "peopel: is no setting here: look at its spelling"),
        ("  - {login", "  - {login: hubot, id: 2, accounts: {n8n: octo@example}}\n  - {login", "the same account"),
        ("public_url: https://askfirst.example", "", "public_url: is missing"),
        ("askfirst.example", "askfirst.example/app/webhook", "public_url: must be what stands before /webhook: https://askfirst.example/app"),
        ("n8n.example/in", "n8n.example/in#part", "surfaces.0.webhook.url: must be an address without a name before @ and without a part"),
        ("acme/orders", "https://github.com/acme/orders", "surfaces.0.webhook.repositories.0: must be owner/name, such as acme/orders"),
        ("login: octocat", 'login: "@octocat"', "people.0.login: must be a login of GitHub without @, such as octocat"),
        ("  - {login", "  - {login: Octocat, id: 3, accounts: {}}\n  - {login", "the file: two people have the login octocat"),
        ("id: 583231", "id: 583231, id: 2", "line 6: `id` stands here twice, first on line 6"),
        ("people:", "public_url: https://other.example\npeople:", "line 5: `public_url` stands here twice, first on line 2"),
    ],
)  # fmt: skip
def test_a_mistake_is_told_with_its_place(tmp_path: Path, was: str, wrong: str, said: str) -> None:
    assert said in problems(tmp_path, RIGHT.replace(was, wrong))


@pytest.mark.parametrize(
    ("surface", "account", "said"),
    [
        (SLACK, "@octocat", "@octocat is no account on slack: it must be the id of a member, such as U012AB3CD"),
        (JIRA, "octocat@example.com", "octocat@example.com is no account on jira: it must be the id at the end of the address"),
        (LINEAR, "@octocat", "@octocat is no account on linear: it must be the id of a user"),
    ],
)  # fmt: skip
def test_an_account_of_another_shape_than_its_surface_has_is_told(
    tmp_path: Path, surface: str, account: str, said: str
) -> None:
    name = surface.split(",", maxsplit=1)[0].removeprefix("{name: ")
    people = f"people:\n  - {{login: octocat, id: 1, accounts: {{{name}: '{account}'}}}}"
    text = f"public_url: https://askfirst.example\nsurfaces:\n  - {surface}\n{people}\n"
    assert said in problems(tmp_path, text)


def test_a_site_of_jira_may_be_named_by_its_id_for_tokens_with_scopes(tmp_path: Path) -> None:
    path = tmp_path / "right.yml"
    site = JIRA.replace("jira.example,", f"api.atlassian.com/ex/jira/{'0' * 36},")
    path.write_text(f"public_url: https://askfirst.example\nsurfaces:\n  - {site}\n", encoding="utf-8")
    assert read_surfaces(path).surface("jira") is not None


def test_what_clashes_is_told_beside_what_is_malformed_and_doubled(tmp_path: Path) -> None:
    wrong = RIGHT.replace("login: octocat", "login: '@octocat', id: 1").replace(
        "accounts: {n8n", "accounts: {slack"
    )
    assert problems(tmp_path, wrong).replace(str(tmp_path), "") == snapshot("""\
/surfaces.yml: line 6: `id` stands here twice, first on line 6
/surfaces.yml: people.0.login: must be a login of GitHub without @, such as octocat
/surfaces.yml: the file: people have the account octo@example on slack, and there is no such surface\
""")


def test_all_mistakes_are_told_at_once(tmp_path: Path) -> None:
    lines = problems(tmp_path, RIGHT.replace("id: 583231", "id: x").replace("kind: webhook", "kind: telex"))
    assert "surfaces.0: Input tag" in lines
    assert "people.0.id" in lines


@pytest.mark.parametrize(
    "wrong", [f"{SECRET}: x", f'"{SECRET}', f"{SECRET}\tx: [", f"!{SECRET} x", f"*{SECRET}"]
)
def test_a_line_that_is_no_yaml_is_named_and_its_secret_is_not_shown(tmp_path: Path, wrong: str) -> None:
    lines = problems(tmp_path, f"public_url: https://askfirst.example\nsecret: {wrong}\n")
    assert "line " in lines
    assert SECRET[6:] not in lines


def test_no_file_and_no_yaml_are_told_like_a_mistake(tmp_path: Path) -> None:
    with pytest.raises(SurfacesInvalid, match="cannot be read"):
        read_surfaces(tmp_path / "none.yml")
    assert "cannot be read" in problems(tmp_path, "a: [")
    assert "the file" in problems(tmp_path, "")


@pytest.mark.parametrize(
    "value", ["!!int ''", "!!float ''", "!!bool x", "!!timestamp x", "1" * 5_000, "[" * 5_000]
)
def test_a_value_that_yaml_cannot_build_is_told_like_a_mistake(tmp_path: Path, value: str) -> None:
    assert "cannot be read" in problems(tmp_path, f"public_url: {value}")
