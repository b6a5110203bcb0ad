"""May this SQL statement run: one statement, of a listed kind, on listed tables, calling listed functions?"""

from dataclasses import dataclass
from typing import Any

from groundwire.hooks.extras import load
from groundwire.hooks.quiet import quiet
from groundwire.types import HookFinding

MAX_SQL = 20_000
_MAX_BRACKETS = 60
# The parser walks down brackets by recursion, and these names of its classes are the writes it knows.
_WRITES = ("Insert", "Update", "Delete", "Merge", "Create", "Drop", "Alter", "TruncateTable", "Copy", "Into", "Command")
# Functions with a class of their own that reach outside the database, and the places a FROM may name.
_OUTSIDE = (
    "ReadCSV", "ReadParquet", "ToFile", "NetFunc", "Predict", "VectorSearch", "AIGenerate", "GenerateText",
    "GenerateTable", "GenerateEmbedding", "GenerateBool", "GenerateInt", "GenerateDouble",
)  # fmt: skip
_RELATIONS = ("Table", "Subquery", "Unnest", "Values", "Lateral")
_ROW_MAKERS = ("Anonymous", "ExplodingGenerateSeries", "GenerateSeries", "JSONTable", "XMLTable")


@dataclass(frozen=True, slots=True)
class SqlRules:
    """What a scope may ask of its database."""

    dialect: str
    statements: tuple[str, ...]
    tables: tuple[str, ...]
    functions: tuple[str, ...] = ()


def check_sql(text: str, rules: SqlRules) -> HookFinding | None:
    """Return what is wrong with a statement, or None when it is allowed."""
    sqlglot = load("sqlglot", "Checking SQL")
    exp = sqlglot.exp
    if len(text) > MAX_SQL or max(text.count("("), text.count("[")) > _MAX_BRACKETS or "/*!" in text:
        return HookFinding(
            "sql_unreadable", "sql", "It is too long, nested too deeply, or holds a conditional comment."
        )
    try:
        with quiet("sqlglot"):
            parsed = [item for item in sqlglot.parse(text, read=rules.dialect) if item is not None]
    except (sqlglot.errors.SqlglotError, RecursionError):
        return HookFinding("sql_unreadable", "sql", "It does not parse.")
    if len(parsed) != 1:
        return HookFinding("sql_stacked", "sql", f"It holds {len(parsed)} statements; one is allowed.")
    tree = parsed[0]
    kind = _kind(tree, exp)
    if kind not in rules.statements:
        return HookFinding("sql_kind", "sql", f"A statement of the kind {kind} is not allowed.")
    return _check_nodes(tree, kind, rules, exp)


def _kind(tree: Any, exp: Any) -> str:
    if isinstance(tree, exp.Query):
        return "select"
    return type(tree).__name__.lower()


def _check_nodes(tree: Any, kind: str, rules: SqlRules, exp: Any) -> HookFinding | None:
    for node in tree.walk():
        name = type(node).__name__
        if name in _WRITES and not (name.lower() in rules.statements and (node is tree or kind == name.lower())):
            return HookFinding("sql_kind", "sql", f"It holds a {name.upper()} that is not allowed.")
        if isinstance(node, exp.Lock) and "update" not in rules.statements:
            return HookFinding("sql_kind", "sql", "It locks rows for writing.")
        if isinstance(node, exp.Anonymous | exp.AnonymousAggFunc) or name in _OUTSIDE:
            called = str(node.this if isinstance(node.this, str) else node.name).lower()
            if called not in rules.functions:
                return HookFinding("sql_function", "sql", f"The function {called[:80]!r} is not on the list.")
        if isinstance(node, exp.From | exp.Join) and type(node.this).__name__ not in _RELATIONS:
            return HookFinding("sql_table", "sql", "A FROM names its table by an expression.")
        if isinstance(node, exp.Table):
            found = _check_table(node, rules, exp)
            if found:
                return found
    return None


def _check_table(node: Any, rules: SqlRules, exp: Any) -> HookFinding | None:
    if not isinstance(node.this, exp.Identifier):
        # A function in place of a table: the walk comes to it, or it makes rows out of nothing but its arguments.
        known = type(node.this).__name__ in (*_ROW_MAKERS, *_OUTSIDE)
        return None if known else HookFinding("sql_table", "sql", "A table has no plain name.")
    if not node.db and not node.catalog and _is_cte(node, exp):
        return None
    parts = [_folded(part) for part in (node.args.get("catalog"), node.args.get("db"), node.this) if part]
    name = ".".join(parts)
    schema = ".".join(parts[:-1])
    if name in rules.tables or (schema and f"{schema}.*" in rules.tables):
        return None
    return HookFinding("sql_table", "sql", f"The table {name[:80]!r} is not on the list.")


def _folded(identifier: Any) -> str:
    # Quoted names keep their case, so that "ORDERS" is not orders.
    return str(identifier.name) if identifier.args.get("quoted") else str(identifier.name).lower()


def _is_cte(table: Any, exp: Any) -> bool:
    """Tell whether a name stands for a part of a WITH that can be seen from where it is used."""
    name, child, node = table.name.lower(), table, table.parent
    inside: list[Any] = [table]
    while node is not None:
        inside.append(node)
        clause = node.args.get("with_") or node.args.get("with")
        if isinstance(clause, exp.With) and child is not clause:
            if any(item.alias.lower() == name for item in clause.expressions):
                return True
        elif isinstance(node, exp.With):
            # Inside a WITH only the parts before are known, and itself when it says RECURSIVE.
            here = next(n for n, item in enumerate(node.expressions) if any(item is part for part in inside))
            last = here + 1 if node.args.get("recursive") else here
            if any(item.alias.lower() == name for item in node.expressions[:last]):
                return True
        child, node = node, node.parent
    return False
