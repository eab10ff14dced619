"""jws.json, second part: every algorithm, and every way to take one for another."""

from keyring import ALL_ALGORITHMS, KEYRING, Key, b64u, key_set, un_b64u
from model import TokenGroup
from openid_context import signer
from tokens import ABSENT

PAYLOAD = b"any bytes"
SIGNERS = [KEYRING[name] for name in ("issuer-a", "ec-p256", "ec-p384", "ec-p521", "ed25519")]


def slug_of(algorithm: str) -> str:
    return "ed25519-exactly" if algorithm == "Ed25519" else algorithm.lower()


def group(name: str, algorithms: list[str], keys: dict) -> TokenGroup:
    return TokenGroup(f"jws: {name}", "jws", {"algorithms": algorithms}, keys, header={})


def accept(g: TokenGroup, id: str, comment: str, key: Key, algorithm: str, **header) -> None:
    g.accept(id, comment, raw_payload=PAYLOAD, expect={"payload": b64u(PAYLOAD)}, key=key,
             header={"alg": algorithm, "kid": key.kid, **header})


def refuse(g: TokenGroup, id: str, codes, comment: str, key: Key, says: str, made: str, **header) -> None:
    """A token whose header says one algorithm and whose signature was made by another, or by another key."""
    g.refuse(id, codes, comment, raw_payload=PAYLOAD, key=key, signed_with=made,
             header={"alg": says, "kid": key.kid, **header})


def every_algorithm() -> list[TokenGroup]:
    groups = []
    for algorithm in ALL_ALGORITHMS:
        key, slug = signer(algorithm), slug_of(algorithm)
        g = group(f"algorithm {algorithm}", [algorithm], key_set(key.public(alg=algorithm), KEYRING["issuer-b"]))
        accept(g, f"jws-algorithm-{slug}", "The algorithm, its key, and nothing else.", key, algorithm)
        good = g.token(header={"alg": algorithm, "kid": key.kid}, raw_payload=PAYLOAD, key=key)
        header, payload, signature = good.split(".")
        other = b64u(b"other bytes")
        g.refuse(f"jws-algorithm-{slug}-other-payload", "signature", "The payload was exchanged.",
                 token=f"{header}.{other}.{signature}")
        flipped = "B" if signature[20] == "A" else "A"
        g.refuse(f"jws-algorithm-{slug}-altered", "signature", "A letter of the signature was changed.",
                 token=f"{header}.{payload}.{signature[:20]}{flipped}{signature[21:]}")
        g.refuse(f"jws-algorithm-{slug}-too-long", "signature", "Three zero octets at the end of the signature.",
                 token=f"{header}.{payload}.{b64u(un_b64u(signature) + bytes(3))}")
        groups.append(g)
    return groups


def open_keys() -> TokenGroup:
    """All algorithms allowed, and keys that name none: the type and the curve decide."""
    keys = key_set(*(key.public(alg=None) for key in SIGNERS))
    g = group("keys without alg", ALL_ALGORITHMS, keys)
    for algorithm in ALL_ALGORITHMS:
        key = signer(algorithm)
        key = KEYRING["issuer-a"] if key.jwk["kty"] == "RSA" else key
        accept(g, f"jws-open-{slug_of(algorithm)}", "The key's type and curve fit.", key, algorithm)
    rsa, p256, p384, p521, edwards = SIGNERS
    for key, says, why in [
        (p256, "RS256", "An EC key has no use for RSA."),
        (p256, "ES384", "ES384 needs P-384 (RFC 7518 section 3.4)."),
        (p256, "EdDSA", "EdDSA needs an Edwards curve."),
        (p384, "ES256", "ES256 needs P-256."),
        (p384, "ES512", "ES512 needs P-521."),
        (p521, "ES384", "ES384 needs P-384."),
        (rsa, "ES256", "An RSA key has no curve."),
        (rsa, "EdDSA", "An RSA key has no curve."),
        (edwards, "ES256", "Ed25519 is not P-256."),
        (edwards, "PS256", "An Edwards curve key has no use for RSA."),
    ]:
        kind = key.jwk.get("crv", "RSA").lower()
        refuse(g, f"jws-open-{kind}-says-{slug_of(says)}", "key-unusable", why, key, says, key.algorithm)
    for key, says, made, why in [
        (rsa, "RS384", "RS256", "Made with SHA-256."),
        (rsa, "RS256", "RS512", "Made with SHA-512."),
        (rsa, "PS256", "RS256", "Made with the other padding."),
        (rsa, "RS256", "PS256", "Made with the other padding."),
        (rsa, "PS384", "PS256", "Made with SHA-256."),
        (rsa, "PS256", "PS512", "Made with SHA-512."),
    ]:
        refuse(g, f"jws-open-says-{says.lower()}-made-as-{made.lower()}", "signature", why, key, says, made)
    g.refuse("jws-open-no-kid-rs256", "signature", "Without kid the only RSA key is meant; another one signed.",
             raw_payload=PAYLOAD, key=KEYRING["issuer-b"], header={"alg": "RS256"})
    g.accept("jws-open-no-kid-es384", "Without kid the only key on P-384 is meant.", raw_payload=PAYLOAD, key=p384,
             header={"alg": "ES384"}, expect={"payload": b64u(PAYLOAD)})
    for says in ("HS256", "none", "ES256K", "Ed448", "RSA1_5", "rs256", "ES521"):
        refuse(g, f"jws-open-says-{says.lower().replace('_', '-')}" + ("-lower-case" if says == "rs256" else ""),
               "algorithm", "Not one of the algorithms, whatever is allowed.", rsa, says, "RS256")
    return g


def bound_keys() -> TokenGroup:
    """A key that names its algorithm is for that one alone (RFC 8725 section 3.1)."""
    rsa, p256, p384, p521, edwards = SIGNERS
    second = KEYRING["rsa-pss"]
    keys = key_set(rsa.public(alg="RS256"), second.public(alg="PS256"), p256, edwards.public(alg="EdDSA"),
                   KEYRING["ed25519-b"].public(alg="Ed25519"), p384.public(alg="ES256"))
    g = group("keys with alg", ALL_ALGORITHMS, keys)
    accept(g, "jws-bound-rs256", "The key is for RS256.", rsa, "RS256")
    accept(g, "jws-bound-ps256", "The key is for PS256.", second, "PS256")
    accept(g, "jws-bound-eddsa", "The key is for EdDSA.", edwards, "EdDSA")
    accept(g, "jws-bound-ed25519", "The key is for Ed25519.", KEYRING["ed25519-b"], "Ed25519")
    for key, says, why in [
        (rsa, "RS384", "The key is for RS256, and the signature is a right one by RS384."),
        (rsa, "PS256", "The key is for RS256, and the signature is a right one by PS256."),
        (second, "RS256", "The key is for PS256, and the signature is a right one by RS256."),
        (second, "PS512", "The key is for PS256, and the signature is a right one by PS512."),
        (edwards, "Ed25519", "The key is for EdDSA; Ed25519 is another name, and names are compared exactly."),
        (KEYRING["ed25519-b"], "EdDSA", "The key is for Ed25519; EdDSA is another name."),
        (p384, "ES384", "The key says ES256, which its curve cannot do, so it is for nothing."),
    ]:
        kind = key.name.replace("issuer-a", "rsa")
        refuse(g, f"jws-bound-{kind}-says-{slug_of(says)}", "key-unusable", why, key, says, says)
    return g


def lists() -> list[TokenGroup]:
    """The list of allowed algorithms comes before everything that a key or a token says."""
    rsa, p256, _, _, edwards = SIGNERS
    keys = key_set(rsa.public(alg=None), p256, edwards.public(alg=None))
    g = group("list without RS256", ["ES256", "Ed25519"], keys)
    accept(g, "jws-list-es256", "On the list.", p256, "ES256")
    accept(g, "jws-list-ed25519", "On the list.", edwards, "Ed25519")
    for key, says in [(rsa, "RS256"), (rsa, "PS256"), (edwards, "EdDSA"), (p256, "ES384")]:
        refuse(g, f"jws-list-{slug_of(says)}", "algorithm", "Not on the list.", key, says, key.algorithm)
    one = group("key's alg not on the list", ["ES256"], key_set(rsa.public(alg="RS256"), p256))
    refuse(one, "jws-list-key-says-rs256", "algorithm", "What the key says does not widen the list.", rsa, "RS256",
           "RS256")
    accept(one, "jws-list-neighbour", "The other key is as good as before.", p256, "ES256")
    return [g, one]


def mixed_names() -> list[TokenGroup]:
    """One kid for keys of several types: the one that fits the algorithm is meant."""
    rsa, p256, p384, _, edwards = SIGNERS
    name = "2025-10"
    keys = key_set(*(key.public(kid=name, alg=None) for key in (rsa, p256, p384, edwards)))
    g = group("one kid, four types", ALL_ALGORITHMS, keys)
    for key, algorithm in [(rsa, "RS256"), (rsa, "PS512"), (p256, "ES256"), (p384, "ES384"), (edwards, "EdDSA")]:
        accept(g, f"jws-one-kid-{algorithm.lower()}", "One of the four fits.", key, algorithm, kid=name)
    refuse(g, "jws-one-kid-es512", "key-unusable", "None of the four is on P-521.", KEYRING["ec-p521"], "ES512",
           "ES512", kid=name)
    refuse(g, "jws-one-kid-other-signer", "signature", "The one that fits did not sign; the others do not count.",
           KEYRING["ec-p256-b"], "ES256", "ES256", kid=name)
    twice = group("one kid, two on one curve", ALL_ALGORITHMS,
                  key_set(p256.public(kid=name), KEYRING["ec-p256-b"].public(kid=name), edwards.public(kid=name)))
    accept(twice, "jws-one-kid-two-fit", "Two keys fit, and the first signed.", p256, "ES256", kid=name)
    accept(twice, "jws-one-kid-two-fit-second", "Two keys fit, and the second signed.", KEYRING["ec-p256-b"], "ES256",
           kid=name)
    accept(twice, "jws-one-kid-two-others", "Two keys do not fit, one does.", edwards, "EdDSA", kid=name)
    named = group("one kid, told apart by alg", ALL_ALGORITHMS,
                  key_set(rsa.public(kid=name, alg="RS256"), KEYRING["rsa-pss"].public(kid=name, alg="PS256")))
    accept(named, "jws-one-kid-alg-rs256", "alg tells the keys apart.", rsa, "RS256", kid=name)
    accept(named, "jws-one-kid-alg-ps256", "alg tells the keys apart.", KEYRING["rsa-pss"], "PS256", kid=name)
    refuse(named, "jws-one-kid-alg-rs384", "key-unusable", "Neither key is for RS384.", rsa, "RS384", "RS384", kid=name)
    used = group("one kid, told apart by use", ALL_ALGORITHMS,
                 key_set(p256.public(kid=name, use="enc", alg=None), KEYRING["ec-p256-b"].public(kid=name)))
    accept(used, "jws-one-kid-use", "Only one key is for signatures.", KEYRING["ec-p256-b"], "ES256", kid=name)
    return [g, twice, named, used]


def no_names() -> TokenGroup:
    rsa, p256, _, _, edwards = SIGNERS
    g = group("no kid, several types", ["RS256", "ES256", "EdDSA"],
              key_set(rsa, KEYRING["issuer-b"], p256, edwards.public(kid=None)))
    for key, algorithm in [(p256, "ES256"), (edwards, "EdDSA")]:
        accept(g, f"jws-no-kid-{algorithm.lower()}", "Only one key fits the algorithm.", key, algorithm, kid=ABSENT)
    refuse(g, "jws-no-kid-rs256", "key-ambiguous", "Two keys fit the algorithm.", rsa, "RS256", "RS256", kid=ABSENT)
    return g


def groups() -> list[TokenGroup]:
    return [*every_algorithm(), open_keys(), bound_keys(), *lists(), *mixed_names(), no_names()]
