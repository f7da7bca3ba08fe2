"""The calculator: what a mechanism or a posterior draw promises, from public facts that somebody types."""

from privior.calculator.calculator import Calculation, Calculator
from privior.calculator.counts import of_mechanism
from privior.calculator.draws import CALCULATORS
from privior.mechanisms import MECHANISMS, TableMechanism


def names() -> list[str]:
    """Return everything that can be calculated."""
    return [*CALCULATORS, *(kind.name for kind in MECHANISMS if issubclass(kind, TableMechanism))]
