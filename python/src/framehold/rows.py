"""Rows of an answer, as Arrow batches that arrive one by one."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pyarrow as pa
from pyarrow import ipc

from .errors import FrameholdError, IncompleteAnswer, kind_of
from .wire.answer import Answer
from .wire.json_values import number_of, object_of, optional_text, text_of, unreadable
from .wire.transport import Request, Transport

CONTINUATIONS_MAX = 3
"""A frame that cannot be read breaks every connection."""


class Rows:
    """A stream that is read once. At most one batch is in memory, besides those that the caller keeps."""

    def __init__(
        self, transport: Transport, answer: Answer, continued: Callable[[int], Answer | None] | None = None
    ) -> None:
        """`continued` asks for the rows after the first ones again, if a connection breaks; None: this is not possible."""
        self._transport = transport
        self._continued = continued
        self._continuations = 0
        self._is_aborted = False
        self._given = 0
        self.on_rows: Callable[[int], None] | None = None
        """Called with the number of rows of each batch."""
        self._open(answer)

    def _open(self, answer: Answer) -> None:
        while True:
            self.answer = answer
            try:
                with _reasons(self._transport):
                    self._reader = ipc.open_stream(pa.PythonFile(answer, mode="r"))
                return
            except IncompleteAnswer as error:
                answer = self._after(error)

    def _after(self, error: IncompleteAnswer) -> Answer:
        """The rest of the rows."""
        if self._continued is None or self._continuations == CONTINUATIONS_MAX or self._is_aborted:
            raise error
        self._continuations += 1
        answer = self._continued(self._given)
        if answer is None:
            raise error
        return answer

    @property
    def schema(self) -> pa.Schema:
        return self._reader.schema

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        try:
            while True:
                try:
                    with _reasons(self._transport):
                        batch = self._reader.read_next_batch()
                except StopIteration:
                    self.answer.finish()
                    return
                except IncompleteAnswer as error:
                    self._open(self._after(error))
                    continue
                self._given += batch.num_rows
                if self.on_rows is not None:
                    self.on_rows(batch.num_rows)
                yield batch
        finally:
            self.close()

    def read_all(self) -> pa.Table:
        return pa.Table.from_batches(list(self), schema=self.schema)

    def reader(self) -> pa.RecordBatchReader:
        return pa.RecordBatchReader.from_batches(self.schema, iter(self))

    def close(self) -> None:
        self.answer.close()

    def abort(self) -> None:
        self._is_aborted = True
        self.answer.abort()


class _reasons:
    """Replaces "the answer is incomplete" by the reason why a statement failed, if the server knows one."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def __enter__(self) -> None: ...

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        if isinstance(error, IncompleteAnswer) and error.query_id is not None:
            reason = _failure_of(self._transport, error.query_id)
            if reason is not None:
                raise reason from error
        # Some of pyarrow's are OSErrors; those of the connection are exceptions of this package already.
        if isinstance(error, pa.ArrowException | OSError):
            raise unreadable(f"The answer is not a stream of Arrow: {error}.") from error


def _failure_of(transport: Transport, query_id: str) -> FrameholdError | None:
    try:
        answer = transport.json(Request(f"v1/queries/{query_id}"))
        failure = object_of(answer.get("error"))
    except FrameholdError:
        return None
    code, status = text_of(failure.get("code")), number_of(failure.get("status"))
    hint = optional_text(failure.get("hint"))
    detail = text_of(failure.get("detail"))
    return kind_of(code, status)(detail, code=code, status=status, hint=hint, query_id=query_id)
