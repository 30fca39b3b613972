"""Tests run against a server that e2e/python/package.test.ts has started."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

import framehold


@dataclass(frozen=True)
class Servers:
    """What the environment variable FRAMEHOLD_TEST describes."""

    url: str
    grpc: str
    root: str
    """Of the repository."""
    tls_url: str
    """A server with TLS that requires tokens."""
    tls_ca: str
    write_token: str
    read_token: str
    revoked_token: str
    expired_token: str
    """Valid for a second."""
    full_url: str
    """A server without disk space."""
    server_command: list[str]
    """Starts a server, for tests that stop it."""


@pytest.fixture(scope="session")
def servers() -> Servers:
    return Servers(**json.loads(os.environ["FRAMEHOLD_TEST"]))


@pytest.fixture
def db(servers: Servers) -> Iterator[framehold.Database]:
    with framehold.connect(servers.url) as database:
        yield database
