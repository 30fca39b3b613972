"""Tables with columns of random types, the same ones for the same seed: every Arrow type, in every place, with and without nulls, cut at random."""

import random
import struct
from decimal import Decimal, getcontext

import pyarrow as pa

# Python rounds decimals to 28 digits unless told otherwise.
getcontext().prec = 100

ROWS = (0, 1, 2, 7, 40, 300)
"""How many rows a table has: none, one, and as many as runs, pages and bit maps of a byte and more need."""

PIECES = (1, 2, 12)
"""How many puts a table is made of: at once, with an append, and enough of them that the server compacts parts."""

DEPTH = 3
TEXTS = ["", "a", "é", "twelve bytes", "longer than twelve bytes", "\x00", "line\nend", 'quo"te', "a,b;c", "\u2028", "\U0001f600", " lead", "NULL", "0.0", "-0"]
ZONES = [None, "UTC", "Europe/Berlin", "America/Sao_Paulo", "Asia/Kolkata", "+05:30"]
UNITS = ["s", "ms", "us", "ns"]


class RandomTable:
    """`whole` is the truth. `pieces` are put one after the other: the first creates, the others append."""

    def __init__(self, seed):
        self.seed = seed
        self.random = random.Random(seed)
        rows = self.random.choice(ROWS)
        columns = self.random.randint(1, 5)
        fields, arrays = [], []
        for number in range(columns):
            kind = self.type(DEPTH)
            field = self.field(f"c{number}", kind)
            array = self.array(kind, rows, field.nullable)
            fields.append(pa.field(field.name, array.type, nullable=field.nullable, metadata=self.metadata()))
            arrays.append(array)
        self.schema = pa.schema(fields, metadata=self.metadata())
        self.whole = pa.RecordBatch.from_arrays(arrays, schema=self.schema)
        self.whole.validate(full=True)
        self.pieces = [self.cut(piece) for piece in self.divided(self.whole, self.random.choice(PIECES))]

    @property
    def table(self):
        return pa.Table.from_batches([self.whole])

    def describe(self):
        return f"seed {self.seed}: {self.whole.num_rows} rows of {', '.join(str(field) for field in self.schema)}"

    def metadata(self):
        return {"unit": self.random.choice(["", "pieces", "µ"])} if self.random.random() < 0.2 else None

    def divided(self, batch, count):
        marks = sorted(self.random.randint(0, batch.num_rows) for _ in range(count - 1))
        return [batch.slice(start, end - start) for start, end in zip([0, *marks], [*marks, batch.num_rows])]

    def cut(self, batch):
        """The batches of a piece: slices, some of them without rows."""
        return self.divided(batch, self.random.randint(1, 3))

    def type(self, depth):
        return self.random.choice(LEAVES + (NESTED if depth > 0 else []))(self, depth)

    def field(self, name, kind):
        return pa.field(name, kind, nullable=pa.types.is_null(kind) or self.random.random() < 0.7)

    def fields(self, depth, count):
        return [self.field(f"f{number}", self.type(depth - 1)) for number in range(count)]

    def mask(self, rows, nullable):
        """Which rows are null."""
        share = self.random.choice([0, 0.1, 0.5, 1]) if nullable else 0
        return pa.array([self.random.random() < share for _ in range(rows)], pa.bool_())

    def offsets(self, rows, nulls):
        """Where lists begin and end. A null has no values: readers differ in what they make of hidden ones."""
        ends = [0]
        for null in nulls.to_pylist():
            ends.append(ends[-1] + (0 if null else self.random.choice([0, 0, 1, 2, 5])))
        return ends

    def array(self, kind, rows, nullable):
        """An array of this type; that of a dictionary or a union may be another one of the same kind."""
        types = pa.types
        if isinstance(kind, pa.BaseExtensionType):
            return pa.ExtensionArray.from_storage(kind, self.array(kind.storage_type, rows, nullable))
        if types.is_dictionary(kind):
            return self.dictionary(kind, rows, nullable)
        if types.is_run_end_encoded(kind):
            return self.runs(kind, rows, nullable)
        if types.is_struct(kind):
            return self.struct(kind, rows, nullable)
        if types.is_map(kind):
            return self.map(kind, rows, nullable)
        if types.is_union(kind):
            return self.union(kind, rows)
        if types.is_fixed_size_list(kind):
            nulls = self.mask(rows, nullable)
            values = self.array(kind.value_type, rows * kind.list_size, kind.value_field.nullable)
            return pa.FixedSizeListArray.from_arrays(values, type=kind, mask=nulls)
        if types.is_list(kind) or types.is_large_list(kind):
            nulls = self.mask(rows, nullable)
            ends = self.offsets(rows, nulls)
            values = self.array(kind.value_type, ends[-1], kind.value_field.nullable)
            width, made = (pa.int64(), pa.LargeListArray) if types.is_large_list(kind) else (pa.int32(), pa.ListArray)
            return made.from_arrays(pa.array(ends, width), values, type=kind, mask=nulls)
        if types.is_list_view(kind) or types.is_large_list_view(kind):
            nulls = self.mask(rows, nullable)
            ends = self.offsets(rows, nulls)
            values = self.array(kind.value_type, ends[-1], kind.value_field.nullable)
            width, made = (pa.int64(), pa.LargeListViewArray) if types.is_large_list_view(kind) else (pa.int32(), pa.ListViewArray)
            sizes = [end - start for start, end in zip(ends, ends[1:])]
            return made.from_arrays(pa.array(ends[:-1], width), pa.array(sizes, width), values, type=kind, mask=nulls)
        if types.is_null(kind):
            return pa.nulls(rows)
        nulls = self.mask(rows, nullable).to_pylist()
        return self.leaf(kind, [None if null else self.value(kind) for null in nulls])

    def leaf(self, kind, values):
        types = pa.types
        if types.is_temporal(kind) and not types.is_interval(kind):
            width = pa.int32() if types.is_date32(kind) or types.is_time32(kind) else pa.int64()
            return pa.array(values, width).view(kind)
        if types.is_float16(kind):
            return pa.array(values, pa.uint16()).view(kind)
        return pa.array(values, kind)

    def dictionary(self, kind, rows, nullable):
        """Values may be null or unused, too; in a column without nulls they are not."""
        count = self.random.randint(1, 5)
        values = self.array(kind.value_type, count, nullable and self.random.random() < 0.3)
        indices = [None if null else self.random.randrange(count) for null in self.mask(rows, nullable).to_pylist()]
        return pa.DictionaryArray.from_arrays(pa.array(indices, kind.index_type), values, ordered=kind.ordered)

    def runs(self, kind, rows, nullable):
        ends = []
        while (ends[-1] if ends else 0) < rows:
            ends.append(min(rows, (ends[-1] if ends else 0) + self.random.randint(1, 9)))
        return pa.RunEndEncodedArray.from_arrays(pa.array(ends, kind.run_end_type), self.array(kind.value_type, len(ends), nullable))

    def struct(self, kind, rows, nullable):
        fields = [kind.field(index) for index in range(kind.num_fields)]
        children = [self.array(field.type, rows, field.nullable) for field in fields]
        fields = [field.with_type(child.type) for field, child in zip(fields, children)]
        nulls = self.mask(rows, nullable)
        return pa.StructArray.from_arrays(children, fields=fields, mask=nulls)

    def map(self, kind, rows, nullable):
        nulls = self.mask(rows, nullable)
        ends = self.offsets(rows, nulls)
        keys = self.array(kind.key_type, ends[-1], False)
        items = self.array(kind.item_type, ends[-1], kind.item_field.nullable)
        return pa.MapArray.from_arrays(pa.array(ends, pa.int32()), keys, items, type=kind, mask=nulls)

    def union(self, kind, rows):
        members = [kind.field(index) for index in range(kind.num_fields)]
        codes = [self.random.randrange(len(members)) for _ in range(rows)]
        names = [member.name for member in members]
        if kind.mode == "sparse":
            children = [self.array(member.type, rows, True) for member in members]
            return pa.UnionArray.from_sparse(pa.array(codes, pa.int8()), children, names)
        counts = [0] * len(members)
        places = []
        for code in codes:
            places.append(counts[code])
            counts[code] += 1
        children = [self.array(member.type, count, True) for member, count in zip(members, counts)]
        return pa.UnionArray.from_dense(pa.array(codes, pa.int8()), pa.array(places, pa.int32()), children, names)

    def value(self, kind):
        pick, types = self.random, pa.types
        if types.is_boolean(kind):
            return pick.random() < 0.5
        if types.is_integer(kind):
            return self.integer(kind.bit_width, types.is_signed_integer(kind))
        if types.is_float16(kind):
            return pick.choice([0, 1 << 15, 0x7C00, 0xFC00, 0x7E00, 1, pick.getrandbits(16)])
        if types.is_floating(kind):
            form, bits = ("<f", 32) if types.is_float32(kind) else ("<d", 64)
            anything = struct.unpack(form, pick.getrandbits(bits).to_bytes(bits // 8, "little"))[0]
            return pick.choice([0.0, -0.0, float("inf"), float("-inf"), float("nan"), 0.5, float(pick.randint(-9, 9)), anything])
        if types.is_decimal(kind):
            digits = pick.randint(1, kind.precision)
            return Decimal(pick.choice([-1, 1]) * pick.randrange(10**digits)).scaleb(-kind.scale)
        if types.is_date32(kind):
            return pick.choice([0, -1, pick.randint(-800_000, 3_000_000)])
        if types.is_date64(kind):
            return 86_400_000 * pick.choice([0, -1, pick.randint(-800_000, 3_000_000)])
        if types.is_time(kind):
            return pick.choice([0, 86_400 * per_second(kind.unit) - 1, pick.randrange(86_400 * per_second(kind.unit))])
        if types.is_timestamp(kind):
            # Years 1678 to 2261, which all units can hold; half of them are whole seconds.
            second = pick.choice([0, -1, pick.randint(-9_000_000_000, 9_000_000_000)])
            return second * per_second(kind.unit) + (0 if pick.random() < 0.5 else pick.randrange(per_second(kind.unit)))
        if types.is_duration(kind):
            # What microseconds can hold: SQL has no others.
            return pick.choice([0, -1, 1, pick.randint(-(2**42), 2**42)])
        if types.is_interval(kind):
            return pa.MonthDayNano([pick.randint(-99, 99), pick.randint(-99, 99), pick.randint(-(10**15), 10**15)])
        if types.is_fixed_size_binary(kind):
            return pick.randbytes(kind.byte_width)
        if types.is_binary(kind) or types.is_large_binary(kind) or types.is_binary_view(kind):
            return pick.randbytes(pick.choice([0, 1, 12, 13, 40]))
        return pick.choice(TEXTS) + (str(pick.randint(0, 99)) if pick.random() < 0.3 else "")

    def integer(self, bits, signed):
        low, high = (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if signed else (0, 2**bits - 1)
        return self.random.choice([low, high, 0, 1, self.random.randint(low, high), self.random.randint(max(low, -9), 9)])


def per_second(unit):
    return {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}[unit]


def decimal(table, depth):
    width, most = table.random.choice([(pa.decimal32, 9), (pa.decimal64, 18), (pa.decimal128, 38), (pa.decimal256, 76)])
    precision = table.random.choice([1, most, table.random.randint(1, most)])
    return width(precision, table.random.choice([0, precision, table.random.randint(0, precision)]))


LEAVES = [
    *[(lambda kind: lambda table, depth: kind)(kind) for kind in (
        pa.bool_(), pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64(),
        pa.float16(), pa.float32(), pa.float64(), pa.date32(), pa.date64(), pa.time32("s"), pa.time32("ms"), pa.time64("us"), pa.time64("ns"),
        pa.utf8(), pa.large_utf8(), pa.string_view(), pa.binary(), pa.large_binary(), pa.binary_view(), pa.null(), pa.uuid(),
        pa.month_day_nano_interval(),
    )],
    decimal,
    decimal,
    lambda table, depth: pa.timestamp(table.random.choice(UNITS), table.random.choice(ZONES)),
    lambda table, depth: pa.timestamp(table.random.choice(UNITS), table.random.choice(ZONES)),
    lambda table, depth: pa.duration(table.random.choice(UNITS)),
    lambda table, depth: pa.binary(table.random.choice([1, 5, 16])),
]
"""Types without others inside. Half of a table's columns are some of these."""


def item(table, depth):
    return table.field("item", table.type(depth - 1))


def flat(table):
    """What may be a value of a dictionary or of runs, or a key."""
    kind = table.random.choice(LEAVES)(table, 0)
    return pa.utf8() if pa.types.is_null(kind) or isinstance(kind, pa.BaseExtensionType) else kind


NESTED = [
    lambda table, depth: pa.list_(item(table, depth)),
    lambda table, depth: pa.large_list(item(table, depth)),
    lambda table, depth: pa.list_view(item(table, depth)),
    lambda table, depth: pa.large_list_view(item(table, depth)),
    lambda table, depth: pa.list_(item(table, depth), table.random.choice([1, 3])),
    lambda table, depth: pa.struct(table.fields(depth, table.random.randint(1, 3))),
    lambda table, depth: pa.struct(table.fields(depth, table.random.randint(1, 3))),
    lambda table, depth: pa.map_(table.random.choice([pa.utf8(), pa.int32(), pa.date32()]), pa.field("value", table.type(depth - 1))),
    lambda table, depth: pa.dictionary(table.random.choice([pa.int8(), pa.uint16(), pa.int32(), pa.int64()]), flat(table), table.random.random() < 0.3),
    lambda table, depth: pa.dictionary(pa.int32(), pa.utf8()),
    lambda table, depth: pa.run_end_encoded(table.random.choice([pa.int16(), pa.int32(), pa.int64()]), flat(table)),
    lambda table, depth: table.random.choice([pa.dense_union, pa.sparse_union])([pa.field("i", pa.int64()), pa.field("s", flat(table))]),
]
