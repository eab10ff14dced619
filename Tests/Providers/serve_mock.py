"""Runs oidc-provider-mock as its own command does.

usage: serve_mock.py PORT

It makes one key when it starts, names it in no header, and knows anybody who gives a name.
"""

import sys

from lifeline import end_with_input
from oidc_provider_mock.__main__ import run


def main() -> None:
    end_with_input()
    run(["--host", "127.0.0.1", "--port", sys.argv[1]])


if __name__ == "__main__":
    main()
