"""Measures the cost of POST /v1/verify compared with an empty server, and the memory over time.

usage: load.py SERVICE_BINARY ECHO_BINARY [--minutes 10] [--output FILE]

ECHO_BINARY is Tests/EchoServer, which uses the same framework and echoes the body of each POST. wrk sends the same requests to
both in turns; the tokens are distinct, so each signature is verified. `openssl speed` measures the minimum cost of a signature.
Then the service runs alone for --minutes, and its resident memory is recorded. All programs share the processors of one machine,
so the ratio is more meaningful than the absolute numbers.
"""

import argparse
import json
import os
import platform
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import rig
from issuer import Issuer
from service import LIMITS, Service

ROUNDS, SECONDS = 5, 10
WARM_SECONDS = 5
SPEED_SECONDS = 3
PROCESSORS = len(os.sched_getaffinity(0))
# The goals: the minimum share of the rate that the framework and one signature alone would permit, and the maximum ratio of the
# memory in the last quarter to that in the second, when all caches are full.
SHARE_MIN, GROWTH_MAX = 0.6, 1.05
# The text in the body of a successful verification.
VERIFIED = '"verified"'
# The settings of a service that verifies every signature.
SETTINGS = {
    "policies": ["load"],
    "policy": {"load": {"provider": "demo", "nonce": "unchecked"}},
    "log-level": "warning",
    # The cache is too small for any token to be in it when it is sent again.
    "tweaks": dict.fromkeys(LIMITS, 1_000_000) | {"tokens.cache.size": 2},
}


@dataclass(frozen=True)
class Load:
    """The requests of one file to one server, sent by wrk, and the expected response: its status and a text in its body."""

    requests: Path
    port: int
    connections: int
    status: int = 200
    wanted: str = ""

    def run(self, seconds: int) -> dict:
        """Sends requests and returns their counts, rate and latencies."""
        command = [
            "wrk",
            "--threads",
            "1",
            "--connections",
            str(self.connections),
            "--duration",
            f"{seconds}s",
            "--latency",
            "--script",
            str(rig.HERE / "requests.lua"),
            f"http://127.0.0.1:{self.port}",
            "--",
            str(self.requests),
            str(self.status),
            self.wanted,
        ]
        ran = subprocess.run(command, capture_output=True, text=True, timeout=seconds + 120, check=True)
        found = re.search(r"^result (.*)$", ran.stdout, re.MULTILINE)
        if not found:
            raise RuntimeError(f"no result in the output of wrk: {ran.stdout[-500:]} {ran.stderr[-500:]}")
        result = json.loads(found[1])
        return result | {"rate": result["requests"] / result["seconds"]}


def write_requests(file: Path, requests: Iterable[bytes]) -> Path:
    """Writes the requests of a load to a file and returns the file."""
    file.write_bytes(b"\0".join(requests))
    return file


def distinct_tokens(issuer: Issuer, count: int) -> Iterator[str]:
    """Creates ID tokens of as many users."""
    for number in range(count):
        yield issuer.token(f"person-{number}", name=f"Person {number}", email=f"person-{number}@example.com")


def verification(token: str) -> bytes:
    """Returns the request that verifies an ID token."""
    return rig.request("POST /v1/verify", {"token": token, "policy": "load"})


@contextmanager
def listening(name: str, command: list[str], folder: Path, port: int) -> Iterator[int]:
    """Runs a server and yields its port."""
    with rig.Program(name, command, folder) as program:
        program.start(lambda: rig.listens(port))
        yield port


def resident_mib(process: int) -> float:
    status = Path(f"/proc/{process}/status").read_text()
    return int(re.search(r"^VmRSS:\s+(\d+) kB", status, re.MULTILINE)[1]) / 1024


class Report:
    """A report for readers, printed line by line and stored."""

    def __init__(self):
        self.lines: list[str] = []

    def say(self, line: str = "") -> None:
        self.lines.append(line)
        print(line, flush=True)

    def store(self, file: Path | None) -> None:
        if file:
            file.write_text("\n".join(self.lines) + "\n")


def signature_seconds() -> float:
    """Measures the minimum time to verify an RSA signature of 2,048 bits on one processor."""
    command = ["openssl", "speed", "-mr", "-seconds", str(SPEED_SECONDS), "rsa2048"]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    # +F2:number:bits:signatures per second:verifications per second
    found = re.search(r"^\+F2:\d+:2048:[\d.e+-]+:([\d.e+-]+)", ran.stdout, re.MULTILINE)
    if not found:
        raise RuntimeError(f"no result in the output of openssl speed: {ran.stdout[-500:]}")
    return 1 / float(found[1])


def describe_machine(report: Report) -> None:
    processor = re.search(r"^model name\s*:\s*(.*)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    report.say(f"when:     {datetime.now(UTC):%Y-%m-%d %H:%M} UTC")
    report.say(
        f"machine:  {processor[1] if processor else platform.machine()}, {PROCESSORS} usable; "
        f"{platform.system()} {platform.release()}"
    )


def describe(report: Report, arguments: argparse.Namespace) -> None:
    wrk = (subprocess.run(["wrk", "-v"], capture_output=True, text=True, check=False).stdout.splitlines() or ["wrk"])[0]
    describe_machine(report)
    report.say(
        f"load:     {wrk.split(' Copyright')[0]}, one thread, {arguments.connections} connections, on the same machine"
    )
    report.say(f"tokens:   {arguments.tokens} distinct ID tokens, RS256 with 2,048 bits, no nonce")
    report.say()


def compare(report: Report, checks: rig.Checks, service: Load, echo: Load) -> None:
    """Measures both servers in turns, so that variations of the machine's speed affect both."""
    shares: list[float] = []
    tails: list[float] = []
    for load in (echo, service):
        load.run(WARM_SECONDS)
    floor = signature_seconds()
    report.say(f"floor:    {floor * 1e6:.1f} µs for a signature, by openssl speed; {PROCESSORS} processors")
    report.say()
    report.say("round    bare server       the service                                   at most    share of it")
    for number in range(1, ROUNDS + 1):
        bare, ours = echo.run(SECONDS), service.run(SECONDS)
        checks.that(not ours["bad"] and not ours["broken"], "every token is verified under load", ours)
        possible = 1 / (1 / bare["rate"] + floor / PROCESSORS)
        shares.append(ours["rate"] / possible)
        tails.append(ours["p99"])
        report.say(
            f"{number:>5}    {bare['rate']:>8.0f}/s       {ours['rate']:>8.0f}/s  p50 {ours['p50']:6.2f} ms  "
            f"p99 {ours['p99']:6.2f} ms   {possible:>8.0f}/s   {shares[-1]:.3f}"
        )
    share = statistics.median(shares)
    report.say()
    report.say(
        f"requests/s / (1 / (1 / bare + floor / {PROCESSORS}))   {share:.3f}   goal >= {SHARE_MIN}   "
        f"{'met' if share >= SHARE_MIN else 'MISSED'}"
    )
    report.say(f"p99, median of the rounds   {statistics.median(tails):.2f} ms")


def soak(report: Report, checks: rig.Checks, load: Load, process: int, minutes: int) -> None:
    samples: list[float] = []
    report.say()
    report.say("minute   requests          p99         bad   resident")
    for minute in range(1, minutes + 1):
        result = load.run(60)
        samples.append(resident_mib(process))
        bad = result["bad"] + result["broken"]
        checks.that(not bad, "every token is verified in the long run", result)
        report.say(
            f"{minute:>6}   {result['rate']:>8.0f}/s   {result['p99']:>7.2f} ms   {bad:>5}   {samples[-1]:>6.1f} MiB"
        )
    quarter = len(samples) // 4
    if quarter:
        second, last = samples[quarter : 2 * quarter], samples[-quarter:]
        growth = statistics.mean(last) / statistics.mean(second)
        checks.that(growth <= GROWTH_MAX, "memory does not grow", samples)
        report.say()
        report.say(
            f"memory, last quarter / second   {growth:.3f}   goal <= {GROWTH_MAX}   "
            f"{'met' if growth <= GROWTH_MAX else 'MISSED'}"
        )


def main() -> int:
    parser = argparse.ArgumentParser(description="Measures the cost of a verification over HTTP.")
    parser.add_argument("binary")
    parser.add_argument("echo")
    parser.add_argument("--minutes", type=int, default=10)
    parser.add_argument("--connections", type=int, default=64)
    parser.add_argument("--tokens", type=int, default=20_000)
    parser.add_argument("--output", type=Path)
    arguments = parser.parse_args()
    checks, report = rig.Checks("load"), Report()
    describe(report, arguments)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="load-")))
        issuer = stack.enter_context(Issuer())
        tokens = distinct_tokens(issuer, arguments.tokens)
        requests = write_requests(folder / "verifications", map(verification, tokens))
        service = stack.enter_context(Service(arguments.binary, folder / "service", issuer.url, **SETTINGS))
        port = rig.free_port()
        echo = stack.enter_context(listening("echo", [arguments.echo, str(port)], folder, port))
        verify = Load(requests, service.port, arguments.connections, wanted=VERIFIED)
        began = time.monotonic()
        compare(report, checks, verify, Load(requests, echo, arguments.connections))
        soak(report, checks, verify, service.process.pid, arguments.minutes)
        report.say(f"lasted     {time.monotonic() - began:.0f} s")
    report.store(arguments.output)
    return checks.end()


if __name__ == "__main__":
    sys.exit(main())
