"""Writes Arrow streams with values that Spark might change: old calendars, the ends of its years, bits of numbers, every digit of decimals."""

import decimal
import sys

import numpy as np
import pyarrow as pa

out = sys.argv[1]
D = decimal.Decimal
decimal.getcontext().prec = 100


def write(name, array):
    with pa.OSFile(f"{out}/edge_{name}.arrows", "wb") as sink:
        table = pa.table({"v": array})
        with pa.ipc.new_stream(sink, table.schema) as writer:
            writer.write_table(table)


def days(*values):
    return pa.array(values, pa.int32()).view(pa.date32())


def micros(zone, *values):
    return pa.array(values, pa.int64()).view(pa.timestamp("us", zone))


# 0001-01-01, 1582-10-04 and -15, 1900-01-01, 9999-12-31 and the day after, and as far as there are days.
write("date32", days(-719162, -719163, -141428, -141427, -25567, 2932896, 2932897, 2**31 - 1, -(2**31), None))
for zone, label in [(None, "plain"), ("UTC", "utc"), ("Europe/Berlin", "zone")]:
    write(f"old_{label}", micros(zone, -62135596800000000, -62135596800000001, -12219292800000001, -12219292800000000, -2208988800000000, 253402300799999999, 253402300800000000, 2**63 - 1, -(2**63), None))
bits64 = [0x0, 0x8000000000000000, 0x7FF8000000000000, 0x7FF0000000000000, 0xFFF0000000000000, 0x1, 0xFFF8000000000001, 0x7FF4DEADBEEF0001]
write("float64", pa.array(np.array(bits64, np.uint64).view(np.float64)))
bits32 = [0x0, 0x80000000, 0x7FC00000, 0x7F800000, 0xFF800000, 0x1, 0x7FA00001, 0xFFFFFFFF]
write("float32", pa.array(np.array(bits32, np.uint32).view(np.float32)))
for precision, scale in [(1, 0), (9, 0), (9, 9), (10, 10), (18, 18), (19, 0), (20, 19), (37, 1), (38, 0), (38, 38)]:
    most = (D(10) ** precision - 1).scaleb(-scale)
    least = D(1).scaleb(-scale)
    write(f"decimal_{precision}_{scale}", pa.array([most, -most, least, -least, D(0), None], pa.decimal128(precision, scale)))
write("uint32", pa.array([0, 2**32 - 1, 2**31, 2**31 - 1, None], pa.uint32()))
write("texts", pa.array(["", " ", "a  ", "nul\0", "\ufeff", "\U0010ffff", "NULL", None]))
write("struct_nulls", pa.array([{"a": None, "b": {"c": None}}, {"a": 1, "b": None}, None, {"a": None, "b": {"c": [None, []]}}], pa.struct({"a": pa.int8(), "b": pa.struct({"c": pa.list_(pa.list_(pa.int8()))})})))
write("map_twice", pa.array([[("a", 1), ("a", 2)], [("", None)], [], None], pa.map_(pa.string(), pa.int32())))
write("map_of_maps", pa.array([[(1, [(2, None)]), (3, None)], [], None], pa.map_(pa.int64(), pa.map_(pa.int64(), pa.float64()))))
write("list_of_floats", pa.array([[1.5, None, float("nan"), -0.0], [], None]))
write("list_of_unsigned", pa.array([[0, 255, None], None], pa.list_(pa.uint8())))
write("list_of_days", pa.ListArray.from_arrays(pa.array([0, 2, 3]), pa.array([86400000, None, -86400000], pa.int64()).view(pa.date64())))
print("null")
