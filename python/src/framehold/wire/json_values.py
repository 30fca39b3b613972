"""Typed access to members of JSON answers."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from typing import cast

from ..errors import FrameholdError

JsonObject = Mapping[str, object]


def parse(text: bytes) -> object:
    try:
        return json.loads(text)
    except ValueError as error:
        raise unreadable("The answer is not JSON.") from error


def parse_object(text: bytes) -> JsonObject:
    return object_of(parse(text))


def object_of(value: object) -> JsonObject:
    if not isinstance(value, dict):
        raise unreadable("The answer is not a JSON object.")
    return cast(JsonObject, value)


def list_of(value: object) -> list[object]:
    if not isinstance(value, list):
        raise unreadable("The answer has no list where one is expected.")
    return cast("list[object]", value)


def text_of(value: object) -> str:
    return value if isinstance(value, str) else ""


def optional_text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def number_of(value: object) -> int:
    return value if isinstance(value, int) else 0


def optional_number(value: object) -> int | None:
    return value if isinstance(value, int) else None


def optional_time(value: object) -> datetime | None:
    if not isinstance(value, str):
        return None
    try:
        # Python 3.10 does not read the suffix Z.
        return datetime.fromisoformat(value.replace("Z", "+00:00"))
    except ValueError as error:
        raise unreadable("The answer has a time that cannot be read.") from error


def time_of(value: object) -> datetime:
    time = optional_time(value)
    if time is None:
        raise unreadable("The answer has no time where one is expected.")
    return time


def unreadable(detail: str) -> FrameholdError:
    return FrameholdError(
        detail,
        code="unreadable_answer",
        hint="Check the address; a proxy may have answered instead of the server.",
    )
