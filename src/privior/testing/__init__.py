"""The contracts as a kit: what a model or a mechanism must keep, checked on small cases.

    from privior.testing import check_mechanism, check_model

    check_model(BetaGeometric("wait"), schema)
    check_mechanism(StepNoise(30, 1), BetaGeometric("wait"), schema, records=50)

Each function goes through the points of a contract and raises `ContractError`, which names the point, at the
first that is not kept. What is drawn at random is judged so that a right law fails once in a billion runs.
A passed check is evidence, not a proof: guarantees of code outside privior stay declared.
"""

from privior.testing.mechanisms import check_mechanism
from privior.testing.models import check_model
from privior.testing.points import ContractError

__all__ = ["ContractError", "check_mechanism", "check_model"]
