"""What releases say of the moments of a regression, as linear functions of them with noise.

Moments stand in the order of `MomentLayout`, in its units. Where a published sum is several of them at once,
it is an observation of the first, and the others are tied to that one; where a moment is 0 for every record,
it is tied to 0, and where it is their number and that is public, to it. A tie is an observation with noise
that is small beside the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from privior.arrays import Floats, Integers
from privior.models import MomentLayout
from privior.release import Release

#: the noise of ties, by that of what is published
_TIED = 0.25


@dataclass(frozen=True, eq=False)
class Observations:
    """Linear functions of the moments, what was seen of them and how noisily.

    Attributes:
        rows: one for each observation
        seen: what was observed
        variances: of the noise; of Laplace noise its average
        heavy: which of them have Laplace noise
        published: how many are published numbers; ties follow
    """

    rows: Floats
    seen: Floats
    variances: Floats
    heavy: Integers
    published: int

    @staticmethod
    def of(releases: Sequence[Release]) -> Observations:
        """Put together what several releases of one table say."""
        layout: MomentLayout = releases[0].plan.mechanism.layout
        moments = layout.moments
        places = {one.key: place for place, one in reversed(list(enumerate(moments))) if one.squared}
        first = {key: places[key] for key in layout.published}
        rows, seen, variances, heavy = [], [], [], []
        for release in releases:
            noise = release.plan.mechanism
            for key, number, variance in zip(
                layout.published, release.statistics.counts, noise.variances, strict=True
            ):
                place = first[key]
                unit = moments[place].unit
                rows.append(_one(len(moments), place, 1.0))
                seen.append(unit * number)
                variances.append(unit**2 * variance)
                heavy.append(int(noise.heavy))
        published = len(rows)
        level = float(
            np.median(releases[0].plan.mechanism.variances * [float(one) for one in layout.squared])
        )
        for place, moment in enumerate(moments):
            known = (moment.row, moment.column) == (0, 0) and not layout.counted
            if not moment.squared or place == first.get(moment.key) or known:
                continue
            row = _one(len(moments), place, 1 / moment.unit)
            if moment.key in first:
                row -= _one(len(moments), first[moment.key], 1 / moments[first[moment.key]].unit)
            rows.append(row * moment.unit)
            seen.append(
                moment.unit * releases[0].plan.records if moment.key == () and not layout.counted else 0.0
            )
            variances.append(_TIED**2 * level / float(moment.squared) * moment.unit**2)
            heavy.append(0)
        return Observations(
            np.array(rows), np.array(seen), np.array(variances), np.array(heavy, np.int64), published
        )


def _one(size: int, place: int, value: float) -> Floats:
    row = np.zeros(size)
    row[place] = value
    return row
