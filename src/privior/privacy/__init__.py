"""Privacy as values and mathematics: neighbours, sensitivity, pairs, guarantees. No data, no noise.

A ledger is read without what computes curves, and takes numpy.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from privior.privacy.accounting import Accounting, AccountingKind, Amount, amount_document, read_amount
    from privior.privacy.budget import NOTHING, Budget, budget_bar
    from privior.privacy.guarantee import Guarantee
    from privior.privacy.metric import MetricGuarantee
    from privior.privacy.neighbours import ADD_OR_REMOVE_ONE, REPLACE_ONE, Neighbours
    from privior.privacy.pairs import Concentrated, DiscreteGaussianShift, DominatingPair, SignedSteps
    from privior.privacy.sensitivity import Sensitivity
else:
    from privior.contents import contents

    __getattr__ = contents(__name__)
