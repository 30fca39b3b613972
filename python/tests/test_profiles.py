"""Which server is used, and with which token."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import framehold
from framehold.profiles import Server, choose_server

WORK = {"url": "https://work.example.com", "token": "fht_work", "ca": "/work.pem"}


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Path]:
    for name in ("FRAMEHOLD_URL", "FRAMEHOLD_TOKEN", "FRAMEHOLD_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))

    def write(content: str) -> Path:
        path = tmp_path / "framehold" / "profiles.json"
        path.parent.mkdir(exist_ok=True)
        path.write_text(content)
        path.chmod(0o600)
        return path

    return write


def chosen(url: str | None = None, token: str | None = None, profile: str | None = None) -> Server:
    return choose_server(url, token, None, profile)


@pytest.mark.usefixtures("write")
def test_without_anything_it_is_the_local_server() -> None:
    assert chosen() == Server("http://127.0.0.1:9000")
    assert framehold.connect().url == "http://127.0.0.1:9000/"
    assert framehold.connect("http://[::1]:1/path").url == "http://[::1]:1/path/"


def test_arguments_then_the_environment_then_the_profile(
    write: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    home = {"url": "http://home.example.com"}
    write(json.dumps({"current": "work", "profiles": {"work": WORK, "home": home}}))
    assert chosen() == Server("https://work.example.com", "fht_work", "/work.pem")
    assert chosen(profile="home") == Server("http://home.example.com")
    monkeypatch.setenv("FRAMEHOLD_PROFILE", "home")
    assert chosen() == Server("http://home.example.com")
    monkeypatch.setenv("FRAMEHOLD_URL", "http://other.example.com")
    # The token of a profile is not sent to another server.
    assert chosen() == Server("http://other.example.com")
    monkeypatch.setenv("FRAMEHOLD_TOKEN", "fht_variable")
    assert chosen() == Server("http://other.example.com", "fht_variable")
    assert chosen("http://given.example.com", "fht_given") == Server("http://given.example.com", "fht_given")
    assert chosen(profile="work") == Server("https://work.example.com", "fht_variable", "/work.pem")


def test_profiles_that_cannot_be_used(write: Callable[[str], Path]) -> None:
    with pytest.raises(framehold.InvalidRequest, match="framehold login"):
        chosen(profile="work")
    path = write(json.dumps({"current": "gone", "profiles": {"work": WORK}}))
    assert chosen() == Server("http://127.0.0.1:9000")
    with pytest.raises(framehold.InvalidRequest, match='There is no profile "home". There are work.'):
        chosen(profile="home")
    path.chmod(0o644)
    with pytest.raises(framehold.InvalidRequest, match="Run chmod 600"):
        chosen()
    for content in ("not json", "[]", '{"profiles": []}', '{"current": "work", "profiles": {"work": 1}}'):
        write(content)
        with pytest.raises(framehold.InvalidRequest, match="is not a file of profiles"):
            chosen()


@pytest.mark.usefixtures("write")
def test_a_file_of_certificates_that_cannot_be_read(tmp_path: Path) -> None:
    for name in ("missing.pem", "empty.pem"):
        (tmp_path / "empty.pem").write_text("nothing")
        with pytest.raises(framehold.InvalidRequest, match="Give the path of a PEM file"):
            framehold.connect("https://localhost", ca_file=str(tmp_path / name))
