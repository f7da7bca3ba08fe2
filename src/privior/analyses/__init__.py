"""Analyses: one TOML file with the schema, the model and the budget that is asked for; and its draft."""

from typing import TYPE_CHECKING

from privior.analyses.draft import draft  # called like its file, which would be found in its place

if TYPE_CHECKING:
    from privior.analyses.analysis import Analysis
    from privior.analyses.histogram import histogram_for
else:
    from privior.contents import contents

    __getattr__ = contents(__name__)
