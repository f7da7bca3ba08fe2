"""What the chain over data sets of a network works on, as arrays that compiled code understands."""

from __future__ import annotations

from typing import NamedTuple

from privior.arrays import Floats, Integers
from privior.posterior.networks.joint_sticks import Sticks


class Tables(NamedTuple):
    """The margins of each clique: `of[k]:of[k+1]` are those of clique k, itself first.

    `levels` are those of the node whose table a margin is; 0 of other margins. `logs` has the logarithms of
    the first factorials.
    """

    of: Integers
    map_of: Integers
    maps: Integers
    sign: Integers
    kind: Integers
    clique: Integers
    start: Integers
    levels: Integers
    logs: Floats


class Walks(NamedTuple):
    """Walks over cliques, step by step; the first is over whole records."""

    of: Integers
    clique: Integers
    have_of: Integers
    have: Integers
    new_of: Integers
    new: Integers
    off_of: Integers
    off: Integers
    strides: Integers
    sizes: Integers
    most: Floats
    chances: Floats


class Swaps(NamedTuple):
    """Exchanges of some columns' values between records of one clique.

    `own` has the offsets of their values, `rest` those of the values of the other columns: `free` at a time
    agree in what the columns are bound to.
    """

    clique: Integers
    own_of: Integers
    own: Integers
    rest_of: Integers
    rest: Integers
    free: Integers
    most: Floats
    chances: Floats


class Nodes(NamedTuple):
    """Tables of nodes, parents first: column, places, rows, levels, whether learned, and parents' columns."""

    column: Integers
    table: Integers
    row: Integers
    rows: Integers
    levels: Integers
    learned: Integers
    weight: Integers
    above_of: Integers
    above: Integers
    above_levels: Integers
    below_of: Integers
    below: Integers
    chances: Floats


class Paths(NamedTuple):
    """How a change spreads through the tree: steps, each into a clique of which some columns are known.

    The first steps are those of nodes, into the home of each, its row and level being known; all others go
    from a clique to a neighbour. `steps[of[v]:of[v+1]]` lead from the home of node v to all cliques that hold
    it. `columns` has the columns of each clique, and their strides. `most` is how far a cascade goes.
    """

    clique: Integers
    have_of: Integers
    have: Integers
    new_of: Integers
    new: Integers
    off_of: Integers
    off: Integers
    of: Integers
    steps: Integers
    columns_of: Integers
    columns: Integers
    most: Floats


class NetworkNoise(NamedTuple):
    """What is known of each cell: a row for each term; and of each stick of released draws."""

    observed: Floats
    rates: Floats
    curvatures: Floats
    sticks: Sticks


class JointState(NamedTuple):
    """What a chain changes: counts, Dirichlet parameters beside them, κ and b of each learned table.

    `alone` is 1 at the first cell of each row that does not resemble the others.
    """

    counts: Integers
    prior: Floats
    kappa: Floats
    shares: Floats
    alone: Integers


class Scratch(NamedTuple):
    """Room for a move.

    Of cascades: codes that records get, when cliques were last visited and columns last changed (`now` counts
    records), and of each record the cliques that it was found in.
    """

    codes: Integers
    old: Integers
    new: Integers
    cliques: Integers
    gone: Integers
    came: Integers
    other: Integers
    visited: Integers
    changed: Integers
    now: Integers
    where: Integers
    found: Integers
