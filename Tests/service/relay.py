"""A relay to the service that records the requests and can interfere with them."""

import http.client
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import rig
from echo import Request, Server

# Longer than the timeout of every proxy.
SILENCE_SECONDS = 60
HOPS = {"connection", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade", "content-length"}


class Relay(Server):
    """A relay to the service that can also respond with a fixed status, not respond, or stop listening."""

    def __init__(self, service: int):
        # Not an ephemeral port: the relay must be able to listen on it again after `down`.
        super().__init__(rig.free_port())
        self.service = service
        self.instead: tuple[int, list[tuple[str, str]]] | None = None
        self.no_word: threading.Event | None = None

    def answer(self, handler, request: Request, body: bytes) -> None:
        if self.no_word is not None:
            self.no_word.wait(SILENCE_SECONDS)
            handler.close_connection = True
        elif self.instead is not None:
            handler.say(*self.instead, b"")
        else:
            handler.say(*self.forward(request, body))

    def forward(self, request: Request, body: bytes) -> tuple[int, list[tuple[str, str]], bytes]:
        """Forwards a request to the service. Returns the status, the headers and the body of the response."""
        connection = http.client.HTTPConnection("127.0.0.1", self.service, timeout=30)
        connection.putrequest(request.method, request.path, skip_host=True, skip_accept_encoding=True)
        for name, value in request.headers:
            if name.lower() not in HOPS:
                connection.putheader(name, value)
        if body:
            connection.putheader("Content-Length", str(len(body)))
        connection.endheaders(body or None)
        back = connection.getresponse()
        headers = [(name, value) for name, value in back.getheaders() if name.lower() not in HOPS]
        response = (back.status, headers, back.read())
        connection.close()
        return response

    @contextmanager
    def answering(self, status: int, headers: list[tuple[str, str]]) -> Iterator[None]:
        self.instead = (status, headers)
        try:
            yield
        finally:
            self.instead = None

    @contextmanager
    def silent(self) -> Iterator[None]:
        self.no_word = threading.Event()
        try:
            yield
        finally:
            self.no_word.set()
            self.no_word = None

    @contextmanager
    def down(self) -> Iterator[None]:
        self.close()
        try:
            yield
        finally:
            self.listen()
