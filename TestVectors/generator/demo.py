"""demo/: one full Limited Login token, the keys it verifies with, and how to ask for it."""

import json

from facebook_claims import APP_ID, CLAIMS, HEADER, NONCE
from facebook_profile import FULL_CLAIMS
from keyring import KEYRING, key_set
from model import NOW
from tokens import sign


def files() -> dict[str, str]:
    token = sign(KEYRING["issuer-a"], HEADER, {**CLAIMS, **FULL_CLAIMS})
    keys = key_set(KEYRING["issuer-a"], KEYRING["issuer-b"])
    return {
        "token.jwt": token + "\n",
        "keys.json": json.dumps(keys, indent=2) + "\n",
        "README.md": (
            f"The token is for the app ID `{APP_ID}`; its keys are public test keys and must never be trusted.\n"
            f"Its nonce is `{NONCE}`.\n"
            f"It is valid at {NOW} (2025-10-09T08:53:20Z), from {CLAIMS['iat']} until just before {CLAIMS['exp']}.\n"
        ),
    }
