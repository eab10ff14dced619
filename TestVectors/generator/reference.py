"""A reference model of the checks and their order, for the self-check only.

It says what each token's verdict ought to be, written independently of the cases, so that a case that
is refused for another reason than its own is found when the files are made. Signatures are joserfc's.
"""

import hashlib

from joserfc import jws
from joserfc.errors import JoseError
from joserfc.jwk import RSAKey

from keyring import un_b64u
from strict import is_number, read_base64url, read_json, usable
from tokens import Registry

TOKEN_BYTES_MAX, HEADER_BYTES_MAX, SIGNATURE_BYTES_MAX = 16_384, 4096, 1024
LATEST = 253_402_300_799
JWE_PARAMETERS = {"enc", "zip", "epk", "apu", "apv", "p2s", "p2c", "iv", "tag"}
FACEBOOK_ISSUERS = ["https://www.facebook.com", "https://www.facebook.com/", "https://facebook.com"]


class Refused(Exception):
    def __init__(self, code: str):
        super().__init__(code)
        self.code = code


def check(holds: bool, code: str) -> None:
    if not holds:
        raise Refused(code)


def attempt(function, argument, code: str):
    try:
        return function(argument)
    except ValueError as error:
        raise Refused(code) from error


def joserfc_verifies(token: str, jwk: dict) -> bool:
    """Whether joserfc finds the signature of a compact JWS good."""
    public = {name: jwk[name] for name in ("kty", "n", "e")}
    try:
        jws.deserialize_compact(token, RSAKey.import_key(public), registry=Registry())
    except (JoseError, ValueError):
        return False
    return True


def form(token: str) -> tuple[dict, bytes, bytes]:
    """Checks one to four: size, segments, encoding, header."""
    check(len(token.encode("utf-8")) <= TOKEN_BYTES_MAX, "too-large")
    check(token.count(".") != 4, "encrypted-token")
    check(token.count(".") == 2, "segments")
    segments = token.split(".")
    check(bool(segments[0] and segments[2]), "segments")
    check(len(segments[0]) * 3 // 4 <= HEADER_BYTES_MAX, "too-large")
    check(len(segments[2]) * 3 // 4 <= SIGNATURE_BYTES_MAX, "too-large")
    header, payload, signature = (attempt(read_base64url, segment, "encoding") for segment in segments)
    value = attempt(read_json, header, "header")
    check(isinstance(value, dict) and not JWE_PARAMETERS & set(value), "header")
    return value, payload, signature


def header_policy(header: dict, policy: dict, kind: str) -> None:
    check("crit" not in header and header.get("b64", True) is True, "critical-header")
    if kind == "id-token":
        kind_of_token = header.get("typ", None if policy.get("requireType") else "JWT")
        check(isinstance(kind_of_token, str), "token-type")
        check(kind_of_token.lower() in ("jwt", "application/jwt"), "token-type")
        content = header.get("cty", "")
        check(isinstance(content, str) and content not in ("JWT", "application/jwt"), "token-type")
    algorithm = header.get("alg")
    check(isinstance(algorithm, str) and algorithm in policy.get("algorithms", ["RS256"]), "algorithm")


def choose_key(header: dict, keys: list[dict], kid_required: bool) -> dict:
    if "kid" not in header:
        check(not kid_required, "key-id")
        candidates = [key for key in keys if usable(key)]
        check(bool(candidates), "key-not-found")
    else:
        kid = header["kid"]
        check(isinstance(kid, str) and 0 < len(kid.encode("utf-8")) <= 256, "key-id")
        named = [key for key in keys if key.get("kid") == kid]
        check(bool(named), "key-not-found")
        candidates = [key for key in named if usable(key)]
        check(bool(candidates), "key-unusable")
    check(len(candidates) == 1, "key-ambiguous")
    return candidates[0]


def check_signature(token: str, signature: bytes, jwk: dict) -> None:
    check(len(signature) == len(un_b64u(jwk["n"])), "signature")
    check(joserfc_verifies(token, jwk), "signature")


def issuer_and_audience(claims: dict, policy: dict) -> list[str]:
    check("iss" in claims, "missing-claim")
    check(isinstance(claims["iss"], str), "claim-type")
    check(claims["iss"] in policy.get("issuers", FACEBOOK_ISSUERS), "issuer")
    check("aud" in claims, "missing-claim")
    audiences = [claims["aud"]] if isinstance(claims["aud"], str) else claims["aud"]
    check(isinstance(audiences, list) and all(isinstance(item, str) for item in audiences), "claim-type")
    own = set(policy["audiences"])
    check(bool(own & set(audiences)), "audience")
    check(set(audiences) <= own | set(policy.get("trustedAudiences", [])), "audience")
    return audiences


def presence_and_types(claims: dict, is_facebook: bool) -> None:
    for name in ["sub", "exp", "iat"] + ["jti"] * is_facebook:
        check(name in claims, "missing-claim")
    check(not is_facebook or claims["jti"] != "", "missing-claim")
    for name in ("sub", "azp", "nonce", "jti"):
        check(isinstance(claims.get(name, ""), str), "claim-type")
    for name in ("exp", "iat", "nbf"):
        value = claims.get(name, 0)
        check(is_number(value) and 0 <= value <= LATEST, "claim-type")


def people_and_times(claims: dict, audiences: list[str], policy: dict) -> None:
    if "azp" in claims:
        check(claims["azp"] in policy["audiences"] + policy.get("authorizedParties", []), "authorized-party")
    else:
        check(len(set(audiences)) == 1, "authorized-party")
    subject = claims["sub"]
    check(0 < len(subject) <= 255 and subject.isascii(), "subject")
    check(subject == policy.get("subject", subject), "subject")
    now, leeway = policy["now"], policy.get("leeway", 0)
    check(now < claims["exp"] + leeway and claims["exp"] > claims["iat"], "expired")
    check(claims.get("nbf", 0) <= now + leeway, "not-yet-valid")
    check(claims["iat"] <= now + leeway, "issued-in-future")
    check("maxAge" not in policy or now - claims["iat"] <= policy["maxAge"] + leeway, "too-old")


def check_nonce(claims: dict, expected) -> None:
    if expected == "absent":
        check("nonce" not in claims, "nonce")
    elif expected != "not-checked":
        [(mode, value)] = expected.items()
        wanted = hashlib.sha256(value.encode("utf-8")).hexdigest() if mode == "sha256" else value
        check(value != "" and claims.get("nonce") == wanted, "nonce")


def verify(kind: str, policy: dict, keys: list[dict], test: dict) -> tuple[dict | None, bytes]:
    """The claims (for an ID token) and the payload, or Refused."""
    token = test["token"]
    header, payload, signature = form(token)
    header_policy(header, policy, kind)
    is_facebook = policy.get("provider") == "facebook"
    claims = None
    if kind == "id-token":
        claims = attempt(read_json, payload, "payload")
        check(isinstance(claims, dict), "payload")
        check("events" not in claims, "token-type")
        audiences = issuer_and_audience(claims, policy)
    check_signature(token, signature, choose_key(header, keys, is_facebook))
    if claims is not None:
        presence_and_types(claims, is_facebook)
        people_and_times(claims, audiences, policy)
        check_nonce(claims, test.get("nonce", policy["nonce"]))
    return claims, payload
