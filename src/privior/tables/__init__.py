"""The private side of tables: from a file or frame to exact counts and sums. Only the curator imports it."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from privior.tables.fetching import fetched, is_url, without_secrets
    from privior.tables.naming import named_columns
    from privior.tables.opening import open_table
    from privior.tables.private_files import PrivateFile
    from privior.tables.relations import engine_version
    from privior.tables.step_logs import read_steps
    from privior.tables.table import OpenTable
else:
    from privior.contents import contents

    __getattr__ = contents(__name__)
