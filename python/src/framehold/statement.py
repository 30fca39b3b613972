"""SQL statements and their results."""

from __future__ import annotations

import json
import re
from html import escape

import pyarrow as pa

from .errors import FrameholdError, bad_argument
from .exports import Exports
from .html_table import HEAD_ROWS, html_table
from .manifest import Manifest, manifest_of
from .rows import Rows
from .statement_parameters import Parameters, parameters_of
from .wire.answer import Answer
from .wire.json_values import number_of, parse_object
from .wire.transport import Request, Transport


class Result(Exports):
    """What a statement gave. `to_arrow()` reads the rows and keeps them; without it, the rows can be streamed once."""

    def __init__(self, rows: Rows | None, changed: Manifest | None, changed_rows: int) -> None:
        self._rows = rows
        self._table: pa.Table | None = None if rows is not None else pa.table({})
        self._schema = rows.schema if rows is not None else pa.schema([])
        self._is_read = False
        self.changed = changed
        """The version that a statement such as CREATE TABLE created."""
        self.changed_rows = changed_rows
        """The number of rows that it stored."""

    @property
    def schema(self) -> pa.Schema:
        return self._schema

    @property
    def query_id(self) -> str | None:
        return None if self._rows is None else self._rows.answer.query_id

    def to_arrow(self) -> pa.Table:
        if self._table is None:
            self._table = self._stream().read_all()
        return self._table

    def batches(self) -> pa.RecordBatchReader:
        return self._table.to_reader() if self._table is not None else self._stream().reader()

    def close(self) -> None:
        """Stops the statement if it still runs."""
        if self._rows is not None:
            self._rows.close()

    def __len__(self) -> int:
        return self.to_arrow().num_rows

    def __repr__(self) -> str:
        if self.changed is not None:
            return f"<framehold.Result: {self.changed.handle}, {self.changed_rows} rows stored>"
        return f"<framehold.Result: {', '.join(self._schema.names)}>"

    def _repr_html_(self) -> str:
        """The first rows. Reads all, as every use of a result's table does, and keeps them; a result whose rows were
        streamed shows its columns."""
        if self.changed is not None:
            return f"<p>{escape(self.changed.handle)}: {self.changed_rows:,} rows stored</p>"
        if self._table is None and self._is_read:
            return html_table("result", self._schema.empty_table(), None)
        table = self.to_arrow()
        return html_table("result", table.slice(0, HEAD_ROWS), table.num_rows)

    def __reduce__(self) -> tuple[object, ...]:
        """With its rows, which are read for that."""
        return (_with_rows, (self.to_arrow(), self.changed, self.changed_rows))

    def _stream(self) -> Rows:
        if self._is_read or self._rows is None:
            raise FrameholdError(
                "The rows of this result have been read.",
                code="bad_argument",
                hint="Call to_arrow() first, which keeps them, or run the statement again.",
            )
        self._is_read = True
        return self._rows


def _with_rows(table: pa.Table, changed: Manifest | None, changed_rows: int) -> Result:
    result = Result(None, changed, changed_rows)
    result._table, result._schema = table, table.schema  # pyright: ignore[reportPrivateUsage]
    return result


_READS = re.compile(r"\s*\(*\s*(select|from|with|values|describe|show|summarize)\b", re.IGNORECASE)
_CHANGES = re.compile(r"\b(insert|create|replace|update|delete|merge|truncate|drop|alter|into|copy|call)\b|;", re.IGNORECASE)


def only_reads(text: str) -> bool:
    """Whether a statement may run twice. Some that only read are not recognized: they are not repeated, that is all."""
    return _READS.match(text) is not None and _CHANGES.search(text.rstrip("; \t\r\n")) is None


def run_statement(
    transport: Transport,
    text: str,
    parameters: Parameters | None = None,
    *,
    limit: int | None = None,
    engine: str | None = None,
    in_history: bool = True,
    idempotency_key: str | None = None,
) -> Result:
    if not isinstance(text, str):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise bad_argument(f"A statement is a text, not a {type(text).__qualname__}.", 'Write it as in "SELECT 1".')
    members = {
        "sql": text,
        "parameters": None if parameters is None else parameters_of(parameters),
        "limit": limit,
        "engine": engine,
        "history": None if in_history else False,
    }
    try:
        body = json.dumps({name: value for name, value in members.items() if value is not None}, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise bad_argument(f"The statement cannot be sent: {error}.", "limit is a number, engine a text.") from error
    request = Request(
        "v1/sql",
        "POST",
        parameters={"fmt": "arrow"},
        headers={
            "Content-Type": "application/json",
            **({} if idempotency_key is None else {"Idempotency-Key": idempotency_key}),
        },
        body=body.encode(),
        is_read=only_reads(text),
    )

    def again(given: int) -> Answer | None:
        # Two runs may order their rows differently.
        return transport.send(request) if request.is_read and given == 0 else None

    answer = transport.send(request)
    if (answer.headers.get_content_type()) != "application/json":
        return Result(Rows(transport, answer, again), None, 0)
    change = parse_object(answer.read_all())
    frame = change.get("frame")
    return Result(None, None if frame is None else manifest_of(frame), number_of(change.get("rows")))
