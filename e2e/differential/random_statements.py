"""Random SQL over the frames of python/sql_tables.py, with parameters and time zones: the same statements for the same seed."""

import random
import re

COLUMNS = {
    "customers": {"int": ["id", "referrer"], "text": ["name", "city", "segment"], "decimal": ["balance"], "date": ["since"], "bool": ["vip"]},
    "orders": {
        "int": ["id", "customer", "quantity"], "decimal": ["amount"], "double": ["weight"], "text": ["status"],
        "timestamp": ["placed"], "instant": ["paid"],
    },
    "ticks": {"int": ["size"], "text": ["symbol"], "double": ["price"], "timestamp": ["moment"]},
    "edges": {
        "int": ["id", "i8", "i16", "i32", "i64", "u8", "u16", "u32"], "double": ["f32", "f64"], "decimal": ["d4", "d18"], "text": ["text"], "bool": ["flag"],
    },
    "moments": {"int": ["id"], "date": ["day"], "timestamp": ["us", "ms", "ns"], "instant": ["utc"]},
    "nulls": {"int": ["n"], "text": ["t"], "decimal": ["d"]},
    "nothing": {"int": ["n"], "text": ["t"]},
}
ZONES = ["UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe", "America/Sao_Paulo", "Pacific/Apia"]
PARTS = ["year", "quarter", "month", "week", "day", "hour", "minute"]
FIELDS = [*PARTS, "dow", "isodow", "doy", "epoch", "second"]
WORDS = ["", "a", "Zürich", "東京", "%", "O'Hara", "gold", "paid", "AAA", "e"]
KINDS = ["int", "decimal", "double", "text", "date", "timestamp", "instant", "bool"]
DEPTH = 3


class RandomStatement:
    """`text` and `parameters`. Parameters are cast where they stand: what type a bare one has is a matter of the client."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.parameters = []
        self.table = self.random.choice(list(COLUMNS))
        written = self.random.choice([self.plain, self.plain, self.grouped, self.window, self.joined, self.nested])()
        self.text, self.parameters = self.numbered(written)

    def numbered(self, text):
        """Some were made for a piece that was not chosen: those that stand in the text get the numbers from 1 on."""
        used = {}
        text = re.sub(r"\$(\d+)::", lambda match: f"${used.setdefault(int(match[1]), len(used) + 1)}::", text)
        return text, [self.parameters[number - 1] for number in used]

    def kind(self):
        return self.random.choice(KINDS)

    def column(self, kind):
        names = COLUMNS[self.table].get(kind)
        return self.random.choice(names) if names else self.literal(kind)

    def parameter(self, value, kind):
        self.parameters.append(value)
        return f"${len(self.parameters)}::{kind}"

    def value(self, value, kind):
        """A literal, or a parameter as text."""
        if self.random.random() < 0.5:
            return self.parameter(value, kind)
        quoted = value.replace("'", "''")
        return f"'{quoted}'::{kind}"

    def literal(self, kind):
        pick = self.random
        if kind == "int":
            number = pick.choice([0, 1, -1, 7, pick.randint(-1000, 1000), pick.randint(-(2**40), 2**40)])
            return self.parameter(number, "BIGINT") if pick.random() < 0.5 else f"({number})"
        if kind == "decimal":
            return self.value(f"{pick.randint(-10**6, 10**6)}.{pick.randint(0, 9999):04d}", "DECIMAL(18,4)")
        if kind == "double":
            return self.value(str(pick.randint(-4000, 4000) / 8), "DOUBLE")
        if kind == "text":
            return self.value(pick.choice(WORDS), "VARCHAR")
        day = f"{pick.randint(1900, 2100)}-{pick.randint(1, 12):02d}-{pick.randint(1, 28):02d}"
        if kind == "date":
            return self.value(day, "DATE")
        clock = f"{day} {pick.randint(0, 23):02d}:{pick.randint(0, 59):02d}:{pick.randint(0, 59):02d}.{pick.randint(0, 999999):06d}"
        if kind == "timestamp":
            return self.value(clock, "TIMESTAMP")
        if kind == "instant":
            return self.value(clock + pick.choice(["Z", "+05:30", "-03"]), "TIMESTAMPTZ")
        return pick.choice(["true", "false", "NULL::BOOLEAN"])

    def expression(self, kind, depth=DEPTH):
        if depth == 0 or self.random.random() < 0.25:
            return self.column(kind) if self.random.random() < 0.7 else self.literal(kind)
        one = lambda of=kind: self.expression(of, depth - 1)
        zone = self.random.choice(ZONES)
        part, field = self.random.choice(PARTS), self.random.choice(FIELDS)
        condition = lambda: self.condition(depth - 1)
        common = [
            lambda: f"coalesce({one()}, {one()})",
            lambda: f"nullif({one()}, {one()})",
            lambda: f"CASE WHEN {condition()} THEN {one()} ELSE {one()} END",
        ]
        own = {
            "int": [
                lambda: f"({one()} {self.random.choice(['+', '-', '*'])} {self.literal('int')})",
                lambda: f"({one()} % 7)",
                lambda: f"({one()} // 3)",
                lambda: f"length({one('text')})",
                lambda: f"extract({field} FROM {one('timestamp')})::BIGINT",
                lambda: f"extract({field} FROM {one('instant')} AT TIME ZONE '{zone}')::BIGINT",
                lambda: f"date_diff('{part}', {one('date')}, {one('date')})",
                lambda: f"ascii({one('text')})",
            ],
            "decimal": [lambda: f"({one()} + {self.literal('decimal')})", lambda: f"abs({one()})", lambda: f"round({one()}, 1)", lambda: f"(-{one()})"],
            "double": [lambda: f"({one()} * 0.5)", lambda: f"({one()} + {one()})", lambda: f"floor({one()})", lambda: f"{one('int')}::DOUBLE"],
            "text": [
                lambda: f"upper({one()})",
                lambda: f"({one()} || {one()})",
                lambda: f"substr({one()}, {self.random.randint(-3, 4)}, {self.random.randint(0, 5)})",
                lambda: f"replace({one()}, {self.literal('text')}, 'x')",
                lambda: f"{one('int')}::VARCHAR",
                lambda: f"{one('decimal')}::VARCHAR",
                lambda: f"{one('instant')}::VARCHAR",
                lambda: f"strftime({one('timestamp')}, '%Y-%m-%d %H:%M:%S.%f')",
                lambda: f"strftime({one('instant')} AT TIME ZONE '{zone}', '%d.%m.%Y %H:%M')",
                lambda: f"lpad({one()}, 6, '*')",
                lambda: f"to_json({one('decimal')})::VARCHAR",
            ],
            "date": [
                lambda: f"{one('timestamp')}::DATE",
                lambda: f"({one('instant')} AT TIME ZONE '{zone}')::DATE",
                lambda: f"({one()} + {self.random.randint(-400, 400)})",
                lambda: f"last_day({one()})",
            ],
            "timestamp": [
                lambda: f"date_trunc('{part}', {one()})",
                lambda: f"({one('instant')} AT TIME ZONE '{zone}')",
                lambda: f"({one()} + INTERVAL ({self.random.randint(-99, 99)}) {self.random.choice(['MONTH', 'DAY', 'HOUR', 'SECOND'])})",
                lambda: f"time_bucket(INTERVAL {self.random.randint(1, 90)} MINUTE, {one()})",
                lambda: f"{one('date')}::TIMESTAMP",
            ],
            "instant": [
                lambda: f"({one('timestamp')} AT TIME ZONE '{zone}')",
                lambda: f"timezone('{zone}', date_trunc('{part}', {one()} AT TIME ZONE '{zone}'))",
                lambda: f"date_trunc('{part}', {one()})",
                lambda: f"({one()} + INTERVAL ({self.random.randint(-99, 99)}) {self.random.choice(['MONTH', 'DAY', 'HOUR'])})",
            ],
            "bool": [condition],
        }[kind]
        return self.random.choice(own + own + common)()

    def condition(self, depth=DEPTH):
        kind = self.random.choice(KINDS[:-1])
        one = lambda: self.expression(kind, max(0, depth - 1))
        ways = [
            lambda: f"{one()} {self.random.choice(['=', '<>', '<', '<=', '>', '>='])} {one()}",
            lambda: f"{one()} IS {self.random.choice(['', 'NOT '])}NULL",
            lambda: f"{one()} BETWEEN {self.literal(kind)} AND {self.literal(kind)}",
            lambda: f"{one()} {self.random.choice(['', 'NOT '])}IN ({self.literal(kind)}, {self.literal(kind)}, {self.literal(kind)})",
            lambda: f"{one()} IS {self.random.choice(['', 'NOT '])}DISTINCT FROM {one()}",
            lambda: f"{self.expression('text', max(0, depth - 1))} LIKE {self.value(self.random.choice(['%a%', 'A_A', '%', 'Customer #0%']), 'VARCHAR')}",
        ]
        if depth > 0:
            inner = lambda: self.condition(depth - 1)
            ways += [lambda: f"({inner()} AND {inner()})", lambda: f"({inner()} OR {inner()})", lambda: f"(NOT {inner()})"]
        return f"({self.random.choice(ways)()})"

    def chosen(self, count):
        return ", ".join(f"{self.expression(self.kind())} AS c{number}" for number in range(count))

    def where(self):
        return f" WHERE {self.condition()}" if self.random.random() < 0.7 else ""

    def tail(self):
        """All that is chosen decides the order, so that rows that are alike are the same."""
        limit = f" LIMIT {self.random.randint(0, 40)} OFFSET {self.random.randint(0, 5)}" if self.random.random() < 0.4 else ""
        return f" ORDER BY ALL {self.random.choice(['ASC', 'DESC'])} NULLS {self.random.choice(['FIRST', 'LAST'])}{limit}"

    def plain(self):
        distinct = "DISTINCT " if self.random.random() < 0.2 else ""
        return f"SELECT {distinct}{self.chosen(self.random.randint(1, 4))} FROM {self.table}{self.where()}{self.tail()}"

    def aggregate(self, number):
        int_, any_ = self.expression("int", 1), self.expression(self.random.choice(KINDS), 1)
        ways = [
            "count(*)", f"count({any_})", f"count(DISTINCT {any_})", f"min({any_})", f"max({any_})", f"sum({self.expression('decimal', 1)})",
            f"sum({int_})", f"bool_or({self.condition(1)})", f"count(*) FILTER (WHERE {self.condition(1)})", f"avg({self.column('int')})",
            f"string_agg({self.column('text')}, ',' ORDER BY {self.column('text')})", f"list({int_} ORDER BY {int_})", f"mode({self.literal('int')})",
        ]
        return f"{self.random.choice(ways)} AS a{number}"

    def grouped(self):
        keys = self.random.randint(0, 2)
        chosen = [f"{self.expression(self.kind(), 2)} AS k{number}" for number in range(keys)]
        chosen += [self.aggregate(number) for number in range(self.random.randint(1, 3))]
        by = " GROUP BY ALL" if keys else ""
        having = f" HAVING count(*) > {self.random.randint(0, 3)}" if keys and self.random.random() < 0.3 else ""
        return f"SELECT {', '.join(chosen)} FROM {self.table}{self.where()}{by}{having}{self.tail()}"

    def window(self):
        by, order = self.expression(self.kind(), 1), self.expression("int", 1)
        call = self.random.choice([f"rank() OVER (PARTITION BY {by} ORDER BY {order})", f"count(*) OVER (PARTITION BY {by})", f"max({order}) OVER (PARTITION BY {by})"])
        return f"SELECT {self.chosen(2)}, {call} AS w FROM {self.table}{self.where()}{self.tail()}"

    def joined(self):
        self.table = "orders"
        how = self.random.choice(["JOIN", "LEFT JOIN", "SEMI JOIN", "ANTI JOIN"])
        more = ", c.city AS city, c.since AS since" if how in ("JOIN", "LEFT JOIN") else ""
        chosen = f"{self.column_of('o')} AS one{more}"
        return f"SELECT {chosen} FROM orders o {how} customers c ON o.customer = c.id WHERE o.id % {self.random.randint(3, 19)} = 1{self.tail()}"

    def column_of(self, alias):
        kind = self.random.choice(list(COLUMNS[self.table]))
        return f"{alias}.{self.random.choice(COLUMNS[self.table][kind])}"

    def nested(self):
        inner = self.plain()
        return f"WITH inner_rows AS ({inner}) SELECT count(*) AS n, min(c0) AS low, max(c0) AS high, count(c0) AS some FROM inner_rows"
