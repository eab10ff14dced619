"""Making tokens: ordinary ones with joserfc, malformed ones by hand."""

import json

from joserfc import jws
from joserfc.jws import JWSRegistry

from keyring import Key, b64u

ABSENT = object()
"""As a change: take the member out."""


class Raw:
    """A piece of JSON text to be written exactly as given, such as 1e400 or "\\u006eone"."""

    def __init__(self, text: str):
        self.text = text


class Registry(JWSRegistry):
    """joserfc with its size limits lifted and extra header parameters allowed.

    The limits that these vectors are about belong to the reader under test.
    """

    max_header_length = 1 << 20
    max_payload_length = 1 << 20
    max_signature_length = 1 << 20

    def __init__(self, algorithm: str = "RS256"):
        super().__init__(algorithms=[algorithm], strict_check_header=False)


def json_text(value) -> str:
    """Compact JSON that keeps non-ASCII characters and honours Raw at any depth."""
    if isinstance(value, Raw):
        return value.text
    if isinstance(value, dict):
        return "{" + ",".join(f"{json.dumps(name)}:{json_text(item)}" for name, item in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(json_text(item) for item in value) + "]"
    return json.dumps(value, ensure_ascii=False)


def json_bytes(value) -> bytes:
    return value if isinstance(value, bytes) else json_text(value).encode("utf-8", "surrogatepass")


def changed(base: dict, changes: dict | None) -> dict:
    """A copy of base with members replaced, added, or taken out with ABSENT."""
    result = dict(base)
    for name, value in (changes or {}).items():
        result.pop(name, None) if value is ABSENT else result.update({name: value})
    return result


def assemble(header: bytes, payload: bytes, signature: bytes) -> str:
    return ".".join([b64u(header), b64u(payload), b64u(signature)])


def sign(key: Key, header, payload, algorithm: str | None = None) -> str:
    """A compact JWS by joserfc, or by hand where joserfc would not give the same bytes each time.

    A header given as bytes is signed as it stands, with the algorithm or else the key's own.
    """
    if isinstance(header, dict) and header["alg"].startswith("RS"):
        return jws.serialize_compact(header, json_bytes(payload), key.jose, registry=Registry(header["alg"]))
    if isinstance(header, dict):
        algorithm = header["alg"]
    message = signing_input(header, payload)
    return message.decode("ascii") + "." + b64u(key.sign_bytes(message, algorithm))


def signing_input(header, payload) -> bytes:
    return f"{b64u(json_bytes(header))}.{b64u(json_bytes(payload))}".encode("ascii")


def split(token: str) -> list[str]:
    return token.split(".")
