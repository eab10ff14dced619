"""Runs Canaille, an authorization server, on 127.0.0.1, with its data in memory.

usage: serve_canaille.py PORT

Its issuer is http://127.0.0.1:PORT. It knows one user, an API that introspects tokens, a client whose tokens are for this API,
and a client whose tokens are not.
"""

import sys

from canaille import create_app
from canaille.app import models
from canaille.backends import Backend
from joserfc.jwk import RSAKey
from werkzeug.serving import make_server

API, CLIENT, STRANGER = "orders-api", "shop", "stranger"
SECRET = "made-up-secret-of-each-client"
USER, PASSWORD = "ada", "made-up-password-of-ada"
# Canaille has no scopes of its own for an API.
SCOPES = ("profile", "email")


def add_client(name: str, audience: str) -> None:
    """Adds a client. The audience of its tokens is a client too, which may introspect them."""
    client = models.Client(
        client_id=name,
        client_name=name,
        client_secret=SECRET,
        client_uri="http://127.0.0.1",
        redirect_uris=["http://127.0.0.1:1/callback"],
        token_endpoint_auth_method="client_secret_basic",
        grant_types=["password", "client_credentials"],
        response_types=["code"],
        scope=list(SCOPES),
    )
    Backend.instance.save(client)
    client.audience = [Backend.instance.get(models.Client, client_id=audience)]
    Backend.instance.save(client)


def main() -> int:
    port = int(sys.argv[1])
    key = RSAKey.generate_key(2048, {"use": "sig"}).as_dict(private=True)
    settings = {
        "SECRET_KEY": "made-up",
        "SERVER_NAME": f"127.0.0.1:{port}",
        "PREFERRED_URL_SCHEME": "http",
        "CANAILLE": {"DATABASE": "memory"},
        "CANAILLE_OIDC": {"ACTIVE_JWKS": [key], "REQUIRE_NONCE": False},
    }
    app = create_app(settings)
    with app.app_context(), Backend.instance.session():
        Backend.instance.save(
            models.User(user_name=USER, family_name="Example", formatted_name="Ada Example", password=PASSWORD)
        )
        for name, audience in ((API, API), (CLIENT, API), (STRANGER, STRANGER)):
            add_client(name, audience)
    make_server("127.0.0.1", port, app, threaded=True).serve_forever()
    return 0


if __name__ == "__main__":
    sys.exit(main())
