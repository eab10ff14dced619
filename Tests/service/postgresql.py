"""A PostgreSQL of its own for a rig, by scripts/postgresql: it can be stopped and started again, and goes away in the end."""

import os
import subprocess

import rig

SECONDS = 120


class PostgreSQL:
    """To be used with `with`. `fsync`: whether it waits for the disk, as it must where it is killed."""

    def __init__(self, fsync: bool = False):
        self.environment = os.environ | {"LIMITED_LOGIN_FSYNC": "on" if fsync else "off"}
        self.directory = ""

    def control(self, *words: str) -> str:
        command = [str(rig.ROOT / "scripts" / "postgresql"), *words]
        ran = subprocess.run(
            command,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )
        if ran.returncode != 0:
            raise RuntimeError(f"{' '.join(command)} ended with {ran.returncode}: {ran.stderr[-1000:]}")
        return ran.stdout.strip()

    def __enter__(self) -> "PostgreSQL":
        self.directory = self.control("start")
        return self

    def __exit__(self, *_) -> None:
        self.control("remove", self.directory)

    def start(self) -> None:
        self.control("start", self.directory)

    def stop(self, how: str = "immediate") -> None:
        self.control("stop", self.directory, how)

    @property
    def store(self) -> str:
        """As the service's configuration names it."""
        return f"postgresql:host={self.directory} user=login dbname=postgres"
