"""The words in which a release names its theorem: those of its plan, or those of an earlier version of them.

What is shown is always recomputed from the plan. The file's own words are compared with it, so that nobody
who reads the file alone is told of a proof that the plan does not have.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from privior.plans import Plan

#: by the name of the mechanism: what earlier versions wrote and this one words differently. Whoever rewords a
#: reason adds the old words here, so that `verify` still knows the files that have them; words with other
#: numbers are the mechanism's own (`earlier_reasons`)
EARLIER: Mapping[str, tuple[str, ...]] = {
    # before one feature had a bound of its own, from its range
    "gaussian-moments": (
        r"Gaussian noise on moments that one record moves by at most (1\.945|1\.768|2) together "
        r"\(Dong, Roth, Su 2022, Theorem 1\), rounded afterwards",
    ),
}


def known_words(stated: str, plan: Plan) -> bool:
    """Say whether these are the words for the theorem of this plan, now or earlier."""
    earlier = EARLIER.get(plan.mechanism.name, ())
    exactly = (plan.guarantee.reason, *plan.mechanism.earlier_reasons)
    return stated in exactly or any(re.fullmatch(one, stated) for one in earlier)
