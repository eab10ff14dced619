"""Checks that every operation conforms to /openapi.json, for valid and invalid requests.

usage: contract.py SERVICE_BINARY [--examples 40] [--seed 20251009]

schemathesis generates requests that satisfy the description of an operation, and requests that violate it. No response may be a
server error, or have a status, content type, header or body that the description does not allow. Each request of an operation
that requires a session has a new one, because some operations close it.
"""

import argparse
import json
import os
import sys
import tempfile
from contextlib import ExitStack
from itertools import chain
from pathlib import Path

import requests
import schemathesis
from requests.adapters import HTTPAdapter
from schemathesis.cli import schemathesis as command

import rig
from api import API, Elsewhere, networks
from issuer import Issuer
from service import Service

CHECKS = (
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_headers_conformance",
    "response_schema_conformance",
    "negative_data_rejection",
    "missing_required_header",
    "unsupported_method",
    "ignored_auth",
)
# The statuses of refused requests: a text beyond its limit makes the body larger than its own.
REFUSED = (400, 401, 403, 404, 405, 406, 409, 413, 415, 422, 428, 429, "5xx")
# Enough for operations that hash a password, the slowest ones.
SECONDS = 20
SEED = 20251009


def give_sessions(api: API) -> None:
    """Gives each request of an operation that requires a session a new one."""

    @schemathesis.auth(refresh_interval=None)
    class Session:
        def get(self, case, context) -> str | None:
            return api.sign_in().token if wants_session(context.operation) else None

        def set(self, case, data, context) -> None:
            if data is not None:
                case.headers = {**(case.headers or {}), "Authorization": f"Bearer {data}"}


class Far(HTTPAdapter):
    """Sends each request from another network, so that it meets no limit of a network."""

    sources = networks()

    def send(self, *arguments, **options):
        self.poolmanager.clear()
        self.init_poolmanager(1, 1, source_address=(next(self.sources), 0))
        return super().send(*arguments, **options)


def wants_session(operation) -> bool:
    return bool(operation.definition.raw.get("security"))


def check_description(checks: rig.Checks, description: dict) -> None:
    """Checks the description itself."""
    checks.that(str(description.get("openapi", "")).startswith("3."), "the description is an OpenAPI 3 document")
    names = [
        operation.get("operationId")
        for path in description["paths"].values()
        for method, operation in path.items()
        if method in ("get", "put", "post", "patch", "delete")
    ]
    checks.that(
        names and None not in names and len(set(names)) == len(names), "each operation has a unique operationId", names
    )


def check(
    checks: rig.Checks, api: API, folder: Path, examples: int, seed: int = SEED, phases: str = "examples,coverage,fuzzing"
) -> None:
    """Checks the operations of any server of the API. schemathesis writes its results into the folder."""
    check_description(checks, api.must("GET", "/openapi.json"))
    give_sessions(api)
    if isinstance(api, Elsewhere):
        requests.sessions.HTTPAdapter = Far
    os.chdir(folder)
    Path("schemathesis.toml").write_text(f"[checks.negative_data_rejection]\nexpected-statuses = {json.dumps(REFUSED)}\n")
    here = f"http://127.0.0.1:{api.port}"
    options = {
        "--url": here,
        "--checks": ",".join(CHECKS),
        "--seed": str(seed),
        "--max-examples": str(examples),
        "--request-timeout": str(SECONDS),
        "--phases": phases,
        "--suppress-health-check": "all",
    }
    words = ["run", f"{here}/openapi.json", *chain(*options.items()), "--generation-deterministic", "--no-color"]
    try:
        status = command.main(words, prog_name="schemathesis", standalone_mode=False)
    except SystemExit as end:
        status = end.code
    checks.that(not status, "every response conforms to the description", f"status {status}")
    checks.equal(api.call("GET", "/healthz").status, 200, "the service is alive afterwards")


def main() -> int:
    parser = argparse.ArgumentParser(description="Compares the operations with their description.")
    parser.add_argument("binary")
    parser.add_argument("--examples", type=int, default=40)
    parser.add_argument("--seed", type=int, default=SEED)
    arguments = parser.parse_args()
    checks = rig.Checks("contract")
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="contract-")))
        issuer = stack.enter_context(Issuer())
        service = stack.enter_context(Service(arguments.binary, folder, issuer.url))
        check(checks, API(service.port, issuer), folder, arguments.examples, arguments.seed)
    return checks.end()


if __name__ == "__main__":
    sys.exit(main())
