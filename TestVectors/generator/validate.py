"""Validates vector files against the schema beside them, and counts their tests.

usage: validate.py DIRECTORY
"""

import json
import sys
from importlib.metadata import version
from pathlib import Path

from jsonschema import Draft202012Validator

SCHEMA = "login-vectors.schema.json"


def main() -> int:
    directory = Path(sys.argv[1])
    schema = json.loads((directory / SCHEMA).read_text(encoding="ascii"))
    Draft202012Validator.check_schema(schema)
    validator = Draft202012Validator(schema)
    paths = [path for path in sorted(directory.glob("*.json")) if path.name != SCHEMA]
    tests = bad = 0
    for path in paths:
        content = json.loads(path.read_text(encoding="ascii"))
        for error in validator.iter_errors(content):
            print(f"{path.name}: {error.json_path}: {error.message[:300]}", file=sys.stderr)
            bad += 1
        tests += sum(len(group["tests"]) for group in content["groups"])
    if bad or not tests:
        return 1
    print(f"vectors: {tests} tests in {len(paths)} files, reproduced byte for byte by joserfc {version('joserfc')}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
