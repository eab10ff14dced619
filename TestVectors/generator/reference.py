"""A reference model of the checks and their order, for the self-check only.

It says what each token's verdict ought to be, written independently of the cases, so that a case that
is refused for another reason than its own is found when the files are made. Signatures are joserfc's.
"""

import hashlib
import json
import re
from collections.abc import Callable

from joserfc import jws
from joserfc.errors import JoseError
from joserfc.jwk import OctKey

from curves import CURVES
from keyring import ALL_ALGORITHMS, JOSE_KEYS, PUBLIC_MEMBERS, b64u, un_b64u
from strict import algorithms_of, identity, is_number, published_keys, read_base64url, read_json
from tokens import Registry

TOKEN_BYTES_MAX, HEADER_BYTES_MAX, SIGNATURE_BYTES_MAX = 16_384, 4096, 1024  # unless the policy says otherwise
KEYS_PER_ID_MAX = 4
LATEST = 253_402_300_799
JWE_PARAMETERS = {"enc", "zip", "epk", "apu", "apv", "p2s", "p2c", "iv", "tag"}
TENANT = "{tenantid}"
ISSUERS = {
    "facebook": ["https://www.facebook.com", "https://www.facebook.com/", "https://facebook.com"],
    "google": ["https://accounts.google.com", "accounts.google.com"],
    "apple": ["https://appleid.apple.com"],
    "microsoft": [f"https://login.microsoftonline.com/{TENANT}/v2.0"],
}
REQUIRED = {"facebook": ["jti"], "microsoft": ["tid"]}


KINDS = {"id": "id", "access": "access", "bearer": "access", "dpop": "dpop", "refresh": "refresh", "offline": "refresh",
         "logout": "logout"}


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
    public = {name: jwk[name] for name in PUBLIC_MEMBERS if name in jwk and name != "kid"}
    try:
        header = json.loads(un_b64u(token.split(".")[0]))
        key = JOSE_KEYS[public["kty"]].import_key(public)
        jws.deserialize_compact(token, key, registry=Registry(header["alg"]))
    except (JoseError, ValueError, KeyError, TypeError):
        return False
    return True


def mac_verifies(token: str, secret: dict) -> bool:
    """Whether joserfc finds the code of a compact JWS good, with this secret alone."""
    try:
        key = OctKey.import_key(un_b64u(secret["octets"]))
        jws.deserialize_compact(token, key, registry=Registry(secret["algorithm"]))
    except (JoseError, ValueError, KeyError, TypeError):
        return False
    return True


def check_kid(header: dict) -> None:
    """The form of a kid, which nothing is looked up by."""
    kid = header.get("kid", "none")
    check(isinstance(kid, str) and 0 < len(kid.encode("utf-8")) <= 256, "key-id")


def check_mac(header: dict, token: str, secret: dict) -> None:
    check_kid(header)
    check(mac_verifies(token, secret), "signature")


def form(token: str, policy: dict) -> tuple[dict, bytes, bytes]:
    """Checks one to four: size, segments, encoding, header."""
    check(len(token.encode("utf-8")) <= policy.get("tokenBytes", TOKEN_BYTES_MAX), "too-large")
    check(token.count(".") != 4, "encrypted-token")
    check(token.count(".") == 2, "segments")
    segments = token.split(".")
    check(bool(segments[0] and segments[2]), "segments")
    check(len(segments[0]) * 3 // 4 <= policy.get("headerBytes", HEADER_BYTES_MAX), "too-large")
    check(len(segments[2]) * 3 // 4 <= SIGNATURE_BYTES_MAX, "too-large")
    header, payload, signature = (attempt(read_base64url, segment, "encoding") for segment in segments)
    value = attempt(read_json, header, "header")
    check(isinstance(value, dict) and not JWE_PARAMETERS & set(value), "header")
    return value, payload, signature


def header_policy(header: dict, policy: dict, kind: str) -> str:
    """The algorithm."""
    check("crit" not in header and header.get("b64", True) is True, "critical-header")
    if kind == "id-token":
        kind_of_token = header.get("typ", None if policy.get("requireType") else "JWT")
        check(isinstance(kind_of_token, str), "token-type")
        check(kind_of_token.lower() in ("jwt", "application/jwt"), "token-type")
        content = header.get("cty", "")
        check(isinstance(content, str), "token-type")
        check(not re.match(r"(application/)?jwt([; ]|$)|[^; ]*\+jwt([; ]|$)", content, re.IGNORECASE), "token-type")
    return allowed_algorithm(header, policy, ["RS256"])


def allowed_algorithm(header: dict, policy: dict, default) -> str:
    """The algorithm: that of the secret, or else one of those of keys."""
    algorithm = header.get("alg")
    allowed = policy.get("algorithms", default)
    if "secret" in policy:
        allowed = [policy["secret"]["algorithm"]]
    check(isinstance(algorithm, str) and algorithm in allowed, "algorithm")
    check(algorithm in ALL_ALGORITHMS or "secret" in policy, "algorithm")
    return algorithm


def choose_keys(header: dict, keys: list[dict], kid_required: bool, fits: Callable[[dict], bool]) -> list[dict]:
    if "kid" not in header:
        check(not kid_required, "key-id")
        candidates = [key for key in keys if fits(key)]
        check(bool(candidates), "key-not-found")
    else:
        kid = header["kid"]
        check(isinstance(kid, str) and 0 < len(kid.encode("utf-8")) <= 256, "key-id")
        named = [key for key in keys if key.get("kid") == kid]
        check(bool(named), "key-not-found")
        candidates = [key for key in named if fits(key)]
        check(bool(candidates), "key-unusable")
    different = {identity(key): key for key in candidates}
    check(len(different) <= (KEYS_PER_ID_MAX if "kid" in header else 1), "key-ambiguous")
    return list(different.values())


def signature_length(jwk: dict) -> int:
    if jwk["kty"] == "RSA":
        return len(un_b64u(jwk["n"]))
    return 64 if jwk["kty"] == "OKP" else 2 * CURVES[jwk["crv"]].coordinate_size


def check_signature(token: str, signature: bytes, *keys: dict) -> None:
    fitting = [jwk for jwk in keys if len(signature) == signature_length(jwk)]
    check(any(joserfc_verifies(token, jwk) for jwk in fitting), "signature")


def with_tenant(issuer: str, claims: dict) -> str | None:
    """The issuer with the token's tenant in its place; None if the token names none as it should, or another."""
    tenant = claims.get("tid")
    if not isinstance(tenant, str) or not re.fullmatch("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", tenant):
        return None
    filled = issuer.replace(TENANT, tenant)
    return filled if tenant in filled else None


def issuer_and_audience(claims: dict, policy: dict) -> list[str]:
    check(claims.get("iss") is not None, "missing-claim")
    check(isinstance(claims["iss"], str), "claim-type")
    issuers = policy.get("issuers") or ISSUERS[policy["provider"]]
    if policy.get("provider") == "microsoft":
        issuers = [with_tenant(issuer, claims) for issuer in issuers]
    check(claims["iss"] in issuers, "issuer")
    check(claims.get("aud") is not None, "missing-claim")
    audiences = [claims["aud"]] if isinstance(claims["aud"], str) else claims["aud"]
    check(isinstance(audiences, list) and all(isinstance(item, str) for item in audiences), "claim-type")
    own = set(policy["audiences"])
    check(bool(own & set(audiences)), "audience")
    check(set(audiences) <= own | set(policy.get("trustedAudiences", [])), "audience")
    return audiences


def serves_issuer(jwk: dict, claims: dict | None, provider: str | None) -> bool:
    """Microsoft's keys may name the issuer that they are for."""
    if provider != "microsoft" or "issuer" not in jwk:
        return True
    named = jwk["issuer"]
    return isinstance(named, str) and with_tenant(named, claims) == claims["iss"]


def presence_and_types(claims: dict, provider: str | None) -> None:
    required = REQUIRED.get(provider, [])
    for name in ["sub", "exp", "iat"] + required:
        check(claims.get(name) is not None, "missing-claim")
    check(all(claims[name] != "" for name in required), "missing-claim")
    for name in ["sub", "nonce"] + [name for name in required if name == "jti"]:
        check(isinstance(claims.get(name, ""), str), "claim-type")
    check(isinstance(claims.get("azp"), str | None), "claim-type")
    for name in ("exp", "iat", "nbf"):
        check(claims.get(name) is None or is_time(claims[name]), "claim-type")


def is_time(value) -> bool:
    return is_number(value) and 0 <= value <= LATEST


def people_and_times(claims: dict, audiences: list[str], policy: dict) -> None:
    if claims.get("azp") is not None:
        check(claims["azp"] in policy["audiences"] + policy.get("authorizedParties", []), "authorized-party")
    else:
        check(len(set(audiences)) == 1, "authorized-party")
    subject = claims["sub"]
    check(0 < len(subject) <= 255 and subject.isascii(), "subject")
    check(subject == policy.get("subject", subject), "subject")
    now, leeway = policy["now"], policy.get("leeway", 0)
    check(now < claims["exp"] + leeway and claims["exp"] > claims["iat"], "expired")
    check((claims.get("nbf") or 0) <= now + leeway, "not-yet-valid")
    check(claims["iat"] <= now + leeway, "issued-in-future")
    check("maxAge" not in policy or now - claims["iat"] <= policy["maxAge"] + leeway, "too-old")


def authentication(claims: dict, policy: dict) -> None:
    """What the policy asks of how, when and from where somebody logged in."""
    now, leeway = policy["now"], policy.get("leeway", 0)
    if "maxAuthAge" in policy:
        time = claims.get("auth_time")
        check(is_time(time) and time <= now + leeway, "auth-time")
        check(now - time <= policy["maxAuthAge"] + leeway, "auth-time")
    if policy.get("acceptedACRs"):
        check(isinstance(claims.get("acr"), str) and claims["acr"] in policy["acceptedACRs"], "acr")
    check(claims.get("hd") == policy.get("hostedDomain", claims.get("hd")), "hosted-domain")


def half_hash(value: str, algorithm: str) -> str:
    """at_hash and c_hash, OpenID Connect Core sections 3.1.3.6 and 3.3.2.11."""
    name = "sha512" if algorithm in ("EdDSA", "Ed25519") else f"sha{algorithm[2:]}"
    digest = hashlib.new(name, value.encode("utf-8")).digest()
    return b64u(digest[:len(digest) // 2])


def hashes(claims: dict, algorithm: str, test: dict) -> None:
    for member, claim, code in [("accessToken", "at_hash", "access-token-hash"), ("code", "c_hash", "code-hash")]:
        if member in test:
            check(test[member] != "" and claims.get(claim) == half_hash(test[member], algorithm), code)


def check_nonce(claims: dict, expected) -> None:
    if expected == "absent":
        check("nonce" not in claims, "nonce")
    elif expected != "not-checked":
        [(mode, value)] = expected.items()
        wanted = hashlib.sha256(value.encode("utf-8")).hexdigest() if mode == "sha256" else value
        check(value != "" and claims.get("nonce") == wanted, "nonce")


def named_kinds(claims: dict) -> set[str]:
    """The kinds of tokens that claims name, in the words of Keycloak, Cognito, Hydra and RFC 8693."""
    values = [claims.get(name) for name in ("typ", "token_use", "token_type")]
    texts = [text for value in values for text in (value if isinstance(value, list) else [value])]
    words = [re.sub("[ _-]", "", text.rpartition(":")[2]) for text in texts if isinstance(text, str)]
    words = [re.sub("token$", "", word.lower()) for word in words if word.isascii()]
    return {KINDS[word] for word in words if word in KINDS}


def verify(kind: str, policy: dict, keys: list[dict], test: dict) -> tuple[dict | None, bytes]:
    """The claims (for an ID token) and the payload, or Refused."""
    token = test["token"]
    header, payload, signature = form(token, policy)
    algorithm = header_policy(header, policy, kind)
    provider = policy.get("provider")
    claims = None
    if kind == "id-token":
        claims = attempt(read_json, payload, "payload")
        check(isinstance(claims, dict), "payload")
        check("events" not in claims and claims.get("token_use", "id") == "id", "token-type")
        check(named_kinds(claims) <= {"id"}, "token-type")
        audiences = issuer_and_audience(claims, policy)

    def fits(jwk: dict) -> bool:
        return algorithm in algorithms_of(jwk) and serves_issuer(jwk, claims, provider)

    if "secret" in policy:
        check_mac(header, token, policy["secret"])
    else:
        check_signature(token, signature, *choose_keys(header, published_keys(keys), provider is not None, fits))
    if claims is not None:
        presence_and_types(claims, provider)
        people_and_times(claims, audiences, policy)
        authentication(claims, policy)
        hashes(claims, algorithm, test)
        check_nonce(claims, test.get("nonce", policy["nonce"]))
    return claims, payload
