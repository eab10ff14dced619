"""Reads the vectors with implementations that had no part in making them, and compares every verdict.

usage: read_vectors.py DIRECTORY

jwcrypto judges tests of the kinds `jws`, `key` and `signature`, the signatures of ID tokens, and with the rules in
access_reader.py, proof_reader.py and secret_reader.py those of `access-token`, `dpop` and `secret`; PyCryptodome those of
the kind `signature` once more. A verdict that differs must be in disagreements.json, and what is there must differ.
"""

import hashlib
import json
import sys
from collections import Counter
from pathlib import Path

from access_reader import accepts_access_token
from engines import JWCRYPTO, PYCRYPTODOME, un_b64u, verify_by_jwcrypto, verify_by_pycryptodome
from jose_reader import ALGORITHMS, published, published_keys, read_jws, usable_key
from proof_reader import accepts_request
from secret_reader import usable_secret

SCHEMA = "login-vectors.schema.json"
RESULTS = {
    "id-token": ("verified", "refused"),
    "jws": ("verified", "refused"),
    "signature": ("verified", "refused"),
    "key": ("usable", "unusable"),
    "json": ("accepted", "refused"),
    "access-token": ("verified", "refused"),
    "dpop": ("verified", "refused"),
    "secret": ("usable", "unusable"),
}
FORMATS = {
    "login-vectors/1": RESULTS.keys() - {"access-token", "dpop", "secret"},
    "login-vectors/2": RESULTS.keys() - {"secret"},
    "login-vectors/3": RESULTS.keys(),
}
# What a group and a test may have, by kind. A member that is not known here could change what a test means.
GROUP_MEMBERS = {"name", "kind", "policy", "keys", "tests"}
TEST_MEMBERS = {
    "id-token": {"token", "codes", "nonce", "claims", "profile", "notes", "accessToken", "code"},
    "jws": {"token", "codes", "payload"},
    "signature": {"message", "signature", "codes"},
    "key": {"key", "codes"},
    "json": {"text", "codes"},
    "access-token": {"token", "codes", "claims", "client", "scopes", "roles", "groups", "entitlements"},
    "dpop": {"method", "url", "proofs", "token", "cnf", "certificate", "now", "before", "jkt", "codes"},
    "secret": {"secret"},
}
MEMBERS_BEFORE = TEST_MEMBERS["dpop"] - {"before", "jkt", "codes"} | {"result"}
FIRST_POLICY_MEMBERS = {
    "algorithms", "provider", "issuers", "audiences", "now", "nonce", "leeway", "maxAge", "trustedAudiences",
    "authorizedParties", "subject", "requireType", "acceptedACRs", "maxAuthAge", "hostedDomain", "tokenBytes",
    "headerBytes",
}
POLICY_MEMBERS = {kind: FIRST_POLICY_MEMBERS for kind in RESULTS} | {
    "access-token": {
        "preset", "issuers", "audiences", "now", "algorithms", "leeway", "maxAge", "requiredScopes", "allowedClients",
        "requiredValues", "tokenBytes", "headerBytes",
    },
    "dpop": {"now", "algorithms", "leeway", "maxAge", "nonces", "requireBoundTokens"},
}
# The kinds whose policy can have a secret, in the third format.
WITH_SECRET = {"id-token", "jws", "access-token"}


class Unreadable(Exception):
    """The file says something that this reader does not know, so none of its verdicts would mean anything."""


def demand(condition: bool, words: str) -> None:
    if not condition:
        raise Unreadable(words)


def without_duplicates(pairs: list) -> dict:
    members = dict(pairs)
    demand(len(members) == len(pairs), "a member is there twice")
    return members


def check_group(group: dict, kinds: set) -> None:
    demand({"name", "kind", "tests"} <= group.keys() <= GROUP_MEMBERS, f"members of a group: {sorted(group)}")
    kind, policy = group["kind"], group.get("policy", {})
    demand(kind in kinds, f"kind {kind!r}")
    known = POLICY_MEMBERS[kind] | ({"secret"} if "secret" in kinds and kind in WITH_SECRET else set())
    demand(policy.keys() <= known, f"members of a policy: {sorted(policy)}")
    demand(not {"secret", "algorithms"} <= policy.keys(), "a policy has either algorithms or a secret")
    unknown = set(policy.get("algorithms", [])) - ALGORITHMS.keys()
    demand(not unknown, f"algorithms {sorted(unknown)}")
    for test in group["tests"]:
        extra = test.keys() - TEST_MEMBERS[kind] - {"id", "comment", "result"}
        demand(not extra and {"id", "result"} <= test.keys(), f"members of test {test.get('id')!r}: {sorted(test)}")
        demand(test["result"] in RESULTS[kind], f"result {test['result']!r}")
        for earlier in test.get("before", []):
            demand({"proofs", "result"} <= earlier.keys() <= MEMBERS_BEFORE, f"members of a request: {sorted(earlier)}")
            demand(earlier["result"] in RESULTS[kind], f"result {earlier['result']!r}")


def judge_jws(group: dict, test: dict) -> dict[str, bool]:
    secret = group.get("policy", {}).get("secret")
    payload = read_jws(test["token"], published_keys(group["keys"]["keys"]), algorithms_of(group), secret)
    if payload is not None and "payload" in test and payload != un_b64u(test["payload"]):
        # Another payload than was signed is as bad as no verdict: it must not count as agreement.
        payload = None
    return {JWCRYPTO: payload is not None}


def judge_id_token(group: dict, test: dict) -> dict[str, bool]:
    """The signature alone, where the result depends on nothing else: claims are no business of JOSE's."""
    return judge_jws(group, test) if test["result"] == "verified" or test.get("codes") == ["signature"] else {}


def judge_key(group: dict, test: dict) -> dict[str, bool]:
    key = published(test["key"])
    return {JWCRYPTO: any(usable_key(key, algorithm) for algorithm in algorithms_of(group))}


def judge_signature(group: dict, test: dict) -> dict[str, bool]:
    [jwk], [algorithm] = group["keys"]["keys"], algorithms_of(group)
    inputs = jwk, algorithm, bytes.fromhex(test["message"]), bytes.fromhex(test["signature"])
    return {JWCRYPTO: verify_by_jwcrypto(*inputs), PYCRYPTODOME: verify_by_pycryptodome(*inputs)}


def judge_secret(group: dict, test: dict) -> dict[str, bool]:
    return {JWCRYPTO: usable_secret(test["secret"])}


def judge_access_token(group: dict, test: dict) -> dict[str, bool]:
    return {JWCRYPTO: accepts_access_token(group, test)}


def judge_request(group: dict, test: dict) -> dict[str, bool]:
    return {JWCRYPTO: accepts_request(group, test)}


def algorithms_of(group: dict) -> list[str]:
    return group.get("policy", {}).get("algorithms", ["RS256"])


JUDGES = {
    "id-token": judge_id_token, "jws": judge_jws, "key": judge_key, "signature": judge_signature,
    "access-token": judge_access_token, "dpop": judge_request, "secret": judge_secret,
}


class Listed:
    """The disagreements that are expected. A name that ends in an asterisk stands for every test that it begins."""

    def __init__(self, path: Path):
        self.entries = []
        for entry in json.loads(path.read_text(encoding="utf-8"))["disagreements"]:
            demand(entry.keys() == {"reader", "verdict", "reason", "tests"}, f"a disagreement with {sorted(entry)}")
            self.entries += [(entry["reader"], entry["verdict"], name) for name in entry["tests"]]
        self.met, self.broken = Counter(), []

    def judge(self, reader: str, test: dict, verdict: str) -> bool:
        """Whether the verdict is the file's, or differs as it is listed to."""
        found = [entry for entry in self.entries if entry[0] == reader and stands_for(entry[2], test["id"])]
        self.met.update(found)
        if verdict == test["result"]:
            self.broken += [f"{test['id']}: {reader} agrees, though it is listed" for _ in found]
            return not found
        as_listed = len(found) == 1 and found[0][1] == verdict
        if not as_listed:
            comment = test.get("comment", "")
            self.broken.append(f"{test['id']}: {reader} says {verdict}, not {test['result']}: {comment}")
        return as_listed

    def problems(self) -> list[str]:
        unmet = [entry for entry in self.entries if not self.met[entry]]
        return self.broken + [f"{name}: listed for {reader}, and no test has that id" for reader, _, name in unmet]


def stands_for(name: str, id: str) -> bool:
    return id.startswith(name[:-1]) if name.endswith("*") else id == name


def main() -> int:
    directory, listed = Path(sys.argv[1]), Listed(Path(__file__).with_name("disagreements.json"))
    agreed = differed = 0
    for path in sorted(directory.glob("*.json")):
        if path.name == SCHEMA:
            continue
        content = json.loads(path.read_text(encoding="utf-8"), object_pairs_hook=without_duplicates)
        kinds = FORMATS.get(content.get("format"))
        demand(kinds is not None and content.keys() == {"format", "generator", "groups"}, path.name)
        for group in content["groups"]:
            check_group(group, kinds)
            if group["kind"] not in JUDGES:
                continue
            for test in group["tests"]:
                for reader, accepts in JUDGES[group["kind"]](group, test).items():
                    verdict = RESULTS[group["kind"]][0 if accepts else 1]
                    if listed.judge(reader, test, verdict):
                        agreed += verdict == test["result"]
                        differed += verdict != test["result"]
    problems = listed.problems()
    for problem in problems:
        print(problem, file=sys.stderr)
    if problems or not agreed:
        print(f"second reader: {len(problems)} verdicts are not as listed", file=sys.stderr)
        return 1
    print(f"second reader: {agreed} agree, {differed} disagree as listed")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Unreadable as problem:
        sys.exit(f"second reader: cannot read these files: {problem}")
