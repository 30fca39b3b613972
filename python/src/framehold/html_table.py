"""The first rows of a frame, for notebooks."""

from __future__ import annotations

from html import escape

import pyarrow as pa

from .notes import ColumnNotes, Notes

HEAD_ROWS = 10
COLUMNS_MAX = 20
CELL_CHARACTERS_MAX = 60
DESCRIPTION_MAX = 500
NOTHING_SAID = Notes()


def html_table(title: str, head: pa.Table, rows_total: int | None, notes: Notes = NOTHING_SAID) -> str:
    """Types below names, with units; comments show under the pointer. Wide tables and long values are cut."""
    shown = head.select(list(range(min(head.num_columns, COLUMNS_MAX))))
    fields = [shown.schema.field(index) for index in range(shown.num_columns)]
    header = "".join(_header(field, notes.columns.get(field.name, ColumnNotes())) for field in fields)
    description = f"<br>{escape(_cut(notes.description, DESCRIPTION_MAX))}" if notes.description else ""
    cells = [[_cell(column[row]) for column in shown.columns] for row in range(shown.num_rows)]
    body = "".join(f"<tr>{''.join(row)}</tr>" for row in cells)
    return (
        f"<table><caption>{escape(title)}: {_size(head, rows_total)}{description}</caption>"
        f"<thead><tr>{header}</tr></thead><tbody>{body}</tbody></table>"
    )


def _header(field: pa.Field, said: ColumnNotes) -> str:
    unit = f", {escape(_cut(said.unit))}" if said.unit else ""
    comment = f' title="{escape(said.comment)}"' if said.comment else ""
    return f"<th{comment}>{escape(_cut(field.name))}<br><small>{escape(_cut(str(field.type)))}{unit}</small></th>"


def _size(head: pa.Table, rows_total: int | None) -> str:
    columns = f"{head.num_columns:,} columns"
    if head.num_columns > COLUMNS_MAX:
        columns += f", {COLUMNS_MAX} shown"
    rows = "rows already read" if rows_total is None else f"{rows_total:,} rows"
    return f"{rows}, {columns}"


def _cell(value: pa.Scalar) -> str:
    if not value.is_valid:
        return "<td><i>null</i></td>"
    return f"<td>{escape(_cut(_text(value)))}</td>"


def _text(value: pa.Scalar) -> str:
    try:
        return str(value)
    except Exception:
        # A time beyond the range of Python's, or a type without a value in Python.
        return repr(value)


def _cut(text: str, characters_max: int = CELL_CHARACTERS_MAX) -> str:
    return text if len(text) <= characters_max else f"{text[: characters_max - 1]}…"
