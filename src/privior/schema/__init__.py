"""Public facts about tables: columns, levels, bounds, the unit of protection, the CSV dialect."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from privior.schema.cell_kinds import CellKinds
    from privior.schema.column import DROP, Column
    from privior.schema.days import Date
    from privior.schema.dialect import CsvDialect
    from privior.schema.named_levels import Boolean, Categorical
    from privior.schema.network_files import NetworkFile
    from privior.schema.numbers import Binned, Bounded, Integer
    from privior.schema.schema import Schema
    from privior.schema.unit import Unit
else:
    from privior.contents import contents

    __getattr__ = contents(__name__)
