"""openid.json, third part: the form of a token: size, segments, encoding, header, payload, algorithm."""

import hashlib
import hmac
import json

from keyring import KEYRING, b64u
from model import TokenGroup
from openid_claims import CLAIMS, HEADER, group
from tokens import ABSENT, Raw, json_bytes, sign, signing_input, split

TOKEN_BYTES_MAX = 16_384
TOKEN_BYTES_LARGEST, HEADER_BYTES_LARGEST = 65_536, 16_384
KEY = KEYRING["issuer-a"]
ATTACKER = KEYRING["attacker"]


def token_of_size(size: int) -> str:
    """A good token of exactly this many bytes.

    No base64url text has a length of one more than a multiple of four, so now and then the header
    has to take a byte.
    """
    for in_header in range(4):
        header = {**HEADER, "pad": "h" * in_header}
        spare = size - len(sign(KEY, header, {**CLAIMS, "pad": ""}))
        for in_payload in range(spare * 3 // 4 - 4, spare * 3 // 4 + 4):
            token = sign(KEY, header, {**CLAIMS, "pad": "p" * in_payload})
            if len(token) == size:
                return token
    raise AssertionError(f"no token has {size} bytes")


def header_of_size(size: int) -> dict:
    header = {**HEADER, "pad": ""}
    return {**header, "pad": "h" * (size - len(json_bytes(header)))}


def sizes() -> TokenGroup:
    g = group("size")
    g.accept("size-token-16384", "The largest token.", token=token_of_size(TOKEN_BYTES_MAX))
    g.refuse("size-token-16385", "too-large", "One byte more.", token=token_of_size(TOKEN_BYTES_MAX + 1))
    g.refuse("size-before-segments", "too-large", "Size comes first, whatever the bytes are.",
             token="." * (TOKEN_BYTES_MAX + 1))
    g.accept("size-header-4096", "The largest header, counted after decoding.",
             token=sign(KEY, header_of_size(4096), CLAIMS))
    g.refuse("size-header-4097", "too-large", "One byte more.", token=sign(KEY, header_of_size(4097), CLAIMS))
    signing = signing_input(HEADER, CLAIMS).decode("ascii")
    g.refuse("size-signature-1024", "signature", "The largest signature is read, and has the wrong length for the key.",
             token=f"{signing}.{b64u(bytes(1024))}")
    g.refuse("size-signature-1025", "too-large", "One byte more is not looked at.",
             token=f"{signing}.{b64u(bytes(1025))}")
    return g


def larger_sizes() -> TokenGroup:
    """The largest limits that a policy may have."""
    g = group("larger sizes", tokenBytes=TOKEN_BYTES_LARGEST, headerBytes=HEADER_BYTES_LARGEST)
    g.accept("size-token-65536", "The largest token of all.", token=token_of_size(TOKEN_BYTES_LARGEST))
    g.refuse("size-token-65537", "too-large", "One byte more.", token=token_of_size(TOKEN_BYTES_LARGEST + 1))
    g.accept("size-header-16384", "The largest header of all.",
             token=sign(KEY, header_of_size(HEADER_BYTES_LARGEST), CLAIMS))
    g.refuse("size-header-16385", "too-large", "One byte more.",
             token=sign(KEY, header_of_size(HEADER_BYTES_LARGEST + 1), CLAIMS))
    return g


def segments() -> TokenGroup:
    g = group("segments")
    good = g.token()
    header, payload, signature = split(good)
    encrypted_header = b64u(b'{"alg":"RSA-OAEP-256","enc":"A256GCM"}')
    flattened = json.dumps({"payload": payload, "protected": header, "signature": signature}, separators=(",", ":"))
    general = json.dumps({"payload": payload, "signatures": [
        {"protected": header, "signature": signature}, {"protected": header, "signature": "AAAA"},
    ]}, separators=(",", ":"))
    for slug, codes, token, why in [
        ("empty-string", "segments", "", "Nothing at all."),
        ("no-dot", "segments", header, "A header alone."),
        ("one-dot", "segments", f"{header}.{payload}", "The signature is missing."),
        ("three-dots", "segments", f"{good}.AAAA", "A fourth part."),
        ("trailing-dot", "segments", f"{good}.", "A dot too many at the end."),
        ("leading-dot", "segments", f".{good}", "A dot too many at the start."),
        ("five-dots", "segments", f"{good}.AAAA.AAAA.AAAA", "Six parts."),
        ("only-dots", "segments", "..", "Three empty parts."),
        ("empty-header", "segments", f".{payload}.{signature}", "The header is empty."),
        ("empty-signature", "segments", f"{header}.{payload}.", "The signature is empty."),
        ("none-empty-signature", "segments", f"eyJhbGciOiJub25lIn0.{payload}.", "How alg none is usually sent."),
        ("jwe", "encrypted-token", f"{encrypted_header}.AAAA.AAAA.AAAA.AAAA", "Five parts: an encrypted token."),
        ("four-dots-empty", "encrypted-token", "....", "Five parts, though all of them are empty."),
        ("five-parts-signed", "encrypted-token", f"{good}.AAAA.AAAA", "A good token with two parts added."),
        ("flattened-json", "segments", flattened, "JWS JSON serialisation, flattened."),
        ("general-json", "segments", general, "JWS JSON serialisation with two signatures, one of them good."),
        ("ideographic-dots", "segments", good.replace(".", "\u3002"), "Dots that only look like dots."),
        ("full-width-dots", "segments", good.replace(".", "\uff0e"), "Dots that only look like dots."),
        ("facebook-access-token", "segments", "EAAGmadeUpAccessToken0ZD", "An access token pasted by mistake."),
    ]:
        g.refuse(f"segments-{slug}", codes, why, token=token)
    g.refuse("segments-empty-payload", "payload", "Well formed, and not a claims set.", raw_payload=b"")
    return g


def encodings() -> TokenGroup:
    g = group("encoding")
    good = g.token()
    header, payload, signature = split(good)
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

    def next_letter(segment: str) -> str:
        """The same bytes with one of the unused last bits set."""
        assert len(segment) % 4, "a segment without unused bits"
        return segment[:-1] + alphabet[alphabet.index(segment[-1]) + 1]

    padded_claims = next(
        claims for claims in ({**CLAIMS, "pad": "p" * count} for count in range(4))
        if len(split(g.token(claims=claims))[1]) % 4
    )
    loose = split(g.token(claims=padded_claims))
    wide = next(
        parts for parts in (split(g.token(claims={"pad": str(count)})) for count in range(99))
        if "-" in parts[2] and "_" in parts[2]
    )
    g.accept("encoding-canonical", "The twin of the next ones, unused bits zero.", token=".".join(loose))
    for slug, token, why in [
        ("header-padded", f"{header}=.{payload}.{signature}", "Padding in the header."),
        ("payload-padded", f"{header}.{payload}=.{signature}", "Padding in the payload."),
        ("signature-padded", f"{header}.{payload}.{signature}==", "Padding in the signature."),
        ("plus", ".".join(wide).replace("-", "+"), "The alphabet of plain base64."),
        ("solidus", ".".join(wide).replace("_", "/"), "The alphabet of plain base64."),
        ("leading-space", " " + good, "Nothing is trimmed."),
        ("trailing-newline", good + "\n", "Nothing is trimmed."),
        ("carriage-return", good + "\r\n", "Nothing is trimmed."),
        ("tab-inside", f"{header}.{payload[:9]}\t{payload[9:]}.{signature}", "White space inside."),
        ("newline-inside", f"{header}.{payload[:64]}\n{payload[64:]}.{signature}", "Lines folded as in mail."),
        ("bearer", "Bearer " + good, "The whole of an Authorization field."),
        ("quotes", f'"{good}"', "A JSON string rather than its content."),
        ("polyglot", f'{{"a":"{good}"}}', "A JSON text that holds a token."),
        ("nul", good + "\0", "A NUL at the end."),
        ("byte-order-mark", "\ufeff" + good, "A byte order mark at the start."),
        ("look-alike-letter", good.replace("e", "\u0435", 1), "A Cyrillic letter."),
        ("extra-dot-look-alike", f"{header}.{payload}\u3002.{signature}", "A look-alike dot beside real ones."),
        ("percent", good + "%3D", "URL encoding."),
        ("header-one-over", f"{header}{'A' * ((1 - len(header)) % 4)}.{payload}.{signature}",
         "A length of one more than a multiple of four."),
        ("signature-one-over", f"{header}.{payload}.{signature}{'A' * ((1 - len(signature)) % 4)}",
         "A length of one more than a multiple of four."),
        ("payload-one-letter", f"{header}.A.{signature}", "Six bits are no byte."),
        ("signature-trailing-bits", f"{header}.{payload}.{next_letter(signature)}",
         "Another spelling of the same bytes (RFC 4648 section 3.5)."),
        ("payload-trailing-bits", f"{loose[0]}.{next_letter(loose[1])}.{loose[2]}",
         "Another spelling of the same bytes (RFC 4648 section 3.5)."),
    ]:
        g.refuse(f"encoding-{slug}", "encoding", why, token=token)
    return g


def headers() -> list[TokenGroup]:
    g = group("header")
    kid = json.dumps(KEY.kid)
    good = b'{"alg":"RS256","kid":' + kid.encode() + b"}"
    g.accept("header-white-space", "JSON white space is fine around and inside.",
             raw_header=b' \n{ "alg" : "RS256",\t"kid": ' + kid.encode() + b" }\r\n")
    g.accept("header-unknown-parameter", "Unknown parameters are passed over (RFC 7515 section 4).",
             header={"x-unknown": [1, {"a": None}]})
    for slug, raw, why in [
        ("array", b'["alg","RS256"]', "Not an object."),
        ("string", b'"RS256"', "Not an object."),
        ("number", b"1", "Not an object."),
        ("huge-number", b"1e300", "Not an object."),
        ("null", b"null", "Not an object."),
        ("not-json", b"alg=RS256", "Not JSON."),
        ("truncated", good[:-1], "The object does not end."),
        ("trailing-garbage", good + b"x", "Something follows the object."),
        ("two-objects", good + good, "Something follows the object."),
        ("trailing-comma", good[:-1] + b",}", "A comma too many."),
        ("comment", good[:-1] + b"/**/}", "JSON has no comments."),
        ("duplicate-alg", b'{"alg":"none","alg":"RS256","kid":' + kid.encode() + b"}", "Which one holds?"),
        ("duplicate-alg-escaped", b'{"\\u0061lg":"none","alg":"RS256","kid":' + kid.encode() + b"}",
         "The same name after unescaping."),
        ("duplicate-nested", good[:-1] + b',"x":{"a":1,"a":1}}', "At any depth, and with equal values."),
        ("byte-order-mark", b"\xef\xbb\xbf" + good, "A byte order mark is not JSON (RFC 8259 section 8.1)."),
        ("overlong", good[:-1] + b',"x":"\xc0\xaf"}', "An overlong form is not UTF-8."),
        ("lone-surrogate", good[:-1] + b',"x":"\\ud800"}', "Half a character."),
        ("utf-16", good.decode().encode("utf-16-le"), "Only UTF-8 will do."),
        ("too-deep", good[:-1] + b',"x":' + b"[" * 16 + b"]" * 16 + b"}", "Seventeen levels."),
        ("control-character", good[:-1] + b',"x":"\x01"}', "Control characters must be escaped."),
    ]:
        g.refuse(f"header-{slug}", "header", why, raw_header=raw)
    g.accept("header-deep-enough", "Sixteen levels.",
             raw_header=good[:-1] + b',"x":' + b"[" * 15 + b"]" * 15 + b"}")
    for name, value in {
        "enc": "A128GCM", "zip": "DEF", "epk": {"kty": "EC"}, "apu": "QQ", "apv": "QQ", "p2s": "QQ",
        "p2c": 1000, "iv": "QQ", "tag": "QQ",
    }.items():
        g.refuse(f"header-jwe-{name}", "header", "A parameter of JWE in a signed token.", header={name: value})
    return [g, critical_headers()]


def critical_headers() -> TokenGroup:
    g = group("critical header parameters")
    for slug, change, why in [
        ("unknown", {"crit": ["exp2"], "exp2": 1}, "An extension that nobody knows."),
        ("absent", {"crit": ["exp2"]}, "It names a parameter that is not there."),
        ("registered", {"crit": ["alg"]}, "It names a parameter of the standard itself."),
        ("empty", {"crit": []}, "It must not be empty (RFC 7515 section 4.1.11)."),
        ("string", {"crit": "exp"}, "It must be an array."),
        ("null", {"crit": None}, "It must be an array."),
        ("number-inside", {"crit": [1]}, "It must hold strings."),
        ("twice", {"crit": ["x", "x"], "x": 1}, "It must not repeat itself."),
        ("b64-true", {"crit": ["b64"], "b64": True}, "No extension is understood, this one included."),
        ("b64-false", {"crit": ["b64"], "b64": False}, "An unencoded payload (RFC 7797)."),
    ]:
        g.refuse(f"crit-{slug}", "critical-header", why, header=change, by_hand=True)
    g.accept("b64-true-alone", "It asks for what is done anyway.", header={"b64": True}, by_hand=True)
    for slug, value in {"false": False, "null": None, "string": "true", "number": 1}.items():
        g.refuse(f"b64-{slug}", "critical-header", "b64 may be there only as true.", header={"b64": value},
                 by_hand=True)
    return g


def token_types() -> list[TokenGroup]:
    g = group("token type")
    for slug, value in {
        "jwt": "JWT", "lower-case": "jwt", "mixed-case": "Jwt", "prefixed": "application/jwt",
        "prefixed-upper-case": "APPLICATION/JWT",
    }.items():
        g.accept(f"typ-{slug}", "A spelling of the media type of a JWT (RFC 7519 section 5.1).", header={"typ": value})
    g.accept("typ-absent", "typ is optional.", header={"typ": ABSENT})
    for slug, value in {
        "access-token": "at+jwt", "access-token-prefixed": "application/at+jwt", "logout-token": "logout+jwt",
        "dpop": "dpop+jwt", "json-serialisation": "JOSE+JSON", "jose": "JOSE", "empty": "", "space": "JWT ",
        "longer": "JWTX", "other-prefix": "text/jwt",
    }.items():
        g.refuse(f"typ-{slug}", "token-type", "Another kind of token (RFC 8725 section 3.11).", header={"typ": value})
    for slug, value in {"null": None, "number": 1, "array": ["JWT"]}.items():
        g.refuse(f"typ-{slug}", "token-type", "typ must be a string.", header={"typ": value}, by_hand=True)
    g.refuse("cty-jwt", "token-type", "A token within a token (RFC 7519 section 5.2).", header={"cty": "JWT"})
    g.refuse("cty-application-jwt", "token-type", "A token within a token.", header={"cty": "application/jwt"})
    g.refuse("cty-jwt-lower-case", "token-type", "Types are compared without case.", header={"cty": "jwt"})
    g.refuse("cty-jwt-parameter", "token-type", "Parameters do not change the type.", header={"cty": "JWT; v=1"})
    g.refuse("cty-suffix", "token-type", "A security event token is a token (RFC 8417 section 2.3).",
             header={"cty": "secevent+jwt"})
    g.accept("cty-suffix-other", "JSON about tokens is no token.", header={"cty": "jwt+json"})
    g.refuse("cty-number", "token-type", "cty must be a string.", header={"cty": 1}, by_hand=True)
    g.refuse("cty-null", "token-type", "cty must be a string.", header={"cty": None}, by_hand=True)
    g.accept("cty-json", "Another content type does no harm.", header={"cty": "json"})
    g.refuse("events", "token-type", "events makes it a security event token, such as a logout token (RFC 8417).",
             claims={"events": {"http://schemas.openid.net/event/backchannel-logout": {}}})
    g.refuse("events-untyped", "token-type", "The same without typ, as older providers send logout tokens.",
             header={"typ": ABSENT}, claims={"events": {}})
    g.accept("events-other-name", "Only the claim of this very name counts.", claims={"event": {}})
    required = group("token type required", requireType=True)
    required.accept("typ-required-present", "typ is there.")
    required.refuse("typ-required-absent", "token-type", "typ is not there.", header={"typ": ABSENT})
    return [g, required]


def hs256(key: bytes) -> str:
    """A token whose MAC key is something public: the classic confusion of algorithms."""
    signing = signing_input({**HEADER, "alg": "HS256"}, CLAIMS)
    return signing.decode("ascii") + "." + b64u(hmac.digest(key, signing, hashlib.sha256))


def algorithms() -> TokenGroup:
    g = group("algorithm")
    for slug, value in {
        "none": "none", "none-capital": "None", "none-upper-case": "NONE", "none-mixed-case": "nOnE", "empty": "",
        "none-space": "none ", "none-escaped": Raw('"\\u006eone"'), "lower-case": "rs256", "space": "RS256 ",
        "nul": "RS256\0", "es256": "ES256", "hs256": "HS256", "eddsa": "EdDSA", "rsa-oaep": "RSA-OAEP",
        "a256kw": "A256KW", "dir": "dir", "unknown": "XS256", "null": None, "number": 256, "array": ["RS256"],
        "object": {"name": "RS256"}, "true": True,
    }.items():
        g.refuse(f"alg-{slug}", "algorithm", "The bytes are signed well, with RS256; what alg says counts.",
                 header={"alg": value}, by_hand=True)
    g.refuse("alg-absent", "algorithm", "alg is required (RFC 7515 section 4.1.1).", header={"alg": ABSENT},
             by_hand=True)
    g.accept("alg-escaped", "JSON escapes are undone: this is RS256.", header={"alg": Raw('"RS\\u003256"')},
             by_hand=True)
    for slug, algorithm in {"rs384": "RS384", "rs512": "RS512"}.items():
        g.refuse(f"alg-{slug}-signed", "algorithm", "A right signature by an algorithm that is not allowed.",
                 token=sign(KEY, {**HEADER, "alg": algorithm}, CLAIMS))
    pss = signing_input({**HEADER, "alg": "PS256"}, CLAIMS)
    g.refuse("alg-ps256-signed", "algorithm", "A right signature by an algorithm that is not allowed.",
             token=pss.decode("ascii") + "." + b64u(KEY.sign_bytes(pss, "PS256")))
    public_jwk = json.dumps(KEY.public(), separators=(",", ":")).encode()
    for slug, secret in {
        "pem": KEY.pem, "spki": KEY.spki, "jwk": public_jwk, "modulus": KEY.n.to_bytes(KEY.size, "big"), "empty": b"",
    }.items():
        g.refuse(f"alg-hs256-keyed-with-{slug}", "algorithm", "A MAC made with public bytes (RFC 8725 section 2.1).",
                 token=hs256(secret))
    return g


def payloads() -> TokenGroup:
    g = group("payload")
    good = json_bytes(CLAIMS)
    g.accept("payload-white-space", "JSON white space around the object.", raw_payload=b"\r\n\t " + good + b" \n")
    for slug, raw, why in [
        ("array", b"[" + good + b"]", "Not an object."),
        ("string", b'"' + b"x" * 40 + b'"', "Not an object."),
        ("null", b"null", "Not an object."),
        ("number", b"12", "Not an object."),
        ("not-json", b"\x00\x01\x02", "Not JSON."),
        ("truncated", good[:-1], "The object does not end."),
        ("trailing-garbage", good + b"\x00", "Something follows the object."),
        ("trailing-comma", good[:-1] + b",}", "A comma too many."),
        ("comment", good + b"//", "JSON has no comments."),
        ("nan", good[:-1] + b',"x":NaN}', "Not a JSON number."),
        ("infinity", good[:-1] + b',"x":Infinity}', "Not a JSON number."),
        ("leading-zero", good[:-1] + b',"x":01}', "Not a JSON number."),
        ("duplicate-sub", good[:-1] + b',"sub":"subject-2"}', "Who is it?"),
        ("duplicate-escaped", good[:-1] + b',"s\\u0075b":"subject-1"}', "The same name after unescaping."),
        ("duplicate-nested", good[:-1] + b',"x":[{"a":1,"b":2,"a":3}]}', "At any depth."),
        ("overlong", good[:-1] + b',"x":"\xe0\x80\xaf"}', "An overlong form, in a claim nobody reads."),
        ("surrogate-half", good[:-1] + b',"x":"\xed\xa0\x80"}', "A surrogate is not a character."),
        ("lone-surrogate-escape", good[:-1] + b',"x":"\\udc00"}', "Half a character."),
        ("latin-1", good[:-1] + b',"x":"\xe9"}', "Another encoding."),
        ("byte-order-mark", b"\xef\xbb\xbf" + good, "A byte order mark is not JSON."),
        ("utf-16", good.decode().encode("utf-16-be"), "Only UTF-8 will do."),
        ("depth-17", good[:-1] + b',"x":' + b'{"a":' * 15 + b"[]" + b"}" * 15 + b"}", "One level too many."),
        ("members-129", json_bytes({**CLAIMS, **{f"m{i}": i for i in range(129 - len(CLAIMS))}}),
         "One member too many."),
    ]:
        g.refuse(f"payload-{slug}", "payload", why, raw_payload=raw)
    g.accept("payload-depth-16", "As deep as may be.",
             raw_payload=good[:-1] + b',"x":' + b'{"a":' * 14 + b"[]" + b"}" * 14 + b"}")
    g.accept("payload-members-128", "As many members as may be.",
             raw_payload=json_bytes({**CLAIMS, **{f"m{i}": i for i in range(128 - len(CLAIMS))}}))
    g.accept("payload-odd-names", "Names that mean something elsewhere are ordinary here.",
             claims={"__proto__": {"admin": True}, "constructor": 1, "": "empty"},
             expect={"claims": {"__proto__": {"admin": True}, "constructor": 1, "": "empty"}})
    g.accept("payload-huge-number-unused", "A number beyond every type, in a claim that nobody reads.",
             claims={"x": Raw("1e400")})
    return g


def groups() -> list[TokenGroup]:
    return [sizes(), larger_sizes(), segments(), encodings(), *headers(), *token_types(), algorithms(), payloads()]
