"""Does the example server of the README do what it says?

usage: example.py SERVICE_BINARY

SignInServer stands beside the service's binary: `swift build` makes both. Somebody signs in with a token of a provider on this
machine, and reads what is theirs alone.
"""

import shutil
import sys
import tempfile
from pathlib import Path

import rig
from api import API
from issuer import Issuer
from service import keys

# As the example is registered at its provider.
AUDIENCE = "client-1"


def main() -> int:
    if len(sys.argv) != 2:
        print("usage: example.py SERVICE_BINARY", file=sys.stderr)
        return 64
    binary = Path(sys.argv[1]).with_name("SignInServer")
    if not binary.exists():
        print(f"example: there is no {binary}; swift build --enable-all-traits makes it", file=sys.stderr)
        return 1
    checks = rig.Checks("example")
    folder = Path(tempfile.mkdtemp(prefix="example-"))
    try:
        with Issuer() as issuer:
            port = rig.free_port()
            environment = {
                "PATH": "/usr/bin:/bin",
                "HOME": str(folder),
                "PORT": str(port),
                "ISSUER": issuer.url,
                "STORE": str(folder / "accounts.sqlite"),
                "SECRETS": str(keys(folder / "accounts.keys")),
            }
            with rig.Program("example", [str(binary)], folder, env=environment, cwd=folder) as server:
                server.start(lambda: rig.listens(port))
                try_out(checks, API(port, issuer, "example"))
                checks.equal(server.stop(), 0, "told to end, it ends well")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return checks.end()


def try_out(checks: rig.Checks, api: API) -> None:
    refused = api.call("GET", "/notes")
    checks.equal((refused.status, refused.code), (401, "missing-session"), "a stranger reads nothing, and hears why")
    ada = api.sign_in("ada", aud=AUDIENCE)
    answer = api.call("GET", "/notes", token=ada.token)
    checks.equal((answer.status, answer.body), (200, f"the notes of {ada.id}\n".encode()), "a person reads what is theirs")
    again = api.sign_in("ada", aud=AUDIENCE)
    checks.equal(again.id, ada.id, "who comes again has the same account")
    wrong = api.credential("ada", aud="client-2")
    checks.equal(api.call("POST", "/v1/sign-in", wrong).code, "invalid-credential", "a token for another app is refused")
    api.sign_out(ada.token)
    checks.equal(api.call("GET", "/notes", token=ada.token).status, 401, "after signing out it is over")


if __name__ == "__main__":
    sys.exit(main())
