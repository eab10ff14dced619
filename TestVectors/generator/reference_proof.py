"""A reference model of the checks of proofs and bindings and their order, for the self-check only.

It is written from README.md and RFC 9449, independently of the cases.
"""

import base64
import hashlib
import hmac
import re

from joserfc.jwk import ECKey, OKPKey, RSAKey

from keyring import PUBLIC_MEMBERS, b64u
from reference import Refused, attempt, check, check_signature, form, is_time
from strict import algorithms_of, read_base64url, read_json

ID_BYTES_MAX, URL_BYTES_MAX, MODULUS_BITS_MAX, CERTIFICATE_BYTES_MAX = 256, 2048, 4096, 16_384
UNRESERVED = re.compile(r"[A-Za-z0-9._~-]")
KEYS = {"RSA": RSAKey, "EC": ECKey, "OKP": OKPKey}


def target_uri(text: str) -> str:
    """The URL as it is compared, or ValueError."""
    text = re.split(r"[?#]", text, maxsplit=1)[0]
    match = re.fullmatch(r"(https?)://([^/]*)(/.*)?", text, re.IGNORECASE | re.DOTALL)
    if len(text.encode("utf-8")) > URL_BYTES_MAX or match is None:
        raise ValueError("no URL with http or https")
    if not re.fullmatch(r"([A-Za-z0-9._~:/\[\]@!$&'()*+,;=-]|%[0-9A-Fa-f]{2})*", text):
        raise ValueError("a character that must be escaped")
    scheme, path = match[1].lower(), match[3] or ""
    address = re.fullmatch(r"(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*)(?::([0-9]{0,5}))?", match[2])
    if address is None:
        raise ValueError("host or port")
    host, usual = address[1].lower(), 443 if scheme == "https" else 80
    last = host.rsplit(".", 1)[-1]
    if host[0] != "[" and re.fullmatch(r"[0-9]+|0x[0-9a-f]*", last):
        if not re.fullmatch(r"(?:(?:0|[1-9][0-9]?|1[0-9]{2}|2[0-4][0-9]|25[0-5])(?:\.|$)){4}", host):
            raise ValueError("a number that is no address")
    port = int(address[2] or usual)
    if not 1 <= port <= 65_535:
        raise ValueError("port")
    return f"{scheme}://{host}{'' if port == usual else f':{port}'}{without_dots(unescape(path))}"


def unescape(path: str) -> str:
    def one(match: re.Match) -> str:
        letter = chr(int(match[0][1:], 16))
        return letter if UNRESERVED.fullmatch(letter) else match[0].upper()
    return re.sub(r"%[0-9A-Fa-f]{2}", one, path)


def without_dots(path: str) -> str:
    """RFC 3986 section 5.2.4 for an absolute path."""
    segments = path.split("/")[1:]
    kept = []
    for segment in segments:
        if segment == "..":
            kept = kept[:-1]
        elif segment != ".":
            kept.append(segment)
    if segments and segments[-1] in (".", ".."):
        kept.append("")
    return "/" + "/".join(kept)


def certificate_thumbprint(certificate: dict) -> str:
    """The thumbprint of the certificate in a header field, or Refused."""
    [(form_, text)] = certificate.items()
    try:
        return b64u(hashlib.sha256(one_sequence(DECODERS[form_](text))).digest())
    except ValueError as error:
        raise Refused("certificate-malformed") from error


def plain_base64(text: str) -> bytes:
    octets = base64.b64decode(text, validate=True)
    if base64.b64encode(octets).decode("ascii") != text:
        raise ValueError("another spelling")
    return octets


def from_field(text: str) -> bytes:
    if len(text) > 2 * CERTIFICATE_BYTES_MAX or not re.fullmatch(r":[^:]+:", text):
        raise ValueError("no byte sequence")
    return plain_base64(text[1:-1])


def from_escaped_pem(text: str) -> bytes:
    if len(text) > 4 * CERTIFICATE_BYTES_MAX or re.search(r"%(?![0-9A-Fa-f]{2})", text):
        raise ValueError("not percent-encoded")
    pem = re.sub(r"%([0-9A-Fa-f]{2})", lambda match: chr(int(match[1], 16)), text)
    lines = re.sub(r"\n+$", "", pem.replace("\r\n", "\n")).split("\n")
    if len(lines) < 3 or lines[0] != "-----BEGIN CERTIFICATE-----" or lines[-1] != "-----END CERTIFICATE-----":
        raise ValueError("not one PEM block")
    return plain_base64("".join(lines[1:-1]))


DECODERS = {"clientCert": from_field, "escapedPEM": from_escaped_pem, "der": bytes.fromhex}


def one_sequence(der: bytes) -> bytes:
    """The DER itself if it is exactly one sequence, with its length in the shortest form."""
    if not 2 <= len(der) <= CERTIFICATE_BYTES_MAX or der[0] != 0x30 or der[1] == 0x80:
        raise ValueError("no sequence")
    size, octets = (der[1], b"") if der[1] < 0x80 else (None, der[2:2 + (der[1] & 0x7F)])
    if size is None:
        size = int.from_bytes(octets, "big")
        if len(octets) != der[1] & 0x7F or size < 0x80 or octets[0] == 0:
            raise ValueError("length")
    if len(der) != 2 + len(octets) + size:
        raise ValueError("length")
    return der


def is_thumbprint(value) -> bool:
    try:
        return isinstance(value, str) and len(read_base64url(value)) == 32
    except ValueError:
        return False


def check_binding(request: dict, thumbprint: str | None, certificate: str | None, policy: dict) -> None:
    bound = request.get("cnf")
    if "cnf" in request:
        check(isinstance(bound, dict) and bool({"jkt", "x5t#S256"} & set(bound)), "confirmation-unsupported")
        for name in ("jkt", "x5t#S256"):
            check(name not in bound or is_thumbprint(bound[name]), "confirmation-unsupported")
    bound = bound or {}
    check(bool(bound) or not policy.get("requireBoundTokens"), "proof-required")
    if thumbprint is None:
        check("jkt" not in bound, "proof-required")
    else:
        check(bound.get("jkt") == thumbprint, "proof-binding")
    if "x5t#S256" in bound:
        check(certificate is not None, "certificate-required")
        check(bound["x5t#S256"] == certificate, "certificate-binding")


def as_proof(function, *arguments):
    """The result of a check that tokens have too, with the code of proofs."""
    try:
        return function(*arguments)
    except Refused as refusal:
        raise Refused("proof-malformed") from refusal


def header_rules(header: dict, policy: dict) -> str:
    check("crit" not in header and header.get("b64", True) is True, "proof-malformed")
    check(header.get("typ") == "dpop+jwt", "proof-type")
    algorithm = header.get("alg")
    check(isinstance(algorithm, str) and algorithm in policy["algorithms"], "proof-algorithm")
    return algorithm


def read_claims(payload: bytes) -> dict:
    claims = attempt(read_json, payload, "proof-malformed")
    check(isinstance(claims, dict), "proof-malformed")
    check(all(name in claims for name in ("jti", "htm", "htu", "iat")), "proof-claim")
    check(all(isinstance(claims.get(name, ""), str) for name in ("jti", "htm", "htu", "ath", "nonce")), "proof-claim")
    check(0 < len(claims["jti"].encode("utf-8")) <= ID_BYTES_MAX, "proof-claim")
    check(is_time(claims["iat"]), "proof-claim")
    return claims


def nonce_of(policy: dict, now: float, ahead: int = 0) -> str:
    """The nonce of the server: an HMAC of the number of the time step."""
    step = int(now // policy["nonces"]["lifetime"]) + ahead
    secret = bytes.fromhex(policy["nonces"]["secret"])
    return b64u(hmac.digest(secret, f"DPoP nonce {step}".encode(), hashlib.sha256)[:16])


def check_time(claims: dict, policy: dict, now: float) -> None:
    if "nonces" in policy:
        check(claims.get("nonce") in [nonce_of(policy, now, step) for step in (-1, 0, 1)], "proof-nonce")
        return
    check(claims["iat"] <= now + policy.get("leeway", 0), "proof-in-future")
    check(now < claims["iat"] + policy["maxAge"], "proof-too-old")


def read_key(header: dict, algorithm: str) -> dict:
    jwk = header.get("jwk")
    check(isinstance(jwk, dict) and algorithm in algorithms_of(jwk), "proof-key")
    if jwk["kty"] == "RSA":
        check(int.from_bytes(read_base64url(jwk["n"]), "big").bit_length() <= MODULUS_BITS_MAX, "proof-key")
    return jwk


def thumbprint_of(jwk: dict) -> str:
    public = {name: jwk[name] for name in PUBLIC_MEMBERS if name in jwk and name != "kid"}
    return KEYS[jwk["kty"]].import_key(public).thumbprint()


def verify_request(request: dict, policy: dict, used: set) -> str | None:
    """The thumbprint of the proof's key, None if the request needs no proof, or Refused."""
    certificate = certificate_thumbprint(request["certificate"]) if "certificate" in request else None
    token, proofs, now = request.get("token"), request["proofs"], request.get("now", policy["now"])
    if token is not None and not proofs:
        check_binding(request, None, certificate, policy)
        return None
    check(bool(proofs), "proof-required")
    check(len(proofs) == 1, "proof-malformed")
    header, payload, signature = as_proof(form, proofs[0], {})
    algorithm = header_rules(header, policy)
    claims = read_claims(payload)
    check(claims["htm"] == request["method"], "proof-method")
    check(attempt(target_uri, claims["htu"], "proof-url") == attempt(target_uri, request["url"], "proof-url"),
          "proof-url")
    check_time(claims, policy, now)
    if token is not None:
        check(claims.get("ath") == b64u(hashlib.sha256(token.encode("utf-8")).digest()), "proof-token-hash")
    jwk = read_key(header, algorithm)
    thumbprint = thumbprint_of(jwk)
    if token is not None:
        check_binding(request, thumbprint, certificate, policy)
    try:
        check_signature(proofs[0], signature, jwk)
    except Refused as refusal:
        raise Refused("proof-signature") from refusal
    check((thumbprint, claims["jti"]) not in used, "proof-replayed")
    used.add((thumbprint, claims["jti"]))
    return thumbprint


def verify_in_order(policy: dict, test: dict) -> str | None:
    """The verdict on a test after the requests that were sent before; ValueError if one of those differs."""
    used: set = set()
    inherited = {name: test[name] for name in ("method", "url", "token", "cnf", "certificate", "now") if name in test}
    for earlier in test.get("before", []):
        try:
            verify_request({**inherited, **earlier}, policy, used)
            verdict = "verified"
        except Refused:
            verdict = "refused"
        if verdict != earlier["result"]:
            raise ValueError(f"an earlier request is {verdict}")
    return verify_request(test, policy, used)
