"""A Django site that is nothing but an OpenID provider by django-oauth-toolkit, for this machine only.

PROVIDER_DIRECTORY says where its database and its keys are: `signing.pem`, and `announced.pem` if there is one.
"""

import os
from pathlib import Path

from django_project.settings import *  # noqa: F403

KEYS = Path(os.environ["PROVIDER_DIRECTORY"])
INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "oauth2_provider",
]
ROOT_URLCONF = "toolkit_project.urls"
OAUTH2_PROVIDER = {
    "OIDC_ENABLED": True,
    "OIDC_RSA_PRIVATE_KEY": (KEYS / "signing.pem").read_text("ascii"),
    "OIDC_RSA_PRIVATE_KEYS_INACTIVE": [path.read_text("ascii") for path in KEYS.glob("announced.pem")],
    "PKCE_REQUIRED": True,
    "SCOPES": {"openid": "who you are", "email": "your address", "profile": "your name"},
}
