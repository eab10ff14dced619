"""A client of the JSON API that sends its session as a bearer token."""

import base64
import hashlib
import hmac
import itertools
import json
import struct
import time
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import quote

import rig
from issuer import Issuer
from service import Mailbox

PASSWORD = "seven made-up words for a rig alone"


class Refused(Exception):
    """The service refused a request, or failed."""

    def __init__(self, answer: rig.Answer):
        self.answer, self.status, self.code = answer, answer.status, answer.code
        super().__init__(f"{answer.status} {answer.code or answer.body[:200]!r}")


def totp(secret: str, at: float | None = None) -> str:
    """Returns the six-digit code of RFC 6238 for a Base32 secret."""
    key = base64.b32decode(secret.upper() + "=" * (-len(secret) % 8))
    moment = struct.pack(">Q", int(time.time() if at is None else at) // 30)
    digest = hmac.new(key, moment, hashlib.sha1).digest()
    begin = digest[-1] & 15
    return f"{(struct.unpack('>I', digest[begin:begin + 4])[0] & 0x7FFFFFFF) % 1_000_000:06}"


def bearer(token: str) -> list[tuple[str, str]]:
    """Returns the header of a request with a bearer token."""
    return [("Authorization", f"Bearer {token}")]


@dataclass
class Account:
    """A signed-in user: the subject at the provider, the account ID, and the session token."""

    subject: str
    id: str
    token: str


class API:
    """The API of one instance."""

    # The address from which it is called.
    source = "127.0.0.1"

    def __init__(self, port: int, issuer: Issuer, provider: str = "demo"):
        self.port, self.issuer, self.provider = port, issuer, provider

    def call(self, method: str, path: str, body: object = None, token: str | None = None) -> rig.Answer:
        headers = [("Accept", "application/json")]
        if token is not None:
            headers += bearer(token)
        data = None
        if body is not None:
            headers.append(("Content-Type", "application/json"))
            data = json.dumps(body).encode()
        return rig.ask(self.port, method, path, headers, data, source=self.source)

    def must(self, method: str, path: str, body: object = None, token: str | None = None) -> dict:
        """Returns the JSON response of a call; raises Refused if its status is 300 or above."""
        answer = self.call(method, path, body, token)
        if answer.status >= 300:
            raise Refused(answer)
        return answer.json() if answer.body else {}

    def attempt(self, purpose: str = "sign-in", token: str | None = None) -> dict:
        return self.must("POST", "/v1/attempts", {"purpose": purpose, "provider": self.provider}, token)

    def credential(self, subject: str, purpose: str = "sign-in", token: str | None = None, **claims) -> dict:
        """Begins an attempt and returns a credential with an ID token for it."""
        begun = self.attempt(purpose, token)
        id_token = self.issuer.token(subject, begun["nonce"], **claims)
        return {"credential": {"type": "id-token", "token": id_token, "attempt": begun["attempt"]}}

    def sign_in(self, subject: str | None = None, **claims) -> Account:
        subject = subject or str(uuid.uuid4())
        answer = self.must("POST", "/v1/sign-in", self.credential(subject, **claims))
        return Account(subject, answer["account"]["id"], answer["tokens"]["sessionToken"])

    def sign_up(self, email: str) -> Account:
        """Creates an account with a password and an unverified e-mail address."""
        answer = self.must("POST", "/v1/sign-up", {"email": email, "password": PASSWORD})
        return Account(email, answer["account"]["id"], answer["tokens"]["sessionToken"])

    def prove_address(self, account: Account, mailbox: Mailbox) -> None:
        self.must("POST", "/v1/account/email-verification", token=account.token)
        # The second mail invalidates the link of the first, which was sent at sign-up.
        proof = {"token": mailbox.token("verify-email", account.subject, 2)}
        self.renewed(account, self.must("POST", "/v1/account/email-verification/confirm", proof, account.token))

    def link(self, account: Account, subject: str, **claims) -> None:
        credential = self.credential(subject, "link", account.token, **claims)
        self.renewed(account, self.must("POST", "/v1/link", credential, account.token))

    def enrol(self, account: Account) -> str:
        """Enrols a TOTP factor, which also raises the level of the session. Returns its secret."""
        begun = self.must("POST", "/v1/second-factors/totp", {"issuer": "Rig"}, account.token)
        assertion = {"type": "totp", "uid": begun["uid"], "code": totp(begun["secret"])}
        self.renewed(account, self.must("POST", "/v1/second-factors/confirm", {"assertion": assertion}, account.token))
        return begun["secret"]

    def renewed(self, account: Account, answer: dict) -> None:
        """Replaces the session token with that of a response, if it has one."""
        if answer.get("tokens"):
            account.token = answer["tokens"]["sessionToken"]

    def sessions(self, token: str) -> list[dict]:
        return self.must("GET", "/v1/sessions", token=token)["items"]

    def close(self, token: str, session: str) -> None:
        self.must("DELETE", f"/v1/sessions/{quote(session)}", token=token)

    def sign_out(self, token: str) -> None:
        self.must("POST", "/v1/sign-out", token=token)


class Elsewhere(API):
    """A client with a client ID of its own. It calls from another network each time, so that it meets no limit of a network."""

    def __init__(self, port: int, issuer: Issuer, provider: str, audience: str):
        super().__init__(port, issuer, provider)
        self.audience, self.networks = audience, networks()

    @property
    def source(self) -> str:
        return next(self.networks)

    def credential(self, subject: str, purpose: str = "sign-in", token: str | None = None, **claims) -> dict:
        return super().credential(subject, purpose, token, **{"aud": self.audience} | claims)


def networks() -> Iterator[str]:
    return (f"127.{number // 250 + 10}.{number % 250}.1" for number in itertools.count())
