"""Filters of polars as conditions of SQL.

Only expressions that have the same value in both are translated, including null: a condition may be negated. What is not
recognised is left to polars, which filters all rows again.
"""

from __future__ import annotations

from typing import cast

import pyarrow as pa
from pyarrow import ipc, types

from .literals import FLOATS, INTEGERS, Literal, NotTranslatable, Operand, literal_of
from .sql_types import is_exact_in_sql, is_text, quoted

Node = dict[str, object]

_COMPARISONS = {
    "Eq": "=",
    "NotEq": "<>",
    "Lt": "<",
    "LtEq": "<=",
    "Gt": ">",
    "GtEq": ">=",
}
_LOGIC = {"And": "AND", "LogicalAnd": "AND", "Or": "OR", "LogicalOr": "OR"}
_TESTS = {"IsNan": "isnan({})", "IsNotNan": "NOT isnan({})", "IsFinite": "isfinite({})", "IsInfinite": "isinf({})"}
_TEXT_TESTS = {"StartsWith": "starts_with", "EndsWith": "ends_with"}
_WIDER = {
    "TINYINT": ("SMALLINT", "INTEGER", "BIGINT", "FLOAT", "DOUBLE"),
    "SMALLINT": ("INTEGER", "BIGINT", "FLOAT", "DOUBLE"),
    "INTEGER": ("BIGINT", "DOUBLE"),
    "BIGINT": ("DOUBLE",),
    "UTINYINT": ("USMALLINT", "UINTEGER", "UBIGINT", "SMALLINT", "INTEGER", "BIGINT", "FLOAT", "DOUBLE"),
    "USMALLINT": ("UINTEGER", "UBIGINT", "INTEGER", "BIGINT", "FLOAT", "DOUBLE"),
    "UINTEGER": ("UBIGINT", "BIGINT", "DOUBLE"),
    "FLOAT": ("DOUBLE",),
}
"""Casts that change no value, and the one from 64 bits to a double, which rounds in the same way in both."""
_LIST_VALUES_MAX = 1000


class Translation:
    """Collects parameters while a filter is translated."""

    def __init__(self, schema: pa.Schema) -> None:
        self._schema = schema
        self.parameters: list[object] = []

    def condition(self, node: object) -> str:
        kind, content = _member(node)
        if kind == "Column":
            operand = self._column(content)
            if operand.kind != "BOOLEAN":
                raise NotTranslatable
            return operand.sql
        if kind == "BinaryExpr":
            return self._binary(cast(Node, content))
        if kind == "Function":
            return self._function(cast(Node, content))
        raise NotTranslatable

    def _binary(self, node: Node) -> str:
        operator = cast(str, node["op"])
        if operator in _LOGIC:
            return f"({self.condition(node['left'])} {_LOGIC[operator]} {self.condition(node['right'])})"
        if operator in ("EqValidity", "NotEqValidity"):
            return self._compared_with_null(node["left"], operator == "EqValidity", node["right"])
        if operator not in _COMPARISONS:
            raise NotTranslatable
        return self._compared(node["left"], _COMPARISONS[operator], node["right"])

    def _compared_with_null(self, left: object, equal: bool, right: object) -> str:
        """Without IS DISTINCT FROM: DuckDB skips row groups that have only nulls if that is one of two alternatives."""
        if _is_literal(left) == _is_literal(right):
            raise NotTranslatable
        column = self._operand(right if _is_literal(left) else left).sql
        compared = self._compared(left, "=" if equal else "<>", right)
        return f"({column} IS NOT NULL AND {compared})" if equal else f"({column} IS NULL OR {compared})"

    def _compared(self, left: object, operator: str, right: object) -> str:
        if _is_literal(left):
            second = self._operand(right)
            first = self._bound(self._literal(left, second.kind))
        else:
            first = self._operand(left)
            second = self._bound(self._literal(right, first.kind)) if _is_literal(right) else self._operand(right)
        kinds = {first.kind, second.kind}
        # Categories have an order of their own in polars, and booleans are rarely ordered at all.
        if kinds in ({"category", "VARCHAR"}, {"BOOLEAN"}):
            if operator not in ("=", "<>"):
                raise NotTranslatable
        elif len(kinds) > 1 or "category" in kinds or "other" in kinds:
            raise NotTranslatable
        return _exact_for_nan(first, operator, second)

    def _function(self, node: Node) -> str:
        inputs, function = cast("list[object]", node["input"]), node["function"]
        name, options = _member(function)
        if name == "Boolean" and isinstance(options, str):
            return self._test(options, inputs)
        if name == "Boolean":
            return self._list_or_range(*_member(options), inputs)
        if name == "StringExpr":
            return self._text_test(options, inputs)
        raise NotTranslatable

    def _test(self, name: str, inputs: list[object]) -> str:
        if name == "Not":
            return f"(NOT {self.condition(inputs[0])})"
        operand = self._operand(inputs[0])
        if name in ("IsNull", "IsNotNull"):
            return f"({operand.sql} IS {'' if name == 'IsNull' else 'NOT '}NULL)"
        if name in _TESTS and operand.kind in FLOATS.values():
            return f"({_TESTS[name].format(operand.sql)})"
        raise NotTranslatable

    def _list_or_range(self, name: str, options: object, inputs: list[object]) -> str:
        if name == "IsBetween":
            closed = cast(Node, options)["closed"]
            lower = self._compared(inputs[0], ">=" if closed in ("Both", "Left") else ">", inputs[1])
            upper = self._compared(inputs[0], "<=" if closed in ("Both", "Right") else "<", inputs[2])
            return f"({lower} AND {upper})"
        if name != "IsIn" or cast(Node, options).get("nulls_equal") is not False:
            raise NotTranslatable
        operand = self._operand(inputs[0])
        values = _list_values(inputs[1])
        allowed = "VARCHAR" if operand.kind == "category" else operand.kind
        if allowed != "VARCHAR" and allowed not in INTEGERS.values():
            raise NotTranslatable
        if any(
            not isinstance(value, str if allowed == "VARCHAR" else int) or isinstance(value, bool) for value in values
        ):
            raise NotTranslatable
        bound = ", ".join(self._bound(Literal(value, allowed)).sql for value in values)
        return f"({operand.sql} IN ({bound}))"

    def _text_test(self, options: object, inputs: list[object]) -> str:
        name = options if isinstance(options, str) else _member(options)[0]
        function = _TEXT_TESTS.get(name)
        if name == "Contains" and cast(Node, _member(options)[1]).get("literal") is True:
            function = "contains"
        operand = self._operand(inputs[0])
        if function is None or operand.kind != "VARCHAR" or not _is_literal(inputs[1]):
            raise NotTranslatable
        part = self._literal(inputs[1], "VARCHAR")
        if part.kind != "VARCHAR":
            raise NotTranslatable
        return f"{function}({operand.sql}, {self._bound(part).sql})"

    def _operand(self, node: object) -> Operand:
        kind, content = _member(node)
        if kind == "Column":
            return self._column(content)
        if kind != "Cast":
            raise NotTranslatable
        cast_node = cast(Node, content)
        inner = self._operand(cast_node["expr"])
        _, target = _member(cast_node["dtype"])
        wanted = {**INTEGERS, **FLOATS}.get(target) if isinstance(target, str) else None
        if wanted is None or wanted not in (inner.kind, *_WIDER.get(inner.kind, ())):
            raise NotTranslatable
        return Operand(f"CAST({inner.sql} AS {wanted})", wanted, inner.can_be_nan)

    def _column(self, name: object) -> Operand:
        if not isinstance(name, str) or name not in self._schema.names:
            raise NotTranslatable
        kind = self._schema.field(name).type
        if not is_exact_in_sql(kind):
            raise NotTranslatable
        return Operand(quoted(name), _kind_of(kind), can_be_nan=types.is_floating(kind))

    def _literal(self, node: object, other_kind: str) -> Literal:
        _, content = _member(node)
        name, scalar = _member(content)
        if name != "Scalar":
            raise NotTranslatable
        return literal_of(scalar, other_kind)

    def _bound(self, literal: Literal) -> Operand:
        self.parameters.append(literal.value)
        return Operand(f"CAST(${len(self.parameters)} AS {literal.kind})", literal.kind)


def pushed_condition(translation: Translation, node: object) -> str | None:
    """The part of a filter that SQL can apply. Of terms that must all hold, some may be left out."""
    parts: list[str] = []
    for term in _terms(node):
        before = len(translation.parameters)
        try:
            parts.append(translation.condition(term))
        except (NotTranslatable, KeyError, IndexError, TypeError, ValueError):
            del translation.parameters[before:]
    return " AND ".join(parts) or None


def _exact_for_nan(first: Operand, operator: str, second: Operand) -> str:
    """NaN is greater than all numbers in both. But DuckDB trusts the smallest and largest values that a Parquet file states,
    and these are never NaN: it skips row groups with NaN, or takes a comparison for granted (duckdb/duckdb#25521)."""
    compared = f"{first.sql} {operator} {second.sql}"
    if first.can_be_nan and second.can_be_nan:
        raise NotTranslatable
    if not first.can_be_nan and not second.can_be_nan:
        return f"({compared})"
    column = first if first.can_be_nan else second
    # Never null, because the other side may be null too.
    is_nan = f"coalesce(isnan({column.sql}), false)"
    is_true_for_nan = operator in (("<>", ">", ">=") if first.can_be_nan else ("<>", "<", "<="))
    return f"({compared} OR {is_nan})" if is_true_for_nan else f"({compared} AND NOT {is_nan})"


def _terms(node: object) -> list[object]:
    terms: list[object] = []
    waiting = [node]
    while waiting:
        each = waiting.pop()
        content = cast(Node, each).get("BinaryExpr") if _is_node(each) else None
        if isinstance(content, dict) and cast(Node, content).get("op") in ("And", "LogicalAnd"):
            waiting += [cast(Node, content)["right"], cast(Node, content)["left"]]
        else:
            terms.append(each)
    return terms


def _member(node: object) -> tuple[str, object]:
    if not isinstance(node, dict) or len(cast(Node, node)) != 1:
        raise NotTranslatable
    return next(iter(cast(Node, node).items()))


def _is_node(value: object) -> bool:
    return isinstance(value, dict)


def _is_literal(node: object) -> bool:
    return _is_node(node) and "Literal" in cast(Node, node)


def _list_values(node: object) -> list[object]:
    """polars writes the list of `is_in` as the bytes of an Arrow stream."""
    _, content = _member(node)
    _, scalar = _member(content)
    _, data = _member(scalar)
    table = ipc.open_stream(bytes(cast("list[int]", data))).read_all()
    values = table.column(0).to_pylist()
    if not 0 < len(values) <= _LIST_VALUES_MAX:
        raise NotTranslatable
    return values


def _kind_of(kind: pa.DataType) -> str:
    if is_text(kind):
        return "VARCHAR"
    if types.is_dictionary(kind):
        return "category"
    if types.is_boolean(kind):
        return "BOOLEAN"
    if types.is_integer(kind):
        return INTEGERS[("UInt" if types.is_unsigned_integer(kind) else "Int") + str(kind.bit_width)]
    if types.is_float32(kind):
        return "FLOAT"
    if types.is_float64(kind):
        return "DOUBLE"
    if types.is_decimal128(kind):
        return f"DECIMAL({kind.precision},{kind.scale})"
    if types.is_date32(kind):
        return "DATE"
    if types.is_timestamp(kind):
        return (
            "TIMESTAMP WITH TIME ZONE" if kind.tz is not None else "TIMESTAMP_NS" if kind.unit == "ns" else "TIMESTAMP"
        )
    return "other"
