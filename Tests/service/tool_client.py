"""The client of the package mcp, the reference implementation of the Model Context Protocol, with its OAuth client."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from urllib.parse import parse_qs, urlsplit

import httpx2
from mcp import ClientSession
from mcp.client.auth import AuthorizationCodeResult, OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import OAuthClientMetadata

# The time for all requests of a session, with the login.
SESSION_SECONDS = 30


@dataclass
class Memory:
    """The tokens and the registration of the client. One session lasts no longer."""

    tokens: object = None
    registration: object = None

    async def get_tokens(self):
        return self.tokens

    async def set_tokens(self, tokens) -> None:
        self.tokens = tokens

    async def get_client_info(self):
        return self.registration

    async def set_client_info(self, registration) -> None:
        self.registration = registration


@dataclass
class Session:
    """The results of one session."""

    tools: list[str] = field(default_factory=list)
    text: str = ""
    # The URLs of all requests, in order.
    asked: list[str] = field(default_factory=list)
    # The query of the authorization request.
    request: dict[str, str] = field(default_factory=dict)
    access_token: str = ""


def call_tool(url: str, tool: str, redirect_uri: str, visit: Callable[[str], str]) -> Session:
    """Lists the tools of a server and calls one. The client finds the authorization server, registers itself and gets a token.

    `visit` logs the user in at the URL of the authorization request, and returns the URL of the callback.
    """
    session, memory = Session(), Memory()
    callback: dict[str, str] = {}

    async def redirect(address: str) -> None:
        session.request = query(address)
        callback.update(query(await asyncio.to_thread(visit, address)))

    async def answer() -> AuthorizationCodeResult:
        return AuthorizationCodeResult(code=callback["code"], state=callback.get("state"), iss=callback.get("iss"))

    async def record(request) -> None:
        session.asked.append(str(request.url))

    async def run() -> None:
        metadata = OAuthClientMetadata(
            client_name="mcp", redirect_uris=[redirect_uri], token_endpoint_auth_method="client_secret_basic"
        )
        login = OAuthClientProvider(url, metadata, memory, redirect, answer)
        hooks = {"request": [record]}
        async with (
            # A proxy of the environment would receive the requests to this machine.
            httpx2.AsyncClient(auth=login, event_hooks=hooks, timeout=SESSION_SECONDS, trust_env=False) as http,
            streamable_http_client(url, http_client=http) as (incoming, outgoing),
            ClientSession(incoming, outgoing) as client,
        ):
            await client.initialize()
            session.tools = [found.name for found in (await client.list_tools()).tools]
            result = await client.call_tool(tool, {})
            session.text = "".join(part.text for part in result.content)

    asyncio.run(asyncio.wait_for(run(), SESSION_SECONDS))
    session.access_token = memory.tokens.access_token
    return session


def query(url: str) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(urlsplit(url).query).items()}
