"""Checks the responses during outages of the store, the disk and a provider, and the recovery afterwards.

usage: outages.py SERVICE_BINARY

PostgreSQL is stopped and restarted; the disk of a SQLite file is filled and emptied. During an outage no request is authorized,
each response is 503 with a code and Retry-After, and the service keeps running. A provider is unreachable at the start.
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
    checks.that((answer.header("Retry-After") or "").isdigit(), f"{sentence}, with Retry-After", answer.headers)
    if answer.header("Content-Type"):
        checks.that(answer.code, f"{sentence}, with a code", answer.body[:300])


def signs_in(api: API) -> bool:
    try:
        api.sign_in()
        return True
    except Refused as refused:
        if refused.status != 503:
            raise
        return False


def store_down(checks: rig.Checks, service: Service, api: API, database: PostgreSQL) -> None:
    """Stops PostgreSQL twice: with closed connections, and with broken ones."""
    account = api.sign_in()
    for how in ("fast", "immediate"):
        database.stop(how)
        for method, path in (("GET", "/v1/session"), ("GET", "/v1/forward-auth"), ("POST", "/v1/attempts")):
            body = {"purpose": "sign-in", "provider": api.provider} if method == "POST" else None
            is_503(
                checks, api.call(method, path, body, account.token), f"without the store ({how}), {path} responds with 503"
            )
        checks.equal(api.call("GET", "/readyz").status, 503, f"without the store ({how}) the service is not ready")
        checks.equal(api.call("GET", "/healthz").status, 200, f"without the store ({how}) the service is alive")
        verdict = api.call("POST", "/v1/verify", {"policy": "demo", "token": "x.y.z", "nonce": "n"})
        checks.that(
            verdict.status < 500, f"without the store ({how}) tokens are still verified", verdict.status
        )
        database.start()
        rig.wait_until(lambda: api.call("GET", "/readyz").status == 200, "the service reconnects to the store", RECOVERY_SECONDS)
        checks.equal(
            api.call("GET", "/v1/session", token=account.token).status, 200, f"sessions survive an outage ({how})"
        )
        checks.that(signs_in(api), f"users can sign in after an outage ({how})")
    checks.that(service.process.poll() is None, "the service has not exited")


@contextmanager
def disk(folder: Path) -> Iterator[str]:
    """Provides a disk to fill: a tmpfs if mounting is permitted. Yields how it is filled, `tmpfs` or `limit`."""
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
    """Fills the tmpfs, or limits the file size of the service's process, so that no file can grow."""
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
    """Signs in until the service refuses: the files may have free space left."""
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
        if checks.that(refused is not None, f"a full disk ({kind}) leads to a refusal"):
            is_503(checks, refused.answer, f"with a full disk ({kind}) a change responds with 503")
        read = api.call("GET", "/v1/session", token=account.token).status
        checks.that(
            read in (200, 503), f"with a full disk ({kind}) reading a session responds with 200 or 503", read
        )
        checks.equal(api.call("GET", "/healthz").status, 200, f"with a full disk ({kind}) the service is alive")
    rig.wait_until(lambda: signs_in(api), "users can sign in after the disk is emptied", RECOVERY_SECONDS)
    checks.equal(
        api.call("GET", "/v1/session", token=account.token).status, 200, f"sessions survive a full disk ({kind})"
    )
    checks.that(service.process.poll() is None, "the service has not exited")


def provider_away(checks: rig.Checks, binary: str, folder: Path, issuer: Issuer) -> None:
    """Starts without the provider: stored keys are used, and a service without keys waits for the provider."""
    policy = {"policies": ["rig"], "policy": {"rig": {"provider": "demo", "nonce": "unchecked"}}}
    keeping = Service(binary, folder / "keeping", issuer.url, **policy)
    forgetting = Service(binary, folder / "forgetting", issuer.url, **policy)

    def verdict(service: Service) -> rig.Answer:
        token = issuer.token("ada")
        return API(service.port, issuer).call("POST", "/v1/verify", {"policy": "rig", "token": token})

    for service in (keeping, forgetting):
        with service:
            checks.equal(verdict(service).status, 200, "tokens are verified while the provider is reachable")
    issuer.is_down = True
    try:
        with keeping:
            answer = verdict(keeping)
            checks.equal(answer.status, 200, "stored keys are used after a start without the provider")
            checks.equal(answer.json().get("verdict"), "verified", "stored keys verify a token")
        shutil.rmtree(forgetting.folder / "keys")
        forgetting.write()
        forgetting.start(forgetting.alive)
        try:
            is_503(checks, verdict(forgetting), "without keys a verification responds with 503")
            checks.equal(verdict(forgetting).code, "keys-unavailable", "without keys the code is keys-unavailable")
            checks.that(not forgetting.ready(), "without keys the service is not ready")
            issuer.is_down = False
            rig.wait_until(forgetting.ready, "the service is ready once the provider is reachable", RECOVERY_SECONDS)
            checks.equal(verdict(forgetting).status, 200, "the keys of the provider verify a token")
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
            # With the size limit, the service inherits Python's ignored SIGXFSZ: it would kill it. A full disk sends none.
            service.options["restore_signals"] = kind != "limit"
            with service:
                disk_full(checks, service, API(service.port, issuer), kind)
                service.accounts("check")
        provider_away(checks, sys.argv[1], folder, issuer)
    return checks.end()


if __name__ == "__main__":
    sys.exit(main())
