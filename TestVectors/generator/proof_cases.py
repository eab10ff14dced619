"""dpop.json, first part: DPoP proofs (RFC 9449), their form, header, claims, method and URL."""

import hashlib
from dataclasses import dataclass, field

from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature

from keyring import KEYRING, Key, b64u
from model import NOW, TokenGroup
from tokens import ABSENT, Raw, changed, json_bytes, split

EC, OTHER, RSA, PSS, EDWARDS = (KEYRING[name] for name in ("ec-p256", "ec-p256-b", "issuer-b", "rsa-pss", "ed25519"))
URL = "https://api.example/v1/me"
POLICY = {"now": NOW, "algorithms": ["ES256"], "maxAge": 60, "leeway": 5}
CLAIMS = {"jti": "proof-1", "htm": "GET", "htu": URL, "iat": NOW - 2}
LATEST = 253_402_300_799  # 9999-12-31T23:59:59Z


def public(key: Key, **changes) -> dict:
    """The key as a client puts it into its proofs: nothing but its numbers."""
    return key.public(**{"use": None, "alg": None, "kid": None, **changes})


def thumbprint(key: Key) -> str:
    return key.jose.thumbprint()


def hash_of(token: str) -> str:
    """ath: the hash of the token as it is sent."""
    return b64u(hashlib.sha256(token.encode("utf-8")).digest())


TOKEN = "access-token-1"
BINDING = {"jkt": thumbprint(EC)}


@dataclass
class ProofGroup(TokenGroup):
    """A group whose tests are requests with a proof; they present the token of the group or of the test, if any."""

    presents: dict = field(default_factory=dict)

    def proof(self, request: dict, **recipe) -> str:
        """The good proof for a request, with changes."""
        claims = {"htm": request["method"], "htu": request["url"]}
        if "token" in request:
            claims["ath"] = hash_of(request["token"])
        return self.token(**{**recipe, "claims": {**claims, **(recipe.get("claims") or {})}})

    def request(self, sends: dict | None, **recipe) -> dict:
        """A request; sends replaces its members, or takes them out with ABSENT."""
        request = changed({"method": "GET", "url": URL, **self.presents}, sends)
        request.setdefault("proofs", [self.proof(request, **recipe)])
        return request

    def yes(self, slug: str, comment: str, sends=None, jkt: str | None = "", **recipe) -> None:
        """A request that is accepted; jkt is the thumbprint of the proof's key, None if none is needed."""
        signer = recipe.get("key") or self.signer
        self.tests.append({"id": f"dpop-{slug}", "comment": comment, **self.request(sends, **recipe),
                           "jkt": thumbprint(signer) if jkt == "" else jkt, "result": "verified"})

    def no(self, slug: str, code: str, comment: str, sends=None, **recipe) -> None:
        self.tests.append({"id": f"dpop-{slug}", "comment": comment, **self.request(sends, **recipe),
                           "result": "refused", "codes": [code]})


def group(name: str, signer: Key = EC, presents: dict | None = None, **policy) -> ProofGroup:
    """A group; presents is the token that its requests present, with its claim cnf."""
    header = {"typ": "dpop+jwt", "alg": signer.algorithm, "jwk": public(signer)}
    policy = {name: value for name, value in {**POLICY, **policy}.items() if value is not None}
    return ProofGroup(f"dpop: {name}", "dpop", policy, signer=signer, header=header, claims=CLAIMS,
                      presents=presents or {})


def number_of_proofs() -> ProofGroup:
    g = group("number of proofs")
    good = g.proof({"method": "GET", "url": URL})
    g.yes("one", "One proof.")
    g.no("none", "proof-required", "A request without a token needs a proof.", {"proofs": []})
    g.no("two", "proof-malformed", "Two fields (RFC 9449 section 4.3, item 1).",
         {"proofs": [good, g.proof({"method": "GET", "url": URL}, claims={"jti": "proof-2"})]})
    g.no("twice", "proof-malformed", "The same proof in two fields.", {"proofs": [good, good]})
    g.no("joined", "proof-malformed", "Two fields that a proxy has joined.", {"proofs": [f"{good}, {good}"]})
    g.no("empty", "proof-malformed", "An empty field.", {"proofs": [""]})
    return g


def form() -> ProofGroup:
    g = group("form")
    good = g.proof({"method": "GET", "url": URL})
    header, payload, signature = split(good)
    g.yes("form-good", "The twin of the next ones.")
    for slug, proof, why in [
        ("two-parts", f"{header}.{payload}", "The signature is missing."),
        ("four-parts", f"{good}.AAAA", "A part too many."),
        ("five-parts", f"{good}.AAAA.AAAA", "An encrypted token."),
        ("unsigned", f"{header}.{payload}.", "The signature is empty."),
        ("no-header", f".{payload}.{signature}", "The header is empty."),
        ("space", good + " ", "Nothing is trimmed."),
        ("newline", good + "\n", "Nothing is trimmed."),
        ("padded", f"{header}.{payload}.{signature}==", "Padding in the signature."),
        ("quotes", f'"{good}"', "A JSON string."),
        ("too-large", f"{header}.{'A' * 16_384}.{signature}", "More than 16384 bytes."),
    ]:
        g.no(f"form-{slug}", "proof-malformed", why, {"proofs": [proof]})
    raw = json_bytes(g.header)
    g.no("header-array", "proof-malformed", "Not an object.", raw_header=b"[" + raw + b"]")
    g.no("header-duplicate", "proof-malformed", "Which alg holds?", raw_header=raw[:-1] + b',"alg":"ES256"}')
    g.no("header-enc", "proof-malformed", "A parameter of JWE.", header={"enc": "A128GCM"})
    g.no("header-crit", "proof-malformed", "No extension is understood.", header={"crit": ["x"], "x": 1})
    g.no("header-b64", "proof-malformed", "An unencoded payload.", header={"b64": False})
    g.yes("header-unknown", "Unknown parameters are passed over.", header={"x-unknown": 1, "kid": "any"})
    body = json_bytes(CLAIMS)
    g.no("payload-array", "proof-malformed", "Not an object.", raw_payload=b"[" + body + b"]")
    g.no("payload-duplicate", "proof-malformed", "Which jti holds?", raw_payload=body[:-1] + b',"jti":"proof-2"}')
    g.no("payload-empty", "proof-malformed", "No claims at all.", raw_payload=b"")
    return g


def header_values() -> list[ProofGroup]:
    g = group("type and algorithm")
    g.yes("typ-good", "The type and the algorithm.")
    for slug, value, why in [
        ("prefixed", "application/dpop+jwt", "RFC 9449 section 4.2 names one spelling."),
        ("upper-case", "DPoP+JWT", "RFC 9449 section 4.2 names one spelling."), ("jwt", "JWT", "Any token."),
        ("at-jwt", "at+jwt", "An access token."), ("absent", ABSENT, "It is required."), ("null", None, "No string."),
        ("array", ["dpop+jwt"], "No string."), ("space", "dpop+jwt ", "Nothing is trimmed."),
    ]:
        g.no(f"typ-{slug}", "proof-type", why, header={"typ": value}, by_hand=True)
    for slug, value, why in [
        ("none", "none", "Unsigned."), ("absent", ABSENT, "It is required."), ("null", None, "No string."),
        ("hs256", "HS256", "Symmetric (RFC 9449 section 4.3, item 5)."), ("lower-case", "es256", "Case counts."),
        ("rs256", "RS256", "Not allowed here."), ("es384", "ES384", "Not allowed here."),
    ]:
        g.no(f"alg-{slug}", "proof-algorithm", why, header={"alg": value}, by_hand=True)
    more = group("every algorithm", algorithms=["ES256", "RS256", "PS256", "EdDSA", "Ed25519"])
    for slug, key, algorithm in [
        ("es256", EC, "ES256"), ("rs256", RSA, "RS256"), ("ps256", PSS, "PS256"), ("eddsa", EDWARDS, "EdDSA"),
        ("ed25519", EDWARDS, "Ed25519"),
    ]:
        header = {"alg": algorithm, "jwk": public(key)}
        more.yes(f"signed-{slug}", f"Signed with {algorithm}.", key=key, header=header)
        more.no(f"signed-{slug}-other-key", "proof-signature", f"Signed with {algorithm} by another key.",
                header=header, key=TWINS[key.name])
    more.no("signed-es384", "proof-algorithm", "Signed with ES384, which is not allowed.", key=KEYRING["ec-p384"],
            header={"alg": "ES384", "jwk": public(KEYRING["ec-p384"])})
    return [g, more]


# Another key that can do the same.
TWINS = {"ec-p256": OTHER, "issuer-b": KEYRING["attacker"], "rsa-pss": KEYRING["attacker"],
         "ed25519": KEYRING["ed25519-b"]}


def claims() -> ProofGroup:
    g = group("claims")
    g.yes("claims-good", "The four claims of RFC 9449 section 4.2.")
    g.yes("claims-more", "Others are passed over.", claims={"x": [1], "exp": NOW - 9, "aud": "other"})
    for name in ("jti", "htm", "htu", "iat"):
        g.no(f"{name}-absent", "proof-claim", f"{name} is required.", claims={name: ABSENT})
    for name, values in {
        "jti": {"null": None, "number": 1, "empty": ""}, "htm": {"null": None, "array": ["GET"]},
        "htu": {"null": None, "array": [URL]},
        "iat": {"null": None, "string": str(NOW), "negative": -1, "late": LATEST + 1, "huge": Raw("1e400"),
                "true": True},
        "ath": {"null": None, "number": 1}, "nonce": {"null": None, "number": 1},
    }.items():
        for slug, value in values.items():
            g.no(f"{name}-{slug}", "proof-claim", f"{name} has a wrong type or form.", claims={name: value})
    g.yes("ath-unused", "Without a token nothing is compared with ath.", claims={"ath": "x"})
    g.yes("nonce-unused", "Without server nonces nothing is compared with nonce.", claims={"nonce": "x"})
    g.yes("jti-256", "The longest ID.", claims={"jti": "j" * 256})
    g.no("jti-257", "proof-claim", "One byte more.", claims={"jti": "j" * 257})
    g.no("jti-257-beyond-ascii", "proof-claim", "Counted in bytes of UTF-8.", claims={"jti": "j" + "\u00e9" * 128})
    g.yes("iat-fraction", "A time may have a fraction.", claims={"iat": NOW - 1.5})
    return g


def methods() -> ProofGroup:
    g = group("method")
    g.yes("htm-get", "The method of the request.")
    g.yes("htm-post", "Another method.", {"method": "POST"})
    for slug, value in {"post": "POST", "lower-case": "get", "space": "GET ", "empty": "", "head": "HEAD"}.items():
        g.no(f"htm-other-{slug}", "proof-method", "Methods are compared byte for byte (RFC 9110 section 9.1).",
             claims={"htm": value})
    g.no("htm-lower-case-request", "proof-method", "The request's method counts as it is.", {"method": "get"},
         claims={"htm": "GET"})
    return g


def urls() -> list[ProofGroup]:
    same = group("equal URLs")
    for slug, url, htu, why in [
        ("same", URL, URL, "The same text."),
        ("query", URL + "?a=b", URL, "The query does not count (RFC 9449 section 4.3, item 9)."),
        ("query-both", URL + "?a=b", URL + "?c", "Nor that of the proof."),
        ("fragment", URL, URL + "#f", "The fragment does not count."),
        ("query-any", URL + "?%zz", URL, "Whatever the query is."),
        ("scheme-case", URL, "HTTPS://api.example/v1/me", "Schemes have no case (RFC 3986 section 6.2.2.1)."),
        ("host-case", URL, "https://API.Example/v1/me", "Hosts have no case."),
        ("port", URL, "https://api.example:443/v1/me", "The default port (section 6.2.3)."),
        ("port-empty", URL, "https://api.example:/v1/me", "An empty port is the default port."),
        ("port-zeros", URL, "https://api.example:0443/v1/me", "A port is a number."),
        ("port-http", "http://api.example/a", "http://api.example:80/a", "The default port of http."),
        ("port-other", "https://api.example:8443/a", "https://api.example:8443/a", "Another port."),
        ("path-empty", "https://api.example/", "https://api.example", "An empty path is a slash."),
        ("escape-unreserved", "https://api.example/~me", "https://api.example/%7Eme", "Section 6.2.2.2."),
        ("escape-case", "https://api.example/a%2fb", "https://api.example/a%2Fb", "Section 6.2.2.1."),
        ("dots", URL, "https://api.example/v1/./x/../me", "Dot segments (section 6.2.2.3)."),
        ("dots-escaped", URL, "https://api.example/x/%2e%2E/v1/me", "Dots may be escaped."),
        ("dots-above", URL, "https://api.example/../v1/me", "Nothing is above the root."),
        ("dots-end", "https://api.example/a/", "https://api.example/a/b/..", "A dot segment ends with a slash."),
        ("ipv6", "https://[2001:DB8::1]/a", "https://[2001:db8::1]:443/a", "An IPv6 address."),
        ("ipv4", "https://127.0.0.1/a", "https://127.0.0.1:443/a", "An IPv4 address."),
        ("longest", "https://api.example/" + "a" * 2028, "https://api.example/" + "a" * 2028, "2048 bytes."),
        ("long-query", URL + "?" + "a" * 4000, URL, "The query does not count for the length."),
    ]:
        same.yes(f"htu-{slug}", why, {"url": url}, claims={"htu": htu})
    other = group("different URLs")
    other.yes("htu-twin", "The twin of the next ones.")
    for slug, url, htu, why in [
        ("path", URL, "https://api.example/v1/you", "Another path."),
        ("path-longer", URL, URL + "/", "A slash makes another path."),
        ("path-case", URL, "https://api.example/V1/me", "Paths have case."),
        ("path-double-slash", URL, "https://api.example/v1//me", "An empty segment counts."),
        ("host", URL, "https://other.example/v1/me", "Another host."),
        ("host-longer", URL, "https://api.example.evil.example/v1/me", "Another host."),
        ("scheme", URL, "http://api.example/v1/me", "Another scheme."),
        ("port-8443", URL, "https://api.example:8443/v1/me", "Another port."),
        ("port-80", URL, "https://api.example:80/v1/me", "The default port of another scheme."),
        ("escaped-solidus", "https://api.example/a/b", "https://api.example/a%2Fb", "An escaped solidus is another."),
        ("escaped-twice", "https://api.example/%41", "https://api.example/%2541", "Unescaped once."),
        ("relative", URL, "/v1/me", "Not absolute."),
        ("no-scheme", URL, "//api.example/v1/me", "Not absolute."),
        ("empty", URL, "", "No URL."),
        ("ftp", URL, "ftp://api.example/v1/me", "Another scheme."),
        ("user", URL, "https://user@api.example/v1/me", "A user name hides the host."),
        ("backslash", URL, "https://api.example\\v1/me", "Some parsers make it a solidus."),
        ("space", URL, URL + " ", "A space must be escaped."),
        ("letter", URL, "https://api.example/v1/m\u00e9", "A letter beyond ASCII must be escaped."),
        ("bare-percent", URL, "https://api.example/v1/me%", "No escape."),
        ("host-escaped", URL, "https://%61pi.example/v1/me", "Escapes in a host are read differently."),
        ("port-65536", URL, "https://api.example:65536/v1/me", "No port."),
        ("port-0", URL, "https://api.example:0/v1/me", "No port."),
        ("host-empty", URL, "https:///v1/me", "No host."),
        ("host-number", "https://127.0.0.1/a", "https://127.1/a", "A short address is read differently."),
        ("longer", "https://api.example/" + "a" * 2029, "https://api.example/" + "a" * 2029, "2049 bytes each."),
    ]:
        other.no(f"htu-other-{slug}", "proof-url", why, {"url": url}, claims={"htu": htu})
    other.no("url-malformed", "proof-url", "The URL of the request itself is none.", {"url": "/v1/me"},
             claims={"htu": URL})
    return [same, other]


def signatures() -> ProofGroup:
    g = group("signature")
    request = {"method": "GET", "url": URL}
    good = g.proof(request)
    header, payload, signature = split(good)
    octets = EC.sign_bytes(f"{header}.{payload}".encode())
    g.yes("signature-good", "The twin of the next ones.")
    g.no("signature-other-key", "proof-signature", "Signed by another key than the one in jwk.", key=OTHER)
    g.no("signature-other-claims", "proof-signature", "The signature of another proof.",
         {"proofs": [f"{header}.{split(g.proof(request, claims={'jti': 'proof-2'}))[1]}.{signature}"]})
    for slug, value, why in [
        ("zeros", bytes(64), "r and s are zero."), ("short", octets[:-1], "A byte too short."),
        ("long", octets + b"\0", "A byte too long."), ("der", der(octets), "DER, not r and s."),
    ]:
        g.no(f"signature-{slug}", "proof-signature", why, {"proofs": [f"{header}.{payload}.{b64u(value)}"]})
    return g


def der(octets: bytes) -> bytes:
    """The signature as most libraries write it."""
    half = len(octets) // 2
    return encode_dss_signature(*(int.from_bytes(part, "big") for part in (octets[:half], octets[half:])))


def groups() -> list[ProofGroup]:
    return [number_of_proofs(), form(), *header_values(), claims(), methods(), *urls(), signatures()]
