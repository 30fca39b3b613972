"""Spark's own client: a session that is kept, with a view over Parquet files. Each line of input is a statement, each line of output
{"seconds", "rows", "cpu"}, with the result as an Arrow table in this process. bare_spark.py URL NAME FILE…"""
import json
import sys
import time

from pyspark.sql.connect.session import SparkSession

url, name, *files = sys.argv[1:]
session = SparkSession.builder.remote(url).getOrCreate()
# Spark's vectorized reader does not know the encoding of our floating-point columns: Framehold turns it off, too.
session.conf.set("spark.sql.parquet.enableVectorizedReader", "false")
session.read.parquet(*files).createOrReplaceTempView(name)
print(json.dumps({"ready": True}), flush=True)
for line in sys.stdin:
    cpu, began = time.process_time(), time.monotonic()
    table = session.sql(json.loads(line)).toArrow()
    print(
        json.dumps({"seconds": time.monotonic() - began, "rows": table.num_rows, "cpu": time.process_time() - cpu}),
        flush=True,
    )
session.stop()
