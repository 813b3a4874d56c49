"""The operator hears of every mistake at once, and no secret ever shows."""

from pathlib import Path

import pytest
from inline_snapshot import snapshot

from github_app.settings import SettingsIncomplete, read_settings

PEM = "-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----\n"
GOOD = {
    "ASKFIRST_APP_ID": "417",
    "ASKFIRST_CLIENT_ID": "Iv23liExample",
    "ASKFIRST_PRIVATE_KEY": PEM,
    "ASKFIRST_WEBHOOK_SECRET": "a webhook secret of some length",
    "ASKFIRST_MARKER_KEY": "a marker key of some length",
    "ASKFIRST_DATA_DIRECTORY": "/var/lib/askfirst",
}


def test_what_nobody_says_has_a_default() -> None:
    settings = read_settings(GOOD)
    assert settings.app_id == 417
    assert settings.database_url == "sqlite:////var/lib/askfirst/askfirst.sqlite"
    assert settings.api_url == "https://api.github.com"
    assert (settings.host, settings.port) == ("127.0.0.1", 8000)


@pytest.mark.parametrize(
    ("api_url", "server_url"),
    [
        ("https://api.github.com", "https://github.com"),
        ("https://api.acme-inc.ghe.com", "https://acme-inc.ghe.com"),
        ("https://api.acme-inc.ghe.com/", "https://acme-inc.ghe.com"),
        ("http://127.0.0.1:4000/api/v3", "http://127.0.0.1:4000"),
        ("https://api.acme.ghe.com.example", "https://api.acme.ghe.com.example"),
    ],
)
def test_links_lead_to_where_people_read(api_url: str, server_url: str) -> None:
    assert read_settings({**GOOD, "GITHUB_API_URL": api_url}).server_url == server_url


def test_the_data_directory_follows_the_desktop_standard() -> None:
    environment = {key: value for key, value in GOOD.items() if key != "ASKFIRST_DATA_DIRECTORY"}
    settings = read_settings({**environment, "XDG_DATA_HOME": "/home/octocat/data"})
    assert settings.database_url == "sqlite:////home/octocat/data/askfirst/askfirst.sqlite"


def test_all_mistakes_are_reported_at_once() -> None:
    with pytest.raises(SettingsIncomplete) as caught:
        read_settings(
            {"ASKFIRST_APP_ID": "four", "ASKFIRST_MARKER_KEY": "short", "GITHUB_API_URL": "api.github.com"}
        )
    assert str(caught.value) == snapshot("""\
Settings of the App are missing or wrong:
  - GITHUB_API_URL is 'api.github.com': set it to https://api.github.com, or https://api.SUBDOMAIN.ghe.com with data residency
  - ASKFIRST_APP_ID is 'four', which is not a number: set it to the number under 'App ID' on the App's settings page
  - ASKFIRST_CLIENT_ID is not set: set it to the 'Client ID' on the App's settings page
  - set exactly one of ASKFIRST_PRIVATE_KEY (the PEM that GitHub gave you) and ASKFIRST_PRIVATE_KEY_FILE (the path of that file)
  - ASKFIRST_WEBHOOK_SECRET is not set: set it to the 'Webhook secret' of the App
  - ASKFIRST_MARKER_KEY is shorter than 16 characters: set it to a secret of your own that signs our comments: `openssl rand -hex 32`
They come from the environment. If `askfirst-app setup` wrote a file: set -a; . ./app.env; set +a\
""")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("ASKFIRST_RETENTION_DAYS", "999999"),
        ("ASKFIRST_DOLLARS_PER_DAY", "0"),
        ("ASKFIRST_DOLLARS_PER_DAY", "nan"),
        ("ASKFIRST_DOLLARS_PER_DAY", "$20"),
        ("ASKFIRST_POLLING_SECONDS", "nan"),
        ("ASKFIRST_POLLING_SECONDS", "-1"),
        ("ASKFIRST_SECONDS_BETWEEN_WRITES", "nan"),
        ("ASKFIRST_COMMENT_LAG", "inf"),
        ("ASKFIRST_RUN_LAG", "-60"),
        ("ASKFIRST_PORT", "99999"),
        ("ASKFIRST_PORT", "http"),
    ],
)
def test_a_number_out_of_its_limits_is_a_mistake(name: str, value: str) -> None:
    """A worker would else end with each start, or never look for work."""
    with pytest.raises(SettingsIncomplete) as caught:
        read_settings({**GOOD, name: value})
    (problem,) = caught.value.problems
    assert problem.startswith(f"{name} is '{value}': set it to a number from ")


def test_a_private_key_may_stand_on_one_line_or_in_a_file(tmp_path: Path) -> None:
    one_line = read_settings({**GOOD, "ASKFIRST_PRIVATE_KEY": PEM.replace("\n", "\\n")})
    assert one_line.private_key == PEM
    file = tmp_path / "key.pem"
    file.write_text(PEM, encoding="ascii")
    from_file = read_settings({**GOOD, "ASKFIRST_PRIVATE_KEY": "", "ASKFIRST_PRIVATE_KEY_FILE": str(file)})
    assert from_file.private_key == PEM


@pytest.mark.parametrize("path", ["/nowhere/key.pem", "/etc/passwd"])
def test_a_file_that_is_missing_or_no_key_is_named(path: str) -> None:
    with pytest.raises(SettingsIncomplete) as caught:
        read_settings({**GOOD, "ASKFIRST_PRIVATE_KEY": "", "ASKFIRST_PRIVATE_KEY_FILE": path})
    assert len(caught.value.problems) == 1


def test_no_secret_shows_in_a_log_line() -> None:
    shown = repr(read_settings(GOOD))
    assert "secret of some length" not in shown
    assert "marker key" not in shown
    assert "RSA" not in shown
