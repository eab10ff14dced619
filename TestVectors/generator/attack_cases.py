"""attacks.json: one group for each class of attack that has fooled a verifier of tokens, with the CVE numbers.

Each case is what an attacker would send: a whole ID token with right claims, and only the attack wrong. What another
file already has is not here again; the table in TestVectors/README.md says where every class is.
"""

import hashlib
import hmac
import json

from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from curves import Ed25519
from keyring import KEYRING, Key, b64u, key_set, un_b64u
from model import TokenGroup
from openid_claims import CLAIMS, CLIENT, ISSUER
from openid_claims import group as openid_group
from padding import forge_prefix, pkcs1
from tokens import Raw, json_bytes, sign, signing_input, split

RSA, SECOND, ATTACKER = KEYRING["issuer-a"], KEYRING["issuer-b"], KEYRING["attacker"]
EC, EC_ATTACKER = KEYRING["ec-p256"], KEYRING["ec-p256-b"]
EDWARDS, EDWARDS_ATTACKER = KEYRING["ed25519"], KEYRING["ed25519-b"]
RSA_HEADER = {"alg": "RS256", "kid": RSA.kid}
ADMIN = {"sub": "admin"}
FORGED = {**CLAIMS, **ADMIN}


def group(name: str, keys=None, **policy) -> TokenGroup:
    g = openid_group(name, keys or key_set(RSA, EC, EDWARDS), algorithms=["RS256", "ES256", "EdDSA"], **policy)
    g.name = f"attacks: {name}"
    return g


def twin(g: TokenGroup, slug: str, key: Key = RSA) -> None:
    g.accept(f"attack-{slug}-twin", "What the issuer sent.", header={"alg": key.algorithm, "kid": key.kid}, key=key)


def forged(header: dict, signature: bytes | str = b"") -> str:
    """The attacker's claims with a signature that comes from elsewhere."""
    text = signature if isinstance(signature, str) else b64u(signature)
    return signing_input(header, FORGED).decode("ascii") + "." + text


def none() -> TokenGroup:
    """openid.json has the spellings of alg over a real signature; here there is none, as the attack has it."""
    g = group("alg none (CVE-2015-9235, CVE-2015-2951, CVE-2018-1000531, CVE-2022-23540)")
    twin(g, "none")
    for number, spelling in enumerate(["none", "None", "NONE", "nOnE", "none ", "none\0", "n\u043ene", ""]):
        g.refuse(f"attack-none-{number}", "segments", f"alg is {json.dumps(spelling)}, and the signature is empty.",
                 token=forged({"alg": spelling, "typ": "JWT"}))
    g.refuse("attack-none-with-a-byte", "algorithm", "alg none, and a byte in place of the signature.",
             token=forged({"alg": "none", "typ": "JWT"}, b"\0"))
    g.refuse("attack-none-with-old-signature", "algorithm", "alg none, and the signature of the real token.",
             token=forged({"alg": "none", "kid": RSA.kid}, split(g.token())[2]))
    g.refuse("attack-none-two-parts", "segments", "alg none, and no third part.",
             token=forged({"alg": "none"}).removesuffix("."))
    g.refuse("attack-none-second-alg", "header", "alg is there twice, the second time as none.",
             token=sign(RSA, b'{"alg":"RS256","alg":"none","kid":"%s"}' % RSA.kid.encode(), FORGED))
    g.refuse("attack-none-real-alg-empty-signature", "segments", "A real alg, and an empty signature (CVE-2020-28042).",
             token=forged(RSA_HEADER))
    return g


def public_forms(key: Key) -> dict[str, bytes]:
    """A public key as people have it at hand, and as forgers have fed it to HMAC."""
    jwk = key.public()
    forms = {
        "pem": key.pem, "pem-stripped": key.pem.rstrip(b"\n"), "pem-space-before": b"\n " + key.pem,
        "pem-crlf": key.pem.replace(b"\n", b"\r\n"), "pem-body": b"".join(key.pem.splitlines()[1:-1]),
        "spki": key.spki, "ssh": key.jose.public_key.public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH),
        "jwk": json.dumps(jwk, separators=(",", ":")).encode(), "jwk-spaced": json.dumps(jwk).encode(),
        "jwk-set": json.dumps({"keys": [jwk]}, separators=(",", ":")).encode(), "kid": key.kid.encode(),
    }
    if "x" in jwk:
        return forms | {"x": un_b64u(jwk["x"]), "x-text": jwk["x"].encode()}
    # openid.json has these four, as alg-hs256-keyed-with-….
    return {name: form for name, form in forms.items() if name not in ("pem", "spki", "jwk")} | {
        "modulus-text": jwk["n"].encode()}


def with_mac(secret: bytes, **header) -> str:
    signing = signing_input({"alg": "HS256", "typ": "JWT", **header}, FORGED)
    return f"{signing.decode('ascii')}.{b64u(hmac.digest(secret, signing, hashlib.sha256))}"


def mac_confusion() -> list[TokenGroup]:
    """HMAC keyed with something public, where the header is believed."""
    groups = []
    for key, cves in [
        (RSA, "CVE-2015-9235, CVE-2016-5431, CVE-2016-10555, CVE-2017-11424, CVE-2022-29217, CVE-2023-48223, "
              "CVE-2023-48238, CVE-2024-54150, CVE-2026-22817, CVE-2026-33322, CVE-2026-48526"),
        (EC, "CVE-2024-33663, CVE-2022-29217"), (EDWARDS, "CVE-2022-29217"),
    ]:
        g = group(f"HMAC keyed with a public key, {key.algorithm} ({cves})")
        slug = f"mac-{key.algorithm.lower()}"
        twin(g, slug, key)
        for form, secret in public_forms(key).items():
            g.refuse(f"attack-{slug}-{form}", "algorithm", "The header asks for a MAC; the key is public.",
                     token=with_mac(secret, kid=key.kid))
        groups.append(g)
    g = group("HMAC with an empty or well-known secret (CVE-2019-20933, CVE-2025-45767)")
    twin(g, "mac-secret")
    for slug, secret in {"zero": b"\0", "secret": b"secret", "null": b"null", "client": CLIENT.encode()}.items():
        g.refuse(f"attack-mac-secret-{slug}", "algorithm", "Whatever the secret, no MAC is accepted.",
                 token=with_mac(secret))
    return [*groups, g]


def brought_along() -> TokenGroup:
    """openid.json has each of these for RSA, as embedded-…."""
    g = group("keys and addresses in the header (CVE-2018-0114, CVE-2026-34240, CVE-2026-48522)")
    twin(g, "header-key")
    for key, known in [(EC_ATTACKER, EC), (EDWARDS_ATTACKER, EDWARDS)]:
        slug = key.algorithm.lower()
        for name, header, codes, why in [
            ("jwk", {"jwk": key.public(kid=None)}, "signature", "The header holds the key that signed."),
            ("jwk-known-kid", {"jwk": key.public(kid=known.kid), "kid": known.kid}, "signature",
             "The key in the header bears the kid of a known one."),
            ("jwk-own-kid", {"jwk": key.public(), "kid": key.kid}, "key-not-found",
             "The kid of the key in the header."),
        ]:
            g.refuse(f"attack-header-{slug}-{name}", codes, why,
                     token=sign(key, json_bytes({"alg": key.algorithm, **header}), FORGED))
    for number, address in enumerate([
        "http://127.0.0.1/keys.json", "file:///etc/passwd", "data:application/json,{}",
        f"{ISSUER}@attacker.invalid/keys.json", f"{ISSUER}/../redirect?to=attacker.invalid",
    ]):
        g.refuse(f"attack-header-jku-{number}", "signature", "No address in a token is ever visited.",
                 header={"jku": address}, claims=ADMIN, key=ATTACKER, by_hand=True)
    return g


def identifiers() -> TokenGroup:
    g = group("kid as a path, a query or a command")
    twin(g, "kid")
    for number, kid in enumerate([
        "../../../../../../dev/null", "/proc/sys/kernel/randomize_va_space", "x' UNION SELECT 'secret';--",
        "| /usr/bin/id", "https://attacker.invalid/keys.json", "*", "__proto__", RSA.kid + "/../" + RSA.kid,
        "\u202e" + RSA.kid, "\r\nSet-Cookie: a=b",
    ]):
        signing = signing_input({"alg": "RS256", "kid": kid}, FORGED)
        g.refuse(f"attack-kid-{number}", "key-not-found", "A name that no key has; it is compared and nothing else.",
                 token=f"{signing.decode('ascii')}.{b64u(ATTACKER.sign_bytes(signing))}")
    g.refuse("attack-kid-other-type", "key-unusable", "The kid of a key of another type (CVE-2026-22818).",
             header={"kid": EC.kid}, claims=ADMIN)
    return g


def critical() -> TokenGroup:
    """openid.json has crit in every form, as crit-…."""
    g = group("unknown critical extensions (CVE-2025-59420, CVE-2026-32597)")
    twin(g, "crit")
    for slug, header in {
        "cnf": {"crit": ["cnf"], "cnf": {"jkt": "x"}},
        "address": {"crit": ["http://x.invalid/p"], "http://x.invalid/p": 1},
    }.items():
        g.refuse(f"attack-crit-{slug}", "critical-header", "Whoever ignores crit ignores what it asks for.",
                 header=header, by_hand=True)
    return g


def numbers() -> TokenGroup:
    """The signatures that need no private key. signature.json has their neighbours."""
    g = group("signatures from nothing (CVE-2022-21449, CVE-2021-43572, CVE-2022-24884)")
    twin(g, "psychic", EC)
    header, n = {"alg": "ES256", "kid": EC.kid}, EC.curve.n
    for slug, signature in {
        "zeros": bytes(64), "n": EC.join(n, n), "r-zero": EC.join(0, 1), "s-zero": EC.join(1, 0),
        "der-zeros": encode_dss_signature(0, 0), "der-padded": encode_dss_signature(0, 0).ljust(64, b"\0"),
    }.items():
        g.refuse(f"attack-psychic-{slug}", "signature", "Good for every message where nobody looks at the range.",
                 token=forged(header, signature))
    message = signing_input(header, CLAIMS)
    g.refuse("attack-ecdsa-der", "signature", "The right numbers, but as DER.",
             token=message.decode("ascii") + "." + b64u(encode_dss_signature(*EC.split(EC.sign_bytes(message)))))
    for slug, signature in {
        "zeros": bytes(64), "neutral": Ed25519.encode(Ed25519.neutral) + bytes(32),
        "order-two": Ed25519.encode((0, Ed25519.p - 1)) + bytes(32),
    }.items():
        g.refuse(f"attack-edwards-{slug}", "signature", "Good for every message where the key is of small order.",
                 token=forged({"alg": "EdDSA", "kid": EDWARDS.kid}, signature))
    return g


def weak_keys() -> list[TokenGroup]:
    """Keys with which forging needs no private half. openid.json has RSA with e = 1; keys.json has the neighbours."""
    neutral = Ed25519.encode(Ed25519.neutral)
    small = group("Ed25519, a key of small order", keys=key_set(EDWARDS.public(x=b64u(neutral)), RSA))
    small.refuse("attack-neutral-key", "key-unusable", "With this key a neutral R and a zero S verify everything.",
                 token=forged({"alg": "EdDSA", "kid": EDWARDS.kid}, neutral + bytes(32)))
    twin(small, "neutral-key")
    off = group("ECDSA, a key off the curve", keys=key_set(EC.public(x=b64u(bytes(32)), y=b64u(bytes(32))), RSA))
    off.refuse("attack-zero-key", "key-unusable", "The point at infinity, as some libraries write it.",
               token=forged({"alg": "ES256", "kid": EC.kid}, EC.join(1, 1)))
    twin(off, "zero-key")
    cube = KEYRING["rsa-e3"]
    three = group("RSA, e = 3, padding not looked at to its end (CVE-2006-4339, CVE-2018-16152)",
                  keys=key_set(cube, RSA))
    header = {"alg": "RS256", "kid": cube.kid}
    message = signing_input(header, FORGED)
    three.refuse("attack-cube-root", "signature", "The cube root of what looks like an encoded message at its start.",
                 token=forged(header, forge_prefix(cube.size, message)))
    three.refuse("attack-encoded-message", "signature", "The encoded message itself: right where e is 1.",
                 token=forged(header, pkcs1(cube.size, message)))
    three.accept("attack-cube-root-twin", "A real signature with this key.", header=header, key=cube)
    return [small, off, three]


def shapes() -> TokenGroup:
    """Two readings of one token. openid.json has the other serializations and duplicate members."""
    g = group("two readings of one token (CVE-2022-39227, CVE-2024-28176)")
    twin(g, "shape")
    header, payload, signature = split(g.token())
    fake = b64u(json_bytes(FORGED))
    encrypted = b64u(b'{"alg":"dir","enc":"A128GCM"}')
    rest = f'"protected":"{header}","payload":"{payload}","signature":"{signature}"}}'
    for slug, codes, token, why in [
        ("polyglot", "encoding", f'{{" {header}.{fake}.":"",{rest}', "Compact to one parser, JSON to the other."),
        ("polyglot-last", "encoding", f'{header}.{fake}.{signature}{{{rest}', "The same, the compact form first."),
        ("nested", "encoding", f'"{header}.{fake}.{signature}"', "A JSON string."),
        ("two-payloads", "segments", f"{header}.{payload}.{fake}.{signature}", "A payload for each reader."),
        ("encrypted", "encrypted-token", f"{encrypted}..{b64u(bytes(12))}.{fake}.{b64u(bytes(16))}",
         "The form of an encrypted token, with a payload in the clear."),
        ("compressed", "header", sign(RSA, {**RSA_HEADER, "zip": "DEF"}, b"\x78\x9c" + bytes(40)),
         "A compressed payload (CVE-2024-28180)."),
        ("rounds", "header", sign(RSA, {**RSA_HEADER, "p2c": 2**31 - 1, "p2s": "AA"}, CLAIMS),
         "A count of rounds (CVE-2023-52428, CVE-2023-50966)."),
    ]:
        g.refuse(f"attack-shape-{slug}", codes, why, token=token)
    return g


def resources() -> TokenGroup:
    g = group("tokens that cost time or memory (CVE-2025-27144, CVE-2025-30204, CVE-2025-53864, CVE-2025-61920)")
    twin(g, "cost")
    many = {f"m{number}": 0 for number in range(600)}
    for slug, codes, token, why in [
        ("dots", "too-large", "." * 20_000, "Twenty thousand parts."),
        ("dots-within-size", "segments", "." * 16_384, "As many parts as bytes are allowed."),
        ("header", "too-large", sign(RSA, {**RSA_HEADER, "x": ["a"] * 3000}, CLAIMS), "A long header."),
        ("depth", "payload", sign(RSA, RSA_HEADER, b"[" * 5000), "Five thousand levels."),
        ("depth-in-header", "header", sign(RSA, b'{"alg":"RS256","x":' + b"[" * 2000 + b"]" * 2000 + b"}", CLAIMS),
         "Two thousand levels."),
        ("members", "payload", sign(RSA, RSA_HEADER, {**CLAIMS, **many}), "Six hundred members."),
        ("digits", "claim-type", sign(RSA, RSA_HEADER, {**CLAIMS, "exp": Raw("9" * 5000)}),
         "A number of five thousand digits."),
        ("exponent", "claim-type", sign(RSA, RSA_HEADER, {**CLAIMS, "exp": Raw("1e99999999")}),
         "A number with a huge exponent."),
    ]:
        g.refuse(f"attack-cost-{slug}", codes, why, token=token)
    return g


def unchecked() -> TokenGroup:
    g = group("a signature that nobody checks (CVE-2021-22573, CVE-2023-23928)")
    for key, other in [(RSA, ATTACKER), (EC, EC_ATTACKER), (EDWARDS, EDWARDS_ATTACKER)]:
        slug, header = key.algorithm.lower(), {"alg": key.algorithm, "kid": key.kid}
        twin(g, f"unchecked-{slug}", key)
        signature = split(sign(key, header, CLAIMS))[2]
        noise = (hashlib.sha512(b"noise").digest() * 4)[:len(un_b64u(signature))]
        g.refuse(f"attack-unchecked-{slug}-other-claims", "signature", "Other claims under the same signature.",
                 token=forged(header, signature))
        g.refuse(f"attack-unchecked-{slug}-noise", "signature", "Noise of the right length.",
                 token=forged(header, noise))
        g.refuse(f"attack-unchecked-{slug}-attacker", "signature", "A stranger's signature under a known kid.",
                 token=sign(other, header, FORGED))
    return g


def groups() -> list[TokenGroup]:
    return [
        none(), *mac_confusion(), brought_along(), identifiers(), critical(), numbers(), *weak_keys(), shapes(),
        resources(), unchecked(),
    ]
