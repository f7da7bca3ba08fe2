"""Released draws of a network's tables: what is asked of them, and each table by itself.

Draws are told to the inference of all tables together like noisy numbers (`joint_evidence`). Where a network
is too wide for that, each table is inferred by itself, with the tables of its parents as far as these depend
on each other alone. Free post-processing: no data.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from privior.errors import InferenceError
from privior.mechanisms import DrawnSticks
from privior.models import BayesianNetwork, Network
from privior.posterior.contract import released_draws
from privior.posterior.networks.joint_evidence import JointEvidence
from privior.posterior.networks.joint_layout import joint_layout
from privior.posterior.networks.one_table import OneTable
from privior.posterior.networks.tables_together import tables_together
from privior.posterior.tables.counts_given import total_of
from privior.release import Release


def check_draws(releases: Sequence[Release], model: Network, *, ignore_noise: bool) -> bool:
    """Say whether some releases are draws; refuse what draws cannot be used for."""
    drawn = [one.plan.mechanism.name for one in releases if released_draws(one)]
    if drawn and ignore_noise:
        raise InferenceError(
            "a release from the posterior has no noise that could be ignored",
            asked=drawn[0],
            advice="The draws themselves are release.draws, and posterior.write_bif(path, released=0).",
        )
    if drawn and any(one is None for one in model.parameters(releases[0].plan.schema)):
        raise InferenceError(
            "a prior is learned from noisy counts only",
            asked=drawn[0],
            advice="Give a number, such as prior=1.",
        )
    return bool(drawn)


def each_drawn(releases: Sequence[Release], model: Network) -> tuple[OneTable, ...]:
    """Infer each table from its draws, and from those of tables of its parents alone."""
    if not all(map(released_draws, releases)):
        raise InferenceError(
            "draws and noisy tables of a network this wide are not used together",
            asked=", ".join(one.plan.mechanism.name for one in releases),
            advice="Infer from each kind by itself.",
        )
    schema, found = releases[0].plan.schema, []
    priors = [one for one in model.parameters(schema) if one is not None]
    for place, node in enumerate(model.columns):
        known = tables_together(_family_evidence(releases, model, node))
        counts = known.counts([one for one in model.order if one in model.tables[place]].index(node))
        found.append(OneTable(counts, priors[place], schema.column(node).size, None))
    return tuple(found)


def _family_evidence(releases: Sequence[Release], model: Network, node: str) -> JointEvidence:
    """Return what draws say of a node and its parents, as a network of these alone.

    A parent that has others above it is tied to all parents before it, with nothing known of how.
    """
    schema, total = releases[0].plan.schema, total_of(releases)
    family = [one for one in model.order if one in (*model.parents[node], node)]
    whole = {one for one in family if set(model.parents[one]) <= set(family)}
    parents = {
        one: model.parents[one] if one in whole else family[:place] for place, one in enumerate(family)
    }
    own = dict(zip(model.columns, model.parameters(schema), strict=True))
    ends = np.cumsum([0, *model.sizes(schema)])
    places = {one: slice(*ends[k : k + 2]) for k, one in enumerate(model.columns)}
    small = BayesianNetwork(
        parents, prior={one: np.asarray(own[one]).tolist() if one in whole else 1 for one in family}
    )
    layout = joint_layout(small, schema)
    drawn = list[tuple[DrawnSticks | None, ...]]()
    worth, guess = (np.zeros(layout.places.size) for _ in range(2))
    start = np.cumsum([0, *small.sizes(schema)])
    for release in releases:
        mechanism = release.plan.mechanism
        sticks = dict(zip(model.columns, mechanism.drawn_sticks(release.statistics) or (), strict=True))
        drawn.append(tuple(sticks[one] if one in whole else None for one in family))
        entries = np.asarray(mechanism.parameters_drawn(release.statistics)).mean(axis=0)
        for place, one in enumerate(family):
            if one in whole:
                here = slice(*start[place : place + 2])
                worth[here] += mechanism.cell_noise.curvatures[places[one]]
                guess[here] += entries[places[one]] / len(releases)
    rows = np.repeat(
        [size // layout.tree.size_of[one] for one, size in zip(family, small.sizes(schema), strict=True)],
        small.sizes(schema),
    )
    none = (np.zeros((0, layout.size)),) * 4
    return JointEvidence(layout, *none, total, guess * total.most / rows, tuple(drawn), worth)
