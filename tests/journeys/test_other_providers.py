"""The whole program asks other providers than Anthropic, through their SDKs' clients and what the Action installs."""

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from inline_snapshot import snapshot

from tests.journeys.cloud_server import TOKEN, CloudServer, cloud, exception
from tests.journeys.conftest import CHECK, Ended, job_path, make_repository, scrubbed
from tests.journeys.messages_server import MessagesServer
from tests.journeys.scripts import ADDS_DRY_RUN, approves, completes, planned

CLOUD = Path(sys.executable).parent.parent / "cloud" / "bin" / "askfirst"
TICKET = "# Add a dry_run flag to POST /actions/stream\n\nPlease add a `dry_run` flag.\n"
FORMS = {"reading": [ADDS_DRY_RUN], "plans": [planned(None)]}

SECRET_KEY = "made/up+secret/access/key+0123456789abcd"
SESSION = "IQoJmadeUpSessionToken0123456789abcdefghijklmnop"
KEY_ID = "AKIAMADEUP0123456789"
BEDROCK_KEY = "ABSKmade-up-bedrock-key-0123456789"
SIGNED = {
    "AWS_ACCESS_KEY_ID": KEY_ID,
    "AWS_SECRET_ACCESS_KEY": SECRET_KEY,
    "AWS_SESSION_TOKEN": SESSION,
    "AWS_REGION": "us-east-1",
}


@pytest.fixture(scope="module")
def google_key() -> dict[str, str]:
    """The key of a service account that nobody has."""
    made = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    pem = made.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    return {
        "type": "service_account",
        "project_id": "made-up-project",
        "private_key_id": "0123456789abcdef0123456789abcdef",
        "private_key": pem.decode(),
        "client_email": "octocat@made-up-project.iam.gserviceaccount.com",
    }


def repository(folder: Path, model: str, **more: str) -> Path:
    configuration = {
        "check.py": CHECK,
        ".github/askfirst/config.yml": f"model: {model}\ntest_command: python3 check.py\n"
        + more.pop("budget", ""),
    }
    return make_repository("parcels_flask", folder / "quick", more={**configuration, **more})


def run(checkout: Path, folder: Path, environment: Mapping[str, str], *more: str) -> Ended:
    if not CLOUD.exists():
        pytest.skip("what other providers take is not installed: make .venv/cloud/installed")
    (folder / "ticket.md").write_text(TICKET)
    process = subprocess.run(
        [CLOUD, "run", "--repository", checkout, "--issue", "ticket.md", "--json", *more],
        cwd=folder,
        env=scrubbed(
            HOME=str(folder / "home"),
            XDG_CACHE_HOME=str(folder / "cache"),
            AWS_EC2_METADATA_DISABLED="true",
            NO_GCE_CHECK="true",
            PATH=job_path(),
            **environment,
        ),
        capture_output=True,
        text=True,
    )
    return Ended(process.returncode, process.stdout, process.stderr, folder / "askfirst-run")


def dollars(ended: Ended) -> dict[str, float]:
    lines = (ended.directory / "journal.jsonl").read_text().splitlines()
    events = [json.loads(line) for line in lines]
    return {event["stage"]: event["dollars"] for event in events if event.get("dollars")}


def notes(ended: Ended) -> list[str]:
    lines = (ended.directory / "journal.jsonl").read_text().splitlines()
    return [event["text"] for event in map(json.loads, lines) if event["event"] == "note"]


def failure(ended: Ended) -> dict[str, Any]:
    assert ended.exit_code == 1, ended.stderr
    told = ended.document("failure.json")
    return {key: told[key] for key in ("kind", "message", "why", "what_to_do")}


def everything(ended: Ended) -> str:
    files = [path.read_text() for path in ended.directory.rglob("*") if path.is_file()]
    return "".join([*files, ended.stdout, ended.stderr])


def no_trace_of(ended: Ended, *secrets: str) -> None:
    written = everything(ended)
    for secret in secrets:
        assert secret not in written
        assert secret[7:] not in written


def test_bedrock_is_asked_with_a_signature_and_its_stream_of_events_is_read(tmp_path: Path) -> None:
    checkout = repository(tmp_path, "eu.anthropic.claude-sonnet-5-5")
    with cloud(MessagesServer({}, FORMS)) as server:
        recording = tmp_path / "replies.jsonl"
        ended = run(
            checkout,
            tmp_path,
            {"ASKFIRST_PROVIDER": "bedrock", "ANTHROPIC_BEDROCK_BASE_URL": server.url, **SIGNED},
            "--record",
            str(recording),
        )
    assert ended.exit_code == 0, ended.stderr
    assert set(server.paths) == {"/model/eu.anthropic.claude-sonnet-5-5/invoke-with-response-stream"}
    signature = server.headers[0]["authorization"]
    assert signature.startswith(f"AWS4-HMAC-SHA256 Credential={KEY_ID}/")
    assert "/us-east-1/bedrock/aws4_request" in signature
    assert server.headers[0]["x-amz-security-token"] == SESSION
    # 100 and 20 tokens a reply, at 2 and 10 dollars a million, and a tenth more in a region.
    assert dollars(ended)["reading"] == pytest.approx(4.4e-4)
    assert recording.read_text().count("\n") > 1
    no_trace_of(ended, SECRET_KEY, SESSION, KEY_ID)
    assert not [secret for secret in (SECRET_KEY, SESSION, KEY_ID) if secret in recording.read_text()]


def test_bedrock_takes_a_key_of_its_own_and_errors_in_the_stream_are_tried_again(tmp_path: Path) -> None:
    checkout = repository(tmp_path, "global.anthropic.claude-sonnet-5-5")

    def throttled(server: CloudServer) -> None:
        server.first += [
            exception("throttlingException", "Too many requests"),
            exception("serviceUnavailableException", "Try again"),
        ]

    with cloud(MessagesServer({}, FORMS), throttled) as server:
        ended = run(
            checkout,
            tmp_path,
            {
                "ASKFIRST_PROVIDER": "bedrock",
                "ANTHROPIC_BEDROCK_BASE_URL": server.url,
                "AWS_REGION": "us-east-1",
                "AWS_BEARER_TOKEN_BEDROCK": BEDROCK_KEY,
            },
        )
    assert ended.exit_code == 0, ended.stderr
    assert server.headers[0]["authorization"] == f"Bearer {BEDROCK_KEY}"
    assert dollars(ended)["reading"] == pytest.approx(4e-4)
    assert len(server.says.asked) == len(server.paths) - 2
    no_trace_of(ended, BEDROCK_KEY)


def test_a_name_that_bedrock_does_not_know_says_how_names_look_there(tmp_path: Path) -> None:
    checkout = repository(tmp_path, "claude-sonnet-5-5")

    def unknown(server: CloudServer) -> None:
        said = {"message": "The provided model identifier is invalid."}
        server.first += [(400, "application/json", json.dumps(said).encode())] * 2  # the second is plainer

    with cloud(MessagesServer({}, FORMS), unknown) as server:
        environment = {"ASKFIRST_PROVIDER": "bedrock", "ANTHROPIC_BEDROCK_BASE_URL": server.url, **SIGNED}
        ended = run(checkout, tmp_path, environment)
    assert failure(ended) == snapshot(
        {
            "kind": "ModelRequestRejected",
            "message": "the provider does not accept the request (HTTP 400)",
            "why": "The provided model identifier is invalid.",
            "what_to_do": "Look at what these AWS credentials may do (bedrock:InvokeModelWithResponseStream), at AWS_REGION, and at the model's name: on Bedrock such as `model: global.anthropic.claude-sonnet-5-5` in .github/askfirst/config.yml. What was done before is kept: --resume DIR",
        }
    )
    no_trace_of(ended, SECRET_KEY, SESSION)


def test_without_credentials_nothing_is_sent_to_bedrock(tmp_path: Path) -> None:
    checkout = repository(tmp_path, "global.anthropic.claude-sonnet-5-5")
    with cloud(MessagesServer({}, FORMS)) as server:
        environment = {"ASKFIRST_PROVIDER": "bedrock", "ANTHROPIC_BEDROCK_BASE_URL": server.url}
        ended = run(checkout, tmp_path, {**environment, "AWS_REGION": "us-east-1"})
    assert server.paths == []
    assert failure(ended) == snapshot(
        {
            "kind": "ModelKeyMissing",
            "message": "no AWS credentials were found",
            "why": "neither variables, nor a profile, nor a role",
            "what_to_do": """\
Set a region and a Bedrock key (in a workflow: a repository secret), or credentials as for any AWS tool:
export AWS_REGION=us-east-1 AWS_BEARER_TOKEN_BEDROCK=...\
""",
        }
    )


def test_bedrock_counts_no_tokens_and_the_journal_says_so_once(tmp_path: Path) -> None:
    checkout = repository(tmp_path, "global.anthropic.claude-sonnet-5-5", budget="budget: {tokens: 12000}\n")
    says = MessagesServer({"coder": [[completes()]], "reviewer": [[approves()]]}, FORMS)
    with cloud(says) as server:
        environment = {"ASKFIRST_PROVIDER": "bedrock", "ANTHROPIC_BEDROCK_BASE_URL": server.url, **SIGNED}
        ended = run(checkout, tmp_path, environment, "--definition", "build")
    assert "coder turn 0" in says.asked, ended.stderr
    told = [note for note in notes(ended) if "does not count" in note]
    assert told == snapshot(
        [
            "The provider does not count tokens before a call, so the length of a prompt is guessed, and the guess is too high rather than too low: Token counting is not supported in Bedrock yet"
        ]
    )


def test_bedrocks_messages_endpoint_is_asked_with_a_signature_and_counts(tmp_path: Path) -> None:
    checkout = repository(tmp_path, "anthropic.claude-sonnet-5-5", budget="budget: {tokens: 12000}\n")
    says = MessagesServer({"coder": [[completes()]], "reviewer": [[approves()]]}, FORMS)
    with cloud(says) as server:
        environment = {
            "ASKFIRST_PROVIDER": "bedrock-mantle",
            "ANTHROPIC_BEDROCK_MANTLE_BASE_URL": server.url,
            **SIGNED,
        }
        ended = run(checkout, tmp_path, environment, "--definition", "build")
    assert {"/v1/messages", "/v1/messages/count_tokens"} == set(server.paths), ended.stderr
    assert "/us-east-1/bedrock-mantle/aws4_request" in server.headers[0]["authorization"]
    assert not [note for note in notes(ended) if "does not count" in note]
    no_trace_of(ended, SECRET_KEY, SESSION, KEY_ID)


def test_google_cloud_is_asked_with_a_token_for_a_key_that_no_file_holds(
    tmp_path: Path, google_key: dict[str, str]
) -> None:
    checkout = repository(tmp_path, "claude-sonnet-5-5")
    with cloud(MessagesServer({}, FORMS)) as server:
        key = json.dumps({**google_key, "token_uri": f"{server.url}/token"})
        environment = {
            "ASKFIRST_PROVIDER": "vertex",
            "ANTHROPIC_VERTEX_BASE_URL": f"{server.url}/v1",
            "CLOUD_ML_REGION": "europe-west1",
            "GOOGLE_CREDENTIALS": key,
        }
        ended = run(checkout, tmp_path, environment)
    assert ended.exit_code == 0, ended.stderr
    assert server.paths[:2] == [
        "/token",
        "/v1/projects/made-up-project/locations/europe-west1/publishers/anthropic/models/claude-sonnet-5-5:streamRawPredict",
    ]
    assert server.headers[1]["authorization"] == f"Bearer {TOKEN}"
    assert "model" not in json.loads(server.bodies[1])
    assert dollars(ended)["reading"] == pytest.approx(4.4e-4)
    lines = [line for line in google_key["private_key"].splitlines() if "KEY" not in line]
    no_trace_of(ended, TOKEN, *lines)


def test_google_cloud_takes_the_token_that_a_step_before_was_given(tmp_path: Path) -> None:
    checkout = repository(tmp_path, "claude-sonnet-5-5")
    with cloud(MessagesServer({}, FORMS)) as server:
        environment = {
            "ASKFIRST_PROVIDER": "vertex",
            "ANTHROPIC_VERTEX_BASE_URL": f"{server.url}/v1",
            "CLOUD_ML_REGION": "global",
            "GOOGLE_OAUTH_ACCESS_TOKEN": TOKEN,
            "ANTHROPIC_VERTEX_PROJECT_ID": "made-up-project",
        }
        ended = run(checkout, tmp_path, environment)
    assert ended.exit_code == 0, ended.stderr
    assert "/token" not in server.paths
    assert {headers["authorization"] for headers in server.headers} == {f"Bearer {TOKEN}"}
    no_trace_of(ended, TOKEN)


def test_where_google_does_not_let_anybody_in_the_run_says_how_to_sign_in(
    tmp_path: Path, google_key: dict[str, str]
) -> None:
    checkout = repository(tmp_path, "claude-sonnet-5-5")

    def refused(server: CloudServer) -> None:
        said = {"error": "invalid_grant", "error_description": "Invalid JWT Signature."}
        server.token = (400, "application/json", json.dumps(said).encode())

    with cloud(MessagesServer({}, FORMS), refused) as server:
        key = json.dumps({**google_key, "token_uri": f"{server.url}/token"})
        environment = {
            "ASKFIRST_PROVIDER": "vertex",
            "ANTHROPIC_VERTEX_BASE_URL": f"{server.url}/v1",
            "CLOUD_ML_REGION": "global",
            "GOOGLE_CREDENTIALS": key,
        }
        ended = run(checkout, tmp_path, environment)
    assert set(server.paths) == {"/token"}
    assert failure(ended) == snapshot(
        {
            "kind": "ModelKeyMissing",
            "message": "the provider cannot be asked, because signing in to it failed",
            "why": "invalid_grant: Invalid JWT Signature.",
            "what_to_do": """\
Set a region, a project and a service account's key, as JSON (in a workflow: a repository secret), or sign in:
export CLOUD_ML_REGION=global ANTHROPIC_VERTEX_PROJECT_ID=my-project GOOGLE_CREDENTIALS="$(cat key.json)"
gcloud auth application-default login
What was done before is kept: --resume DIR\
""",
        }
    )
    no_trace_of(ended, *[line for line in google_key["private_key"].splitlines() if "KEY" not in line])


@pytest.mark.parametrize("held", ["{not json", "[]", '{"type": "service_account"}'])
def test_what_is_no_key_is_not_shown(tmp_path: Path, held: str) -> None:
    checkout = repository(tmp_path, "claude-sonnet-5-5")
    environment = {"ASKFIRST_PROVIDER": "vertex", "CLOUD_ML_REGION": "global", "GOOGLE_CREDENTIALS": held}
    told = failure(run(checkout, tmp_path, environment))
    assert (told["kind"], told["message"]) == ("ModelKeyMissing", "no Google credentials were found")
    assert held not in json.dumps(told)


def test_a_server_of_chat_completions_is_asked_for_a_whole_change_and_tokens_are_its_budget(
    tmp_path: Path,
) -> None:
    checkout = repository(tmp_path, "house-model")
    says = MessagesServer({"coder": [[completes()]], "reviewer": [[approves()]]}, FORMS)
    with cloud(says) as server:
        environment = {"ASKFIRST_PROVIDER": "openai", "OPENAI_BASE_URL": f"{server.url}/v1"}
        ended = run(checkout, tmp_path, environment, "--definition", "build")
    assert says.asked == snapshot(["reading", "plans", "coder turn 0", "reviewer turn 0"])
    assert set(server.paths) == {"/v1/chat/completions"}
    assert dollars(ended) == {}
    assert [note for note in notes(ended) if "The price" in note] == snapshot(
        [
            """\
The price of `house-model` is unknown, so no dollars are counted, and only tokens limit what agents use. Tell its price on the base branch, in dollars per million tokens, in .github/askfirst/prices.yml:
models:
  house-model: {input: 2, output: 10, cache_write: 2.5, cache_read: 0.1, source: my contract, as_of: 2026-01-31}\
"""
        ]
    )


def test_a_budget_in_dollars_alone_is_no_budget_where_the_price_is_unknown(tmp_path: Path) -> None:
    checkout = repository(tmp_path, "house-model", budget="budget: {tokens: null}\n")
    with cloud(MessagesServer({}, FORMS)) as server:
        environment = {"ASKFIRST_PROVIDER": "openai", "OPENAI_BASE_URL": f"{server.url}/v1"}
        ended = run(checkout, tmp_path, environment, "--definition", "build")
    assert failure(ended) == snapshot(
        {
            "kind": "BudgetUnenforceable",
            "message": "the price of `house-model` is unknown",
            "why": "the budget limits dollars, and a limit that cannot be counted would be no limit",
            "what_to_do": """\
Limit tokens (`budget: {tokens: 2000000}` in .github/askfirst/config.yml). Or: Tell its price on the base branch, in dollars per million tokens, in .github/askfirst/prices.yml:
models:
  house-model: {input: 2, output: 10, cache_write: 2.5, cache_read: 0.1, source: my contract, as_of: 2026-01-31}\
""",
        }
    )


def test_another_servers_model_has_to_be_named(tmp_path: Path) -> None:
    checkout = make_repository("parcels_flask", tmp_path / "quick")
    ended = run(checkout, tmp_path, {"ASKFIRST_PROVIDER": "openai", "OPENAI_API_KEY": BEDROCK_KEY})
    assert failure(ended) == snapshot(
        {
            "kind": "ProviderUnusable",
            "message": "no model is named for this provider",
            "why": "its servers do not know `claude-sonnet-5-5`, the model of a repository that names none",
            "what_to_do": """\
Name it on the base branch, in .github/askfirst/config.yml
model: NAME\
""",
        }
    )
    no_trace_of(ended, BEDROCK_KEY)
