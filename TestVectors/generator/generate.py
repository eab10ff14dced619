"""Writes the vector files and the demo token.

Everything follows from the keys beside this file, so that a second run gives the same bytes.
"""

import argparse
import json
import sys
import warnings
from importlib.metadata import version
from pathlib import Path

# One test key is too short on purpose; joserfc rightly warns about it.
warnings.simplefilter("ignore")

import access_cases  # noqa: E402
import access_claims  # noqa: E402
import access_forms  # noqa: E402
import access_presets  # noqa: E402
import attack_cases  # noqa: E402
import binding_cases  # noqa: E402
import demo  # noqa: E402
import facebook_claims  # noqa: E402
import facebook_profile  # noqa: E402
import json_cases  # noqa: E402
import jws_algorithms  # noqa: E402
import jws_cases  # noqa: E402
import key_cases  # noqa: E402
import key_curves  # noqa: E402
import openid_claims  # noqa: E402
import openid_context  # noqa: E402
import openid_form  # noqa: E402
import openid_keys  # noqa: E402
import openid_times  # noqa: E402
import proof_cases  # noqa: E402
import provider_cases  # noqa: E402
import published_cases  # noqa: E402
import relying_party  # noqa: E402
import secret_cases  # noqa: E402
import selfcheck  # noqa: E402
import signature_cases  # noqa: E402
import signature_curves  # noqa: E402
import signature_pss  # noqa: E402

FILES = {
    "facebook.json": [facebook_claims, facebook_profile],
    "openid.json": [openid_claims, openid_times, openid_form, openid_keys, openid_context],
    "providers.json": [provider_cases],
    "relying-party.json": [relying_party],
    "published.json": [published_cases],
    "attacks.json": [attack_cases],
    "jws.json": [jws_cases, jws_algorithms],
    "signature.json": [signature_cases, signature_pss, signature_curves],
    "keys.json": [key_cases, key_curves],
    "json.json": [json_cases],
    "access-tokens.json": [access_cases, access_claims, access_presets, access_forms],
    "dpop.json": [proof_cases, binding_cases],
    "secrets.json": [secret_cases],
}
# The files with kinds or members that the first format does not have.
LATER_FORMATS = {"access-tokens.json": 2, "dpop.json": 2, "secrets.json": 3}


def vector_file(name: str, modules) -> dict:
    packages = ", ".join(f"{name} {version(name)}" for name in ("joserfc", "cryptography"))
    groups = [group.as_json() for module in modules for group in module.groups()]
    file_format = f"login-vectors/{LATER_FORMATS.get(name, 1)}"
    return {"format": file_format, "generator": f"TestVectors/generator/generate.py, {packages}", "groups": groups}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, default=Path(__file__).resolve().parent.parent, metavar="DIR",
                        help="where to write (default: the TestVectors folder)")
    output = parser.parse_args().output
    files = {name: vector_file(name, modules) for name, modules in FILES.items()}
    problems = selfcheck.problems(files)
    for problem in problems:
        print(f"self-check: {problem}", file=sys.stderr)
    if problems:
        return 1
    for name, content in files.items():
        write(output / name, json.dumps(content, indent=2) + "\n")
    for name, text in demo.files().items():
        write(output / "demo" / name, text)
    return 0


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode("ascii"))


if __name__ == "__main__":
    sys.exit(main())
