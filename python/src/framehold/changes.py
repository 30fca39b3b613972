"""Requests that change a frame."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import uuid4

from .errors import Conflict, NotFound, bad_argument
from .manifest import Manifest, manifest_of
from .progress import Progress
from .sources import Data, TableSource, source_of
from .wire.address import path_part
from .wire.transport import Request, Transport


@dataclass(frozen=True)
class Upload:
    data: Data
    format: str | None = None
    idempotency_key: str | None = None
    progress: bool = False
    columns: Sequence[str] | None = None


def put(
    transport: Transport,
    name: str,
    upload: Upload,
    *,
    ttl: str | None = None,
    create_only: bool = False,
    if_version: int | None = None,
    csv: Mapping[str, str] | None = None,
) -> Manifest:
    if csv is not None and not isinstance(csv, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise bad_argument("csv is a dictionary.", 'Write csv={"delimiter": ";"}.')
    headers = _if_newest(transport, name, if_version)
    if create_only:
        headers["If-None-Match"] = "*"
    return _send(transport, "PUT", f"v1/frames/{path_part(name)}", upload, {"ttl": ttl, **(csv or {})}, headers)


def append(transport: Transport, name: str, upload: Upload, *, if_version: int | None = None) -> Manifest:
    headers = _if_newest(transport, name, if_version)
    return _send(transport, "POST", f"v1/frames/{path_part(name)}/rows", upload, {}, headers)


def restore(transport: Transport, name: str, version: int) -> Manifest:
    request = Request(
        f"v1/frames/{path_part(name)}/restore",
        "POST",
        parameters={"version": version},
        headers={"Idempotency-Key": str(uuid4())},
    )
    return manifest_of(transport.json(request))


def keep_versions(transport: Transport, name: str, versions: int | None) -> Manifest:
    if versions is not None and not isinstance(versions, int):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise bad_argument("versions is a number, or None.", "Write keep_versions(100).")
    request = Request(
        f"v1/frames/{path_part(name)}",
        "PATCH",
        headers={"Content-Type": "application/json"},
        body=json.dumps({"versionsKeep": versions}).encode(),
    )
    return manifest_of(transport.json(request))


def drop(transport: Transport, name: str, *, purge: bool) -> None:
    parameters = {"purge": True if purge else None}
    transport.done(Request(f"v1/frames/{path_part(name)}", "DELETE", parameters=parameters))


def undrop(transport: Transport, name: str) -> Manifest:
    return manifest_of(transport.json(Request(f"v1/frames/{path_part(name)}/undrop", "POST")))


def _send(
    transport: Transport,
    method: str,
    path: str,
    upload: Upload,
    parameters: Mapping[str, str | None],
    headers: Mapping[str, str],
) -> Manifest:
    body = source_of(upload.data, upload.format, upload.columns)
    total = body.bytes_estimate if isinstance(body, TableSource) else body.length
    # With a key, a put whose answer was lost can be repeated: the server stores it once.
    key = {"Idempotency-Key": upload.idempotency_key or str(uuid4())}
    with Progress("Sending", "bytes", total, enabled=upload.progress) as progress:
        request = Request(path, method, dict(parameters), {**headers, **key}, body, progress.add)
        return manifest_of(transport.json(request))


def _if_newest(transport: Transport, name: str, version: int | None) -> dict[str, str]:
    if version is None:
        return {}
    try:
        answer = transport.send(Request(f"v1/frames/{path_part(f'{name}@{version}')}"))
    except NotFound as error:
        # Many changes later it is not kept any more.
        raise Conflict(
            f'Version {version} of "{name}" is not the newest: it is gone, or never existed.',
            code="version_mismatch",
            status=412,
            hint="Read the newest version and repeat the change.",
            request_id=error.request_id,
        ) from error
    answer.read_all()
    return {"If-Match": answer.headers.get("ETag", "")}
