"""What the service says while something that it needs is away, and whether it goes on by itself afterwards.

usage: outages.py SERVICE_BINARY

PostgreSQL is stopped and started again; the disk under a SQLite file is filled and emptied. Meanwhile nobody is let in, each
answer is 503 with its reason and when to come again, and the service runs on. A provider is away at the start.
"""

import os
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import rig
from api import API, Account, Refused
from issuer import Issuer
from postgresql import PostgreSQL
from service import Service

DISK = "16m"
RECOVERY_SECONDS = 60


def is_503(checks: rig.Checks, answer: rig.Answer, sentence: str) -> None:
    checks.equal(answer.status, 503, sentence)
    checks.that((answer.header("Retry-After") or "").isdigit(), f"{sentence}, and when to come again", answer.headers)
    if answer.header("Content-Type"):
        checks.that(answer.code, f"{sentence}, and why", answer.body[:300])


def signs_in(api: API) -> bool:
    try:
        api.sign_in()
        return True
    except Refused as refused:
        if refused.status != 503:
            raise
        return False


def store_down(checks: rig.Checks, service: Service, api: API, database: PostgreSQL) -> None:
    """PostgreSQL is away, twice: once it says goodbye, once it does not."""
    account = api.sign_in()
    for how in ("fast", "immediate"):
        database.stop(how)
        for method, path in (("GET", "/v1/session"), ("GET", "/v1/forward-auth"), ("POST", "/v1/attempts")):
            body = {"purpose": "sign-in", "provider": api.provider} if method == "POST" else None
            is_503(
                checks, api.call(method, path, body, account.token), f"without its store ({how}), {path} answers 503"
            )
        checks.equal(api.call("GET", "/readyz").status, 503, f"without its store ({how}) it is not ready")
        checks.equal(api.call("GET", "/healthz").status, 200, f"without its store ({how}) it is alive")
        verdict = api.call("POST", "/v1/verify", {"policy": "demo", "token": "x.y.z", "nonce": "n"})
        checks.that(
            verdict.status < 500, f"without its store ({how}) tokens are verified, which needs none", verdict.status
        )
        database.start()
        rig.wait_until(lambda: api.call("GET", "/readyz").status == 200, "the store is found again", RECOVERY_SECONDS)
        checks.equal(
            api.call("GET", "/v1/session", token=account.token).status, 200, f"sessions outlive an outage ({how})"
        )
        checks.that(signs_in(api), f"people sign in after an outage ({how})")
    checks.that(service.process.poll() is None, "the service ran all the time")


@contextmanager
def disk(folder: Path) -> Iterator[str]:
    """A disk of its own that can be filled: in memory where one may mount it. Says how it is filled."""
    folder.mkdir(parents=True)
    mounted = (
        subprocess.run(
            ["mount", "-t", "tmpfs", "-o", f"size={DISK},mode=700", "tmpfs", str(folder)],
            capture_output=True,
            check=False,
        ).returncode
        == 0
    )
    try:
        yield "tmpfs" if mounted else "limit"
    finally:
        if mounted:
            subprocess.run(["umount", "--lazy", str(folder)], check=True)


@contextmanager
def full(kind: str, folder: Path, service: Service) -> Iterator[None]:
    """No byte more fits. Without a disk of its own, no file may grow: the service's processes are told so."""
    filler = folder / "filler"
    if kind == "tmpfs":
        with open(filler, "wb", buffering=0) as file:
            try:
                while True:
                    file.write(b"\0" * 4096)
            except OSError:
                pass
    else:
        largest = max(os.path.getsize(file) for file in folder.iterdir())
        resource.prlimit(service.process.pid, resource.RLIMIT_FSIZE, (largest, resource.RLIM_INFINITY))
    try:
        yield
    finally:
        if kind == "tmpfs":
            filler.unlink()
        else:
            resource.prlimit(
                service.process.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY)
            )


def until_refused(api: API) -> Refused | None:
    """Signs in until that no longer fits: there may be room left within the files."""
    for _ in range(2000):
        try:
            api.sign_in()
        except Refused as refused:
            return refused
    return None


def disk_full(checks: rig.Checks, service: Service, api: API, kind: str) -> None:
    account: Account = api.sign_in()
    with full(kind, service.folder, service):
        refused = until_refused(api)
        if checks.that(refused is not None, f"a full disk ({kind}) is noticed"):
            is_503(checks, refused.answer, f"with a full disk ({kind}) a change answers 503")
        read = api.call("GET", "/v1/session", token=account.token).status
        checks.that(
            read in (200, 503), f"with a full disk ({kind}) a session is read, or 503 says that it cannot be", read
        )
        checks.equal(api.call("GET", "/healthz").status, 200, f"with a full disk ({kind}) the service is alive")
    rig.wait_until(lambda: signs_in(api), "people sign in when there is room again", RECOVERY_SECONDS)
    checks.equal(
        api.call("GET", "/v1/session", token=account.token).status, 200, f"sessions outlive a full disk ({kind})"
    )
    checks.that(service.process.poll() is None, "the service ran all the time")


def provider_away(checks: rig.Checks, binary: str, folder: Path, issuer: Issuer) -> None:
    """At the start: kept keys serve, and who keeps none waits for the provider."""
    policy = {"policies": ["rig"], "policy": {"rig": {"provider": "demo", "nonce": "unchecked"}}}
    keeping = Service(binary, folder / "keeping", issuer.url, **policy)
    forgetting = Service(binary, folder / "forgetting", issuer.url, **policy)

    def verdict(service: Service) -> rig.Answer:
        token = issuer.token("ada")
        return API(service.port, issuer).call("POST", "/v1/verify", {"policy": "rig", "token": token})

    for service in (keeping, forgetting):
        with service:
            checks.equal(verdict(service).status, 200, "while the provider is there, its tokens are verified")
    issuer.is_down = True
    try:
        with keeping:
            answer = verdict(keeping)
            checks.equal(answer.status, 200, "kept keys serve a start without the provider")
            checks.equal(answer.json().get("verdict"), "verified", "and verify")
        shutil.rmtree(forgetting.folder / "keys")
        forgetting.write()
        forgetting.start(forgetting.alive)
        try:
            is_503(checks, verdict(forgetting), "without any keys a verification answers 503")
            checks.equal(verdict(forgetting).code, "keys-unavailable", "and says that the keys are not there")
            checks.that(not forgetting.ready(), "without any keys it is not ready")
            issuer.is_down = False
            rig.wait_until(forgetting.ready, "it is ready when the provider is there", RECOVERY_SECONDS)
            checks.equal(verdict(forgetting).status, 200, "and verifies")
        finally:
            forgetting.stop()
    finally:
        issuer.is_down = False


def main() -> int:
    if len(sys.argv) != 2:
        print("usage: outages.py SERVICE_BINARY", file=sys.stderr)
        return 64
    checks = rig.Checks("outages")
    with ExitStack() as stack:
        folder = Path(tempfile.mkdtemp(prefix="outages-"))
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        issuer = stack.enter_context(Issuer())
        with PostgreSQL() as database, Service(
            sys.argv[1], folder / "postgresql", issuer.url, store=database.store
        ) as service:
            store_down(checks, service, API(service.port, issuer), database)
        small = folder / "disk"
        with disk(small) as kind:
            service = Service(sys.argv[1], small / "service", issuer.url)
            # Python does not heed SIGXFSZ, which would end the service; so it goes without, as beside a disk that is full.
            service.options["restore_signals"] = kind != "limit"
            with service:
                disk_full(checks, service, API(service.port, issuer), kind)
                service.accounts("check")
        provider_away(checks, sys.argv[1], folder, issuer)
    return checks.end()


if __name__ == "__main__":
    sys.exit(main())
