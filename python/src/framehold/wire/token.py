"""The credential of a connection."""

from __future__ import annotations

from ..errors import bad_argument


class Token(str):
    """A text that tools which print variables do not show."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "<token>"


def token_of(text: object) -> Token | None:
    """Without the white space around it, which comes with files and copied lines; None if nothing is left."""
    if text is None:
        return None
    if not isinstance(text, str):
        raise bad_argument(f"The token is a {type(text).__qualname__}, not a text.", "Give it as token=\"fh_…\".")
    token = Token(text.strip())
    # Neither the token nor the character is part of the message: logs keep messages.
    wrong = next((place for place, each in enumerate(token) if not "!" <= each <= "~"), None)
    if wrong is not None:
        raise bad_argument(
            f"The token has a character that cannot be sent, at position {wrong + 1} of {len(token)}.",
            "A token has letters, digits and signs of ASCII, in one line. Copy it again.",
        )
    return token or None


def check_header(name: str, value: object) -> str:
    """A text of the caller that is sent as a header."""
    if not isinstance(value, str):
        raise bad_argument(f"The value for {name} is a {type(value).__qualname__}, not a text.", "Give a text.")
    if not value.isascii() or not value.isprintable():
        raise bad_argument(
            f"The value for {name} has a character that cannot be sent.", "Use letters, digits and signs of ASCII."
        )
    return value
