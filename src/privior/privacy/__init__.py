"""Privacy as values and mathematics: neighbours, sensitivity, pairs, guarantees. No data, no noise."""

from privior.privacy.accounting import Accounting, AccountingKind, Amount, amount_document, read_amount
from privior.privacy.budget import NOTHING, Budget, budget_bar
from privior.privacy.guarantee import Guarantee
from privior.privacy.metric import MetricGuarantee
from privior.privacy.neighbours import ADD_OR_REMOVE_ONE, REPLACE_ONE, Neighbours
from privior.privacy.pairs import Concentrated, DiscreteGaussianShift, DominatingPair, SignedSteps
from privior.privacy.sensitivity import Sensitivity

__all__ = [
    "ADD_OR_REMOVE_ONE",
    "NOTHING",
    "REPLACE_ONE",
    "Accounting",
    "AccountingKind",
    "Amount",
    "Budget",
    "Concentrated",
    "DiscreteGaussianShift",
    "DominatingPair",
    "Guarantee",
    "MetricGuarantee",
    "Neighbours",
    "Sensitivity",
    "SignedSteps",
    "amount_document",
    "budget_bar",
    "read_amount",
]
