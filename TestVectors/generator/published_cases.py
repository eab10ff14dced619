"""published.json: tokens and keys as the standards print them, each beside itself with one character changed."""

import json
from pathlib import Path

from keyring import b64u, un_b64u
from model import Group

PUBLISHED = json.loads((Path(__file__).parent / "published.json").read_text(encoding="ascii"))
# Between iat and exp of the examples of OpenID Connect Core.
OPENID_NOW = 1_311_281_000


def with_one_letter_changed(segment: str) -> str:
    """The same with its middle letter changed."""
    middle = len(segment) // 2
    return segment[:middle] + ("B" if segment[middle] == "A" else "A") + segment[middle + 1:]


def altered(token: str) -> str:
    header, payload, signature = token.split(".")
    return f"{header}.{payload}.{with_one_letter_changed(signature)}"


def tokens() -> list[Group]:
    groups = []
    for example in PUBLISHED["tokens"]:
        slug, source, token = example["slug"], example["source"], example["token"]
        g = Group(f"published: {source}", "jws", {"algorithms": [example["algorithm"]]}, {"keys": [example["key"]]})
        g.add(f"published-{slug}", f"As printed: {source}.", "verified", token=token,
              payload=b64u(un_b64u(token.split(".")[1])))
        g.add(f"published-{slug}-altered", "One letter of the signature is another.", "refused", token=altered(token),
              codes=["signature"])
        groups.append(g)
    return groups


def openid_tokens() -> list[Group]:
    groups = []
    for issuer in ("http://server.example.com", "https://server.example.com"):
        policy = {
            "issuers": [issuer], "audiences": ["s6BhdRkqt3"], "now": OPENID_NOW, "nonce": {"exactly": "n-0S6_WzA2Mj"},
        }
        g = Group(f"published: OpenID Connect Core, {issuer}", "id-token", policy, {"keys": [PUBLISHED["openidKey"]]})
        for example in PUBLISHED["openidTokens"]:
            token = example["token"]
            if json.loads(un_b64u(token.split(".")[1]))["iss"] != issuer:
                continue
            extra = {name: example[name] for name in ("accessToken", "code") if name in example}
            g.add(f"published-{example['slug']}", f"As printed: {example['source']}.", "verified", token=token, **extra,
                  claims={"sub": "248289761001"})
            g.add(f"published-{example['slug']}-altered", "One letter of the signature is another.", "refused",
                  token=altered(token), codes=["signature"], **extra)
            for member, code in (("accessToken", "access-token-hash"), ("code", "code-hash")):
                if member in example:
                    g.add(f"published-{example['slug']}-other-value", "One letter of what was handed out is another.",
                          "refused", token=token, codes=[code], **{member: with_one_letter_changed(example[member])})
        groups.append(g)
    return groups


def refused_tokens() -> Group:
    keys = {"keys": [PUBLISHED["tokens"][0]["key"]]}
    g = Group("published: what is no token for us", "jws", {"algorithms": ["RS256"]}, keys)
    for example in PUBLISHED["refusedTokens"]:
        g.add(f"published-{example['slug']}", f"As printed: {example['source']}; {example['why']}.", "refused",
              token=example["token"], codes=[example["code"]])
    return g


def keys() -> list[Group]:
    groups = []
    for algorithm in ("RS256", "ES256", "ES512", "EdDSA"):
        g = Group(f"published: keys, {algorithm}", "key", {"algorithms": [algorithm]})
        for example in PUBLISHED["keys"]:
            if example["algorithm"] != algorithm:
                continue
            why = f"As printed: {example['source']}" + (f"; {example['why']}." if example["why"] else ".")
            result = "usable" if example["usable"] else "unusable"
            g.add(f"published-{example['slug']}", why, result, key=example["key"])
            # Another x is not that of this y; another n may be that of a key, but is not that of the certificate.
            member = "x" if "y" in example["key"] else "n" if "x5c" in example["key"] else None
            if example["usable"] and member:
                key = {**example["key"], member: with_one_letter_changed(example["key"][member])}
                g.add(f"published-{example['slug']}-altered", f"One letter of {member} is another.", "unusable",
                      key=key)
        groups.append(g)
    return groups


def groups() -> list[Group]:
    return [*tokens(), *openid_tokens(), refused_tokens(), *keys()]
