"""The configuration of Glewlwyd, a package of Debian: a file for what it reads when it starts, and its API for everything else."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import browser
import client
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

MODULES = Path("/usr/lib/glewlwyd")
TABLES = Path("/usr/share/dbconfig-common/data/glewlwyd/install/sqlite3")
# The administrator that the tables contain.
ADMINISTRATOR = ("admin", "password")
# The name of the plugin, which is part of the issuer.
PLUGIN = "oidc"
SCOPES = ("openid", "profile", "email", "orders:read", "orders:write")
TOKEN_SECONDS = 3600
# The maximum age of a DPoP proof.
PROOF_SECONDS = 60


def prepare(folder: Path, port: int) -> Path:
    """Creates the database and the configuration file, and returns the file."""
    database = folder / "database"
    with closing(sqlite3.connect(database)) as connection:
        connection.executescript(TABLES.read_text())
    # Its sign-in page is a script, which the browser of these tests replaces.
    pages, nothing = folder / "pages", folder / "nothing"
    for made in (pages, nothing):
        made.mkdir()
    (pages / "login.html").touch()
    settings = {
        "port": port,
        "bind_address": "127.0.0.1",
        "external_url": f"http://127.0.0.1:{port}",
        "cookie_domain": "127.0.0.1",
        "api_prefix": "api",
        "login_url": "login.html",
        "static_files_path": str(pages),
        "log_mode": "console",
        "log_level": "WARNING",
        "admin_scope": "g_admin",
        "profile_scope": "g_profile",
        "hash_algorithm": "SHA512",
        "user_module_path": str(MODULES / "user"),
        # The package contains none.
        "user_middleware_module_path": str(nothing),
        "client_module_path": str(MODULES / "client"),
        "user_auth_scheme_module_path": str(MODULES / "scheme"),
        "plugin_module_path": str(MODULES / "plugin"),
    }
    lines = [f"{name} = {json.dumps(value)};" for name, value in settings.items()]
    file = folder / "configuration"
    file.write_text("\n".join([*lines, f'database = {{ type = "sqlite3"; path = "{database}"; }};', ""]))
    return file


class Administration:
    """A signed-in administrator."""

    def __init__(self, origin: str):
        self.origin, self.browser = origin, browser.Browser(ADMINISTRATOR[0])
        # The APIs for which tokens are issued (RFC 8707), by scope.
        self.resources: dict[str, list[str]] = {}
        self.browser.send("POST", f"{origin}/api/auth/", dict(zip(("username", "password"), ADMINISTRATOR)))

    def call(self, method: str, path: str, body: dict) -> None:
        self.browser.send(method, f"{self.origin}/api/{path}", body)

    def add_all(self) -> None:
        """Adds the plugin, the scopes, the relying party and the users."""
        names = {"module": "oidc", "name": PLUGIN, "display_name": "OpenID Connect", "order_rank": 0}
        self.call("POST", "mod/plugin/", names | {"parameters": self.plugin()})
        # The tables contain openid.
        for scope in SCOPES[1:]:
            self.call("POST", "scope/", {"name": scope, "display_name": scope})
        secret = {"client_secret": client.SECRET, "token_endpoint_auth_method": ["client_secret_post"]}
        self.add_client(client.ID, client.REDIRECT_URI, confidential=True, **secret)
        for user in client.USERS:
            person = {"username": user, "name": user.title(), "email": f"{user}@corp.example", "password": client.PASSWORD}
            self.call("POST", "user/", person | {"enabled": True, "scope": ["g_profile", *SCOPES]})

    def add_client(self, name: str, redirect_uri: str, **properties) -> None:
        application = {"client_id": name, "name": name, "enabled": True, "scope": [], "authorization_type": ["code"]}
        self.call("POST", "client/", application | {"redirect_uri": [redirect_uri]} | properties)

    def add_service(self, name: str) -> None:
        """Adds a client that acts for itself, by client credentials."""
        self.add_client(
            name, client.REDIRECT_URI, confidential=True, client_secret=client.SECRET,
            token_endpoint_auth_method=["client_secret_basic"], scope=list(SCOPES[3:]),
            authorization_type=["client_credentials"],
        )

    def protect(self, resources: dict[str, list[str]]) -> None:
        self.resources = resources
        self.rotate()

    def rotate(self) -> None:
        parameters = {"display_name": "OpenID Connect", "order_rank": 0, "parameters": self.plugin()}
        self.call("PUT", f"mod/plugin/{PLUGIN}", parameters)
        self.call("PUT", f"mod/plugin/{PLUGIN}/reset", {})

    def plugin(self) -> dict:
        """Returns the parameters of the plugin, with a new key."""
        key = rsa.generate_private_key(65537, 2048)
        return {
            "iss": f"{self.origin}/api/{PLUGIN}",
            "jwt-type": "rsa",
            "jwt-key-size": "256",
            "key": key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode(),
            "cert": key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode(),
            "jwks-show": True,
            "access-token-duration": TOKEN_SECONDS,
            "refresh-token-duration": TOKEN_SECONDS,
            "code-duration": TOKEN_SECONDS,
            "auth-type-code-enabled": True,
            "auth-type-client-enabled": True,
            "auth-type-refresh-enabled": True,
            # A request without the scope openid is one of OAuth 2.0.
            "allow-non-oidc": True,
            "pkce-allowed": True,
            "pkce-required": True,
            "name-claim": "mandatory",
            "email-claim": "mandatory",
            "resource-allowed": True,
            "resource-scope": self.resources,
            "resource-client-property": "",
            "resource-scope-and-client-property": False,
            "oauth-dpop-allowed": True,
            "oauth-dpop-iat-duration": PROOF_SECONDS,
            "introspection-revocation-allowed": True,
            "introspection-revocation-allow-target-client": True,
            "register-client-allowed": True,
            "register-client-auth-scope": [],
            "register-client-credentials-scope": [],
        }
