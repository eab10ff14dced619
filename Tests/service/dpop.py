"""DPoP proofs (RFC 9449) of a client."""

import base64
import hashlib
import time
import uuid
from dataclasses import dataclass

from joserfc import jwt
from joserfc.jwk import ECKey


def encoded(data: bytes) -> str:
    """Returns base64url without padding."""
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


@dataclass
class Key:
    """The key of a client that makes proofs."""

    key: ECKey

    @property
    def confirmation(self) -> dict[str, str]:
        """The claim `cnf` of tokens that are bound to the key."""
        return {"jkt": self.key.thumbprint()}

    def proof(self, method: str, url: str, token: str | None = None, nonce: str | None = None) -> str:
        claims = {"jti": str(uuid.uuid4()), "htm": method, "htu": url, "iat": int(time.time())}
        if token is not None:
            claims["ath"] = encoded(hashlib.sha256(token.encode()).digest())
        if nonce is not None:
            claims["nonce"] = nonce
        return jwt.encode({"typ": "dpop+jwt", "alg": "ES256", "jwk": self.key.as_dict(private=False)}, claims, self.key)


def new_key() -> Key:
    return Key(ECKey.generate_key("P-256"))


def credentials(token: str | None = None, proof: str | None = None) -> list[tuple[str, str]]:
    """Returns the headers of a request with an access token, and a proof for it."""
    headers = []
    if token is not None:
        headers.append(("Authorization", f"{'Bearer' if proof is None else 'DPoP'} {token}"))
    if proof is not None:
        headers.append(("DPoP", proof))
    return headers
