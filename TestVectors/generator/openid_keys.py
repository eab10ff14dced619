"""openid.json, last part: which key of a set answers, and key material that the token brings along."""

import base64

from keyring import KEYRING, b64u, key_set, un_b64u
from model import TokenGroup
from openid_claims import CLAIMS, group
from padding import pkcs1
from tokens import ABSENT, signing_input, sign

KEY = KEYRING["issuer-a"]
OTHER = KEYRING["issuer-b"]
ATTACKER = KEYRING["attacker"]
COMPOSED, DECOMPOSED = "cl\u00e9", "cle\u0301"


def embedded() -> TokenGroup:
    """Keys and key addresses in the header are never used; they do no harm when the right key signed."""
    g = group("keys that the token brings along")
    fake_certificate = base64.b64encode(ATTACKER.spki).decode("ascii")
    for slug, change in {
        "jwk": {"jwk": ATTACKER.public()},
        "jku": {"jku": "https://attacker.invalid/keys.json"},
        "x5c": {"x5c": [fake_certificate]},
        "x5u": {"x5u": "https://attacker.invalid/certificate.pem"},
        "x5t": {"x5t": b64u(bytes(20))},
    }.items():
        g.accept(f"embedded-{slug}-ignored", "The configured key signed; the rest is passed over.",
                 header=change, by_hand=True)
        g.refuse(f"embedded-{slug}-attack", "signature", "The attacker's key signed under a known kid.",
                 header=change, key=ATTACKER, by_hand=True)
    g.refuse("embedded-jwk-with-its-kid", "key-not-found", "The kid is that of the key in the header.",
             header={"kid": ATTACKER.kid, "jwk": ATTACKER.public()}, key=ATTACKER)
    g.refuse("embedded-jwk-without-kid", "key-ambiguous",
             "Two configured keys could be meant; the embedded one is none.",
             header={"kid": ABSENT, "jwk": ATTACKER.public()}, key=ATTACKER)
    g.refuse("embedded-jku-with-unknown-kid", "key-not-found", "No address in a token is ever visited.",
             header={"kid": "attacker", "jku": "https://attacker.invalid/keys.json"}, key=ATTACKER)
    return g


def identifiers() -> list[TokenGroup]:
    long, opaque, bird = "k" * 256, "../../dev/null' OR 1=1 --", "\U0001f989"
    keys = key_set(
        KEY, OTHER.public(kid=long), KEYRING["rsa-3072"].public(kid=opaque), KEYRING["rsa-e3"].public(kid=bird),
        KEYRING["rsa-4096"].public(kid=COMPOSED),
    )
    g = group("kid", keys=keys)
    g.accept("kid-known", "The kid names the key.")
    g.accept("kid-256-bytes", "The longest kid.", header={"kid": long}, key=OTHER)
    g.refuse("kid-257-bytes", "key-id", "One byte more.", header={"kid": long + "k"}, key=OTHER)
    g.refuse("kid-257-bytes-of-utf-8", "key-id", "Bytes are counted, not characters.",
             header={"kid": bird * 64 + "k"}, by_hand=True)
    g.refuse("kid-unknown-256-bytes-of-utf-8", "key-not-found", "As long as may be, and unknown.",
             header={"kid": bird * 64}, by_hand=True)
    g.accept("kid-opaque", "A kid is no path and no query.", header={"kid": opaque}, key=KEYRING["rsa-3072"])
    g.accept("kid-emoji", "A kid may hold any character.", header={"kid": bird}, key=KEYRING["rsa-e3"], by_hand=True)
    g.accept("kid-nfc", "The same bytes as in the set.", header={"kid": COMPOSED}, key=KEYRING["rsa-4096"],
             by_hand=True)
    g.refuse("kid-nfd", "key-not-found", "Looks the same and has other bytes.", header={"kid": DECOMPOSED},
             key=KEYRING["rsa-4096"], by_hand=True)
    for slug, kid in {"upper-case": KEY.kid.upper(), "shorter": KEY.kid[:-1], "longer": KEY.kid + "0",
                      "nul": KEY.kid + "\0", "space": KEY.kid + " "}.items():
        g.refuse(f"kid-{slug}", "key-not-found", "Nearly the kid of a key; the default key does not step in.",
                 header={"kid": kid})
    for slug, kid in {"empty": "", "number": 1, "null": None, "array": [KEY.kid], "object": {}, "true": True}.items():
        g.refuse(f"kid-{slug}", "key-id", "A kid is a non-empty string (RFC 7515 section 4.1.4).",
                 header={"kid": kid}, by_hand=True)
    return [g]


def missing_kid() -> list[TokenGroup]:
    weak, curve = KEYRING["rsa-1024-weak"], KEYRING["ec-p256"]
    one = group("no kid, one key", keys=key_set(KEY))
    one.accept("no-kid-one-key", "The only key is meant (OpenID Connect Core section 10.1).", header={"kid": ABSENT})
    one.refuse("no-kid-one-key-other-signer", "signature", "It did not sign.", header={"kid": ABSENT}, key=OTHER)
    fitting = group("no kid, one fitting key", keys=key_set(
        curve, weak, OTHER.public(use="enc"), KEYRING["rsa-3072"].public(alg="RS512"), KEY.public(kid=None)))
    fitting.accept("no-kid-one-fitting-key", "Keys that cannot be used do not count.", header={"kid": ABSENT})
    fitting.refuse("kid-against-key-without-kid", "key-not-found", "A key without kid never answers to a name.")
    two = group("no kid, two keys", keys=key_set(KEY, OTHER))
    two.refuse("no-kid-two-keys", "key-ambiguous", "Keys are not tried one after the other.", header={"kid": ABSENT})
    nameless = group("no kid, two keys without kid",
                     keys=key_set(KEY.public(kid=None), OTHER.public(kid=None)))
    nameless.refuse("no-kid-two-nameless-keys", "key-ambiguous", "Either could be meant.", header={"kid": ABSENT})
    none = group("no kid, no fitting key", keys=key_set(curve, weak, KEY.public(use="enc")))
    none.refuse("no-kid-no-fitting-key", "key-not-found", "None of the keys can be used.", header={"kid": ABSENT})
    return [one, fitting, two, nameless, none]


def common_kid() -> list[TokenGroup]:
    curve = KEYRING["ec-p256"]
    mixed = group("one kid, two types", keys=key_set(
        curve.public(kid=KEY.kid), KEY, OTHER.public(kid=KEY.kid, use="enc")))
    mixed.accept("kid-twice-one-fits", "Of the keys with this kid one fits the algorithm.")
    same_name = [key.public(kid=KEY.kid) for key in map(KEYRING.__getitem__, ("issuer-b", "rsa-3072", "rsa-e3"))]
    twice = group("one kid, two fitting keys", keys=key_set(KEY, OTHER.public(kid=KEY.kid)))
    twice.accept("kid-twice-both-fit", "Two keys answer to the same name, and the first signed.")
    twice.accept("kid-twice-both-fit-second", "Two keys answer to the same name, and the second signed.",
                 header={"kid": KEY.kid}, key=OTHER)
    twice.refuse("kid-twice-both-fit-neither", "signature", "Neither of the two signed.", key=ATTACKER)
    twice.refuse("kid-twice-no-kid", "key-ambiguous", "A token that names no key means one key or none.",
                 header={"kid": ABSENT})
    four = group("one kid, four fitting keys", keys=key_set(*same_name, KEY, KEY, curve.public(kid=KEY.kid)))
    four.accept("kid-four-times", "Each of four keys is tried.")
    four.refuse("kid-four-times-neither", "signature", "None of the four signed.", key=ATTACKER)
    five = group("one kid, five fitting keys", keys=key_set(KEY, *same_name, KEYRING["rsa-4096"].public(kid=KEY.kid)))
    five.refuse("kid-five-times", "key-ambiguous", "Of more than four keys none is tried.")
    return [mixed, twice, four, five]


def repeated() -> list[TokenGroup]:
    """A key that stands in a set several times is one key; what an entry says of its use is said of the entry."""
    respelled = {"n": base64.b64encode(b"\x00" + un_b64u(KEY.jwk["n"])).decode("ascii"), "e": "AAEAAQ=="}
    assert KEY.e == 65537
    twice = group("one key twice", keys=key_set(KEY, KEY))
    twice.accept("kid-twice-same-key", "The same key, listed twice, is one key.")
    twice.accept("kid-twice-same-key-no-kid", "The same key, listed twice, is one key.", header={"kid": ABSENT})
    spelled = group("one key twice, spelled in two ways", keys=key_set(KEY, KEY.public(**respelled)))
    spelled.accept("kid-twice-same-key-respelled", "The number makes the key, not its spelling.")
    renamed = group("one key under two names", keys=key_set(KEY, KEY.public(kid="other", alg=None, **respelled)))
    renamed.accept("same-key-two-kids", "The first name.")
    renamed.accept("same-key-two-kids-second", "The second name, without alg.", header={"kid": "other"})
    renamed.accept("same-key-two-kids-no-kid", "Whichever is meant, it is this key.", header={"kid": ABSENT})
    used = group("one key for two uses", keys=key_set(KEY.public(use="enc"), KEY.public(alg="RS512"), KEY))
    used.accept("same-key-two-uses", "One entry is for this.")
    unused = group("one key for other uses", keys=key_set(KEY.public(use="enc"), KEY.public(alg="RS512"), OTHER))
    unused.refuse("same-key-other-uses", "key-unusable", "No entry is for this.")
    unused.accept("same-key-other-uses-neighbour", "The other key of the set is as good as before.",
                  header={"kid": OTHER.kid}, key=OTHER)
    leaked = group("one key with and without its private half",
                   keys=key_set({**KEY.public(kid="leaked", **respelled), "d": KEY.jwk["d"]}, KEY, OTHER))
    leaked.refuse("same-key-leaked", "key-unusable", "Its private half stands beside it, under another name.")
    leaked.accept("same-key-leaked-neighbour", "The other key of the set is as good as before.",
                  header={"kid": OTHER.kid}, key=OTHER)
    faulty = {**KEY.public(kid=1, alg=1, **respelled), "e": "!", "d": KEY.jwk["d"]}
    broken = group("one key, and a faulty entry with its private half", keys=key_set(faulty, KEY, OTHER))
    broken.refuse("same-key-leaked-faulty", "key-unusable", "Another fault of the entry does not hide the leak.")
    broken.accept("same-key-leaked-faulty-neighbour", "The other key of the set is as good as before.",
                  header={"kid": OTHER.kid}, key=OTHER)
    unread = group("one ID, and an entry without numbers but with a private half",
                   keys=key_set({"kty": "RSA", "kid": KEY.kid, "d": KEY.jwk["d"]}, KEY, OTHER))
    unread.refuse("same-id-leaked", "key-unusable", "It may be this key's.")
    misread = group("one ID, and an entry with other numbers and a private half",
                    keys=key_set({**KEY.public(), "n": KEY.jwk["n"][::-1].lstrip("A"), "d": KEY.jwk["d"]}, KEY, OTHER))
    misread.refuse("same-id-leaked-misspelled", "key-unusable", "It may be this key's, misspelled.")
    return [twice, spelled, renamed, used, unused, leaked, broken, unread, misread]


def unusable() -> list[TokenGroup]:
    """Each bad key stands in a set beside a good one, which stays usable."""
    weak, curve = KEYRING["rsa-1024-weak"], KEYRING["ec-p256"]
    groups = []
    for slug, jwk, signer, why in [
        ("weak", weak.public(), weak, "1024 bits are too few."),
        ("use-enc", KEY.public(use="enc"), KEY, "The key is for encryption."),
        ("alg-rs512", KEY.public(alg="RS512"), KEY, "The key is for another algorithm."),
        ("alg-ps256", KEY.public(alg="PS256"), KEY, "The key is for another padding."),
        ("alg-unknown", KEY.public(alg="ES521"), KEY, "Nobody knows what the key is for."),
        ("key-ops-sign", KEY.public(use=None, key_ops=["sign"]), KEY, "The key is not for verifying."),
        ("private", {**KEY.public(), "d": KEY.jwk["d"]}, KEY, "The private half is published."),
        ("elliptic-curve", curve.public(), KEY, "The key is of another type."),
        ("lower-case-type", KEY.public(kty="rsa"), KEY, "No such type."),
        ("spaced-modulus", KEY.public(n=KEY.jwk["n"] + " "), KEY, "The modulus is neither base64url nor base64."),
    ]:
        g = group(f"unusable key, {slug}", keys=key_set(jwk, OTHER))
        g.refuse(f"unusable-{slug}", "key-unusable", why + " It is named, so nothing else will do.",
                 header={"kid": jwk["kid"]}, key=signer)
        g.accept(f"unusable-{slug}-neighbour", "The other key of the set is as good as before.",
                 header={"kid": OTHER.kid}, key=OTHER)
        groups.append(g)
    return [*groups, exponent_one()]


def exponent_one() -> TokenGroup:
    g = group("unusable key, exponent one", keys=key_set(ATTACKER.public(e="AQ"), OTHER))
    signing = signing_input({"alg": "RS256", "kid": ATTACKER.kid}, CLAIMS)
    g.refuse("unusable-exponent-one-forgery", "key-unusable",
             "With e = 1 the encoded message is its own signature, and anyone can write it down.",
             token=signing.decode("ascii") + "." + b64u(pkcs1(ATTACKER.size, signing)))
    g.accept("unusable-exponent-one-neighbour", "The other key of the set is as good as before.",
             token=sign(OTHER, {"alg": "RS256", "kid": OTHER.kid}, CLAIMS))
    return g


def groups() -> list[TokenGroup]:
    return [embedded(), *identifiers(), *missing_kid(), *common_kid(), *repeated(), *unusable()]
