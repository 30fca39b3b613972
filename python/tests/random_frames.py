"""Random tables with many types, and random filters over them."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from random import Random

import polars as pl

TEXTS = ["", "a", "A", "abc", "ab'c", 'q"x', "naïve", "日本", "a%b", "a_b", "\\", "zz", "nul\0nul", "🎉", " lead", "-1"]
CATEGORIES = ["low", "mid", "high", "ü"]
FLOATS = [0.0, -0.0, 1.5, -2.25, 0.1, 1e300, -1e-300, float("nan"), float("inf"), float("-inf"), 3.0]
EPOCH = dt.datetime(2024, 3, 31)


def random_frame(random: Random, rows: int) -> pl.DataFrame:
    def column(value: object, dtype: pl.DataType | type[pl.DataType], nulls: float = 0.15) -> pl.Series:
        values = [None if random.random() < nulls else value() for _ in range(rows)]  # type: ignore[operator]
        return pl.Series(values, dtype=dtype, strict=False)

    def moment() -> dt.datetime:
        return EPOCH + dt.timedelta(microseconds=random.randrange(-(10**13), 10**13))

    return pl.DataFrame(
        {
            "i8": column(lambda: random.randrange(-128, 128), pl.Int8),
            "i64": column(lambda: random.choice([random.randrange(-9, 9), 2**63 - 1, -(2**63), 2**53 + 1]), pl.Int64),
            "u64": column(lambda: random.choice([random.randrange(9), 2**64 - 1]), pl.UInt64),
            "u16": column(lambda: random.randrange(2**16), pl.UInt16),
            "f64": column(lambda: random.choice(FLOATS), pl.Float64),
            "f32": column(lambda: random.choice(FLOATS), pl.Float32),
            # All numbers of a row group are equal, so that its smallest and largest values are too.
            "flat": column(lambda: random.choice([1.0, 1.0, float("nan")]), pl.Float64),
            "text": column(lambda: random.choice(TEXTS), pl.String),
            "a b,c": column(lambda: random.choice(TEXTS), pl.String),
            'quo"te': column(lambda: random.randrange(-5, 5), pl.Int32),
            "select": column(lambda: random.random() < 0.5, pl.Boolean),
            "day": column(lambda: moment().date(), pl.Date),
            "us": column(moment, pl.Datetime("us")),
            "ms": column(lambda: moment().replace(microsecond=123_000), pl.Datetime("ms")),
            "ns": column(moment, pl.Datetime("ns")).dt.offset_by("7ns"),
            "zoned": column(moment, pl.Datetime("us"))
            .dt.replace_time_zone("UTC")
            .dt.convert_time_zone("Europe/Berlin"),
            "price": column(lambda: Decimal(random.randrange(-99999, 99999)).scaleb(-2), pl.Decimal(12, 2)),
            "kind": column(lambda: random.choice(CATEGORIES), pl.Categorical),
            "size": column(lambda: random.choice(CATEGORIES), pl.Enum(CATEGORIES)),
            "span": column(lambda: dt.timedelta(milliseconds=random.randrange(-(10**6), 10**6)), pl.Duration("us")),
            "bytes": column(lambda: random.randbytes(3), pl.Binary),
            "list": column(lambda: [random.randrange(5) for _ in range(random.randrange(3))], pl.List(pl.Int64)),
            "struct": pl.Series(
                [{"x": random.randrange(5), "y": random.choice(TEXTS)} for _ in range(rows)],
                dtype=pl.Struct({"x": pl.Int64, "y": pl.String}),
            ),
            "nothing": pl.Series([None] * rows, dtype=pl.Int64),
        }
    )


def random_columns(random: Random, frame: pl.DataFrame) -> list[str] | None:
    return None if random.random() < 0.15 else random.sample(frame.columns, random.randrange(1, 6))


def random_filter(random: Random, frame: pl.DataFrame, depth: int = 3) -> pl.Expr:
    if depth > 0 and random.random() < 0.6:
        left, right = random_filter(random, frame, depth - 1), random_filter(random, frame, depth - 1)
        return random.choice([lambda: left & right, lambda: left | right, lambda: ~left])()
    return random.choice(_LEAVES)(random, frame)


NUMBERS = ["i8", "i64", "u16", "f64", "f32", "flat", "flat", 'quo"te', "nothing"]
ORDERED = [*NUMBERS, "u64", "text", "a b,c", "day", "us", "ms", "ns", "zoned", "price", "span"]


def _value(random: Random, frame: pl.DataFrame, name: str) -> pl.Expr:
    """One that the column has, or its neighbour, in the column's own type or as a plain literal."""
    value = frame[name].drop_nulls()
    if value.is_empty():
        return pl.lit(1)
    chosen = value[random.randrange(len(value))]
    typed = pl.lit(value.filter(value == chosen).head(1)).first() if random.random() < 0.1 else None
    dtype = frame.schema[name]
    if typed is not None or dtype in (pl.Datetime("ns"), pl.Duration("us")) or name == "zoned":
        return pl.lit(chosen, dtype=dtype)
    return pl.lit(chosen)


def _comparison(random: Random, frame: pl.DataFrame) -> pl.Expr:
    name = random.choice(ORDERED)
    column, value = pl.col(name), _value(random, frame, name)
    operators = ["eq", "ne", "lt", "le", "gt", "ge", "eq_missing", "ne_missing"]
    operator = random.choice(operators)
    if random.random() < 0.2:
        mirrored = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le"}
        return getattr(value, mirrored.get(operator, operator))(column)
    return getattr(column, operator)(value)


def _mixed_numbers(random: Random, frame: pl.DataFrame) -> pl.Expr:
    """Literals of other types, out of range or with a fraction."""
    value = random.choice([0, 1, 1, -1, 300, 70_000, 2**40, 0.5, -2.25, 1e18, 0.1, 2**53 + 1])
    return getattr(pl.col(random.choice(NUMBERS)), random.choice(["eq", "ne", "lt", "le", "gt", "ge", "ne_missing"]))(
        value
    )


def _two_columns(random: Random, _: pl.DataFrame) -> pl.Expr:
    first, second = random.choice(
        [("i8", "i64"), ("f32", "f64"), ("text", "a b,c"), ("i8", "f64"), ("us", "ns"), ("u16", "i64")]
    )
    return getattr(pl.col(first), random.choice(["eq", "lt", "ge", "ne_missing"]))(pl.col(second))


def _nulls(random: Random, frame: pl.DataFrame) -> pl.Expr:
    column = pl.col(random.choice(frame.columns))
    return column.is_null() if random.random() < 0.5 else column.is_not_null()


def _list(random: Random, frame: pl.DataFrame) -> pl.Expr:
    name = random.choice(["i8", "i64", "u64", "text", "a b,c", "f64", "day", "kind", "price"])
    values = frame[name].drop_nulls().to_list()
    chosen: list[object] = random.sample(values, min(len(values), random.randrange(0, 4)))
    if random.random() < 0.15:
        chosen.append(None)
    return pl.col(name).is_in(pl.Series(chosen, dtype=frame.schema[name]).implode())


def _range(random: Random, frame: pl.DataFrame) -> pl.Expr:
    name = random.choice(ORDERED)
    closed = random.choice(["both", "left", "right", "none"])
    return pl.col(name).is_between(_value(random, frame, name), _value(random, frame, name), closed=closed)  # type: ignore[arg-type]


def _text(random: Random, _: pl.DataFrame) -> pl.Expr:
    column, part = pl.col(random.choice(["text", "a b,c"])), random.choice(TEXTS)
    return random.choice(
        [
            lambda: column.str.starts_with(part),
            lambda: column.str.ends_with(part),
            lambda: column.str.contains(part, literal=True),
            lambda: column.str.contains("^a.*"),
            lambda: column.str.to_lowercase() == "abc",
            lambda: column.str.len_chars() > 2,
            lambda: column == part,
            lambda: column > part,
        ]
    )()


def _floats(random: Random, _: pl.DataFrame) -> pl.Expr:
    column = pl.col(random.choice(["f64", "f32"]))
    tests = [column.is_nan, column.is_not_nan, column.is_finite, column.is_infinite]
    return random.choice(
        [*tests, lambda: column > float("inf"), lambda: column == float("nan"), lambda: column >= -0.0]
    )()


def _categories(random: Random, _: pl.DataFrame) -> pl.Expr:
    column, value = pl.col(random.choice(["kind", "size"])), random.choice(CATEGORIES)
    return random.choice(
        [
            lambda: column == value,
            lambda: column != value,
            lambda: column > value,
            lambda: column.eq_missing(pl.lit(value)),
        ]
    )()


def _computed(random: Random, _: pl.DataFrame) -> pl.Expr:
    return random.choice(
        [
            lambda: pl.col("i8") + 1 > 3,
            lambda: pl.col("i64") + 1 > 0,
            lambda: pl.col("f64") / pl.col('quo"te') > 1,
            lambda: pl.col('quo"te') // 2 == 1,
            lambda: pl.col("i8").cast(pl.Float64) > 1.5,
            lambda: pl.col("i64").cast(pl.Float64) >= 2.0**53,
            lambda: pl.col("f32").cast(pl.Float64) == 0.1,
            lambda: pl.col("i8").cast(pl.String) == "-1",
            lambda: pl.col("u16").cast(pl.UInt8, strict=False) > 5,
            lambda: pl.col("day").dt.year() == 2024,
            lambda: pl.col("zoned").dt.hour() < 12,
            lambda: pl.col("struct").struct.field("x") > 2,
            lambda: pl.col("list").list.len() > 1,
            lambda: pl.col("select"),
            lambda: pl.col("select") == (pl.col("i8") > 0),
            lambda: pl.when(pl.col("i8") > 0).then(pl.col("select")).otherwise(pl.col("i64") > 0),
            lambda: pl.col("price") * 2 > pl.col("price"),
            lambda: pl.lit(True),
            lambda: pl.col("i64") > pl.col("i64").mean(),
        ]
    )()


_LEAVES = [
    _comparison,
    _comparison,
    _comparison,
    _mixed_numbers,
    _two_columns,
    _nulls,
    _list,
    _range,
    _range,
    _text,
    _text,
    _floats,
    _categories,
    _computed,
]
