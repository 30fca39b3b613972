"""Versions of frames, as the server describes them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from .wire.json_values import (
    JsonObject,
    number_of,
    object_of,
    optional_number,
    optional_time,
    text_of,
    time_of,
)


@dataclass(frozen=True)
class Manifest:
    """One version of a frame."""

    handle: str
    """`name@version`"""
    name: str
    version: int
    rows: int
    bytes: int
    """Size of the Arrow streams as they were put."""
    parts: int
    """1, plus 1 for each append."""
    created_at: datetime
    expires_at: datetime | None
    origin: Mapping[str, object]
    """`kind` (`upload`, `append`, `query`, `restored`), `format` and more."""
    versions_keep: int | None = None
    """How many versions of the name are kept; `None`: as many as of other frames."""


def manifest_of(value: object) -> Manifest:
    answer: JsonObject = object_of(value)
    return Manifest(
        handle=text_of(answer.get("handle")),
        name=text_of(answer.get("name")),
        version=number_of(answer.get("version")),
        rows=number_of(answer.get("rows")),
        bytes=number_of(answer.get("bytes")),
        parts=number_of(answer.get("parts")),
        created_at=time_of(answer.get("createdAt")),
        expires_at=optional_time(answer.get("expiresAt")),
        origin=object_of(answer.get("origin")),
        versions_keep=optional_number(answer.get("versionsKeep")),
    )
