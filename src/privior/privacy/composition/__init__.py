"""Composition: what several releases, fixed before the first one, promise together.

`composing` decides which orders meet; `closed_forms` adds up what adds up; `two_levels_draws` has the one
table whose data choose among many pairs. `composed` is the sum of the losses: `loss_distribution` and
`smooth_losses` put each loss on a grid, `convolution` sums them. `unit_draws` has the draws of a table of
which one unit moves several cells.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from privior.privacy.composition.composed import Composed
    from privior.privacy.composition.composing import compose_ordered, compose_symmetric, slack
    from privior.privacy.composition.two_levels_draws import TwoLevelsDraws
    from privior.privacy.composition.unit_draws import MOST_LISTED, unit_draw
else:
    from privior.contents import contents

    __getattr__ = contents(__name__)
