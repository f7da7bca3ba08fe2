"""Analyses: one TOML file with the schema, the model and the budget that is asked for; and its draft."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from privior.analyses.analysis import Analysis
    from privior.analyses.draft import draft
    from privior.analyses.histogram import histogram_for
else:
    from privior.contents import contents

    __getattr__ = contents(__name__)
