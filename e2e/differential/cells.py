"""How every cell must stand in JSON, NDJSON and CSV, worked out from docs/reference/http.md."""

import base64
import json
import math
import uuid

import numpy as np
import pyarrow as pa
import pyarrow.types as types

from json_cells import Number, Pairs, clock, date, duration, interval, moment, parse, written
from plain_values import read

WIDTHS = {16: np.float16, 32: np.float32, 64: np.float64}


class Cell:
    """A value with the one text that it may have. As CSV it is the same, unless told otherwise."""

    def __init__(self, value, csv=None):
        self.value = value
        self.csv = value if csv is None else csv


class Float:
    """Any number that reads back as this value of its width."""

    def __init__(self, value, width):
        self.value = value
        self.width = width

    def same(self, text):
        # Many digits overflow where they are read with a smaller width; what they mean is compared.
        with np.errstate(over="ignore"):
            return isinstance(text, str) and WIDTHS[self.width](text) == WIDTHS[self.width](self.value)

    @property
    def csv(self):
        if math.isnan(self.value):
            return "NaN"
        return "Infinity" if self.value > 0 else "-Infinity"


def cells(array):
    kind = array.type
    if isinstance(array, pa.ExtensionArray):
        if kind == pa.uuid():
            return written(array.storage.to_pylist(), lambda value: str(uuid.UUID(bytes=value)))
        return cells(array.storage)
    if types.is_floating(kind):
        return written(array.to_pylist(), lambda value: Float(float(value), kind.bit_width))
    if types.is_integer(kind):
        return written(array.to_pylist(), Number)
    if types.is_decimal(kind):
        return written(array.to_pylist(), lambda value: f"{value:f}")
    if types.is_binary(kind) or types.is_large_binary(kind) or types.is_binary_view(kind) or types.is_fixed_size_binary(kind):
        return written(array.to_pylist(), lambda value: base64.b64encode(value).decode())
    if types.is_interval(kind):
        return written(read(array, cells), interval)
    if types.is_timestamp(kind):
        zone = "" if kind.tz is None else "Z"
        return written(read(array, cells), lambda value: Cell(moment(value, kind.unit) + "Z", moment(value, kind.unit) + zone))
    if types.is_date32(kind):
        return written(read(array, cells), day)
    if types.is_date64(kind):
        return written(read(array, cells), lambda value: day(value // 86_400_000))
    if types.is_time(kind):
        return written(read(array, cells), lambda value: clock(value, kind.unit))
    if types.is_duration(kind):
        return written(read(array, cells), lambda value: duration(value, kind.unit))
    if types.is_map(kind):
        return written(read(array, cells), lambda pairs: of_map(kind, pairs))
    if types.is_struct(kind):
        names = [kind.field(index).name for index in range(kind.num_fields)]
        return written(read(array, cells), lambda members: Pairs(zip(names, members)))
    if types.is_union(kind):
        return [Pairs([member]) for member in read(array, cells)]
    return read(array, cells)


def day(value):
    return Cell(f"{date(value)}T00:00:00.000Z", date(value))


def of_map(kind, pairs):
    keys = [plain_key(key) for key, _ in pairs]
    if types.is_string(kind.key_type) and len(set(keys)) == len(keys):
        return Pairs(zip(keys, [value for _, value in pairs]))
    return [[key, value] for key, value in pairs]


def plain_key(key):
    return key.value if isinstance(key, Cell) else key


def same(wanted, got, form):
    """Whether a parsed cell is the one that is wanted; `form` is "json", "ndjson" or "csv" (a nested cell of CSV is JSON)."""
    if isinstance(wanted, Float):
        return got is None if not math.isfinite(wanted.value) else isinstance(got, Number) and wanted.same(got)
    if isinstance(wanted, Cell):
        return got == (wanted.value if form == "json" else wanted.csv)
    if isinstance(wanted, Pairs):
        if not isinstance(got, Pairs) or len(got) != len(wanted):
            return False
        return all(name == other and same(value, there, form) for (name, value), (other, there) in zip(wanted, got))
    if isinstance(wanted, list):
        return type(got) is list and len(got) == len(wanted) and all(same(one, there, form) for one, there in zip(wanted, got))
    return type(got) is type(wanted) and got == wanted


def same_csv(wanted, field, quoted):
    """`field` as it stands in the file, without its quotes."""
    if wanted is None:
        return field == "" and not quoted
    if isinstance(wanted, Float):
        return wanted.same(field) if math.isfinite(wanted.value) else field == wanted.csv
    if isinstance(wanted, Cell):
        return field == wanted.csv
    if isinstance(wanted, bool):
        return field == ("true" if wanted else "false")
    if isinstance(wanted, list):
        return same(wanted, parse(field), "csv")
    return field == wanted and (field != "" or quoted)


def csv_records(text):
    """RFC 4180, keeping whether a field was quoted: [[(field, quoted)]]."""
    records, record, place = [], [], 0
    while place < len(text):
        if text[place] == '"':
            field, place = [], place + 1
            while True:
                end = text.index('"', place)
                field.append(text[place:end])
                place = end + 1
                if place < len(text) and text[place] == '"':
                    field.append('"')
                    place += 1
                else:
                    break
            record.append(("".join(field), True))
        else:
            end = min(each for each in (text.find(",", place), text.find("\r\n", place)) if each >= 0)
            record.append((text[place:end], False))
            place = end
        if text[place] == ",":
            place += 1
        else:
            assert text[place : place + 2] == "\r\n", text[place : place + 20]
            place += 2
            records.append(record)
            record = []
    return records


def json_faults(table, text):
    """`text` is the table of `/exec`."""
    answer = dict(parse(text))
    columns = [cells(column) for column in table.columns]
    rows = answer["dataset"]
    if len(rows) != table.num_rows:
        return f"{len(rows)} rows, not {table.num_rows}"
    for row, got in enumerate(rows):
        for index, column in enumerate(columns):
            if not same(column[row], got[index], "json"):
                return f"row {row}, column {table.schema.names[index]}: {shown(got[index])} is not {shown(column[row])}"
    return None


def ndjson_faults(table, text):
    columns = [cells(column) for column in table.columns]
    lines = [parse(line) for line in text.split("\n") if line != ""]
    if len(lines) != table.num_rows:
        return f"{len(lines)} rows, not {table.num_rows}"
    for row, got in enumerate(lines):
        for index, name in enumerate(table.schema.names):
            if got[index][0] != name or not same(columns[index][row], got[index][1], "ndjson"):
                return f"row {row}, column {name}: {shown(got[index])} is not {shown(columns[index][row])}"
    return None


def csv_faults(table, text):
    header, *records = csv_records(text)
    if [name for name, _ in header] != table.schema.names:
        return f"header {header}"
    if len(records) != table.num_rows:
        return f"{len(records)} rows, not {table.num_rows}"
    columns = [cells(column) for column in table.columns]
    for row, record in enumerate(records):
        for index, name in enumerate(table.schema.names):
            field, quoted = record[index]
            if not same_csv(columns[index][row], field, quoted):
                return f"row {row}, column {name}: {shown(field)}{' quoted' if quoted else ''} is not {shown(columns[index][row])}"
    return None


def shown(value):
    return json.dumps(value, default=lambda each: getattr(each, "value", str(each)), ensure_ascii=False)[:300]
