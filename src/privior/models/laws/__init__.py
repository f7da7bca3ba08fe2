"""Laws of parameters: priors, and the posteriors that follow from them, as values with exact parameters.

- `Beta`, `Gamma`, `Normal`: the conjugate ones
- `Truncated`: one of them, cut to an interval
- `Reweighted`: one of these, with less weight on sensitive parameters
"""

from privior.models.laws.conjugate import Beta, Conjugate, Ends, Gamma, Normal
from privior.models.laws.documents import Law, to_law
from privior.models.laws.reweighted import Piece, Reweighted
from privior.models.laws.truncated import Truncated

__all__ = [
    "Beta",
    "Conjugate",
    "Ends",
    "Gamma",
    "Law",
    "Normal",
    "Piece",
    "Reweighted",
    "Truncated",
    "to_law",
]
