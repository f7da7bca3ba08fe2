"""A prior that is itself learned: how uneven a table is, the release says."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from privior.errors import ModelError, NumberError, shown
from privior.exact import decimal, positive
from privior.models.dirichlet_categorical import PRIOR_RANGE


@dataclass(frozen=True)
class LearnedPrior:
    """A Dirichlet with the same parameter in every cell, which is one of these, each as likely beforehand.

    A small parameter expects a few large cells and many empty ones, a large one expects cells alike. A fixed
    parameter that is wrong costs accuracy where the noise is large against the counts; a learned one is
    right by itself. It is for inference alone: what is learned, is learned from the release and is free.

    Attributes:
        parameters: the public list of what is possible
    """

    parameters: tuple[Fraction, ...]
    #: from "nearly all in one cell" to "all alike"
    DEFAULT: ClassVar[tuple[str, ...]] = ("0.01", "0.03", "0.1", "0.3", "1", "5", "50")

    def __init__(self, parameters: object = DEFAULT) -> None:
        least, most = PRIOR_RANGE
        listed = list(parameters) if isinstance(parameters, (list, tuple)) else [parameters]
        try:
            read = tuple(positive(one, "prior", least=least, most=most) for one in listed)
        except NumberError as error:
            raise ModelError(error.what, asked=error.asked, allowed=error.allowed) from None
        if not read or len(set(read)) != len(read):
            raise ModelError("not a list of prior parameters", asked=shown(parameters), allowed="each once")
        object.__setattr__(self, "parameters", tuple(sorted(read)))

    def __str__(self) -> str:
        return f"learned, {decimal(self.parameters[0])} to {decimal(self.parameters[-1])}"
