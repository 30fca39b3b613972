"""Which server to use if the program does not say: the environment, then the profile of `framehold login`."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

from .errors import FrameholdError, bad_argument
from .wire.address import DEFAULT_URL
from .wire.json_values import object_of, optional_text, parse_object
from .wire.token import token_of


@dataclass(frozen=True)
class Server:
    url: str
    token: str | None = field(default=None, repr=False)
    ca_file: str | None = None


def choose_server(url: str | None, token: str | None, ca_file: str | None, profile: str | None) -> Server:
    given_url = url or (os.environ.get("FRAMEHOLD_URL") if profile is None else None)
    given_token = token_of(token) or token_of(os.environ.get("FRAMEHOLD_TOKEN"))
    if given_url:
        return Server(given_url, given_token, ca_file)
    known = read_profile(profile or os.environ.get("FRAMEHOLD_PROFILE"))
    # The token of a profile is sent to the server of that profile only.
    return Server(known.url, given_token or known.token, ca_file or known.ca_file)


def read_profile(name: str | None) -> Server:
    """A profile by its name, or the current one; the local server if there is none."""
    path = _profiles_file()
    if not path.is_file():
        if name is not None:
            raise _no_profile(name, [])
        return Server(DEFAULT_URL)
    if os.name == "posix" and path.stat().st_mode & 0o077:
        raise bad_argument(f"Other users can access {path}, which has tokens.", f"Run chmod 600 {path}.")
    try:
        content = parse_object(path.read_bytes())
        profiles = object_of(content.get("profiles"))
        entries = {each: object_of(profile) for each, profile in profiles.items()}
    except FrameholdError:
        raise bad_argument(f"{path} is not a file of profiles.", "Remove it and run framehold login.") from None
    entry = entries.get(name or optional_text(content.get("current")) or "")
    url = None if entry is None else optional_text(entry.get("url"))
    if entry is None or url is None:
        if name is not None:
            raise _no_profile(name, list(entries))
        return Server(DEFAULT_URL)
    return Server(url, token_of(optional_text(entry.get("token"))), optional_text(entry.get("ca")))


def _profiles_file() -> Path:
    folder = os.environ.get("XDG_CONFIG_HOME")
    return Path(folder or Path.home() / ".config") / "framehold" / "profiles.json"


def _no_profile(name: str, known: list[str]) -> FrameholdError:
    hint = f"There are {', '.join(known)}." if known else "Create it with framehold login."
    return bad_argument(f'There is no profile "{name}".', hint)
