"""Writes Arrow IPC streams of every type into the folder given, each with the texts that JSON, NDJSON and CSV must have for it.

The texts are computed here from the stored numbers, with Python's own exact arithmetic, and not by what is being tested.
"""

import base64
import datetime
import json
import sys
from decimal import Decimal, getcontext
from pathlib import Path

import numpy as np
import pyarrow as pa

getcontext().prec = 100
folder = Path(sys.argv[1])
DAY = 86_400


def quoted(text):
    """JSON as JavaScript writes it: only what must be escaped is."""
    return json.dumps(text, ensure_ascii=False)


def date_text(day):
    """Days since 1970; far years through the calendar's period of 400 years."""
    cycles = 0
    while not -719162 <= day <= 2932896:
        step = max(1, abs(day) // 146097 - 10)
        cycles += step if day > 0 else -step
        day += -step * 146097 if day > 0 else step * 146097
    date = datetime.date(1970, 1, 1) + datetime.timedelta(days=day)
    year = date.year + 400 * cycles
    shown = f"{year:04d}" if 0 <= year <= 9999 else f"{'-' if year < 0 else '+'}{abs(year):06d}"
    return f"{shown}-{date.month:02d}-{date.day:02d}"


def clock_text(second):
    return f"{second // 3600:02d}:{second // 60 % 60:02d}:{second % 60:02d}"


def timestamp_text(value, unit):
    per_second = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}[unit]
    digits = 9 if unit == "ns" else 6
    seconds, fraction = divmod(value, per_second)
    day, second = divmod(seconds, DAY)
    return f"{date_text(day)}T{clock_text(second)}.{fraction * 10**digits // per_second:0{digits}d}"


def time_text(value, unit):
    per_second = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}[unit]
    digits = 9 if unit == "ns" else 6
    seconds, fraction = divmod(value, per_second)
    return f"{clock_text(seconds)}.{fraction * 10**digits // per_second:0{digits}d}"


def javascript_number(digits, exponent):
    """Shortest digits and the place of the point, as ECMAScript's Number::toString puts them."""
    count = len(digits)
    if count <= exponent <= 21:
        return digits + "0" * (exponent - count)
    if 0 < exponent <= 21:
        return digits[:exponent] + "." + digits[exponent:]
    if -6 < exponent <= 0:
        return "0." + "0" * -exponent + digits
    mantissa = digits if count == 1 else digits[0] + "." + digits[1:]
    return f"{mantissa}e{'+' if exponent > 0 else '-'}{abs(exponent - 1)}"


def float_text(value):
    """value is a numpy float of the column's width."""
    if not np.isfinite(value):
        return None
    sign = "-" if np.signbit(value) else ""
    if value == 0:
        return sign + "0"
    mantissa, exponent = np.format_float_scientific(abs(value), unique=True, trim="-").split("e")
    digits = mantissa.replace(".", "").rstrip("0") or "0"
    return sign + javascript_number(digits, int(exponent) + 1)


def decimal_text(unscaled, scale):
    if scale <= 0:
        return str(unscaled * 10**-scale)
    sign = "-" if unscaled < 0 else ""
    digits = str(abs(unscaled)).rjust(scale + 1, "0")
    return f"{sign}{digits[:-scale]}.{digits[-scale:]}"


def csv_quoted(text):
    return '"' + text.replace('"', '""') + '"' if text == "" or any(mark in text for mark in '",\r\n\ufeff') else text


class Cells:
    """The texts of one column in the three formats."""

    def __init__(self, json_texts, ndjson_texts=None, csv_texts=None):
        self.json = json_texts
        self.ndjson = ndjson_texts or json_texts
        self.csv = csv_texts or ["" if text == "null" else csv_of(text) for text in self.ndjson]


def csv_of(json_text):
    """A JSON text as a CSV cell: strings without their quotes, nested values as JSON."""
    if json_text.startswith('"'):
        return csv_quoted(json.loads(json_text))
    if json_text[0] in "[{":
        return csv_quoted(json_text)
    return json_text


def plain(values, text):
    return Cells(["null" if value is None else text(value) for value in values])


def zoned_texts(values, text):
    return plain(values, lambda value: f'"{text(value)}Z"')


def zoneless_texts(values, text):
    with_z = ["null" if value is None else f'"{text(value)}Z"' for value in values]
    without = ["null" if value is None else f'"{text(value)}"' for value in values]
    return Cells(with_z, without)


def date_texts(values, text):
    """Days alone, except in the format of /exec; a time of day is always written."""
    cells = zoneless_texts(values, text)
    return Cells(cells.json, [each.replace('T00:00:00.000"', '"') for each in cells.ndjson])


def not_finite(cells, values):
    for index, value in enumerate(values):
        if value is not None and not np.isfinite(value):
            cells.json[index] = "null"
            cells.csv[index] = "NaN" if np.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return cells


def floats(values, kind):
    numbers = [None if value is None else kind(value) for value in values]
    if kind is np.float16:  # every digit: the shortest text among halves would write 65504 as 65500
        numbers = [None if number is None else float(number) for number in numbers]
    texts = ["null" if number is None else float_text(number) or "null" for number in numbers]
    return not_finite(Cells(texts, None, ["" if text == "null" else text for text in texts]), numbers)


def decimals(unscaled, kind):
    def value(number):
        return None if number is None else Decimal(number).scaleb(-kind.scale)

    cells = plain(unscaled, lambda number: f'"{decimal_text(number, kind.scale)}"')
    return pa.array([value(number) for number in unscaled], kind), cells


columns = {}


def column(name, kind, array, cells, **more):
    columns[name] = ({"name": name, "type": kind, **more}, array, cells)


bools = [True, None, False, True, True, False, None, True, False, True, True]
ROWS = len(bools)


def padded(values):
    """Exactly ROWS values: the given ones again and again."""
    return [values[index % len(values)] for index in range(ROWS)]


column("bool", "BOOLEAN", pa.array(bools), plain(bools, lambda value: str(value).lower()))
for name, kind, low, high in [
    ("BYTE", pa.int8(), -128, 127),
    ("SHORT", pa.int16(), -(2**15), 2**15 - 1),
    ("INT", pa.int32(), -(2**31), 2**31 - 1),
    ("LONG", pa.int64(), -(2**63), 2**63 - 1),
    ("UBYTE", pa.uint8(), 0, 255),
    ("USHORT", pa.uint16(), 0, 2**16 - 1),
    ("UINT", pa.uint32(), 0, 2**32 - 1),
    ("ULONG", pa.uint64(), 0, 2**64 - 1),
]:
    values = [low, high, None, 0, 1, low + 1, high - 1]
    values += [value for value in (2**53, 2**53 + 1, -(2**53) - 1, -1, 2**63, 2**32) if low <= value <= high]
    values = padded(values[:ROWS])
    column(name.lower(), name, pa.array(values, kind), plain(values, str))

half = padded([0.0, -0.0, 1.5, 65504.0, 5.960464477539063e-08, 0.1, np.nan, np.inf, -np.inf, 2049.0, 1e-4])
column("float16", "FLOAT", pa.array(np.array(half, np.float16)), floats(half, np.float16))
single = padded([0.1, None, -0.0, 16777216.0, 1e-45, 3.4028234663852886e38, np.nan, np.inf, -np.inf, 1.26217745e-29, 1e21])
column("float32", "FLOAT", pa.array(single, pa.float32()), floats(single, np.float32))
double = padded([0.1, None, -0.0, 5e-324, 1.7976931348623157e308, np.nan, np.inf, -np.inf, 1e21, 123456789012345680000.0, 1e-7])
column("float64", "DOUBLE", pa.array(double, pa.float64()), floats(double, np.float64))

for kind in [
    pa.decimal32(9, 2),
    pa.decimal64(18, 0),
    pa.decimal128(38, 9),
    pa.decimal128(5, -3),
    pa.decimal128(38, 38),
    pa.decimal256(76, 30),
]:
    top = 10**kind.precision - 1
    array, cells = decimals(padded([top, -top, None, 0, 1, -1, top // 7, -(top // 3)]), kind)
    name = f"decimal{kind.bit_width}_{kind.precision}_{kind.scale}".replace("-", "m")
    column(name, f"DECIMAL({kind.precision},{kind.scale})", array, cells)

words = [
    "", None, "plain", 'quote " comma , line\r\nend', "back\\slash", "\x00\x01\x1f\x7f\b\f\n\r\t", "żółw \U0001f422",
    "\u2028\u2029", "null", " spaces ", "a text that is longer than twelve bytes",
]  # fmt: skip
word_cells = plain(words, quoted)
for name, kind in [("utf8", pa.string()), ("large_utf8", pa.large_string()), ("utf8_view", pa.string_view())]:
    column(name, "STRING", pa.array(words, kind), word_cells)
ascii_words = padded(["alpha", "beta", None, "a text that is longer than twelve bytes"])
column("ascii", "STRING", pa.array(ascii_words), plain(ascii_words, quoted))
column("symbol", "SYMBOL", pa.array(words).dictionary_encode(), word_cells)
column("symbol_large", "SYMBOL", pa.DictionaryArray.from_arrays(
    pa.array([0, None, 2, 1, 0, 2, 2, 1, 0, None, 1], pa.uint64()), pa.array(["a", None, "c"], pa.large_string())
), plain(["a", None, "c", None, "a", "c", "c", None, "a", None, None], quoted))  # fmt: skip
numbers = padded([2**60, None, 7, 2**60])
column("dictionary_of_long", "LONG", pa.array(numbers).dictionary_encode(), plain(numbers, str))
nested_dictionary = pa.DictionaryArray.from_arrays(
    pa.array(padded([0, 1, None]), pa.int8()), pa.array([[1, None], []], pa.list_(pa.int32()))
)
column("dictionary_of_list", "ARRAY", nested_dictionary, Cells(padded(["[1,null]", "[]", "null"])), dim=1, elemType="INT")

raw = padded([b"", None, b"\x00\xff", b"\x80" * 40, b"z", b"three"])
raw_cells = plain(raw, lambda value: quoted(base64.b64encode(value).decode()))
for name, kind in [("binary", pa.binary()), ("large_binary", pa.large_binary()), ("binary_view", pa.binary_view())]:
    column(name, "BINARY", pa.array(raw, kind), raw_cells)
fixed = padded([b"abc", None, b"\x00\x00\x00"])
column("fixed_binary", "BINARY", pa.array(fixed, pa.binary(3)), plain(fixed, lambda value: quoted(base64.b64encode(value).decode())))
uuids = padded([bytes(range(16)), None, b"\xff" * 16])
column("uuid", "UUID", pa.ExtensionArray.from_storage(pa.uuid(), pa.array(uuids, pa.binary(16))), plain(
    uuids, lambda value: quoted("-".join(value.hex()[a:b] for a, b in [(0, 8), (8, 12), (12, 16), (16, 20), (20, 32)]))
))  # fmt: skip

days = padded([0, None, -1, 19782, 11016, -719162, -719528, 2932896, 2932897, 2**31 - 1, -(2**31)])
column("date32", "DATE", pa.array(days, pa.int32()).cast(pa.date32()), date_texts(days, lambda day: f"{date_text(day)}T00:00:00.000"))
milliseconds = [0, None, -1, 951782400000, 86399999, -62135596800001, 2**63 - 1, -(2**63) + 86_400_000]


def date64_text(value):
    seconds, fraction = divmod(value, 1000)
    day, second = divmod(seconds, DAY)
    return f"{date_text(day)}T{clock_text(second)}.{fraction:03d}"


for name, values in [
    # A time of day does not belong there, and pyarrow's check refuses it, but files have it.
    ("date64_with_time", milliseconds),
    ("date64", [None if value is None else value // 86_400_000 * 86_400_000 for value in milliseconds]),
]:
    array = pa.Array.from_buffers(pa.date64(), ROWS, pa.array(values[:8] + [0, None, 0], pa.int64()).buffers())
    column(name, "DATE", array, date_texts(values[:8] + [0, None, 0], date64_text))
instants = padded([0, None, -1, 1, 10**10, -(10**10) - 1, 1704067199123456, 2**62 + 12345, -(2**62) - 1, 2**63 - 1, -(2**63)])
for unit in ("s", "ms", "us", "ns"):
    kind = "TIMESTAMP_NS" if unit == "ns" else "TIMESTAMP"

    def text(value, unit=unit):
        return timestamp_text(value, unit)

    column(f"timestamp_{unit}", kind, pa.array(instants, pa.int64()).cast(pa.timestamp(unit)), zoneless_texts(instants, text))
    zoned = pa.array(instants, pa.int64()).cast(pa.timestamp(unit, "Europe/Warsaw"))
    column(f"zoned_{unit}", kind, zoned, zoned_texts(instants, text))
    top = DAY * {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}[unit] - 1
    times = padded([0, None, top, top // 2, 1])
    wide = unit in ("us", "ns")
    time_kind = pa.time64(unit) if wide else pa.time32(unit)
    stored = pa.array(times, pa.int64() if wide else pa.int32())
    column(f"time_{unit}", "TIME", stored.cast(time_kind), plain(times, lambda value, unit=unit: f'"{time_text(value, unit)}"'))

    def duration_text(value, unit=unit):
        digits = {"s": 0, "ms": 3, "us": 6, "ns": 9}[unit]
        text = f"{abs(value) // 10**digits}"
        fraction = f"{abs(value) % 10**digits:0{digits}d}".rstrip("0") if digits else ""
        return f'"{"-" if value < 0 else ""}PT{text}{"." if fraction else ""}{fraction}S"'

    column(f"duration_{unit}", "DURATION", pa.array(instants, pa.int64()).cast(pa.duration(unit)), plain(instants, duration_text))

intervals = padded([(14, -3, 5_000_000_001), None, (0, 0, 0), (-1, -2, -3_500_000_000), (0, 5, 0), (1, 0, -1), (0, 0, 2**63 - 1)])
column("interval", "INTERVAL", pa.array(intervals, pa.month_day_nano_interval()), Cells(padded([
    '"P14M-3DT5.000000001S"', "null", '"PT0S"', '"-P1M2DT3.5S"', '"P5D"', '"P1MT-0.000000001S"', '"PT9223372036.854775807S"'
])))  # fmt: skip
column("null", "NULL", pa.nulls(ROWS), Cells(["null"] * ROWS))

lists = padded([[1, 2], None, [], [None, 3], [2**60]])
list_cells = Cells(padded(["[1,2]", "null", "[]", "[null,3]", "[1152921504606846976]"]))
for name, kind in [
    ("list", pa.list_(pa.int64())),
    ("large_list", pa.large_list(pa.int64())),
    ("list_view", pa.list_view(pa.int64())),
    ("large_list_view", pa.large_list_view(pa.int64())),
]:
    column(name, "ARRAY", pa.array(lists, kind), list_cells, dim=1, elemType="LONG")
shared = pa.ListViewArray.from_arrays(
    pa.array(padded([2, 0, 1]), pa.int32()), pa.array(padded([1, 3, 0]), pa.int32()), pa.array(["x", None, 'y"'])
)
column("shared_list_view", "ARRAY", shared, Cells(padded(['["y\\""]', '["x",null,"y\\""]', "[]"])), dim=1, elemType="STRING")
column("fixed_list", "ARRAY", pa.array(padded([[1, 2], None, [None, 4]]), pa.list_(pa.int8(), 2)), Cells(
    padded(["[1,2]", "null", "[null,4]"])
), dim=1, elemType="BYTE")  # fmt: skip
column("list_of_list", "ARRAY", pa.array(padded([[["a"], []], None, [None], [["b", None]]]), pa.list_(pa.list_(pa.string()))), Cells(
    padded(['[["a"],[]]', "null", "[null]", '[["b",null]]'])
), dim=2, elemType="STRING")  # fmt: skip
points = padded([{"x": 2**60 + 1, "y \"q\"": "a"}, None, {"x": None, "y \"q\"": None}, {"x": 2, "y \"q\"": "b"}])
point = pa.struct([("x", pa.int64()), ('y "q"', pa.string())])
column("struct", "STRUCT", pa.array(points, point), Cells(padded([
    '{"x":1152921504606846977,"y \\"q\\"":"a"}', "null", '{"x":null,"y \\"q\\"":null}', '{"x":2,"y \\"q\\"":"b"}'
])))  # fmt: skip
column("struct_twice", "STRUCT", pa.StructArray.from_arrays([pa.array(range(ROWS)), pa.array(range(ROWS))], ["a", "a"]), Cells(
    [f'[["a",{row}],["a",{row}]]' for row in range(ROWS)]
))  # fmt: skip
column("empty_struct", "STRUCT", pa.array([{}] * ROWS, pa.struct([])), Cells(["{}"] * ROWS))
maps = padded([[("a", 1)], None, [], [("b", None), ("c", 3)], [("k", 1), ("k", 2)]])
column("map", "MAP", pa.array(maps, pa.map_(pa.string(), pa.int64())), Cells(
    padded(['{"a":1}', "null", "{}", '{"b":null,"c":3}', '[["k",1],["k",2]]'])
))  # fmt: skip
number_maps = padded([[(1, "a")], None, [], [(2, None), (3, "c")]])
column("map_of_numbers", "MAP", pa.array(number_maps, pa.map_(pa.int32(), pa.string())), Cells(
    padded(['[[1,"a"]]', "null", "[]", '[[2,null],[3,"c"]]'])
))  # fmt: skip
times_inside = pa.array(padded([{"t": 0, "z": 0, "f": float("nan")}]), pa.struct([
    ("t", pa.timestamp("us")), ("z", pa.timestamp("us", "UTC")), ("f", pa.float64())
]))  # fmt: skip
inside = '{"t":"1970-01-01T00:00:00.000000%s","z":"1970-01-01T00:00:00.000000Z","f":null}'
column("times_in_struct", "STRUCT", times_inside, Cells([inside % "Z"] * ROWS, [inside % ""] * ROWS))
types = pa.array(padded([5, 7, 5]), pa.int8())
dense_offsets = pa.array([0, 0, 1, 1, 1, 1, 1, 2, 1, 1, 3], pa.int32())
dense = pa.UnionArray.from_dense(types, dense_offsets, [pa.array([1, None]), pa.array(["a", None, 'c"', "d"])], ["number", "text"], [5, 7])
dense_values = [
    '{"number":1}', '{"text":"a"}', '{"number":null}', '{"number":null}', '{"text":null}', '{"number":null}',
    '{"number":null}', '{"text":"c\\""}', '{"number":null}', '{"number":null}', '{"text":"d"}',
]  # fmt: skip
column("dense_union", "UNION", dense, Cells(dense_values))
sparse = pa.UnionArray.from_sparse(
    pa.array(padded([0, 1]), pa.int8()), [pa.array(range(ROWS)), pa.array([None] * ROWS, pa.string())], ["n", "s"]
)
column("sparse_union", "UNION", sparse, Cells([f'{{"n":{row}}}' if row % 2 == 0 else '{"s":null}' for row in range(ROWS)]))
for bits in (16, 32, 64):
    ends = pa.array([2, 3, 7, ROWS], getattr(pa, f"int{bits}")())
    runs = pa.RunEndEncodedArray.from_arrays(ends, pa.array(["x", None, 'y,"', ""]))
    column(f"run_end_{bits}", "STRING", runs, Cells(
        ['"x"'] * 2 + ["null"] + ['"y,\\""'] * 4 + ['""'] * (ROWS - 7)
    ))  # fmt: skip


def write(name, batches, **options):
    with pa.OSFile(str(folder / f"{name}.arrows"), "wb") as sink:
        with pa.ipc.new_stream(sink, batches[0].schema, options=pa.ipc.IpcWriteOptions(**options)) as writer:
            for batch in batches:
                writer.write_batch(batch)


def expect(name, described, json_rows, ndjson_rows, csv_rows):
    content = {"columns": described, "json": json_rows, "ndjson": ndjson_rows, "csv": csv_rows}
    (folder / f"{name}.json").write_text(json.dumps(content))


def rows_of(lists):
    return [list(row) for row in zip(*lists)]


for name, (described, array, cells) in columns.items():
    assert len(array) == ROWS and len(cells.json) == len(cells.csv) == ROWS, name
    write(f"one-{name}", [pa.record_batch([array], names=[name])])
    expect(f"one-{name}", [described], rows_of([cells.json]), rows_of([cells.ndjson]), rows_of([cells.csv]))

del columns["date64_with_time"]
everything = pa.record_batch([array for _, array, _ in columns.values()], names=list(columns))
described = [described for described, _, _ in columns.values()]
write("everything", [everything])
expect(
    "everything",
    described,
    *(rows_of([getattr(cells, style) for _, _, cells in columns.values()]) for style in ("json", "ndjson", "csv")),
)
# Three batches, the second and third cut out of arrays that begin elsewhere.
pieces = [everything.slice(0, 4), everything.slice(4, 5), everything.slice(9, 2)]
write("pieces", pieces)
for codec in ("lz4", "zstd"):
    write(f"pieces-{codec}", pieces, compression=codec)

symbols = [["a", "b"], ["a", "b", "c"], ["x"], ["x", "y"]]
codes = [[0, 1, None], [2, 0, 1], [0, 0, 0], [1, 0, None]]
changing = [
    pa.record_batch([
        pa.DictionaryArray.from_arrays(pa.array(code, pa.int8()), pa.array(symbol)), pa.array(code, pa.int64())
    ], names=["s", "n"])
    for symbol, code in zip(symbols, codes)
]  # fmt: skip
write("changing-dictionaries", changing, emit_dictionary_deltas=True)
texts = [["null" if code is None else quoted(symbol[code]), "null" if code is None else str(code)] for symbol, part in zip(symbols, codes) for code in part]
expect("changing-dictionaries", [{"name": "s", "type": "SYMBOL"}, {"name": "n", "type": "LONG"}], texts, texts, [
    ["" if text == "null" else csv_of(text) for text in row] for row in texts
])  # fmt: skip

odd_names = ["a", "a", "", 'quote " and , comma', "line\nbreak", "żółw"]
write("odd-names", [pa.record_batch([pa.array([index]) for index in range(6)], names=odd_names)])
random = np.random.default_rng(7)
write("long", [
    pa.record_batch([pa.array(random.integers(-(2**63), 2**63 - 1, 4_000)), pa.array(np.arange(4_000))], names=["r", "n"])
    for _ in range(50)
])  # fmt: skip
# One batch of some megabytes, of every type that pyarrow can put together.
wide = []
for name, (_, array, _) in columns.items():
    try:
        wide.append((name, pa.concat_arrays([array] * 4_000)))
    except (pa.ArrowNotImplementedError, pa.ArrowInvalid) as refusal:
        print(f"{name}: {refusal}", file=sys.stderr)
write("one-batch", [pa.record_batch([array for _, array in wide], names=[name for name, _ in wide])])
# Small files that stand for endless text: lists that share their elements, and a long word used by every row.
count = 3_000
shared = pa.array(["x" * 100] * count)
for _ in range(3):
    shared = pa.ListViewArray.from_arrays(pa.array([0] * count, pa.int32()), pa.array([count] * count, pa.int32()), shared)
write("endless-row", [pa.record_batch([shared.slice(0, 2)], names=["c"])])
long_word = pa.DictionaryArray.from_arrays(pa.array([0] * 100_000, pa.int8()), pa.array(["w" * 1_000_000]))
write("endless-rows", [pa.record_batch([long_word], names=["c"])])
write("no-rows", [everything.slice(0, 0)])
print("null")
