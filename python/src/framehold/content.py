"""Rows to be sent, as Arrow batches: from tables of many libraries, columns, arrays and iterators."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, cast, runtime_checkable

import pyarrow as pa
from pyarrow import ipc

from .errors import FrameholdError, bad_argument
from .exports import Exports, pandas_of
from .numpy_columns import NumpyArray, columns_of_array, is_array

UNNAMED = "value"
"""The column of a series without a name."""
SCAN_ROWS = 64 * 1024
"""Of a batch of a dataset: with what pyarrow reads ahead, some dozen megabytes at a time."""


@runtime_checkable
class ArrowStream(Protocol):
    """Tables of pyarrow, polars, DuckDB, nanoarrow and others."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...


class _PolarsFrame(Protocol):
    schema: Mapping[str, object]

    def to_arrow(self) -> pa.Table: ...


class _Series(Protocol):
    def to_frame(self, name: object) -> object: ...


class _Scanner(Protocol):
    def to_reader(self) -> pa.RecordBatchReader: ...


class _Dataset(Protocol):
    def scanner(self, *, batch_size: int, batch_readahead: int, fragment_readahead: int) -> _Scanner: ...


@dataclass(frozen=True)
class Content:
    schema: pa.Schema
    batches: Callable[[], Iterable[pa.RecordBatch]]
    can_repeat: bool
    """Whether `batches` gives the same rows again."""
    size: int | None = None
    """In bytes, if it is known."""


def content_of(data: object, columns: Sequence[str] | None = None) -> Content:
    """Everything that can fail because of types fails here, before anything is sent."""
    try:
        content = _opened(data, columns)
        _check_readable(content.schema)
        if _is(data, "pandas", "DataFrame", "Series"):
            _check_pandas(data, content)
    except FrameholdError:
        raise
    except Exception as error:
        # Libraries raise exceptions of many kinds for what they cannot convert.
        reason = "; ".join(map(str, error.args)) or type(error).__qualname__
        raise bad_argument(
            f"The table cannot be represented in Arrow: {reason.rstrip('.')}.",
            "Convert the column to one type, such as text or a decimal, and give all columns different names.",
        ) from error
    return content


def table_content(table: pa.Table) -> Content:
    return Content(table.schema, table.to_batches, True, table.nbytes)


def _reader_content(reader: pa.RecordBatchReader) -> Content:
    return Content(reader.schema, lambda: reader, False)


def _opened(data: object, columns: Sequence[str] | None) -> Content:
    if is_array(data):
        return table_content(pa.table(columns_of_array(cast(NumpyArray, data), columns)))
    if columns is not None:
        raise bad_argument("columns=… applies to NumPy arrays only.", "Leave it out: other data has names.")
    if isinstance(data, pa.Table):
        return table_content(data)
    if isinstance(data, pa.RecordBatchReader):
        return _reader_content(data)
    if isinstance(data, Exports):
        # Not through the C interface, which makes every exception one of pyarrow.
        return _reader_content(data.batches())
    if isinstance(data, pa.RecordBatch):
        return table_content(pa.Table.from_batches([data]))
    if isinstance(data, pa.Array | pa.ChunkedArray):
        return table_content(pa.table({UNNAMED: data}))
    if _is(data, "pandas", "DataFrame"):
        # The index becomes columns, except a RangeIndex, which is kept as metadata: pyarrow's default.
        return table_content(pa.Table.from_pandas(data))
    if _is(data, "polars", "LazyFrame"):
        raise bad_argument("A LazyFrame has no rows yet.", "Put its result: frame.collect().")
    if _is(data, "polars", "DataFrame"):
        frame = cast(_PolarsFrame, data)
        _check_objects(frame)
        # Its stream has views, which fewer readers know than plain texts.
        return table_content(frame.to_arrow())
    if _is(data, "pandas", "Series") or _is(data, "polars", "Series"):
        name = getattr(data, "name", None)
        return _opened(cast(_Series, data).to_frame(UNNAMED if name is None or name == "" else name), None)
    if any((each.__module__, each.__name__) == ("pyarrow._dataset", "Dataset") for each in type(data).__mro__):
        return _reader_content(_scan(cast(_Dataset, data)))
    if isinstance(data, ArrowStream):
        return _reader_content(pa.RecordBatchReader.from_stream(data))
    if isinstance(data, Mapping):
        return table_content(_table_of_columns(cast("Mapping[object, object]", data)))
    if isinstance(data, list | tuple):
        return _rows_or_batches(cast("Sequence[object]", data))
    if isinstance(data, Iterator):
        return _stream_of(cast("Iterator[object]", data))
    raise _cannot_be_put(f"An object of type {type(data).__qualname__}")


def _is(data: object, library: str, *names: str) -> bool:
    # Without importing the library; also classes derived from these.
    return any(each.__module__.partition(".")[0] == library and each.__name__ in names for each in type(data).__mro__)


def _cannot_be_put(what: str) -> FrameholdError:
    return bad_argument(
        f"{what} cannot be put.",
        "Put a table of pyarrow, polars or pandas, a dictionary of columns, a list of dictionaries, an iterator of "
        "record batches, a file, or the path of one.",
    )


def _scan(dataset: _Dataset) -> pa.RecordBatchReader:
    return dataset.scanner(batch_size=SCAN_ROWS, batch_readahead=2, fragment_readahead=1).to_reader()


def _table_of_columns(columns: Mapping[object, object]) -> pa.Table:
    arrays: dict[str, object] = {}
    for name, values in columns.items():
        if not isinstance(name, str):
            raise bad_argument(f"The name of a column is {name!r}, not a text.", "Give names as texts.")
        arrays[name] = _column(name, values)
    lengths = {name: len(cast("Sequence[object]", array)) for name, array in arrays.items()}
    if len(set(lengths.values())) > 1:
        shown = ", ".join(f'"{name}": {length}' for name, length in list(lengths.items())[:10])
        raise bad_argument(f"The columns have different numbers of rows: {shown}.", "Give columns of the same length.")
    return pa.table(arrays)


def _column(name: str, values: object) -> object:
    if isinstance(values, str | bytes | Mapping) or not isinstance(values, Iterable):
        raise bad_argument(f'The column "{name}" is not a list of values.', f'Write {{"{name}": [value, …]}}.')
    values = cast(object, values)
    try:
        if isinstance(values, pa.Array | pa.ChunkedArray):
            return values
        if _is(values, "polars", "Series"):
            return _only_column(content_of(values))
        if is_array(values):
            return columns_of_array(cast(NumpyArray, values), [name])[name]
        if not hasattr(values, "__len__"):
            values = list(cast("Iterable[object]", values))
        return pa.array(values)
    except FrameholdError:
        raise
    except Exception as error:
        raise bad_argument(
            f'The column "{name}" cannot be represented in Arrow: {error}.', "Convert it to one type, such as text."
        ) from error


def _only_column(content: Content) -> pa.ChunkedArray:
    return pa.Table.from_batches(list(content.batches()), content.schema).columns[0]


def _rows_or_batches(data: Sequence[object]) -> Content:
    if not data:
        raise bad_argument("An empty list has no columns.", "Put a table without rows, which has names and types.")
    if all(isinstance(each, Mapping) for each in data):
        rows = cast("Sequence[Mapping[object, object]]", data)
        # pyarrow would take the columns of the first row only.
        names = list(dict.fromkeys(name for row in rows for name in row))
        return table_content(_table_of_columns({name: [row.get(name) for row in rows] for name in names}))
    if _is_tabular(data[0]):
        stream = _stream_of(iter(data))
        return table_content(pa.Table.from_batches(list(stream.batches()), stream.schema))
    raise _cannot_be_put(f"A list of {type(data[0]).__qualname__}")


def _is_tabular(element: object) -> bool:
    # Not mappings: the keys of a later row may not be those of the first.
    return isinstance(element, pa.RecordBatch | ArrowStream) or _is(element, "pandas", "DataFrame")


def _stream_of(elements: Iterator[object]) -> Content:
    """Batches or tables, one at a time."""
    first = next(elements, None)
    if first is None:
        raise bad_argument("The iterator is empty, and has no columns.", "Put a table without rows.")
    if not _is_tabular(first):
        raise _cannot_be_put(f"An iterator of {type(first).__qualname__}")
    opened = content_of(first)

    def batches() -> Iterator[pa.RecordBatch]:
        yield from opened.batches()
        for number, element in enumerate(elements, start=2):
            if not _is_tabular(element):
                raise _cannot_be_put(f"Element {number} of the iterator, of type {type(element).__qualname__},")
            following = content_of(element)
            if following.schema != opened.schema:
                raise bad_argument(
                    f"Element {number} of the iterator has other columns than the first.",
                    "Nothing was stored. Give all batches the same schema.",
                )
            yield from following.batches()

    return Content(opened.schema, batches, False)


def _check_readable(schema: pa.Schema) -> None:
    """pyarrow can write some types that it cannot read, such as categories of an extension type."""
    try:
        ipc.read_schema(schema.serialize())
    except Exception as error:
        for name, field in zip(schema.names, schema, strict=True):
            try:
                ipc.read_schema(pa.schema([field]).serialize())
            except Exception:
                raise _unreadable(name, field.type) from error
        raise


def _unreadable(name: str, type: object) -> FrameholdError:
    return bad_argument(
        f'The column "{name}" has a type that cannot be read back: {type}.',
        "Nothing was sent. If these are categories, as of pandas.cut, put their values instead: "
        "column.astype(column.cat.categories.dtype), or column.astype(str).",
    )


def _check_pandas(data: object, content: Content) -> None:
    """A DataFrame that pandas could not restore is refused. One row shows it: categories are converted as a whole."""
    table = pa.Table.from_batches(list(content.batches()), content.schema).slice(0, 1)
    try:
        restored = pandas_of(_as_read(table))
    except Exception as error:
        for name in table.schema.names:
            try:
                pandas_of(_as_read(table.select([name]).replace_schema_metadata(None)))
            except Exception:
                raise _unreadable(name, table.schema.field(name).type) from error
        raise bad_argument(
            f"pandas could not restore this DataFrame: {error}.",
            "Nothing was sent. Give the columns names that are texts: frame.columns = [str(name) for name in frame].",
        ) from error
    before, after = _zones(data), _zones(restored)
    for name, zone in before.items():
        if name in after and after[name] != zone:
            raise _unreadable(name, "categories with a time zone")


def _as_read(table: pa.Table) -> pa.Table:
    sink = pa.BufferOutputStream()
    with ipc.new_stream(sink, table.schema) as writer:
        for batch in table.to_batches():
            writer.write_batch(batch)
    return ipc.open_stream(sink.getvalue()).read_all()


def _zones(frame: object) -> dict[str, str]:
    """The time zones of categories, which pyarrow loses on the way to pandas."""
    types = getattr(frame, "dtypes", None)
    if types is None or not hasattr(types, "items"):
        return {}
    categories = {
        str(name): getattr(type, "categories", None) for name, type in cast("Mapping[object, object]", types).items()
    }
    return {
        name: str(getattr(getattr(each, "dtype", None), "tz", None))
        for name, each in categories.items()
        if each is not None
    }


def _check_objects(frame: _PolarsFrame) -> None:
    """polars gives Python objects to Arrow as their addresses in memory."""
    for name, type in frame.schema.items():
        if _has_objects(type):
            raise bad_argument(
                f'The column "{name}" has the type {type} of polars: Python objects, which cannot be stored.',
                f'Convert it, for instance to text: pl.col("{name}").map_elements(str, return_dtype=pl.String).',
            )


def _has_objects(type: object) -> bool:
    if str(type) == "Object":
        return True
    inner = getattr(type, "inner", None)
    fields = cast("Iterable[object]", getattr(type, "fields", ()))
    return (inner is not None and _has_objects(inner)) or any(
        _has_objects(getattr(each, "dtype", None)) for each in fields
    )
