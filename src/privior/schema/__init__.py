"""Public facts about tables: columns, levels, bounds, the unit of protection, the CSV dialect."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from privior.schema.cell_kinds import CellKinds
    from privior.schema.columns import DROP, Binned, Boolean, Bounded, Categorical, Column, Date, Integer
    from privior.schema.dialect import CsvDialect
    from privior.schema.network_files import NetworkFile
    from privior.schema.schema import Schema
    from privior.schema.unit import Unit
else:
    from privior.contents import contents

    __getattr__ = contents(__name__)
