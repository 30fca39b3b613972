"""Runs statements with DuckDB over tables made by expressions; the rows as JSON texts."""
import json
import sys

import duckdb
import pyarrow as pa

request = json.load(sys.stdin)
connection = duckdb.connect()
connection.execute("SET TimeZone='UTC'")
for name, expression in request['tables'].items():
    connection.register('made', eval(expression))
    connection.execute(f'CREATE TABLE {name} AS FROM made')
    connection.unregister('made')
answers = []
for statement in request['statements']:
    result = connection.execute(statement).fetchall()
    answers.append([[None if cell is None else str(cell) for cell in row] for row in result])
print(json.dumps(answers))
