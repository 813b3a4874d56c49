"""Who serves the models: Anthropic, Amazon Bedrock, Google Cloud, or any server that speaks OpenAI's Chat Completions.

`ASKFIRST_PROVIDER` says which. Who asks is found as everywhere else on that provider, in its own variables and files;
nothing of it is stored here. The libraries for services other than Anthropic are extras, imported where they are used.
"""

import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from decimal import Decimal
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Protocol

from pipeline.contract.version import install_command
from pipeline.domain.errors import PipelineError
from pipeline.llm.failures import ModelKeyMissing
from pipeline.llm.messages_wire import MessagesWire
from pipeline.llm.prices import IN_A_REGION
from pipeline.llm.wire import Wire

if TYPE_CHECKING:
    import httpx2

PROVIDER_VARIABLE = "ASKFIRST_PROVIDER"
KEY_VARIABLE = "ANTHROPIC_API_KEY"

_IN_CONFIGURATION = "in .github/askfirst/config.yml"
_GOOGLE_SCOPE = "https://www.googleapis.com/auth/cloud-platform"


class ProviderUnusable(PipelineError):
    """The provider that was chosen is none, or what asking it takes is not installed."""


class Connect(Protocol):
    """Imports the SDK and makes its client, without retries of its own."""

    def __call__(self, *, timeout: "httpx2.Timeout", http_client: "httpx2.Client | None") -> Wire:
        """Connect.

        Raises:
            ModelKeyMissing: there is no key, and no user is signed in.
        """


@dataclass(frozen=True)
class Service:
    """One provider. `look_at` and `address` say where mistakes in its set-up are made.

    `premium` is the factor that its address adds to the listed prices, `needs_name` says that no model is the default
    there. Who asks is known to `connect` alone, which is a function, so that no representation shows it.
    """

    connect: Connect = field(repr=False)
    look_at: str
    address: str
    how_to_sign_in: str
    premium: Decimal = Decimal(1)
    protocol: str = "Anthropic's Messages API"
    needs_name: bool = False

    def refuse_default(self, name: str) -> None:
        """See that a model is named where this provider does not have the default one.

        Raises:
            ProviderUnusable: it has no default.
        """
        if self.needs_name:
            raise ProviderUnusable(
                "no model is named for this provider",
                why=f"its servers do not know `{name}`, the model of a repository that names none",
                what_to_do=f"Name it on the base branch, {_IN_CONFIGURATION}\nmodel: NAME",
            )


def service_of(environment: Mapping[str, str]) -> Service:
    """The provider that the environment names; Anthropic if it names none.

    Raises:
        ProviderUnusable: it names none that there is, or one whose libraries are not installed.
        ModelKeyMissing: there is no key for Anthropic.
    """
    provider = environment.get(PROVIDER_VARIABLE, "").strip() or "anthropic"
    make_service = _SERVICES.get(provider)
    if make_service is None:
        raise ProviderUnusable(
            f"unknown provider `{provider}` in {PROVIDER_VARIABLE}",
            why=f"use one of {', '.join(f'`{name}`' for name in _SERVICES)}",
            what_to_do=f"export {PROVIDER_VARIABLE}=openai",
        )
    return make_service(environment)


def _anthropic(environment: Mapping[str, str]) -> Service:
    """Anthropic's API, or whatever speaks it at ANTHROPIC_BASE_URL."""
    api_key = environment.get(KEY_VARIABLE, "").strip()
    if not api_key:
        why = "this stage asks a language model, and has nobody to ask"
        raise ModelKeyMissing(f"{KEY_VARIABLE} is not set", why=why, what_to_do=_KEY)

    def connect(*, timeout: "httpx2.Timeout", http_client: "httpx2.Client | None") -> Wire:
        import anthropic

        client = anthropic.Anthropic(
            api_key=api_key,
            base_url=environment.get("ANTHROPIC_BASE_URL") or None,
            max_retries=0,
            timeout=timeout,
            http_client=http_client,
        )
        return MessagesWire(client)

    return Service(
        connect,
        look_at=f"{KEY_VARIABLE}, at the model's name and at the account's credit",
        address="ANTHROPIC_BASE_URL",
        how_to_sign_in=_KEY,
    )


def _bedrock(environment: Mapping[str, str]) -> Service:
    """Bedrock's `InvokeModelWithResponseStream`, whose stream takes a library to read."""
    return _aws(
        environment,
        "AnthropicBedrock",
        look_at="what these AWS credentials may do (bedrock:InvokeModelWithResponseStream), at AWS_REGION, and at the "
        f"model's name: on Bedrock such as `model: global.anthropic.claude-sonnet-5-5` {_IN_CONFIGURATION}",
        address="ANTHROPIC_BEDROCK_BASE_URL",
        takes_library=True,
    )


def _bedrock_mantle(environment: Mapping[str, str]) -> Service:
    """Bedrock's endpoint that speaks the Messages API and counts tokens. With a Bedrock key it takes no AWS library."""
    return _aws(
        environment,
        "AnthropicBedrockMantle",
        look_at="what these AWS credentials may do, at AWS_REGION, and at the model's name: there such as `model: "
        f"anthropic.claude-sonnet-5-5` {_IN_CONFIGURATION}",
        address="ANTHROPIC_BEDROCK_MANTLE_BASE_URL",
        takes_library=not environment.get("AWS_BEARER_TOKEN_BEDROCK"),
    )


def _aws(
    environment: Mapping[str, str], client: str, *, look_at: str, address: str, takes_library: bool
) -> Service:
    """A client of the SDK with a Bedrock key, or with whatever credentials AWS's library finds."""
    if takes_library:
        _refuse_without("boto3", "bedrock")

    def connect(*, timeout: "httpx2.Timeout", http_client: "httpx2.Client | None") -> Wire:
        import anthropic

        _refuse_without_aws(environment)
        connection = getattr(anthropic, client)(max_retries=0, timeout=timeout, http_client=http_client)
        if not takes_library:
            return MessagesWire(connection)
        from botocore.exceptions import BotoCoreError

        return MessagesWire(connection, (BotoCoreError,))

    return Service(connect, look_at=look_at, address=address, how_to_sign_in=_AWS)


def _vertex(environment: Mapping[str, str]) -> Service:
    """Google Cloud's own offer of the models: with an access token, or whatever credentials Google's library finds."""
    region, access_token, project = (
        environment.get(name, "").strip()
        for name in ("CLOUD_ML_REGION", "GOOGLE_OAUTH_ACCESS_TOKEN", "ANTHROPIC_VERTEX_PROJECT_ID")
    )
    if not region:
        raise _key_missing("no Google Cloud region is named", "CLOUD_ML_REGION is not set", _GOOGLE)
    if not access_token:
        _refuse_without("google.auth", "vertex")

    def connect(*, timeout: "httpx2.Timeout", http_client: "httpx2.Client | None") -> Wire:
        import anthropic

        identity: dict[str, Any] = {"access_token": access_token, "project_id": project}
        not_signed_in: tuple[type[Exception], ...] = ()
        if not access_token:
            from google.auth.exceptions import GoogleAuthError

            not_signed_in = (GoogleAuthError,)
            try:
                credentials, default_project = _google_credentials(environment)
            except (GoogleAuthError, ValueError) as error:
                raise _key_missing("no Google credentials were found", _first_line(error), _GOOGLE) from error
            identity = {"credentials": credentials, "project_id": project or default_project}
        if not identity["project_id"]:
            raise _key_missing("no Google Cloud project is named", "the credentials name none", _GOOGLE)
        client = anthropic.AnthropicVertex(
            region=region, max_retries=0, timeout=timeout, http_client=http_client, **identity
        )
        return MessagesWire(client, not_signed_in)

    return Service(
        connect,
        look_at="what these Google credentials may do (aiplatform.endpoints.predict), at ANTHROPIC_VERTEX_PROJECT_ID, at "
        f"CLOUD_ML_REGION (`{region}`), and at the model's name: `model: claude-sonnet-5-5` {_IN_CONFIGURATION}",
        address="ANTHROPIC_VERTEX_BASE_URL",
        how_to_sign_in=_GOOGLE,
        premium=Decimal(1) if region == "global" else IN_A_REGION,
    )


def _openai(environment: Mapping[str, str]) -> Service:
    """OpenAI, or whatever speaks its Chat Completions at OPENAI_BASE_URL. A server of one's own may want no key."""
    _refuse_without("openai", "openai")
    base_url = environment.get("OPENAI_BASE_URL", "").strip() or None
    api_key = environment.get("OPENAI_API_KEY", "").strip()
    if not api_key and base_url is None:
        raise _key_missing("OPENAI_API_KEY is not set", "OPENAI_BASE_URL names no other server", _OPENAI)

    def connect(*, timeout: "httpx2.Timeout", http_client: "httpx2.Client | None") -> Wire:
        import openai

        from pipeline.llm.chat_wire import ChatWire

        client = openai.OpenAI(
            api_key=api_key or "none",
            base_url=base_url,
            max_retries=0,
            timeout=timeout,
            http_client=http_client,
        )
        return ChatWire(client)

    return Service(
        connect,
        look_at=f"OPENAI_API_KEY, and at the model's name: `model:` {_IN_CONFIGURATION}",
        address="OPENAI_BASE_URL",
        how_to_sign_in=_OPENAI,
        protocol="OpenAI's Chat Completions",
        needs_name=True,
    )


_SERVICES: Mapping[str, Callable[[Mapping[str, str]], Service]] = {
    "anthropic": _anthropic,
    "bedrock": _bedrock,
    "bedrock-mantle": _bedrock_mantle,
    "vertex": _vertex,
    "openai": _openai,
}

_KEY = (
    "Set the key (in a workflow: a repository secret), or use recorded replies: --replay FILE\n"
    f"export {KEY_VARIABLE}=..."
)
_AWS = (
    "Set a region and a Bedrock key (in a workflow: a repository secret), or credentials as for any AWS tool:\n"
    "export AWS_REGION=us-east-1 AWS_BEARER_TOKEN_BEDROCK=..."
)
_OPENAI = (
    "Set the key (in a workflow: a repository secret), or name a server that speaks Chat Completions:\n"
    "export OPENAI_API_KEY=...\n"
    "export OPENAI_BASE_URL=http://127.0.0.1:8000/v1"
)
_GOOGLE = (
    "Set a region, a project and a service account's key, as JSON (in a workflow: a repository secret), or sign in:\n"
    'export CLOUD_ML_REGION=global ANTHROPIC_VERTEX_PROJECT_ID=my-project GOOGLE_CREDENTIALS="$(cat key.json)"\n'
    "gcloud auth application-default login"
)


def _refuse_without(module: str, extra: str) -> None:
    with suppress(ModuleNotFoundError):
        if find_spec(module) is not None:
            return
    raise ProviderUnusable(
        f"`{module}` is not installed",
        why=f"{PROVIDER_VARIABLE} names a provider that needs it, and a plain installation leaves it out",
        what_to_do=install_command(extra),
    )


def _refuse_without_aws(environment: Mapping[str, str]) -> None:
    """Find out before the first request whether there is a region and anybody to sign it."""
    region = environment.get("AWS_REGION") or environment.get("AWS_DEFAULT_REGION")
    if region and environment.get("AWS_BEARER_TOKEN_BEDROCK"):
        return
    import boto3
    from botocore.exceptions import BotoCoreError

    try:
        session = boto3.Session()
        if not (region or session.region_name):
            raise _key_missing(
                "no AWS region is named", "AWS_REGION is not set, and no profile names one", _AWS
            )
        if session.get_credentials() is None:
            raise _key_missing(
                "no AWS credentials were found", "neither variables, nor a profile, nor a role", _AWS
            )
    except BotoCoreError as error:
        raise _key_missing("no AWS credentials were found", _first_line(error), _AWS) from error


def _google_credentials(environment: Mapping[str, str]) -> tuple[Any, str | None]:
    """Credentials, and the project that they name: a key that a variable holds, which needs no file, else the usual ones."""
    import google.auth
    from google.oauth2.service_account import Credentials

    key_text = environment.get("GOOGLE_CREDENTIALS", "").strip()
    if not key_text:
        credentials, project = google.auth.default(scopes=[_GOOGLE_SCOPE])
        return credentials, project
    try:
        key: object = json.loads(key_text)
    except (ValueError, RecursionError):
        key = None
    if not isinstance(key, dict):
        raise ValueError("GOOGLE_CREDENTIALS does not hold a service account's key in JSON")  # noqa: TRY004 (no type)
    credentials = Credentials.from_service_account_info(key, scopes=[_GOOGLE_SCOPE])
    return credentials, credentials.project_id


def _key_missing(message: str, why: str, what_to_do: str) -> ModelKeyMissing:
    return ModelKeyMissing(message, why=why, what_to_do=what_to_do)


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0][:300]
