"""Draws from the posterior of a family whose prior is re-weighted: two cut posteriors, glued at the pivot."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from privior.models.laws import Reweighted, Truncated
from privior.privacy.pairs import ReweightedDraw, Side
from privior.schema import Schema

if TYPE_CHECKING:
    from privior.models.families.family import Family


def reweighted_draw(model: Family, schema: Schema, records: int, weight: Fraction) -> ReweightedDraw:
    """Return the pair of one draw, made of those of the cut laws on both sides of the pivot.

    Raises ModelError where the law under the weights is not cut at both ends: the proofs of draws that are
    not cut use that the posterior is conjugate, and a glued one is not.
    """
    prior = model.prior
    if not isinstance(prior, Reweighted):
        raise TypeError("not a re-weighted prior")
    whole = model.with_prior(prior.law)
    if whole.cut_ends is None:  # it refuses a law that is cut at one end only
        raise model.refusal(
            "no privacy is proved for draws from a re-weighted law that is not cut at both ends",
            asked=str(prior),
            advice="Cut it: pv.Reweighted(pv.Truncated(...), ...); or release noisy statistics.",
        )
    cut = [model.with_prior(Truncated(piece.law, piece.lower, piece.upper)) for piece in prior.pieces]
    sides = tuple(
        Side(own.cut_pair(schema, records, weight), piece.slope, prior.of, prior.pivot)
        for own, piece in zip(cut, prior.pieces, strict=True)
    )
    return ReweightedDraw(whole.cut_pair(schema, records, weight), sides)
