"""An application that returns the received requests, and the base of the servers that record them."""

import json
import socket
import threading
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class Request:
    """A received request: method, path, unchanged headers, and the length of its body."""

    method: str
    path: str
    headers: list[tuple[str, str]]
    body: int


class QuietServer(ThreadingHTTPServer):
    """A server that does not log broken connections: the checks break some on purpose."""

    daemon_threads = True

    def handle_error(self, *_) -> None:
        pass


class Server:
    """A server in threads of this process that records the received requests. A context manager."""

    def __init__(self, port: int = 0):
        self.received: list[Request] = []
        self.open: set[socket.socket] = set()
        self.server: QuietServer | None = None
        self.port = port

    def listen(self) -> None:
        self.server = QuietServer(("127.0.0.1", self.port), self.handler())
        self.port = self.server.server_port
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()

    def close(self) -> None:
        """Stops listening and breaks open connections."""
        self.server.shutdown()
        self.server.server_close()
        for connection in list(self.open):
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def __enter__(self):
        self.listen()
        return self

    def __exit__(self, *_) -> None:
        self.close()

    def answer(self, handler: BaseHTTPRequestHandler, request: Request, body: bytes) -> None: ...

    def handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def setup(self) -> None:
                super().setup()
                server.open.add(self.connection)

            def finish(self) -> None:
                server.open.discard(self.connection)
                super().finish()

            def take(self) -> None:
                body = self.body()
                request = Request(self.command, self.path, list(self.headers.items()), len(body))
                server.received.append(request)
                server.answer(self, request, body)

            def body(self) -> bytes:
                if "chunked" not in self.headers.get("Transfer-Encoding", ""):
                    return self.rfile.read(int(self.headers.get("Content-Length") or 0))
                whole = b""
                while size := int(self.rfile.readline().split(b";")[0], 16):
                    whole += self.rfile.read(size)
                    self.rfile.readline()
                self.rfile.readline()
                return whole

            def say(self, status: int, headers: list[tuple[str, str]], body: bytes) -> None:
                self.send_response_only(status)
                for name, value in headers:
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(body)

            def log_message(self, *_) -> None:
                pass

            do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = do_OPTIONS = take

        return Handler


class Echo(Server):
    """An application that responds with the received request, and echoes the bytes of a WebSocket."""

    def answer(self, handler, request: Request, body: bytes) -> None:
        if (handler.headers.get("Upgrade") or "").lower() == "websocket":
            handler.send_response_only(101)
            handler.send_header("Connection", "Upgrade")
            handler.send_header("Upgrade", "websocket")
            # The accept value for the key that the rig sends (RFC 6455 section 1.3).
            handler.send_header("Sec-WebSocket-Accept", "ICX+Yqv66kxgM0FcWaLWlFLwTAI=")
            handler.end_headers()
            handler.close_connection = True
            while data := handler.connection.recv(4096):
                handler.connection.sendall(data)
            return
        handler.say(200, [("Content-Type", "application/json")], json.dumps(request.__dict__).encode())
