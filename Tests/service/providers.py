"""The third-party OpenID providers of Tests/Providers, each in a process of its own."""

import json
import subprocess

import rig

PROVIDERS = rig.ROOT / "Tests/Providers"
# They have an environment of their own: scripts/check-providers --prepare.
PYTHON = rig.ROOT / ".build-providers/bin/python"
STOP_SECONDS = 60


class Provider:
    """One provider. Tests/Providers/provider.py describes what it can do. A context manager."""

    def __init__(self, name: str):
        self.name = name

    def __enter__(self) -> "Provider":
        command = [str(PYTHON), "provider.py", self.name]
        self.process = subprocess.Popen(command, cwd=PROVIDERS, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.issuer = self.read()["issuer"]
        return self

    def __exit__(self, *_) -> None:
        self.process.stdin.close()
        self.process.wait(STOP_SECONDS)

    def read(self) -> dict:
        answer = json.loads(self.process.stdout.readline())
        if "error" in answer:
            raise RuntimeError(f"{self.name}: {answer['error']}")
        return answer

    def do(self, what: str, **order) -> dict:
        self.process.stdin.write(json.dumps({"do": what} | order) + "\n")
        self.process.stdin.flush()
        return self.read()
