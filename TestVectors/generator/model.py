"""Groups of tests as they stand in a vector file, and what the self-check needs to know about them."""

from dataclasses import dataclass, field

from keyring import KEYRING, Key
from tokens import changed, json_bytes, sign

NOW = 1_760_000_000
"""The time every policy uses: 2025-10-09T08:53:20Z."""

# Codes given once the signature has been found good, so a token refused with one must be well signed.
AFTER_SIGNATURE = {
    "missing-claim", "claim-type", "authorized-party", "subject", "expired", "not-yet-valid", "issued-in-future",
    "too-old", "auth-time", "acr", "hosted-domain", "access-token-hash", "code-hash", "nonce",
}


@dataclass
class Group:
    """One group of a vector file."""

    name: str
    kind: str
    policy: dict | None = None
    keys: dict | None = None
    tests: list = field(default_factory=list)

    def add(self, id: str, comment: str, result: str, **members) -> None:
        test = {"id": id, "comment": comment}
        test.update({name: value for name, value in members.items() if value is not None and name != "codes"})
        test["result"] = result
        if members.get("codes"):
            test["codes"] = members["codes"]
        self.tests.append(test)

    def as_json(self) -> dict:
        members = {"name": self.name, "kind": self.kind, "policy": self.policy, "keys": self.keys}
        members = {name: value for name, value in members.items() if value is not None}
        return {**members, "tests": self.tests}


@dataclass
class TokenGroup(Group):
    """A group whose tests are tokens made by changing one good token."""

    signer: Key = KEYRING["issuer-a"]
    header: dict = field(default_factory=dict)
    claims: dict = field(default_factory=dict)

    def token(self, header=None, claims=None, raw_header=None, raw_payload=None, key=None, by_hand=False,
              signed_with=None) -> str:
        """The good token with changes; signed_with is how it is really signed, whatever the header says."""
        protected = changed(self.header, header)
        if raw_header is not None or by_hand or signed_with:
            protected = json_bytes(protected) if raw_header is None else raw_header
        payload = changed(self.claims, claims) if raw_payload is None else raw_payload
        return sign(key or self.signer, protected, payload, signed_with)

    def accept(self, id, comment, token=None, nonce=None, expect=None, **recipe) -> None:
        """A token that verifies; expect holds further members, such as claims, profile or payload."""
        self.add(id, comment, "verified", nonce=nonce, token=token or self.token(**recipe), **(expect or {}))

    def refuse(self, id, codes, comment, token=None, nonce=None, expect=None, **recipe) -> None:
        """A token that is refused with one of the codes; recipe says how it differs from the good one."""
        token = self.token(**recipe) if token is None else token
        codes = [codes] if isinstance(codes, str) else codes
        self.add(id, comment, "refused", nonce=nonce, token=token, codes=codes, **(expect or {}))
