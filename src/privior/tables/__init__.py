"""The private side of tables: from a file or a frame to exact counts. Only the curator imports it."""

from privior.tables.opening import open_table
from privior.tables.table import OpenTable

__all__ = ["OpenTable", "open_table"]
