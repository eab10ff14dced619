"""An OpenID provider that serves its keys on loopback and issues any requested token."""

import json
import threading
import time
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from joserfc import jwt
from joserfc.jwk import KeySet, RSAKey

AUDIENCE = "client-of-the-rig"
# The lifetime of tokens in seconds, long enough that none expires during a rig.
LIFETIME = 3600


class Issuer:
    """A context manager. Its URL is also its issuer identifier."""

    def __init__(self, port: int = 0, address: str = "127.0.0.1"):
        # The paths of all requests, in order.
        self.asked: list[str] = []
        # Whether it responds to every request with 503.
        self.is_down = False
        self.key = RSAKey.generate_key(2048, {"use": "sig", "alg": "RS256", "kid": str(uuid.uuid4())})
        self.server = ThreadingHTTPServer((address, port), self.handler())
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def handler(self) -> type[BaseHTTPRequestHandler]:
        issuer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                issuer.asked.append(self.path)
                found = issuer.documents().get(self.path)
                body = json.dumps(found).encode()
                self.send_response(503 if issuer.is_down else 200 if found else 404)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_) -> None:
                pass

        return Handler

    def documents(self) -> dict[str, dict]:
        discovery = {
            "issuer": self.url,
            "jwks_uri": f"{self.url}/keys",
            "authorization_endpoint": f"{self.url}/authorize",
            "token_endpoint": f"{self.url}/token",
            "response_types_supported": ["code"],
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": ["RS256"],
        }
        return {"/.well-known/openid-configuration": discovery, "/keys": KeySet([self.key]).as_dict(private=False)}

    def token(self, subject: str, nonce: str | None = None, **claims) -> str:
        """Returns an ID token; claims with the value None are omitted."""
        now = int(time.time())
        payload = {
            "iss": self.url,
            "aud": AUDIENCE,
            "sub": subject,
            "iat": now,
            "exp": now + LIFETIME,
            "nonce": nonce,
        } | claims
        header = {"alg": "RS256", "kid": self.key.kid, "typ": "JWT"}
        return jwt.encode(header, {name: value for name, value in payload.items() if value is not None}, self.key)

    def access_token(self, subject: str, **claims) -> str:
        """Returns an access token (RFC 9068) of the client `shop`."""
        now = int(time.time())
        payload = {
            "iss": self.url, "sub": subject, "client_id": "shop", "jti": str(uuid.uuid4()), "iat": now, "exp": now + LIFETIME,
        } | claims
        return jwt.encode({"alg": "RS256", "kid": self.key.kid, "typ": "at+jwt"}, payload, self.key)

    def __enter__(self) -> "Issuer":
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_) -> None:
        self.server.shutdown()
        self.server.server_close()
