"""An OpenID provider that makes whatever token it is asked for: its keys are served on loopback, its tokens made in Python."""

import json
import threading
import time
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from joserfc import jwt
from joserfc.jwk import KeySet, RSAKey

AUDIENCE = "client-of-the-rig"
# Not a second short of what a token may live, so that no rig is late.
LIFETIME = 3600


class Issuer:
    """To be used with `with`. What it is reached at is its issuer, too."""

    def __init__(self):
        # Each path that was asked for, in the order in which that was.
        self.asked: list[str] = []
        # While it is down it answers 503 to everything.
        self.is_down = False
        self.key = RSAKey.generate_key(2048, {"use": "sig", "alg": "RS256", "kid": str(uuid.uuid4())})
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), self.handler())
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
        """An ID token; a claim that is None is left out."""
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

    def __enter__(self) -> "Issuer":
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_) -> None:
        self.server.shutdown()
        self.server.server_close()
