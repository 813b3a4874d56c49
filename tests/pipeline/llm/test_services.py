"""Which provider is asked, and what is said where it cannot be. What asking takes is tried in `tests/journeys`."""

import os
import subprocess
import sys
from collections.abc import Mapping
from contextlib import closing

import pytest
from inline_snapshot import snapshot

from pipeline.contract.version import install_command
from pipeline.llm.client import ModelClient
from pipeline.llm.failures import ModelKeyMissing, ModelRequestRejected
from pipeline.llm.services import ProviderUnusable, service_of
from tests.pipeline.llm.messages_api import KEY, MessagesApi, counted, message, request, text


def test_without_a_choice_it_is_anthropic() -> None:
    for named in ({}, {"ASKFIRST_PROVIDER": ""}, {"ASKFIRST_PROVIDER": "anthropic"}):
        assert service_of({"ANTHROPIC_API_KEY": KEY, **named}).address == "ANTHROPIC_BASE_URL"


def test_a_provider_that_there_is_not_is_refused_with_those_that_there_are() -> None:
    with pytest.raises(ProviderUnusable) as caught:
        service_of({"ASKFIRST_PROVIDER": "azure", "ANTHROPIC_API_KEY": KEY})
    assert str(caught.value) == snapshot("""\
unknown provider `azure` in ASKFIRST_PROVIDER
use one of `anthropic`, `bedrock`, `bedrock-mantle`, `vertex`, `openai`
export ASKFIRST_PROVIDER=openai\
""")


@pytest.mark.parametrize(
    ("environment", "extra"),
    [
        ({"ASKFIRST_PROVIDER": "bedrock"}, "bedrock"),
        ({"ASKFIRST_PROVIDER": "bedrock-mantle"}, "bedrock"),
        ({"ASKFIRST_PROVIDER": "vertex", "CLOUD_ML_REGION": "global"}, "vertex"),
    ],
)
def test_a_library_that_is_missing_is_named_before_anything_runs(
    environment: Mapping[str, str], extra: str
) -> None:
    with pytest.raises(ProviderUnusable, match="is not installed") as caught:
        service_of(environment)
    assert caught.value.what_to_do == install_command(extra)
    assert f"[{extra}]'" in install_command(extra)


def test_google_cloud_needs_a_region_because_it_says_where_requests_may_go() -> None:
    with pytest.raises(ModelKeyMissing, match="no Google Cloud region is named"):
        service_of({"ASKFIRST_PROVIDER": "vertex"})


def test_a_key_that_is_missing_is_a_mistake_in_the_set_up_and_not_of_one_ticket() -> None:
    assert issubclass(ModelKeyMissing, ModelRequestRejected)


def test_bedrocks_messages_endpoint_takes_no_library_with_a_key_of_its_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name, value in {
        "ASKFIRST_PROVIDER": "bedrock-mantle",
        "AWS_BEARER_TOKEN_BEDROCK": KEY,
        "AWS_REGION": "us-east-1",
    }.items():
        monkeypatch.setenv(name, value)
    service, api = service_of(os.environ), MessagesApi(counted(50), message(text("done")))
    with closing(ModelClient(service, http_client=api.http_client())) as model:
        assert (model.count_tokens(request()), model.reply(request()).text) == (51, "done")
        assert KEY not in f"{service!r} {vars(service)!r} {model!r} {vars(model)!r}"
    assert api.hosts == ["bedrock-mantle.us-east-1.api.aws"] * 2
    assert [headers["authorization"] for headers in api.headers] == [f"Bearer {KEY}"] * 2


@pytest.mark.process
def test_choosing_a_provider_imports_neither_the_sdk_nor_a_terminal() -> None:
    """A resumed run may find every answer in its memo: it must not pay for what it does not ask."""
    heavy = "anthropic boto3 google httpx2 rich"
    code = (
        "import sys; from pipeline.llm.client import ModelClient;"
        "from pipeline.llm.services import service_of; from pipeline.terminal.progress import Progress;"
        "ModelClient(service_of({'ANTHROPIC_API_KEY': 'made-up'})).close(); Progress(sys.stderr, live=True);"
        f"print({{name.split('.')[0] for name in sys.modules}} & {{*'{heavy}'.split()}})"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert said.stdout.strip() == "set()"
