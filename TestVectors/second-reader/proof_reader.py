"""Requests with DPoP proofs and client certificates: signatures and thumbprints by jwcrypto, URLs by urllib.

The other rules are those of RFC 9449 section 4.3 and of README.md, written a second time here.
"""

import base64
import hashlib
import hmac
import json
import re
from urllib.parse import quote, unquote_to_bytes, urlsplit

from engines import un_b64u
from jose_reader import canonical, read_jws, unique
from jwcrypto.common import base64url_encode
from jwcrypto.jwk import JWK

LATEST = 253_402_300_799
PORTS = {"http": 80, "https": 443}


def sha256(data: bytes) -> str:
    return base64url_encode(hashlib.sha256(data).digest())


def comparable(url: str) -> tuple:
    """Scheme, host, port and path of a URL, in one spelling."""
    parts = urlsplit(url)
    if parts.username is not None or not parts.hostname or not url.split("?")[0].split("#")[0].isascii():
        raise ValueError(url)
    port = parts.port if parts.port is not None else PORTS[parts.scheme]
    path = []
    for segment in re.sub("%([0-9A-Fa-f]{2})", respelled, parts.path or "/").split("/")[1:]:
        path = path[:-1] if segment == ".." else path if segment == "." else [*path, segment]
    ends_with_dots = re.search(r"/(\.|%2[Ee]){1,2}$", parts.path) is not None
    return parts.scheme, parts.hostname, port, (*path, "") if ends_with_dots else tuple(path)


def respelled(escape: re.Match) -> str:
    """One escaped octet, as quote() writes it."""
    return quote(bytes.fromhex(escape[1]), safe="")


def certificate_hash(certificate: dict) -> str:
    """The thumbprint of the certificate in a request; ValueError if it is malformed."""
    [(form, text)] = certificate.items()
    match form:
        case "der":
            der = bytes.fromhex(text)
        case "clientCert":
            [encoded] = re.findall(r"^:([^:]+):$", text)
            der = base64.b64decode(encoded, validate=True)
        case "escapedPEM":
            pem = unquote_to_bytes(text).decode("ascii").strip().splitlines()
            if "%" in re.sub("%[0-9A-Fa-f]{2}", "", text) or len(pem) < 3:
                raise ValueError("PEM")
            if (pem[0], pem[-1]) != ("-----BEGIN CERTIFICATE-----", "-----END CERTIFICATE-----"):
                raise ValueError("PEM")
            der = base64.b64decode("".join(pem[1:-1]), validate=True)
    if len(der) < 4 or der[0] != 0x30:
        raise ValueError("no sequence")
    # Certificates of this size have a length of two octets.
    if der[1] != 0x82 or int.from_bytes(der[2:4], "big") != len(der) - 4:
        raise ValueError("another length")
    return sha256(der)


def binds(request: dict, thumbprint: str | None, certificate: str | None, policy: dict) -> bool:
    """Whether the claim cnf of the token allows the key of the proof, and the certificate."""
    if "cnf" not in request:
        return thumbprint is None and not policy.get("requireBoundTokens")
    key, hashed = (request["cnf"].get(name) for name in ("jkt", "x5t#S256"))
    named = [value for name, value in request["cnf"].items() if name in ("jkt", "x5t#S256")]
    are_thumbprints = all(len(value) == 43 and canonical(value) for value in named)
    return bool(named) and are_thumbprints and key == thumbprint and hashed in (None, certificate)


def server_nonces(nonces: dict, now: float) -> list[str]:
    step = int(now // nonces["lifetime"])
    secret = bytes.fromhex(nonces["secret"])
    return [base64url_encode(hmac.digest(secret, f"DPoP nonce {step + one}".encode(), "sha256")[:16])
            for one in (-1, 0, 1)]


def is_timely(claims: dict, policy: dict, now: float) -> bool:
    if "nonces" in policy:
        return claims["nonce"] in server_nonces(policy["nonces"], now)
    return claims["iat"] <= now + policy.get("leeway", 0) and now < claims["iat"] + policy["maxAge"]


def read_proof(proof: str, policy: dict) -> tuple[dict, str] | None:
    """The claims of a proof and the thumbprint of its key, if it is signed by this key."""
    header = json.loads(un_b64u(proof.split(".")[0]), object_pairs_hook=unique)
    key = header["jwk"]
    if header["typ"] != "dpop+jwt" or key["kty"] == "RSA" and JWK(**key).get_op_key("verify").key_size > 4096:
        return None
    if not isinstance(key.get("kid", ""), str):
        return None
    # The name of the key means nothing in a proof, and would be looked for.
    named = {name: value for name, value in key.items() if name != "kid"} | (
        {"kid": header["kid"]} if "kid" in header else {})
    payload = read_jws(proof, [named], policy["algorithms"])
    if payload is None:
        return None
    return json.loads(payload, object_pairs_hook=unique), JWK(**key).thumbprint()


def claims_fit(claims: dict, request: dict, policy: dict) -> bool:
    issued, now = claims["iat"], request.get("now", policy["now"])
    texts = [claims[name] for name in ("jti", "htm", "htu", "ath", "nonce") if name in claims]
    return all([
        claims.keys() >= {"jti", "htm", "htu"} and all(isinstance(text, str) for text in texts),
        1 <= len(claims["jti"].encode("utf-8")) <= 256,
        not isinstance(issued, bool) and 0 <= issued <= LATEST,
        claims["htm"] == request["method"],
        comparable(claims["htu"]) == comparable(request["url"]),
        is_timely(claims, policy, now),
        "token" not in request or claims["ath"] == sha256(request["token"].encode("utf-8")),
    ])


def judge(request: dict, policy: dict, used: set) -> tuple[bool, str | None]:
    """Whether the request is accepted, and the thumbprint of the key of its proof."""
    try:
        certificate = certificate_hash(request["certificate"]) if "certificate" in request else None
        if "token" in request and not request["proofs"]:
            return binds(request, None, certificate, policy), None
        [proof] = request["proofs"]
        found = read_proof(proof, policy)
        if found is None:
            return False, None
        claims, thumbprint = found
        if not claims_fit(claims, request, policy):
            return False, None
        if "token" in request and not binds(request, thumbprint, certificate, policy):
            return False, None
    except Exception:  # A member is missing or has another type, or what jwcrypto lets through from below.
        return False, None
    use = thumbprint, claims["jti"]
    if use in used:
        return False, None
    used.add(use)
    return True, thumbprint


def accepts_request(group: dict, test: dict) -> bool:
    """Whether the request is accepted, after those before it, with the key that the test states."""
    used: set = set()
    inherited = {name: value for name, value in test.items() if name not in ("before", "result")}
    for earlier in test.get("before", []):
        accepted, _ = judge({**inherited, **earlier}, group["policy"], used)
        if accepted != (earlier["result"] == "verified"):
            return test["result"] != "verified"
    accepted, thumbprint = judge(test, group["policy"], used)
    return accepted and test.get("jkt", thumbprint) == thumbprint
