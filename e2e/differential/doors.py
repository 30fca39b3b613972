"""The ways in and out. Each has a time limit: one that never answers is a fault like another."""

import io
import json
import urllib.error
import urllib.parse
import urllib.request
from concurrent.futures import ThreadPoolExecutor

import pyarrow as pa
import pyarrow.flight as flight
import pyarrow.parquet as pq

from cells import csv_faults, json_faults, ndjson_faults
from values import column_values, difference, exact, meaning

LIMIT_SECONDS = 60
"""Of one request. The largest table here takes some tens of milliseconds; machines that are shared may be slow."""

RANGES = 3


class Refused(Exception):
    """A problem document."""

    def __init__(self, status, code, detail):
        super().__init__(f"{status} {code}: {detail}")
        self.status = status
        self.code = code


class Doors:
    def __init__(self, http, grpc):
        self.http = http
        self.flight = flight.connect(grpc)
        self.options = flight.FlightCallOptions(timeout=LIMIT_SECONDS)
        self.threads = ThreadPoolExecutor(RANGES)

    def request(self, path, method="GET", body=None, kind=None):
        headers = {} if kind is None else {"content-type": kind}
        request = urllib.request.Request(self.http + path, body, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=LIMIT_SECONDS) as answer:
                return answer.read()
        except urllib.error.HTTPError as error:
            problem = json.loads(error.read())
            raise Refused(error.code, problem["code"], problem["detail"]) from None

    # In.

    def put_by_flight(self, name, batches, schema, mode):
        wanted = flight.FlightDescriptor.for_command(json.dumps({"name": name, "mode": mode}))
        writer, reader = self.flight.do_put(wanted, schema, self.options)
        for batch in batches:
            writer.write_batch(batch)
        writer.done_writing()
        reader.read()
        writer.close()

    def put_bytes(self, name, body, kind, mode):
        if mode == "append":
            self.request(f"/v1/frames/{name}/rows", "POST", body, kind)
        else:
            self.request(f"/v1/frames/{name}", "PUT", body, kind)

    def put_stream(self, name, batches, schema, mode):
        self.put_bytes(name, arrow_bytes(pa.ipc.new_stream, batches, schema), "application/vnd.apache.arrow.stream", mode)

    def put_file(self, name, batches, schema, mode):
        # The batches of a table share their dictionaries, of which a file has one for each column.
        self.put_bytes(name, arrow_bytes(pa.ipc.new_file, batches, schema), "application/vnd.apache.arrow.file", mode)

    def ways_in(self):
        return [self.put_by_flight, self.put_stream, self.put_file]

    # Out: each says what is wrong, None if nothing is.

    def ways_out(self):
        return {
            "DoGet": self.by_ticket,
            "DoGet in ranges": self.in_ranges,
            "rows as Arrow": self.as_arrow,
            "rows as Parquet": lambda name, truth: self.as_parquet(f"/v1/frames/{name}/rows?fmt=parquet", truth),
            "a Parquet file": lambda name, truth: self.as_parquet(f"/v1/files/{name}.parquet", truth),
            "/exec": lambda name, truth: json_faults(truth.whole, self.request(f"/exec?handle={name}&fmt=json").decode()),
            "rows as JSON": lambda name, truth: json_faults(truth.whole, self.request(f"/v1/frames/{name}/rows?fmt=json").decode()),
            "rows as NDJSON": lambda name, truth: ndjson_faults(truth.whole, self.request(f"/v1/frames/{name}/rows?fmt=ndjson").decode()),
            "rows as CSV": lambda name, truth: csv_faults(truth.whole, self.request(f"/v1/frames/{name}/rows?fmt=csv").decode()),
            "pages": self.in_pages,
            "SQL": self.by_sql,
            "counts": self.by_counts,
        }

    def read(self, ticket):
        reader = self.flight.do_get(ticket, self.options)
        return pa.Table.from_batches([chunk.data for chunk in reader], reader.schema)

    def by_ticket(self, name, truth):
        return same_table(truth, self.read(flight.Ticket(name.encode())))

    def in_ranges(self, name, truth):
        wanted = flight.FlightDescriptor.for_command(json.dumps({"name": name, "endpoints": RANGES}))
        info = self.flight.get_flight_info(wanted, self.options)
        tables = list(self.threads.map(lambda endpoint: self.read(endpoint.ticket), info.endpoints))
        return same_table(truth, tables)

    def as_arrow(self, name, truth):
        return same_table(truth, pa.ipc.open_stream(self.request(f"/v1/frames/{name}/rows?fmt=arrow")).read_all())

    def in_pages(self, name, truth):
        """Rows from a random place, of chosen columns, in another order."""
        rows, names = truth.whole.num_rows, list(truth.schema.names)
        truth.random.shuffle(names)
        chosen = names[: truth.random.randint(1, len(names))]
        limit = truth.random.randint(1, rows + 1)
        path = f"/v1/frames/{name}/rows?fmt=arrow&limit={limit}&columns={','.join(chosen)}"
        got = pa.ipc.open_stream(self.request(path)).read_all()
        wanted = truth.whole.slice(0, limit).select(chosen)
        for column in chosen:
            fault = difference(exact(wanted.column(column)), column_values(got.column(column), exact))
            if fault is not None:
                return f"{path}, column {column}: {fault}"
        return None

    def as_parquet(self, path, truth):
        try:
            body = self.request(path)
        except Refused as refused:
            unfit = [field for field in truth.schema if not fits_parquet(field.type)]
            return None if refused.status == 422 and refused.code == "not_representable" and unfit else str(refused)
        table = pq.ParquetFile(io.BytesIO(body)).read()
        if table.schema.names != truth.schema.names or table.num_rows != truth.whole.num_rows:
            return f"{table.num_rows} rows of {table.schema.names}"
        for index, field in enumerate(truth.schema):
            # pyarrow reads those, also out of its own files, as plain integers.
            if has_dictionary_of_durations(field.type):
                continue
            fault = difference(meaning(truth.whole.column(index)), column_values(table.column(index), meaning))
            if fault is not None:
                return f"column {field}: {fault}"
        return None

    def sql(self, statement):
        body = json.dumps({"sql": statement}).encode()
        return pa.ipc.open_stream(self.request("/v1/sql?fmt=arrow", "POST", body, "application/json")).read_all()

    def by_sql(self, name, truth):
        """Column by column: what DuckDB has no type for is refused, and never another value."""
        for index, field in enumerate(truth.schema):
            try:
                got = self.sql(f'select "{field.name}" from {name}').column(0)
            except Refused as refused:
                if not may_refuse(refused, truth):
                    return f"column {field}: {refused}"
                continue
            fault = difference(meaning(truth.whole.column(index)), column_values(got, meaning))
            if fault is not None:
                return f"column {field} as {got.type}: {fault}"
        return None

    def by_counts(self, name, truth):
        """How many rows, and how many of each column are not null: the engine may answer from statistics alone."""
        try:
            count = self.sql(f"select count(*) from {name}").column(0)[0].as_py()
        except Refused as refused:
            return None if may_refuse(refused, truth) else str(refused)
        if count != truth.whole.num_rows:
            return f"{count} rows, not {truth.whole.num_rows}"
        for index, field in enumerate(truth.schema):
            try:
                count = self.sql(f'select count("{field.name}") from {name} where "{field.name}" is not null').column(0)[0].as_py()
            except Refused as refused:
                if not may_refuse(refused, truth):
                    return f"column {field}: {refused}"
                continue
            wanted = sum(value is not None for value in exact(truth.whole.column(index)))
            if count != wanted and not pa.types.is_union(field.type):
                return f"column {field}: {count} that are not null, not {wanted}"
        return None


def arrow_bytes(new, batches, schema):
    out = io.BytesIO()
    with new(out, schema) as writer:
        for batch in batches:
            writer.write_batch(batch)
    return out.getvalue()


def same_table(truth, tables):
    tables = tables if isinstance(tables, list) else [tables]
    for table in tables:
        table.validate(full=True)
        if not table.schema.equals(truth.schema, check_metadata=True):
            return f"schema:\n{table.schema}\n≠\n{truth.schema}"
    for index, field in enumerate(truth.schema):
        got = [value for table in tables for value in column_values(table.column(index), exact)]
        fault = difference(exact(truth.whole.column(index)), got)
        if fault is not None:
            return f"column {field}: {fault}"
    return None


def fits_parquet(kind):
    """As docs/reference/http.md says."""
    if isinstance(kind, pa.BaseExtensionType):
        return fits_parquet(kind.storage_type)
    if pa.types.is_union(kind) or pa.types.is_interval(kind):
        return False
    if pa.types.is_dictionary(kind) or pa.types.is_run_end_encoded(kind):
        return fits_parquet(kind.value_type)
    return all(fits_parquet(kind.field(index).type) for index in range(kind.num_fields))


def has_dictionary_of_durations(kind):
    if pa.types.is_dictionary(kind):
        return pa.types.is_duration(kind.value_type)
    return any(has_dictionary_of_durations(kind.field(index).type) for index in range(kind.num_fields))


def may_refuse(refused, truth):
    """What SQL cannot read: a column without a type in DuckDB, a frame of nothing else, a map with a key twice."""
    if refused.code == "column_not_readable" or "Map keys must be unique" in str(refused):
        return True
    return refused.code == "not_representable" and not any(fits_parquet(field.type) for field in truth.schema)
