"""A temporary PostgreSQL server for a rig, managed by scripts/postgresql. It can be stopped and restarted."""

import os
import subprocess

import rig

SECONDS = 120


class PostgreSQL:
    """A context manager. `fsync`: whether commits wait for the disk, as tests that kill the server require."""

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
            raise RuntimeError(f"{' '.join(command)} exited with {ran.returncode}: {ran.stderr[-1000:]}")
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
        """The location of the store in the service's configuration."""
        return f"postgresql:host={self.directory} user=login dbname=postgres"
