"""Privacy as values and mathematics: neighbours, sensitivity, pairs, guarantees. No data, no noise.

Budgets and accountings are loaded at once; what computes curves, and takes numpy, when it is first named: a
ledger is read without it.
"""

from typing import TYPE_CHECKING

from privior.privacy.accounting import Accounting, AccountingKind, Amount, amount_document, read_amount
from privior.privacy.budget import NOTHING, Budget, budget_bar
from privior.privacy.neighbours import ADD_OR_REMOVE_ONE, REPLACE_ONE, Neighbours
from privior.privacy.sensitivity import Sensitivity

if TYPE_CHECKING:
    from privior.privacy.guarantee import Guarantee
    from privior.privacy.metric import MetricGuarantee
    from privior.privacy.pairs import Concentrated, DiscreteGaussianShift, DominatingPair, SignedSteps
else:

    def __getattr__(name: str) -> object:
        if name == "Guarantee":
            from privior.privacy import guarantee as part
        elif name == "MetricGuarantee":
            from privior.privacy import metric as part
        elif name in ("Concentrated", "DiscreteGaussianShift", "DominatingPair", "SignedSteps"):
            from privior.privacy import pairs as part
        else:
            raise AttributeError(f"privior.privacy has no {name!r}")
        globals()[name] = found = getattr(part, name)
        return found
