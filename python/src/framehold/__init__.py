"""Frames of a Framehold server in Python.

import framehold
db = framehold.connect()
db["trades"].to_polars()
"""

from .async_database import AsyncDatabase, AsyncFrame, aconnect
from .database import Database, connect
from .difference import Difference
from .errors import (
    Conflict,
    ConnectionFailed,
    Forbidden,
    FrameholdError,
    IncompleteAnswer,
    InvalidRequest,
    InvalidStatement,
    NotAppendOnly,
    NotFound,
    PositionUnknown,
    ServerFailed,
    Unauthorized,
    Unavailable,
)
from .events import Event, EventStream
from .follow.batch import Batch
from .follow.follower import Follower
from .frame import Frame
from .handles.links import Link, ListedLink
from .manifest import Manifest
from .notes import ColumnNotes, Notes
from .statement import Result
from .handles.tags import Tag

__all__ = [
    "AsyncDatabase",
    "AsyncFrame",
    "Batch",
    "ColumnNotes",
    "Conflict",
    "ConnectionFailed",
    "Database",
    "Difference",
    "Event",
    "EventStream",
    "Follower",
    "Forbidden",
    "Frame",
    "FrameholdError",
    "IncompleteAnswer",
    "InvalidRequest",
    "InvalidStatement",
    "Link",
    "ListedLink",
    "Manifest",
    "NotAppendOnly",
    "NotFound",
    "Notes",
    "PositionUnknown",
    "Result",
    "ServerFailed",
    "Tag",
    "Unauthorized",
    "Unavailable",
    "aconnect",
    "connect",
]
