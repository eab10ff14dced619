"""dpop.json, second part: the key of a proof, its token, client certificates, times, nonces and replays."""

import base64
import hashlib
import hmac
from urllib.parse import quote

from certificates import certificate
from keyring import KEYRING, b64u
from model import NOW
from proof_cases import (
    BINDING, EC, EDWARDS, LATEST, OTHER, RSA, TOKEN, URL, ProofGroup, group, hash_of, public, thumbprint,
)
from tokens import ABSENT

BOUND, UNBOUND = {"token": TOKEN, "cnf": BINDING}, {"token": TOKEN}
CERTIFICATE, OTHER_CERTIFICATE = certificate(EC), certificate(OTHER)
# Made for these files; the nonces that it makes mean nothing elsewhere.
SECRET, LIFETIME = hashlib.sha256(b"login-vectors: secret of nonces, never use it").digest(), 60


def certificate_thumbprint(der: bytes) -> str:
    return b64u(hashlib.sha256(der).digest())


def field(der: bytes) -> dict:
    """Client-Cert (RFC 9440 section 2.2)."""
    return {"clientCert": f":{base64.b64encode(der).decode('ascii')}:"}


def pem(der: bytes, line_end: str = "\n") -> str:
    text = base64.b64encode(der).decode("ascii")
    lines = [text[start:start + 64] for start in range(0, len(text), 64)]
    return line_end.join(["-----BEGIN CERTIFICATE-----", *lines, "-----END CERTIFICATE-----", ""])


def nonce(step: int) -> str:
    mac = hmac.digest(SECRET, f"DPoP nonce {NOW // LIFETIME + step}".encode("ascii"), hashlib.sha256)
    return b64u(mac[:16])


def keys() -> list[ProofGroup]:
    g = group("key")
    g.yes("jwk-good", "The twin of the next ones.")
    g.yes("jwk-members", "Members that do no harm.",
          header={"jwk": public(EC, kid="k", use="sig", alg="ES256", key_ops=["verify"], ext=True)})
    point = EC.jwk
    for slug, value, why in [
        ("absent", ABSENT, "It is required."), ("null", None, "No key."), ("string", "key", "No key."),
        ("array", [public(EC)], "No key."), ("empty", {}, "No key."),
        ("set", {"keys": [public(EC)]}, "A key set is no key."),
        ("private", {**public(EC), "d": point["d"]}, "With its private half (RFC 9449 section 4.3, item 7)."),
        ("symmetric", {"kty": "oct", "k": "AAAA"}, "A symmetric key."),
        ("other-curve", public(KEYRING["ec-p384"]), "A key that cannot make ES256."),
        ("other-type", public(RSA), "A key that cannot make ES256."),
        ("off-curve", {**public(EC), "y": point["x"]}, "No point of the curve."),
        ("no-y", public(EC, y=None), "Half a point."),
        ("padded", {**public(EC), "x": point["x"] + "="}, "Not canonical base64url."),
        ("use-enc", public(EC, use="enc"), "For encryption."),
        ("key-ops", public(EC, key_ops=["sign"]), "Not for verifying."),
        ("alg", public(EC, alg="ES384"), "An alg that its curve cannot do."),
        ("kid-number", public(EC, kid=1), "kid must be a string."),
    ]:
        g.no(f"jwk-{slug}", "proof-key", why, header={"jwk": value}, by_hand=True)
    g.no("jwk-kid", "proof-key", "kid names no key that is known here.", header={"jwk": ABSENT, "kid": EC.kid})
    rsa = group("RSA key", signer=RSA, algorithms=["RS256"])
    rsa.yes("rsa-2048", "2048 bits.")
    for name, code, why in [("rsa-4096", None, "The largest modulus of a proof."),
                            ("rsa-8192", "proof-key", "A modulus that takes a server too long."),
                            ("rsa-1024-weak", "proof-key", "A modulus that is too short.")]:
        key = KEYRING[name]
        if code is None:
            rsa.yes(name, why, key=key, header={"jwk": public(key)})
        else:
            rsa.no(name, code, why, key=key, header={"jwk": public(key)})
    rsa.no("rsa-alg", "proof-key", "A key for another algorithm.", header={"jwk": public(RSA, alg="PS256")})
    edwards = group("Edwards key", signer=EDWARDS, algorithms=["EdDSA", "Ed25519"])
    edwards.yes("edwards", "A key of Ed25519.")
    edwards.no("edwards-small-order", "proof-key", "A point of small order.",
               header={"jwk": public(EDWARDS, x=b64u(b"\1" + bytes(31)))})
    edwards.no("edwards-alg", "proof-key", "A key for the other name of the algorithm.",
               header={"jwk": public(EDWARDS, alg="Ed25519")})
    return [g, rsa, edwards]


def token_hashes() -> ProofGroup:
    g = group("hash of the token", presents=BOUND)
    g.yes("ath-good", "The hash of the token that is sent.")
    g.no("ath-absent", "proof-token-hash", "It is required with a token (RFC 9449 section 4.3, item 12).",
         claims={"ath": ABSENT})
    for slug, value, why in [
        ("other-token", hash_of("access-token-2"), "The hash of another token."), ("empty", "", "No hash."),
        ("padded", hash_of(TOKEN) + "=", "Compared byte for byte."), ("token", TOKEN, "The token itself."),
        ("half", b64u(hashlib.sha256(TOKEN.encode()).digest()[:16]), "As at_hash of an ID token."),
        ("scheme", hash_of(f"DPoP {TOKEN}"), "The scheme is no part of the token."),
    ]:
        g.no(f"ath-{slug}", "proof-token-hash", why, claims={"ath": value})
    return g


def bindings() -> list[ProofGroup]:
    g = group("binding to a key", presents=BOUND)
    g.yes("bound", "The token is bound to the key of the proof.")
    g.yes("bound-more", "Members of cnf that are not known mean nothing (RFC 7800 section 3.1).",
          {"cnf": {**BINDING, "kid": "x"}})
    g.no("bound-no-proof", "proof-required", "A stolen token comes without its proof.", {"proofs": []})
    g.no("bound-other-key", "proof-binding", "Another key than the token's.", key=OTHER,
         header={"jwk": public(OTHER)})
    g.no("bound-jwk-of-other", "proof-signature", "The token's key in jwk, and another that signed.", key=OTHER)
    g.no("unbound-with-proof", "proof-binding", "The token is not bound to a key.", {"cnf": ABSENT})
    g.yes("unbound", "A token that is not bound needs no proof.", {"cnf": ABSENT, "proofs": []}, jkt=None)
    for slug, value, why in [
        ("null", None, "No object."), ("string", BINDING["jkt"], "No object."), ("empty", {}, "Bound to nothing."),
        ("array", [BINDING], "No object."), ("kid", {"kid": "x"}, "A binding that is not known here."),
        ("jwk", {"jwk": public(EC)}, "A binding that is not known here."),
        ("jkt-null", {"jkt": None}, "No thumbprint."), ("jkt-empty", {"jkt": ""}, "No thumbprint."),
        ("jkt-padded", {"jkt": BINDING["jkt"] + "="}, "Not canonical base64url."),
        ("jkt-short", {"jkt": BINDING["jkt"][:-4]}, "Not a SHA-256."),
        ("jkt-trailing-bits", {"jkt": BINDING["jkt"][:-1] + chr(ord(BINDING["jkt"][-1]) + 1)},
         "Another spelling of the same bytes."),
        ("x5t-number", {**BINDING, "x5t#S256": 1}, "One of two is no thumbprint."),
    ]:
        g.no(f"cnf-{slug}", "confirmation-unsupported", why, {"cnf": value})
    g.no("cnf-kid-no-proof", "confirmation-unsupported", "It is bound to something, and no proof can show to what.",
         {"cnf": {"kid": "x"}, "proofs": []})
    required = group("bound tokens are required", presents=BOUND, requireBoundTokens=True)
    required.yes("required-bound", "A bound token.")
    required.no("required-unbound", "proof-required", "A token that is not bound.", {"cnf": ABSENT, "proofs": []})
    required.no("required-unbound-proof", "proof-required", "A token that is not bound, with a proof.",
                {"cnf": ABSENT})
    required.yes("required-certificate", "A token that is bound to a certificate.", jkt=None,
                 sends={"cnf": {"x5t#S256": certificate_thumbprint(CERTIFICATE)}, "proofs": [],
                        "certificate": field(CERTIFICATE)})
    return [g, required]


def certificates() -> list[ProofGroup]:
    cnf = {"x5t#S256": certificate_thumbprint(CERTIFICATE)}
    g = group("binding to a certificate", presents={"token": TOKEN, "cnf": cnf, "proofs": []})
    g.yes("certificate", "The client certificate that the token is bound to (RFC 8705 section 3).",
          {"certificate": field(CERTIFICATE)}, jkt=None)
    g.no("certificate-none", "certificate-required", "No client certificate.")
    g.no("certificate-other", "certificate-binding", "Another client certificate.",
         {"certificate": field(OTHER_CERTIFICATE)})
    g.yes("certificate-unused", "A proxy passes the certificate of every client.",
          {"cnf": ABSENT, "certificate": field(OTHER_CERTIFICATE)}, jkt=None)
    g.no("certificate-with-proof", "proof-binding", "The token is not bound to a key.",
         {"proofs": ABSENT, "certificate": field(CERTIFICATE)})
    both = group("binding to a key and a certificate", presents={"token": TOKEN, "cnf": {**BINDING, **cnf}})
    both.yes("both", "Both are as they must be.", {"certificate": field(CERTIFICATE)})
    both.no("both-no-certificate", "certificate-required", "One of two.")
    both.no("both-other-certificate", "certificate-binding", "One of two.",
            {"certificate": field(OTHER_CERTIFICATE)})
    both.no("both-no-proof", "proof-required", "One of two.", {"proofs": [], "certificate": field(CERTIFICATE)})
    both.no("both-other-key", "proof-binding", "One of two.", {"certificate": field(CERTIFICATE)}, key=OTHER,
            header={"jwk": public(OTHER)})
    forms = group("form of a certificate", presents={"token": TOKEN, "cnf": cnf, "proofs": []})
    escaped, text = quote(pem(CERTIFICATE), safe=""), base64.b64encode(CERTIFICATE).decode("ascii")
    for slug, value, why in [
        ("field", field(CERTIFICATE), "The field Client-Cert (RFC 9440 section 2.2)."),
        ("pem", {"escapedPEM": escaped}, "PEM, percent-encoded."),
        ("pem-crlf", {"escapedPEM": quote(pem(CERTIFICATE, "\r\n"), safe="")}, "Lines that end in CR and LF."),
        ("pem-lower-case", {"escapedPEM": escaped.replace("%2B", "%2b").replace("%0A", "%0a")},
         "Escapes have no case."),
        ("der", {"der": CERTIFICATE.hex()}, "DER."),
    ]:
        forms.yes(f"certificate-{slug}", why, {"certificate": value}, jkt=None)
    for slug, value, why in [
        ("field-empty", {"clientCert": ""}, "Nothing."), ("field-colons", {"clientCert": "::"}, "Nothing."),
        ("field-plain", {"clientCert": text}, "Without its colons."),
        ("field-half", {"clientCert": f":{text}"}, "Without the second colon."),
        ("field-base64url", {"clientCert": f":{text.replace('+', '-').replace('/', '_')}:"}, "Another alphabet."),
        ("field-padding", {"clientCert": f":{text}=:"}, "Too much padding."),
        ("field-space", {"clientCert": f": {text}:"}, "White space."),
        ("field-two", {"clientCert": f":{text}:, :{text}:"}, "Two certificates."),
        ("field-parameter", {"clientCert": f":{text}:;a=1"}, "A parameter."),
        ("field-pem", {"clientCert": escaped}, "The other form."),
        ("pem-raw", {"escapedPEM": text}, "Without its lines."), ("pem-empty", {"escapedPEM": ""}, "Nothing."),
        ("pem-twice", {"escapedPEM": escaped + escaped}, "Two certificates."),
        ("pem-key", {"escapedPEM": escaped.replace("CERTIFICATE", "PUBLIC%20KEY")}, "Something else in PEM."),
        ("pem-bare-percent", {"escapedPEM": escaped + "%"}, "No escape."),
        ("pem-spaces", {"escapedPEM": escaped.replace("%0A", "%20")}, "Lines that a proxy has joined."),
        ("der-empty", {"der": ""}, "Nothing."), ("der-short", {"der": CERTIFICATE[:-1].hex()}, "Cut off."),
        ("der-long", {"der": CERTIFICATE.hex() + "00"}, "A byte follows."),
        ("der-set", {"der": "31" + CERTIFICATE.hex()[2:]}, "No sequence."),
        ("der-indefinite", {"der": "3080" + CERTIFICATE.hex()[8:] + "0000"}, "BER: an indefinite length."),
        ("der-long-length", {"der": "308300" + CERTIFICATE.hex()[4:]}, "BER: a length with leading zeros."),
        ("der-two", {"der": CERTIFICATE.hex() * 2}, "Two certificates."),
    ]:
        forms.no(f"certificate-{slug}", "certificate-malformed", why, {"certificate": value})
    forms.no("certificate-malformed-unbound", "certificate-malformed", "Seen before everything else.",
             {"cnf": ABSENT, "certificate": {"clientCert": "x"}})
    return [g, both, forms]


def times() -> list[ProofGroup]:
    g = group("time")
    g.yes("iat-now", "Made now.", claims={"iat": NOW})
    g.yes("iat-ahead", "As far ahead as the leeway.", claims={"iat": NOW + 5})
    g.no("iat-ahead-more", "proof-in-future", "A second more.", claims={"iat": NOW + 6})
    g.no("iat-tomorrow", "proof-in-future", "Made in advance.", claims={"iat": NOW + 86_400})
    g.yes("iat-59", "The last second.", claims={"iat": NOW - 59})
    g.no("iat-60", "proof-too-old", "Too old at the maximum age; the leeway adds nothing.", claims={"iat": NOW - 60})
    g.no("iat-zero", "proof-too-old", "Very old.", claims={"iat": 0})
    g.no("iat-milliseconds", "proof-in-future", "Milliseconds instead of seconds.",
         claims={"iat": NOW * 100})
    exact = group("time, no leeway", leeway=None, maxAge=1)
    exact.yes("iat-now-exact", "Made now.", claims={"iat": NOW})
    exact.no("iat-next-exact", "proof-in-future", "A second ahead.", claims={"iat": NOW + 1})
    exact.no("iat-last-exact", "proof-too-old", "A second ago.", claims={"iat": NOW - 1})
    widest = group("time, the largest limits", leeway=60, maxAge=300)
    widest.yes("iat-ahead-60", "As far ahead as a policy may accept.", claims={"iat": NOW + 60})
    widest.no("iat-ahead-61", "proof-in-future", "A second more.", claims={"iat": NOW + 61})
    widest.yes("iat-299", "The last second of the largest age.", claims={"iat": NOW - 299})
    widest.no("iat-300", "proof-too-old", "Too old at the maximum age.", claims={"iat": NOW - 300})
    return [g, exact, widest]


def nonces() -> list[ProofGroup]:
    policy = {"nonces": {"secret": SECRET.hex(), "lifetime": LIFETIME}}
    g = group("server nonces", **policy)
    for slug, step, why in [("current", 0, "The nonce of this minute."), ("previous", -1, "That of the last minute."),
                            ("next", 1, "That of a server whose clock is ahead.")]:
        g.yes(f"nonce-{slug}", why, claims={"nonce": nonce(step)})
    g.no("nonce-absent", "proof-nonce", "It is required (RFC 9449 section 8).")
    for slug, value, why in [
        ("old", nonce(-2), "Two minutes ago."), ("early", nonce(2), "In two minutes."), ("none", "", "No nonce."),
        ("padded", nonce(0) + "==", "Compared byte for byte."), ("cut", nonce(0)[:-1], "Cut off."),
        ("other-secret", b64u(hashlib.sha256(b"other").digest()[:16]), "Another server's."),
    ]:
        g.no(f"nonce-{slug}", "proof-nonce", why, claims={"nonce": value})
    g.yes("nonce-iat-old", "The nonce determines the time: the client's clock does not matter.",
          claims={"nonce": nonce(0), "iat": 0})
    g.yes("nonce-iat-ahead", "Nor does it if it is ahead.", claims={"nonce": nonce(0), "iat": NOW + 86_400})
    for slug, value in {"negative": -1, "late": LATEST + 1}.items():
        g.no(f"nonce-iat-{slug}", "proof-claim", "It must be a time all the same.",
             claims={"nonce": nonce(0), "iat": value})
    end = (NOW // LIFETIME + 2) * LIFETIME
    g.yes("nonce-last-second", "The last second of the nonce of this minute.", {"now": end - 1},
          claims={"nonce": nonce(0)})
    g.no("nonce-over", "proof-nonce", "A second later.", {"now": end}, claims={"nonce": nonce(0)})
    begin = (NOW // LIFETIME - 1) * LIFETIME
    g.yes("nonce-first-second", "The first second at which it is accepted.", {"now": begin},
          claims={"nonce": nonce(0)})
    g.no("nonce-too-early", "proof-nonce", "A second earlier.", {"now": begin - 1}, claims={"nonce": nonce(0)})
    return [g]


def replays() -> list[ProofGroup]:
    g = group("single use", presents=BOUND)
    request = {"method": "GET", "url": URL, **BOUND}
    good, other = g.proof(request), g.proof(request, claims={"jti": "proof-2"})
    g.yes("use-first", "The first use.", {"proofs": [good]})
    g.no("use-second", "proof-replayed", "The proof was used before.",
         {"proofs": [good], "before": [earlier(good)]})
    g.yes("use-other-jti", "Another proof was used before.", {"proofs": [other], "before": [earlier(good)]})
    g.no("use-third", "proof-replayed", "Another one in between changes nothing.",
         {"proofs": [good], "before": [earlier(good), earlier(other)]})
    later = g.proof(request, claims={"iat": NOW})
    g.no("use-same-jti", "proof-replayed", "Another proof with the same key and ID.",
         {"proofs": [later], "before": [earlier(good)]})
    post = g.proof({**request, "method": "POST"})
    g.no("use-same-jti-method", "proof-replayed", "The ID was used for another method.",
         {"proofs": [good], "before": [earlier(post, method="POST")]})
    elsewhere = g.proof({**request, "url": "https://api.example/v1/you"})
    g.no("use-same-jti-url", "proof-replayed", "The ID was used for another URL.",
         {"proofs": [good], "before": [earlier(elsewhere, url="https://api.example/v1/you")]})
    second = {"token": "access-token-2", "cnf": BINDING}
    g.no("use-same-jti-token", "proof-replayed", "The ID was used for another token.",
         {"proofs": [good], "before": [earlier(g.proof({**request, **second}), **second)]})
    theirs = {"token": "access-token-2", "cnf": {"jkt": thumbprint(OTHER)}}
    by_other = g.proof({**request, **theirs}, key=OTHER, header={"jwk": public(OTHER)})
    g.yes("use-other-key", "Another client used the ID: nobody can use up the IDs of others.",
          {"proofs": [good], "before": [earlier(by_other, **theirs)]})
    g.yes("use-refused-method", "A refused proof uses up nothing.",
          {"proofs": [good], "before": [earlier(good, "refused", method="POST")]})
    g.yes("use-refused-time", "A proof that came too early is not used up.",
          {"proofs": [good], "before": [earlier(good, "refused", now=NOW - 60)]})
    forged = good[:-6] + ("AAAAAA" if good[-6:] != "AAAAAA" else "BBBBBA")
    g.yes("use-refused-signature", "A forger cannot use up an ID.",
          {"proofs": [good], "before": [earlier(forged, "refused")]})
    g.yes("use-refused-two", "Two proofs in one request use up neither.",
          {"proofs": [good], "before": [{"proofs": [good, other], "result": "refused"}]})
    g.no("use-refused-then-second", "proof-replayed", "Refused, accepted, used.",
         {"proofs": [good], "before": [earlier(good, "refused", method="POST"), earlier(good)]})
    g.no("use-last-second", "proof-replayed", "Remembered as long as it is new enough.",
         {"proofs": [good], "now": NOW + 57, "before": [earlier(good, now=NOW)]})
    g.no("use-over", "proof-too-old", "Afterwards it is too old.",
         {"proofs": [good], "now": NOW + 58, "before": [earlier(good, now=NOW)]})
    g.yes("use-not-recorded", "A request without a proof records nothing.",
          {"proofs": [good], "before": [{"proofs": [], "result": "refused"}]})
    plain = group("single use, without a token")
    alone = plain.proof({"method": "GET", "url": URL})
    plain.yes("use-first-alone", "The first use.", {"proofs": [alone]})
    plain.no("use-second-alone", "proof-replayed", "The proof was used before.",
             {"proofs": [alone], "before": [earlier(alone)]})
    with_nonce = group("single use, with server nonces", nonces={"secret": SECRET.hex(), "lifetime": LIFETIME})
    fresh = with_nonce.proof({"method": "GET", "url": URL}, claims={"nonce": nonce(0)})
    bare = with_nonce.proof({"method": "GET", "url": URL})
    end = (NOW // LIFETIME + 2) * LIFETIME
    with_nonce.yes("use-nonce-retry", "The same ID, now with the nonce of the refusal.",
                   {"proofs": [fresh], "before": [earlier(bare, "refused")]})
    with_nonce.no("use-nonce-last-second", "proof-replayed", "Remembered as long as its nonce is accepted.",
                  {"proofs": [fresh], "now": end - 1, "before": [earlier(fresh, now=NOW)]})
    with_nonce.no("use-nonce-over", "proof-nonce", "Afterwards the nonce is too old.",
                  {"proofs": [fresh], "now": end, "before": [earlier(fresh, now=NOW)]})
    widest = group("single use, the largest limits", leeway=60, maxAge=300)
    ahead = widest.proof({"method": "GET", "url": URL}, claims={"iat": NOW + 60})
    widest.yes("use-ahead-first", "The first use.", {"proofs": [ahead]})
    for slug, seconds in [("minute", 60), ("age", 300), ("last-second", 359)]:
        widest.no(f"use-ahead-{slug}", "proof-replayed", "A proof from the future is remembered as long as it is accepted.",
                  {"proofs": [ahead], "now": NOW + seconds, "before": [earlier(ahead, now=NOW)]})
    widest.no("use-ahead-over", "proof-too-old", "Afterwards it is too old.",
              {"proofs": [ahead], "now": NOW + 360, "before": [earlier(ahead, now=NOW)]})
    return [g, plain, with_nonce, widest]


def earlier(proof: str, result: str = "verified", **members) -> dict:
    return {**members, "proofs": [proof], "result": result}


def order() -> list[ProofGroup]:
    g = group("order of the checks", presents=BOUND)
    g.yes("order-good", "The twin of the next ones.")
    private = {**public(EC), "d": EC.jwk["d"]}
    steps = [
        ("typ", "proof-type", {"header": {"typ": "JWT"}}), ("alg", "proof-algorithm", {"header": {"alg": "none"}}),
        ("claim", "proof-claim", {"claims": {"jti": ABSENT}}), ("method", "proof-method", {"claims": {"htm": "PUT"}}),
        ("url", "proof-url", {"claims": {"htu": "x"}}), ("time", "proof-too-old", {"claims": {"iat": 0}}),
        ("hash", "proof-token-hash", {"claims": {"ath": "x"}}), ("key", "proof-key", {"header": {"jwk": private}}),
        ("binding", "proof-binding", {"header": {"jwk": public(OTHER)}}),
    ]
    for (slug, code, first), (later, _, second) in zip(steps, steps[1:]):
        header = {**second.get("header", {}), **first.get("header", {})}
        g.no(f"order-{slug}-before-{later}", code, "Two faults: the first check that fails gives the code.",
             header=header, claims={**second.get("claims", {}), **first.get("claims", {})}, by_hand=True)
    g.no("order-binding-before-signature", "proof-binding", "Another key in jwk, and it did not sign.",
         header={"jwk": public(OTHER)})
    good = g.proof({"method": "GET", "url": URL, **BOUND})
    g.no("order-time-before-replay", "proof-too-old", "Used before, and too old.",
         {"proofs": [good], "now": NOW + 300, "before": [earlier(good, now=NOW)]})
    return [g]


def published() -> ProofGroup:
    """The two signed examples of RFC 9449, sections 4.1 and 7.1, at their time."""
    header = (
        "eyJ0eXAiOiJkcG9wK2p3dCIsImFsZyI6IkVTMjU2IiwiandrIjp7Imt0eSI6IkVDIiwieCI6Imw4dEZyaHgtMzR0VjNoUklD"
        "UkRZOXpDa0RscEJoRjQyVVFVZldWQVdCRnMiLCJ5IjoiOVZFNGpmX09rX282NHpiVFRsY3VOSmFqSG10NnY5VERWclUwQ2R2"
        "R1JEQSIsImNydiI6IlAtMjU2In19"
    )
    for_token = header + (
        ".eyJqdGkiOiItQndDM0VTYzZhY2MybFRjIiwiaHRtIjoiUE9TVCIsImh0dSI6Imh0dHBzOi8vc2VydmVyLmV4YW1wbGUuY29"
        "tL3Rva2VuIiwiaWF0IjoxNTYyMjYyNjE2fQ.2-GxA6T8lP4vfrg8v-FdWP0A0zdrj8igiMLvqRMUvwnQg4PtFLbdLXiOSsX0"
        "x7NVY-FNyJK70nfbV37xRZT3Lg"
    )
    for_resource = header + (
        ".eyJqdGkiOiJlMWozVl9iS2ljOC1MQUVCIiwiaHRtIjoiR0VUIiwiaHR1IjoiaHR0cHM6Ly9yZXNvdXJjZS5leGFtcGxlLm9"
        "yZy9wcm90ZWN0ZWRyZXNvdXJjZSIsImlhdCI6MTU2MjI2MjYxOCwiYXRoIjoiZlVIeU8ycjJaM0RaNTNFc05yV0JiMHhXWG9"
        "hTnk1OUlpS0NBcWtzbVFFbyJ9.2oW9RP35yRqzhrtNP86L-Ey71EOptxRimPPToA1plemAgR6pxHF8y6-yqyVnmcw6Fy1dqd"
        "-jfxSYoMxhAJpLjA"
    )
    key = "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I"
    g = group("examples of RFC 9449", now=1_562_262_618)
    token_request = {"method": "POST", "url": "https://server.example.com/token", "proofs": [for_token]}
    g.yes("rfc9449-4-1", "Section 4.1, figure 2: a proof for the token endpoint.", token_request, jkt=key)
    g.no("rfc9449-4-1-minute-later", "proof-too-old", "The same a minute later.",
         {**token_request, "now": 1_562_262_676})
    resource = {"url": "https://resource.example.org/protectedresource", "proofs": [for_resource], "cnf": {"jkt": key},
                "token": "Kz~8mXK1EalYznwH-LC-1fBAo.4Ljp~zsPE_NeO.gxU"}
    g.yes("rfc9449-7-1", "Section 7.1, figure 13: a proof for a protected resource.", resource, jkt=key)
    g.no("rfc9449-7-1-other-token", "proof-token-hash", "The same with another token.",
         {**resource, "token": resource["token"] + "x"})
    g.no("rfc9449-7-1-post", "proof-method", "The same with another method.", {**resource, "method": "POST"})
    return g


def groups() -> list[ProofGroup]:
    return [*keys(), token_hashes(), *bindings(), *certificates(), *times(), *nonces(), *replays(), *order(),
            published()]
