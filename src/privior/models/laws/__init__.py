"""Laws of parameters: priors, and the posteriors that follow from them, as values with exact parameters.

- `Beta`, `Gamma`, `Normal`: the conjugate ones
- `Truncated`: one of them, cut to an interval
"""

from privior.models.laws.conjugate import Beta, Conjugate, Ends, Gamma, Normal
from privior.models.laws.documents import Law, to_law
from privior.models.laws.truncated import Truncated

__all__ = ["Beta", "Conjugate", "Ends", "Gamma", "Law", "Normal", "Truncated", "to_law"]
