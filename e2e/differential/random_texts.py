"""CSV, NDJSON and JSON whose columns and values are known, written in many ways: the same for the same seed. The rules are those of docs/reference/formats-in.md."""

import datetime
import json
import random

import pyarrow as pa

WORDS = ["x", "é", "two words", "a,b", "a;b", 'quo"te', "line\nend", "\U0001f600", "007", "+5", "1e5", "12:30", "null", "-0", " lead", "1,5", "99999999999999999999", "2024-02-30"]
EPOCH = datetime.datetime(1970, 1, 1)
ROWS = (1, 2, 9, 200)


class RandomText:
    """`table` is what CSV must be read as. JSON has no dates and times: there they are texts, as in `json_table`."""

    def __init__(self, seed):
        self.seed = seed
        self.random = random.Random(seed)
        rows = self.random.choice(ROWS)
        makers = [self.booleans, self.integers, self.doubles, self.dates, self.times, self.timestamps, self.instants, self.words]
        columns = [self.random.choice(makers)(rows) for _ in range(self.random.randint(2, 6))]
        names = [f"c{number}" for number in range(len(columns))]
        # A row of nulls alone is an empty line or an empty object: the first column always has a value.
        names.insert(0, "key")
        columns.insert(0, ([str(row) for row in range(rows)], pa.array(range(rows), pa.int64()), json.loads))
        self.texts = [texts for texts, _, _ in columns]
        self.kinds = [kind for _, _, kind in columns]
        self.names = names
        self.table = pa.table([array for _, array, _ in columns], names=names)
        self.json_table = pa.table(
            [array if kind is json.loads else pa.array(texts, pa.utf8()) for texts, array, kind in columns], names=names
        )

    def nulls(self, rows, first):
        """Which are null; never all of them, because such a column is a text."""
        share = self.random.choice([0, 0.2, 0.8])
        return [row != first and self.random.random() < share for row in range(rows)]

    def made(self, rows, value, kind):
        """`value` gives a text and what it means."""
        nulls = self.nulls(rows, self.random.randrange(rows))
        pairs = [(None, None) if null else value() for null in nulls]
        return [text for text, _ in pairs], pa.array([meaning for _, meaning in pairs], kind)

    def booleans(self, rows):
        return *self.made(rows, lambda: self.random.choice([("true", True), ("false", False)]), pa.bool_()), json.loads

    def integers(self, rows):
        def value():
            number = self.random.choice([0, 1, -1, 2**63 - 1, -(2**63), self.random.randint(-(2**63), 2**63 - 1), self.random.randint(-99, 99)])
            return str(number), number

        return *self.made(rows, value, pa.int64()), json.loads

    def doubles(self, rows):
        def value():
            number = self.random.choice([0.5, -1.25, 0.1, 1.5e-7, self.random.uniform(-1e6, 1e6), self.random.gauss(0, 1)])
            return repr(number), number

        return *self.made(rows, value, pa.float64()), json.loads

    def dates(self, rows):
        def value():
            day = datetime.date(1, 1, 1) + datetime.timedelta(self.random.randrange(3_652_059))
            return day.isoformat(), day

        return *self.made(rows, value, pa.date32()), str

    def times(self, rows):
        def value():
            second, digits = self.random.randrange(86_400), self.random.randint(0, 6)
            fraction = self.random.randrange(10**digits)
            text = f"{second // 3600:02d}:{second // 60 % 60:02d}:{second % 60:02d}" + (f".{fraction:0{digits}d}" if digits else "")
            return text, second * 10**6 + fraction * 10 ** (6 - digits)

        return *self.made(rows, value, pa.time64("us")), str

    def clock(self, digits):
        """A moment of the years 1700 to 2200, and its text with so many decimals."""
        second = self.random.randint(-8_500_000_000, 7_200_000_000)
        fraction = self.random.randrange(10**digits) if digits else 0
        moment = EPOCH + datetime.timedelta(seconds=second)
        text = f"{moment:%Y-%m-%d}{self.random.choice('T ')}{moment:%H:%M:%S}" + (f".{fraction:0{digits}d}" if digits else "")
        return text, second, fraction

    def timestamps(self, rows):
        def value():
            digits = self.random.randint(0, 6)
            text, second, fraction = self.clock(digits)
            return text, second * 10**6 + fraction * 10 ** (6 - digits)

        return *self.made(rows, value, pa.timestamp("us")), str

    def instants(self, rows):
        def value():
            digits = self.random.randint(0, 6)
            text, second, fraction = self.clock(digits)
            hours, minutes = self.random.choice([(0, 0), (5, 30), (-3, 0), (12, 45)])
            offset = "Z" if (hours, minutes) == (0, 0) else f"{hours:+03d}:{minutes:02d}"
            return text + offset, (second - hours * 3600 - minutes * 60) * 10**6 + fraction * 10 ** (6 - digits)

        return *self.made(rows, value, pa.timestamp("us", "UTC")), str

    def words(self, rows):
        texts, array = self.made(rows, lambda: (lambda word: (word, word))(self.random.choice(WORDS)), pa.utf8())
        if not any(text in ("x", "é", "two words", "007") for text in texts if text is not None):
            texts[0], array = "x", pa.array(["x", *array.to_pylist()[1:]], pa.utf8())
        return texts, array, str

    def csv(self):
        """Fields are quoted if they must be, and at random."""
        end = self.random.choice(["\n", "\r\n"])
        delimiter = self.random.choice([",", ";", "\t"])
        mark = self.random.choice(["", "\ufeff"])
        lines = [delimiter.join(self.names)]
        for row in range(self.table.num_rows):
            lines.append(delimiter.join(self.field(texts[row], delimiter) for texts in self.texts))
        path = f"?delimiter={'%09' if delimiter == chr(9) else delimiter}"
        return path, (mark + end.join(lines) + self.random.choice(["", end])).encode()

    def field(self, text, delimiter):
        if text is None:
            return ""
        must = text == "" or any(letter in text for letter in f'"{delimiter}\r\n')
        return '"' + text.replace('"', '""') + '"' if must or self.random.random() < 0.1 else text

    def objects(self):
        """Nulls are written or left out."""
        rows = []
        for row in range(self.table.num_rows):
            members = [(name, texts[row], kind) for name, texts, kind in zip(self.names, self.texts, self.kinds)]
            written = [f"{json.dumps(name)}: {value_text(text, kind)}" for name, text, kind in members if text is not None or row == 0 or self.random.random() < 0.5]
            rows.append("{" + ", ".join(written) + "}")
        return rows


def value_text(text, kind):
    """Numbers and booleans as themselves, with every digit; what has no JSON type as a string."""
    if text is None:
        return "null"
    return text if kind is json.loads else json.dumps(text, ensure_ascii=False)
