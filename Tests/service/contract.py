"""Does every operation answer what /openapi.json says of it, whatever it is asked?

usage: contract.py SERVICE_BINARY [--examples 40] [--seed 20251009]

schemathesis asks each operation with what its description allows and with what it does not. No answer may be an error of
the service, or have a status, type of content, header or shape that the description does not name. Operations that want a
session get a new one each time, since some of them end it.
"""

import argparse
import os
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path

import schemathesis
from schemathesis.cli import schemathesis as command

import rig
from api import API
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
# No case takes longer, but one that hashes a password.
SECONDS = 20


def give_sessions(api: API) -> None:
    """Each request of an operation that wants a session has one that nothing was done with."""

    @schemathesis.auth(refresh_interval=None)
    class Session:
        def get(self, case, context) -> str | None:
            return api.sign_in().token if wants_session(context.operation) else None

        def set(self, case, data, context) -> None:
            if data is not None:
                case.headers = {**(case.headers or {}), "Authorization": f"Bearer {data}"}


def wants_session(operation) -> bool:
    return bool(operation.definition.raw.get("security"))


def check_description(checks: rig.Checks, description: dict) -> None:
    """What holds of the description as such."""
    checks.that(str(description.get("openapi", "")).startswith("3."), "the description is of OpenAPI 3")
    names = [
        operation.get("operationId")
        for path in description["paths"].values()
        for method, operation in path.items()
        if method in ("get", "put", "post", "patch", "delete")
    ]
    checks.that(
        names and None not in names and len(set(names)) == len(names), "each operation has a name of its own", names
    )


def main() -> int:
    parser = argparse.ArgumentParser(description="Compares the operations with their description.")
    parser.add_argument("binary")
    parser.add_argument("--examples", type=int, default=40)
    parser.add_argument("--seed", type=int, default=20251009)
    arguments = parser.parse_args()
    checks = rig.Checks("contract")
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="contract-")))
        issuer = stack.enter_context(Issuer())
        service = stack.enter_context(Service(arguments.binary, folder, issuer.url))
        api = API(service.port, issuer)
        check_description(checks, api.must("GET", "/openapi.json"))
        give_sessions(api)
        # It keeps what it found where it was begun.
        os.chdir(folder)
        here = f"http://127.0.0.1:{service.port}"
        status = command.main(
            [
                "run",
                f"{here}/openapi.json",
                "--url",
                here,
                "--checks",
                ",".join(CHECKS),
                "--seed",
                str(arguments.seed),
                "--max-examples",
                str(arguments.examples),
                "--request-timeout",
                str(SECONDS),
                "--phases",
                "examples,coverage,fuzzing",
                "--generation-deterministic",
                "--suppress-health-check",
                "all",
                "--no-color",
            ],
            prog_name="schemathesis",
            standalone_mode=False,
        )
        checks.that(not status, "every answer is as it is described", f"status {status}")
        checks.equal(api.call("GET", "/healthz").status, 200, "after all that the service is alive")
    return checks.end()


if __name__ == "__main__":
    sys.exit(main())
