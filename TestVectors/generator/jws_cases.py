"""jws.json: compact JWS with any payload: no claim is looked at, and no typ."""

from keyring import KEYRING, b64u, key_set
from model import TokenGroup
from tokens import ABSENT, Raw, sign, signing_input, split

KEY = KEYRING["issuer-a"]
OTHER = KEYRING["issuer-b"]
ATTACKER = KEYRING["attacker"]
HEADER = {"alg": "RS256", "kid": KEY.kid}
PAYLOAD = b"any bytes"


def group(name: str, keys=None) -> TokenGroup:
    return TokenGroup(f"jws: {name}", "jws", {"algorithms": ["RS256"]}, keys or key_set(KEY, OTHER), header=HEADER)


def accept_payload(g: TokenGroup, id: str, comment: str, payload: bytes, **recipe) -> None:
    g.accept(id, comment, raw_payload=payload, expect={"payload": b64u(payload)}, **recipe)


def payloads() -> TokenGroup:
    g = group("payloads")
    for slug, payload, why in [
        ("text", PAYLOAD, "Plain text."),
        ("empty", b"", "Nothing; the middle segment is empty and the token well formed."),
        ("one-byte", b"\x00", "One zero byte."),
        ("all-bytes", bytes(range(256)), "Every byte value; not UTF-8."),
        ("array", b"[1]", "JSON, but no object."),
        ("duplicate-members", b'{"a":1,"a":2}', "What an ID token may not be."),
        ("byte-order-mark", b"\xef\xbb\xbf{}", "What an ID token may not be."),
        ("deep", b"[" * 100 + b"]" * 100, "What an ID token may not be."),
        ("expired-token", b'{"iss":"https://issuer.example","exp":0}', "Claims are not looked at."),
        ("dots", b"...", "Dots before encoding."),
    ]:
        accept_payload(g, f"jws-payload-{slug}", why, payload)
    return g


def headers() -> TokenGroup:
    g = group("header")
    accept_payload(g, "jws-typ-access-token", "The type of token is judged for ID tokens only.", PAYLOAD,
                   header={"typ": "at+jwt"})
    accept_payload(g, "jws-typ-jose", "The type of token is judged for ID tokens only.", PAYLOAD,
                   header={"typ": "JOSE"})
    accept_payload(g, "jws-cty-jwt", "So is the type of content.", PAYLOAD, header={"cty": "JWT"})
    accept_payload(g, "jws-unknown-parameter", "Unknown parameters are passed over.", PAYLOAD, header={"x": {"y": 1}})
    accept_payload(g, "jws-b64-true", "It asks for what is done anyway.", PAYLOAD, header={"b64": True}, by_hand=True)
    for slug, codes, change, why in [
        ("crit", "critical-header", {"crit": ["x"], "x": 1}, "No critical extension is understood."),
        ("crit-empty", "critical-header", {"crit": []}, "Nor an empty list of them."),
        ("b64-false", "critical-header", {"b64": False}, "The payload is always encoded."),
        ("enc", "header", {"enc": "A128GCM"}, "A parameter of JWE."),
        ("zip", "header", {"zip": "DEF"}, "A parameter of JWE."),
        ("alg-none", "algorithm", {"alg": "none"}, "Unsecured."),
        ("alg-none-escaped", "algorithm", {"alg": Raw('"\\u006eone"')}, "Unsecured, in disguise."),
        ("alg-hs256", "algorithm", {"alg": "HS256"}, "Not on the list."),
        ("alg-missing", "algorithm", {"alg": ABSENT}, "alg is required."),
        ("alg-number", "algorithm", {"alg": 5}, "alg must be a string."),
        ("kid-number", "key-id", {"kid": 5}, "kid must be a string."),
        ("kid-empty", "key-id", {"kid": ""}, "kid must not be empty."),
        ("kid-257-bytes", "key-id", {"kid": "k" * 257}, "kid has at most 256 bytes."),
        ("kid-unknown", "key-not-found", {"kid": "nobody"}, "No key has this name."),
        ("kid-absent", "key-ambiguous", {"kid": ABSENT}, "Two keys fit."),
        ("kid-of-other-key", "signature", {"kid": OTHER.kid}, "The named key did not sign."),
    ]:
        g.refuse(f"jws-{slug}", codes, why, raw_payload=PAYLOAD, header=change, by_hand=True)
    for slug, raw in {
        "duplicate-member": b'{"alg":"RS256","alg":"RS256"}', "not-an-object": b'"RS256"', "not-json": b"RS256",
        "depth-17": b'{"alg":"RS256","x":' + b"[" * 16 + b"]" * 16 + b"}",
        "lone-surrogate": b'{"alg":"RS256","x":"\\udead"}',
    }.items():
        g.refuse(f"jws-header-{slug}", "header", "The header is strict JSON and an object.", raw_header=raw,
                 raw_payload=PAYLOAD)
    return g


def form() -> TokenGroup:
    g = group("form")
    good = sign(KEY, HEADER, PAYLOAD)
    header, payload, signature = split(good)
    accept_payload(g, "jws-good", "The twin of the following.", PAYLOAD)
    for slug, codes, token, why in [
        ("two-parts", "segments", f"{header}.{payload}", "The signature is missing."),
        ("four-parts", "segments", f"{good}.AAAA", "A part too many."),
        ("five-parts", "encrypted-token", f"{good}.AAAA.AAAA", "The form of an encrypted token."),
        ("detached", "signature", f"{header}..{signature}", "A detached payload is not fetched from elsewhere."),
        ("empty-signature", "segments", f"{header}.{payload}.", "The signature is empty."),
        ("empty-header", "segments", f".{payload}.{signature}", "The header is empty."),
        ("padded", "encoding", f"{header}.{payload}=.{signature}", "Padding."),
        ("space", "encoding", f"{header}. {payload}.{signature}", "White space."),
        ("newline", "encoding", good + "\n", "White space at the end."),
        ("too-large", "too-large", sign(KEY, HEADER, b"p" * 12_288), "More than 16384 bytes."),
        ("header-too-large", "too-large", sign(KEY, {**HEADER, "x": "h" * 4096}, PAYLOAD), "A header over 4096 bytes."),
        ("signature-too-large", "too-large", f"{header}.{payload}.{b64u(bytes(1025))}", "A signature over 1024 bytes."),
    ]:
        g.refuse(f"jws-{slug}", codes, why, token=token)
    return g


def signatures() -> TokenGroup:
    g = group("signature")
    good = sign(KEY, HEADER, PAYLOAD)
    header, payload, signature = split(good)
    signing = f"{header}.{payload}".encode("ascii")
    octets = KEY.sign_bytes(signing)
    for slug, altered, why in [
        ("first-bit", bytes([octets[0] ^ 0x80]) + octets[1:], "The first bit is flipped."),
        ("last-bit", octets[:-1] + bytes([octets[-1] ^ 1]), "The last bit is flipped."),
        ("leading-zero", b"\x00" + octets, "A zero byte before it."),
        ("trailing-zero", octets + b"\x00", "A zero byte after it."),
        ("byte-missing", octets[:-1], "The last byte is missing."),
        ("one-byte", b"\x01", "One byte."),
        ("zero", bytes(KEY.size), "The number zero."),
        ("modulus", KEY.n.to_bytes(KEY.size, "big"), "The modulus itself."),
        ("pss", KEY.sign_bytes(signing, "PS256"), "The right key with another padding."),
        ("attacker", ATTACKER.sign_bytes(signing), "Another key."),
        ("payload-only", KEY.sign_bytes(PAYLOAD), "The right key over the decoded payload alone."),
    ]:
        g.refuse(f"jws-signature-{slug}", "signature", why, token=f"{header}.{payload}.{b64u(altered)}")
    g.refuse("jws-signature-of-other-payload", "signature", "The payload was exchanged.",
             token=f"{header}.{b64u(b'other bytes')}.{signature}")
    reordered = b64u(b'{"kid":"%s","alg":"RS256"}' % KEY.kid.encode())
    spaced = b64u(b'{"alg":"RS256","kid": "%s"}' % KEY.kid.encode())
    g.refuse("jws-signature-header-reordered", "signature", "The same header in other bytes; bytes are what is signed.",
             token=f"{reordered}.{payload}.{signature}")
    g.refuse("jws-signature-header-spaced", "signature", "The same header in other bytes.",
             token=f"{spaced}.{payload}.{signature}")
    return g


def plus_modulus() -> TokenGroup:
    """A signature that is too large by exactly the modulus, in a token."""
    g = group("a signature above the modulus")
    for number in range(1000):
        body = b"payload %d" % number
        signing = signing_input(HEADER, body)
        above = int.from_bytes(KEY.sign_bytes(signing), "big") + KEY.n
        if above < 1 << KEY.size * 8:
            break
    accept_payload(g, "jws-signature-below-modulus", "The twin of the next one.", body)
    g.refuse("jws-signature-plus-modulus", "signature", "The same number modulo n (RFC 8017 section 5.2.2).",
             token=signing.decode("ascii") + "." + b64u(above.to_bytes(KEY.size, "big")))
    return g


def keys() -> list[TokenGroup]:
    groups = []
    for name in ("rsa-3072", "rsa-4096", "rsa-8192", "rsa-e3"):
        key = KEYRING[name]
        g = group(f"key {name}", keys=key_set(key, KEY))
        accept_payload(g, f"jws-{name}", f"A key of {key.n.bit_length()} bits with e = {key.e}.", PAYLOAD,
                       header={"kid": key.kid}, key=key)
        g.refuse(f"jws-{name}-length-of-another-key", "signature", "A signature as long as another key's modulus.",
                 token=sign(KEY if name != "rsa-e3" else KEYRING["rsa-3072"], {**HEADER, "kid": key.kid}, PAYLOAD))
        groups.append(g)
    weak, curve = KEYRING["rsa-1024-weak"], KEYRING["ec-p256"]
    poor = group("keys that cannot be used", keys=key_set(weak, curve, KEY.public(kid=None)))
    poor.refuse("jws-key-weak", "key-unusable", "1024 bits are too few.", raw_payload=PAYLOAD,
                header={"kid": weak.kid}, key=weak)
    poor.refuse("jws-key-elliptic-curve", "key-unusable", "RS256 needs an RSA key.", raw_payload=PAYLOAD,
                header={"kid": curve.kid})
    poor.refuse("jws-key-without-kid", "key-not-found", "A key without kid never answers to a name.",
                raw_payload=PAYLOAD)
    accept_payload(poor, "jws-no-kid", "Without a kid, the one key that can be used is meant.", PAYLOAD,
                   header={"kid": ABSENT})
    twice = group("one kid for two keys", keys=key_set(KEY, OTHER.public(kid=KEY.kid)))
    accept_payload(twice, "jws-kid-twice", "Two keys answer to the same name, and the first signed.", PAYLOAD)
    five = group("one kid for five keys", keys=key_set(KEY, *(
        KEYRING[name].public(kid=KEY.kid) for name in ("issuer-b", "rsa-3072", "rsa-4096", "rsa-e3"))))
    five.refuse("jws-kid-ambiguous", "key-ambiguous", "Of more than four keys none is tried.", raw_payload=PAYLOAD)
    return [*groups, poor, twice, five]


def groups() -> list[TokenGroup]:
    return [payloads(), headers(), form(), signatures(), plus_modulus(), *keys()]
