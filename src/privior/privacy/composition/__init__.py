"""Composition: what several releases, fixed before the first one, promise together.

`composing` decides which orders meet; `closed_forms` adds up what adds up; the rest is the sum of the losses:
`loss_distribution` and `smooth_losses` put each loss on a grid, `convolution` sums them.
"""

from privior.privacy.composition.composing import Composed, compose_ordered, compose_symmetric, slack

__all__ = ["Composed", "compose_ordered", "compose_symmetric", "slack"]
