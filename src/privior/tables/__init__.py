"""The private side of tables: from a file or frame to exact counts and sums. Only the curator imports it."""

from privior.tables.naming import named_columns
from privior.tables.opening import open_table
from privior.tables.relations import engine_version
from privior.tables.table import OpenTable

__all__ = ["OpenTable", "engine_version", "named_columns", "open_table"]
