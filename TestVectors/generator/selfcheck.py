"""Checks the cases before they are written: each must come out as it claims, by joserfc and the reference model."""

import base64
import re
from collections import Counter

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric import ec, padding
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature

from facebook_profile import MEMBER_OF_CLAIM
from keyring import HASHES, JOSE_KEYS, PUBLIC_MEMBERS, b64u, un_b64u
from model import AFTER_SIGNATURE
from reference import Refused, joserfc_verifies, mac_verifies, signature_length, verify
from reference_access import verify_access
from reference_proof import verify_in_order
from strict import algorithms_of, is_public_document, published, read_json

# Every code that a vector can show, each wanted at least twice: those of ID tokens (and of the kinds below them), of
# access tokens, and of proofs.
COMMON = """
    too-large segments encrypted-token encoding header critical-header token-type algorithm payload issuer audience
    key-id key-not-found key-ambiguous key-unusable signature missing-claim claim-type authorized-party subject expired
    not-yet-valid issued-in-future too-old
""".split()
CODES = {
    "id-token": [*COMMON, "auth-time", "acr", "hosted-domain", "access-token-hash", "code-hash", "nonce"],
    "access-token": [*COMMON, "confirmation-unsupported", "claim-value", "insufficient-scope"],
    "dpop": """
        proof-required proof-malformed proof-type proof-algorithm proof-claim proof-method proof-url proof-nonce
        proof-in-future proof-too-old proof-token-hash proof-key confirmation-unsupported proof-binding
        certificate-required certificate-malformed certificate-binding proof-signature proof-replayed
    """.split(),
}


def problems(files: dict[str, dict]) -> list[str]:
    found = []
    ids, codes = Counter(), {kind: Counter() for kind in CODES}
    for content in files.values():
        for group in content["groups"]:
            for test in group["tests"]:
                ids[test["id"]] += 1
                codes.get(group["kind"], codes["id-token"]).update(test.get("codes", []))
                for problem in CHECKS[group["kind"]](group, test):
                    found.append(f"{test['id']}: {problem}")
    found += [f"{id}: used {count} times" for id, count in ids.items() if count > 1]
    found += [f"{id}: not kebab-case" for id in ids if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", id)]
    for kind, wanted in CODES.items():
        counts = codes[kind]
        found += [f"code {code} of {kind}: only {counts[code]} tests" for code in wanted if counts[code] < 2]
        found += [f"code {code} of {kind}: unknown" for code in counts if code not in wanted]
    return found


def check_token(group: dict, test: dict) -> list[str]:
    try:
        claims, payload = verify(group["kind"], group["policy"], group["keys"]["keys"], test)
    except Refused as refusal:
        if test["result"] == "verified" or refusal.code not in test["codes"]:
            return [f"the reference model refuses it with {refusal.code}"]
        if refusal.code in AFTER_SIGNATURE - {"missing-claim", "claim-type"} and not signed_by_any(group, test):
            return ["joserfc does not verify it, so it would be refused for its signature"]
        return []
    if test["result"] == "refused":
        return ["the reference model accepts it"]
    if not signed_by_any(group, test):
        return ["joserfc does not verify it"]
    return expectations(test, claims, payload)


def check_access_token(group: dict, test: dict) -> list[str]:
    if not any(other["result"] == "verified" for other in group["tests"]):
        return [f"{group['name']} has no accepted twin"]
    try:
        found = verify_access(group["policy"], group["keys"]["keys"], test["token"])
    except Refused as refusal:
        as_stated = test["result"] == "refused" and test["codes"] == [refusal.code]
        return [] if as_stated else [f"the reference model refuses it with {refusal.code}"]
    if test["result"] == "refused":
        return ["the reference model accepts it"]
    claims = found.pop("claims")
    differing = [name for name, value in found.items() if test.get(name, value) != value]
    return [f"{name} differs" for name in differing] + expectations(test, claims, b"")


def check_request(group: dict, test: dict) -> list[str]:
    if not any(other["result"] == "verified" for other in group["tests"]):
        return [f"{group['name']} has no accepted twin"]
    try:
        thumbprint = verify_in_order(group["policy"], test)
    except Refused as refusal:
        as_stated = test["result"] == "refused" and test["codes"] == [refusal.code]
        return [] if as_stated else [f"the reference model refuses it with {refusal.code}"]
    except ValueError as error:
        return [str(error)]
    if test["result"] == "refused":
        return ["the reference model accepts it"]
    return [] if test["jkt"] == thumbprint else ["jkt is another"]


def signed_by_any(group: dict, test: dict) -> bool:
    if "secret" in group["policy"]:
        return mac_verifies(test["token"], group["policy"]["secret"])
    return any(joserfc_verifies(test["token"], published(key)) for key in group["keys"]["keys"])


def expectations(test: dict, claims: dict | None, payload: bytes) -> list[str]:
    """Whether what a test expects after verification is in the token at all."""
    found = []
    if "payload" in test and test["payload"] != b64u(payload):
        found.append("another payload")
    for name, value in test.get("claims", {}).items():
        if claims.get(name) != value:
            found.append(f"claim {name} differs")
    for name in test.get("notes", []):
        if name not in claims:
            found.append(f"a note on {name}, which is not in the token")
    for claim, member in MEMBER_OF_CLAIM.items():
        value = test.get("profile", {}).get(member)
        if value is not None and claim not in claims:
            found.append(f"profile member {member} comes from nowhere")
        if value is not None and claim in test.get("notes", []):
            found.append(f"profile member {member} is noted and present")
        if isinstance(value, str) and claims.get(claim) != value:
            found.append(f"profile member {member} differs")
    return found


def check_signature(group: dict, test: dict) -> list[str]:
    [jwk] = group["keys"]["keys"]
    [algorithm] = group["policy"]["algorithms"]
    signature, message = (bytes.fromhex(test[name]) for name in ("signature", "message"))
    good = len(signature) == signature_length(jwk) and openssl_verifies(jwk, algorithm, signature, message)
    return [] if good == (test["result"] == "verified") else ["OpenSSL, by way of cryptography, disagrees"]


def openssl_verifies(jwk: dict, algorithm: str, signature: bytes, message: bytes) -> bool:
    public = {name: jwk[name] for name in PUBLIC_MEMBERS if name in jwk and name != "kid"}
    key = JOSE_KEYS[jwk["kty"]].import_key(public).public_key
    hash_algorithm = HASHES.get(algorithm[2:])
    try:
        if algorithm.startswith("RS"):
            key.verify(signature, message, padding.PKCS1v15(), hash_algorithm)
        elif algorithm.startswith("PS"):
            salt = hash_algorithm.digest_size
            key.verify(signature, message, padding.PSS(padding.MGF1(hash_algorithm), salt), hash_algorithm)
        elif algorithm.startswith("ES"):
            half = len(signature) // 2
            numbers = (int.from_bytes(part, "big") for part in (signature[:half], signature[half:]))
            key.verify(encode_dss_signature(*numbers), message, ec.ECDSA(hash_algorithm))
        else:
            key.verify(signature, message)
    except (InvalidSignature, ValueError):
        return False
    return True


def check_key(group: dict, test: dict) -> list[str]:
    usable = bool(set(algorithms_of(published(test["key"]))) & set(group["policy"]["algorithms"]))
    return [] if usable == (test["result"] == "usable") else ["the reference model disagrees"]


def check_json(group: dict, test: dict) -> list[str]:
    try:
        read_json(base64.b64decode(test["text"], validate=True))
        accepted = True
    except ValueError:
        accepted = False
    return [] if accepted == (test["result"] == "accepted") else ["the reference model disagrees"]


def check_secret(group: dict, test: dict) -> list[str]:
    octets, bits = un_b64u(test["secret"]["octets"]), int(test["secret"]["algorithm"][2:])
    usable = bits <= 8 * len(octets) and len(octets) <= 1024 and not is_public_document(octets)
    return [] if usable == (test["result"] == "usable") else ["the reference model disagrees"]


CHECKS = {
    "id-token": check_token,
    "access-token": check_access_token,
    "dpop": check_request,
    "jws": check_token,
    "signature": check_signature,
    "key": check_key,
    "json": check_json,
    "secret": check_secret,
}
