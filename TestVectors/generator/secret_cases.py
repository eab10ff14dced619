"""secrets.json: tokens that are signed with a shared secret, and the whole confusion of secrets and keys."""

import base64
import hashlib
import hmac
import json

from keyring import ALL_ALGORITHMS, KEYRING, b64u, key_set
from model import NOW, Group, TokenGroup
from openid_context import half
from tokens import ABSENT, Raw, changed, sign, signing_input

from attack_cases import public_forms

HASHES = {"HS256": "sha256", "HS384": "sha384", "HS512": "sha512"}
SECRETS = {
    "HS256": b"32 octets that everybody can see",
    "HS384": b"48 octets that everybody can see in this listing",
    "HS512": b"64 octets that everybody can see in this listing, so trust none.",
}
"""One of the least length for each algorithm. A verifier can refuse them by their thumbprints."""

ISSUER, CLIENT, API = "https://secret.example", "client-1", "https://api.example"
RSA, SECOND, EC, EDWARDS = (KEYRING[name] for name in ("issuer-a", "issuer-b", "ec-p256", "ed25519"))
KEYS = key_set(RSA, SECOND, EC, EDWARDS)
CLAIMS = {"iss": ISSUER, "aud": CLIENT, "sub": "subject-1", "iat": NOW - 60, "exp": NOW + 3540}
ACCESS_CLAIMS = {**CLAIMS, "aud": API, "client_id": CLIENT, "jti": "token-1"}


def mac(algorithm: str, secret: bytes, message: bytes) -> bytes:
    return hmac.digest(secret, message, HASHES[algorithm])


class SecretGroup(TokenGroup):
    """Tokens for a policy with a secret, beside keys of the issuer that must not be used."""

    def __init__(self, name: str, algorithm: str = "HS256", secret: bytes | None = None, kind="id-token", header=None,
                 claims=None, keys=None, **policy):
        self.algorithm, self.secret = algorithm, secret or SECRETS[algorithm]
        common = {} if kind == "jws" else {"issuers": [ISSUER], "audiences": [CLIENT], "now": NOW}
        nonce = {"nonce": "absent"} if kind == "id-token" else {}
        stated = {"secret": {"algorithm": algorithm, "octets": b64u(self.secret)}}
        super().__init__(f"shared secret: {name}", kind, {**common, **nonce, **stated, **policy}, keys or KEYS,
                         header={"alg": algorithm, "typ": "JWT", **(header or {})}, claims={**CLAIMS, **(claims or {})})

    def token(self, header=None, claims=None, secret=None, made=None, signature=None, raw_payload=None) -> str:
        """The good token with changes; made is the algorithm that is really used, and secret what it is keyed with."""
        payload = changed(self.claims, claims) if raw_payload is None else raw_payload
        signing = signing_input(changed(self.header, header), payload)
        if signature is None:
            signature = mac(made or self.algorithm, self.secret if secret is None else secret, signing)
        return f"{signing.decode('ascii')}.{b64u(signature)}"


def verified(algorithm: str) -> list[SecretGroup]:
    slug = algorithm.lower()
    g = SecretGroup(f"verified, {algorithm}", algorithm)
    g.accept(f"secret-{slug}", "Signed with the secret.", expect={"claims": {"sub": "subject-1"}})
    g.accept(f"secret-{slug}-kid-absent", "A secret has no ID: a kid is not looked for.", header={"kid": "any"})
    g.accept(f"secret-{slug}-kid-of-key", "Not even if a key has this ID.", header={"kid": RSA.kid})
    g.accept(f"secret-{slug}-typ-absent", "typ is optional, as with keys.", header={"typ": ABSENT})
    g.accept(f"secret-{slug}-alg-escaped", "JSON escapes are undone.",
             header={"alg": Raw(f'"\\u0048{algorithm[1:]}"')})
    for claim, member, code in [("at_hash", "accessToken", "access-token-hash"), ("c_hash", "code", "code-hash")]:
        name = f"secret-{slug}-{claim.replace('_', '-')}"
        g.accept(name, "Half of the hash that the algorithm uses.", claims={claim: half(HASHES[algorithm], "value")},
                 expect={member: "value"})
        other = "sha512" if algorithm == "HS256" else "sha256"
        g.refuse(f"{name}-other-hash", code, "Half of another hash.", claims={claim: half(other, "value")},
                 expect={member: "value"})
    g.refuse(f"secret-{slug}-expired", "expired", "Claims are judged as with keys.", claims={"exp": NOW})
    g.refuse(f"secret-{slug}-audience", "audience", "Claims are judged as with keys.", claims={"aud": "client-2"})
    long = SecretGroup(f"verified, {algorithm}, the longest secret", algorithm, bytes(range(256)) * 4)
    long.accept(f"secret-{slug}-1024-octets", "Any octets, zeros and no text included.")
    long.refuse(f"secret-{slug}-1023-octets", "signature", "One octet less.", secret=(bytes(range(256)) * 4)[:-1])
    return [g, long]


def confusion(algorithm: str) -> SecretGroup:
    """Each algorithm for each other one, in name and in deed (RFC 8725 section 3.1)."""
    slug = algorithm.lower()
    g = SecretGroup(f"confusion of algorithms, {algorithm}", algorithm)
    g.accept(f"secret-confusion-{slug}", "The twin of the others.")
    for other in SECRETS:
        if other == algorithm:
            continue
        g.refuse(f"secret-confusion-{slug}-is-{other.lower()}", "algorithm", "Another MAC with this secret.",
                 header={"alg": other}, made=other)
        g.refuse(f"secret-confusion-{slug}-says-{other.lower()}", "algorithm", "The right MAC under another name.",
                 header={"alg": other})
        g.refuse(f"secret-confusion-{slug}-made-as-{other.lower()}", "signature", "Another MAC under the right name.",
                 made=other)
    signers = {**{name: RSA for name in ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512")}, "ES256": EC,
               "ES384": KEYRING["ec-p384"], "ES512": KEYRING["ec-p521"], "EdDSA": EDWARDS, "Ed25519": EDWARDS}
    assert set(signers) == set(ALL_ALGORITHMS)
    for name, key in signers.items():
        header = changed(g.header, {"alg": name, "kid": key.kid})
        g.refuse(f"secret-confusion-{slug}-is-{name.lower()}", "algorithm", "A right signature by a key of the issuer.",
                 token=sign(key, header, g.claims))
        renamed = signing_input(changed(header, {"alg": algorithm}), g.claims)
        g.refuse(f"secret-confusion-{slug}-made-as-{name.lower()}", "signature",
                 "The signature of a key of the issuer under the name of the MAC.",
                 token=f"{renamed.decode('ascii')}.{b64u(key.sign_bytes(renamed, name))}")
    for name, value in {
        "none": "none", "none-capital": "None", "empty": "", "lower-case": algorithm.lower(), "space": algorithm + " ",
        "hs1": "HS1", "a256kw": "A256KW", "dir": "dir", "null": None, "number": int(algorithm[2:]),
        "array": [algorithm], "absent": ABSENT,
    }.items():
        g.refuse(f"secret-confusion-{slug}-alg-{name}", "algorithm", "The MAC is right; what alg says counts.",
                 header={"alg": value})
    return g


def public_as_secret() -> list[SecretGroup]:
    """A MAC keyed with something public or empty, for a verifier that has a secret."""
    groups = []
    for key in (RSA, EC, EDWARDS):
        g = SecretGroup(f"a public key instead of the secret, {key.algorithm}")
        g.accept(f"secret-public-{key.algorithm.lower()}", "The twin of the others.", header={"kid": key.kid})
        for form, octets in {**public_forms(key), "pem": key.pem, "spki": key.spki}.items():
            g.refuse(f"secret-public-{key.algorithm.lower()}-{form}", "signature", "Keyed with a public key.",
                     header={"kid": key.kid}, secret=octets)
        groups.append(g)
    g = SecretGroup("something else instead of the secret")
    secret = SECRETS["HS256"]
    g.accept("secret-other", "The twin of the others.")
    for slug, octets in {
        "empty": b"", "zero": b"\0", "secret": b"secret", "client": CLIENT.encode(), "issuer": ISSUER.encode(),
        "shorter": secret[:-1], "longer": secret + b"\n", "upper-case": secret.upper(), "base64": base64.b64encode(secret),
        "base64url": b64u(secret).encode(), "hexadecimal": secret.hex().encode(), "hashed": hashlib.sha256(secret).digest(),
        "reversed": secret[::-1],
    }.items():
        g.refuse(f"secret-other-{slug}", "signature", "Keyed with another octet string.", secret=octets)
    symmetric = {"kty": "oct", "kid": "symmetric", "alg": "HS256", "k": b64u(b"32 octets from a set of the issuer")}
    published = SecretGroup("a symmetric key in the key set", keys=key_set(RSA, symmetric))
    published.accept("secret-oct-in-set", "A secret is never taken from a key set, and one there does no harm.")
    published.refuse("secret-oct-in-set-used", "signature", "Keyed with the symmetric key of the set.",
                     header={"kid": "symmetric"}, secret=b"32 octets from a set of the issuer")
    header = SecretGroup("a key in the header")
    header.accept("secret-header-jwk", "It is ignored.", header={"jwk": symmetric})
    header.refuse("secret-header-jwk-used", "signature", "Keyed with the key in the header.", header={"jwk": symmetric},
                  secret=b"32 octets from a set of the issuer")
    return [*groups, g, published, header]


def codes() -> SecretGroup:
    """The MAC itself: its length and each of its ends."""
    g = SecretGroup("the authentication code")
    good = mac("HS256", g.secret, signing_input(g.header, g.claims))
    g.accept("secret-code", "The twin of the others.")
    for slug, code in {
        "first-bit": bytes([good[0] ^ 0x80]) + good[1:], "last-bit": good[:-1] + bytes([good[-1] ^ 1]),
        "truncated-31": good[:31], "truncated-16": good[:16], "truncated-1": good[:1], "longer": good + b"\0",
        "twice": good + good, "zeros": bytes(32), "reversed": good[::-1], "text": good.hex().encode(),
    }.items():
        g.refuse(f"secret-code-{slug}", "signature", "Not the code of the token.", signature=code)
    g.refuse("secret-code-empty", "segments", "No code at all.", signature=b"")
    g.refuse("secret-code-of-other-token", "signature", "The code of another token.",
             signature=mac("HS256", g.secret, signing_input(g.header, {**CLAIMS, "sub": "subject-2"})))
    g.refuse("secret-code-of-payload", "signature", "The code of the payload alone.",
             signature=mac("HS256", g.secret, signing_input(g.header, g.claims).split(b".")[1]))
    g.refuse("secret-kid-number", "key-id", "kid must be a string, although it is not looked for.", header={"kid": 5})
    g.refuse("secret-kid-empty", "key-id", "kid must not be empty.", header={"kid": ""})
    g.refuse("secret-crit", "critical-header", "No extension is understood.", header={"crit": ["x"], "x": 1})
    g.refuse("secret-azp", "authorized-party", "The secret is that of one client.", claims={"azp": "client-2"})
    g.refuse("secret-audiences", "audience", "The secret is that of one client.", claims={"aud": [CLIENT, "client-2"]})
    return g


def two_declarations() -> list[TokenGroup]:
    """One issuer and one client, with a secret for one way to sign in and keys for another: the caller chooses.

    LINE is such an issuer: HS256 with the channel secret for the web, ES256 for native apps.
    """
    web = SecretGroup("two declarations, the one with the secret")
    policy = {"issuers": [ISSUER], "audiences": [CLIENT], "now": NOW, "nonce": "absent", "algorithms": ["ES256"]}
    app = TokenGroup("shared secret: two declarations, the one with keys", "id-token", policy, KEYS, signer=EC,
                     header={"alg": "ES256", "typ": "JWT", "kid": EC.kid}, claims=CLAIMS)
    web.accept("secret-two-web", "The token of the web.")
    web.refuse("secret-two-app-as-web", "algorithm", "The token of an app.", token=app.token())
    app.accept("secret-two-app", "The token of an app.")
    app.refuse("secret-two-web-as-app", "algorithm", "The token of the web.", token=web.token())
    app.refuse("secret-two-web-as-app-kid", "algorithm", "The same with the ID of the key.",
               token=web.token(header={"kid": EC.kid}))
    return [web, app]


def access_tokens() -> list[SecretGroup]:
    own = SecretGroup("access tokens", kind="access-token", header={"typ": "at+jwt"}, claims=ACCESS_CLAIMS,
                      audiences=[API])
    own.accept("secret-access", "An access token of a service of one's own.", expect={"client": CLIENT})
    own.refuse("secret-access-rs256", "algorithm", "A right signature by a key of the issuer.",
               token=sign(RSA, {"alg": "RS256", "typ": "at+jwt", "kid": RSA.kid}, ACCESS_CLAIMS))
    own.refuse("secret-access-hs512", "algorithm", "Another MAC with this secret.", header={"alg": "HS512"},
               made="HS512")
    own.refuse("secret-access-other", "signature", "Another secret.", secret=SECRETS["HS384"])
    own.refuse("secret-access-id-token", "token-type", "An ID token that is signed with the same secret.",
               header={"typ": "JWT"})
    claims = {**CLAIMS, "iss": "https://abcdefghij.supabase.co/auth/v1", "aud": "authenticated",
              "role": "authenticated", "session_id": "session-1", "aal": "aal1"}
    supabase = SecretGroup("the legacy secret of Supabase", kind="access-token", claims=claims,
                           audiences=["authenticated"], preset={"name": "supabase", "projectID": "abcdefghij"})
    del supabase.policy["issuers"]
    supabase.accept("secret-supabase", "An older project; the preset requires a kid of keys alone.")
    supabase.accept("secret-supabase-kid", "Newer tokens of the legacy secret have a kid.", header={"kid": "legacy"})
    supabase.refuse("secret-supabase-es256", "algorithm", "A token after the change to keys.",
                    token=sign(EC, {"alg": "ES256", "typ": "JWT", "kid": EC.kid}, claims))
    supabase.refuse("secret-supabase-anon", "claim-value", "The public key of the project is such a token.",
                    claims={"role": "anon"})
    supabase.refuse("secret-supabase-service-role", "claim-value", "The secret key of the project is such a token.",
                    claims={"role": "service_role"})
    return [own, supabase]


def any_payload() -> SecretGroup:
    """RFC 7515 A.1 is in published.json, with its key in a set, where it is refused."""
    g = SecretGroup("compact JWS", kind="jws")
    g.accept("secret-jws", "Any bytes.", raw_payload=b"\0\xff", expect={"payload": b64u(b"\0\xff")})
    g.refuse("secret-jws-other", "signature", "Another secret.", raw_payload=b"\0\xff", secret=SECRETS["HS512"])
    g.refuse("secret-jws-hs384", "algorithm", "Another MAC.", raw_payload=b"\0\xff", header={"alg": "HS384"},
             made="HS384")
    return g


def usable() -> Group:
    """What can be a secret at all."""
    g = Group("shared secret: usable octets", "secret")

    def add(slug: str, result: str, comment: str, octets: bytes, algorithm: str = "HS256") -> None:
        g.tests.append({"id": f"secret-{slug}", "comment": comment,
                        "secret": {"algorithm": algorithm, "octets": b64u(octets)}, "result": result})

    for algorithm, secret in SECRETS.items():
        slug = algorithm.lower()
        add(f"length-{slug}", "usable", "As long as the hash (RFC 7518 section 3.2).", secret, algorithm)
        add(f"length-{slug}-shorter", "unusable", "One octet less.", secret[:-1], algorithm)
        add(f"length-{slug}-empty", "unusable", "No octets.", b"", algorithm)
        add(f"length-{slug}-1024", "usable", "The longest.", b"\x07" * 1024, algorithm)
        add(f"length-{slug}-1025", "unusable", "One octet more.", b"\x07" * 1025, algorithm)
    for key in (RSA, EC, EDWARDS):
        forms = {**public_forms(key), "pem": key.pem, "spki": key.spki}
        for name in ("kid", "x", "x-text", "modulus-text"):
            forms.pop(name, None)
        forms["spki-base64"] = base64.b64encode(key.spki)
        forms["spki-base64url"] = b64u(key.spki).encode()
        forms["pem-base64"] = base64.b64encode(key.pem)
        forms["jwk-base64url"] = b64u(json.dumps(key.public()).encode()).encode()
        for form, octets in forms.items():
            add(f"document-{key.algorithm.lower()}-{form}", "unusable", "A public key is no secret.", octets)
    token = SecretGroup("unused").token()
    symmetric = json.dumps({"kty": "oct", "k": b64u(SECRETS["HS512"])}).encode()
    for slug, octets in {
        "oct": symmetric, "oct-set": b'{"keys":[' + symmetric + b"]}", "token": token.encode(),
        "private-pem": b"-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n",
        "certificate-pem": b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
    }.items():
        add(f"document-{slug}", "unusable", "A document, not a secret.", octets)
    for slug, octets in {
        "braces": b"{this is no JSON, but long enough}", "text": b"correct horse battery staple, twice over",
        "dots": b"a.b.c and then the rest of the passphrase", "binary": bytes(range(0x80, 0xC0)),
        "hexadecimal": SECRETS["HS256"].hex().encode(), "base64": base64.b64encode(bytes(range(0x80, 0xC0))),
        "der-of-another-length": b"\x30\x22\x02\x20 and thirty-three octets after it!!",
    }.items():
        add(f"octets-{slug}", "usable", "Any other octets.", octets)
    return g


def groups() -> list[Group]:
    algorithms = list(SECRETS)
    return [*(g for algorithm in algorithms for g in verified(algorithm)),
            *(confusion(algorithm) for algorithm in algorithms), *public_as_secret(), codes(), *two_declarations(),
            *access_tokens(), any_payload(), usable()]
