"""Puts a table of TPC-H as a frame."""

import json

import pyarrow as pa
import pyarrow.flight as flight
import pyarrow.parquet as pq

BATCH_ROWS = 65_536


def plain_schema(schema):
    """The files say views of strings; a frame that somebody puts mostly has strings."""
    fields = [field.with_type(pa.string()) if field.type == pa.string_view() else field for field in schema]
    return pa.schema([field.remove_metadata() for field in fields])


def put(client, name, path):
    source = pq.ParquetFile(path)
    schema = plain_schema(source.schema_arrow)
    writer, reader = client.do_put(flight.FlightDescriptor.for_path(name), schema)
    for batch in source.iter_batches(BATCH_ROWS):
        columns = [column.cast(field.type) for column, field in zip(batch.columns, schema)]
        writer.write_batch(pa.record_batch(columns, schema=schema))
    writer.done_writing()
    manifest = json.loads(reader.read().to_pybytes())
    writer.close()
    return manifest["rows"]
