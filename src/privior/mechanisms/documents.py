"""Mechanisms as plain documents: which law a file names, and its entries checked."""

from __future__ import annotations

from privior.errors import PlanError, shown
from privior.mechanisms.contract import Mechanism
from privior.mechanisms.dirichlet_draw import DirichletDraw
from privior.mechanisms.ehd import EHD
from privior.mechanisms.ehdl import EHDL
from privior.mechanisms.ehds import EHDS
from privior.mechanisms.gaussian_counts import GaussianCounts
from privior.mechanisms.k_norm import KNorm
from privior.mechanisms.laplace_counts import LaplaceCounts
from privior.mechanisms.published_laplace import LSDim, LSHist
from privior.mechanisms.virtual_records import VirtualRecords

#: every mechanism that adds noise to a table; of two that are forecast equal the planner takes the first
MECHANISMS: tuple[type[Mechanism], ...] = (KNorm, LaplaceCounts, GaussianCounts, LSHist, LSDim)
#: mechanisms that are built only if somebody asks for them by name
ON_REQUEST: tuple[type[Mechanism], ...] = (EHD, EHDS, EHDL, DirichletDraw, VirtualRecords)


def mechanism_named(name: object) -> type[Mechanism]:
    """Return the mechanism of that name, or say which ones there are."""
    every = MECHANISMS + ON_REQUEST
    for kind in every:
        if kind.name == name:
            return kind
    known = ", ".join(kind.name for kind in every)
    raise PlanError("unknown mechanism", where="mechanism", asked=shown(name), allowed=known)


def to_mechanism(document: object) -> Mechanism:
    """Read what `to_document` wrote; the mechanism's own checks refuse what does not hold together."""
    entries = dict(document) if isinstance(document, dict) else {}
    kind = mechanism_named(entries.pop("name", None))
    try:
        return kind(**entries)
    except (TypeError, ValueError, OverflowError):
        raise PlanError(
            "missing or unknown entries", where=kind.name, asked=", ".join(map(str, entries))
        ) from None
