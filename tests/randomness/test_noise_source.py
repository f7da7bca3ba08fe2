"""Where noise comes from: no seed, no other generator, and no two processes with the same noise."""

from __future__ import annotations

import ast
import inspect
import multiprocessing
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest

import privior.randomness
from privior import proved_floats
from privior.privacy.pairs.balls import ball
from privior.randomness import (
    HellingerTables,
    dirichlet_sticks,
    discrete_gaussian,
    discrete_laplace,
    k_norm,
    virtual_counts,
)

_WIDE = Fraction(2**40)


def _table(size: int, rate: Fraction) -> list[int]:
    """A table near one of a million records in each cell."""
    return HellingerTables([10**6] * size, [Fraction(1)] * size, lambda: ball(rate)).draw()


def _sticks(size: int, parameter: Fraction) -> list[int]:
    return list(dirichlet_sticks([parameter] * (size + 1), 53))


def _urn(size: int, parameter: Fraction) -> list[int]:
    return list(virtual_counts([parameter] * size, 10**4))


_DRAWS: list[tuple[Callable[[int, Fraction], list[int]], Fraction]] = [
    (k_norm, 1 / _WIDE),
    (discrete_laplace, _WIDE),
    (discrete_gaussian, _WIDE),
    (_table, Fraction(1)),
    (_sticks, Fraction(3)),
    (_urn, Fraction(3)),
]


@pytest.mark.parametrize("method", ["fork", "spawn"])
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_t13_processes_draw_different_noise(method: str) -> None:
    if method not in multiprocessing.get_all_start_methods():
        pytest.skip(f"this system does not {method}")
    context = multiprocessing.get_context(method)
    for draw, parameter in _DRAWS:
        draw(5, parameter)  # whatever is buffered or seeded in the parent is so now
    with context.Pool(1) as one, context.Pool(1) as other:
        for draw, parameter in _DRAWS:
            drawn = [
                tuple(noise)
                for noise in (
                    draw(5, parameter),
                    one.apply(draw, (5, parameter)),
                    other.apply(draw, (5, parameter)),
                )
            ]
            assert len(set(drawn)) == 3


def _sources() -> list[Path]:
    return sorted(Path(inspect.getfile(privior.randomness)).parent.glob("*.py"))


def test_t12_no_function_takes_a_seed() -> None:
    for source in _sources():
        for node in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.Lambda):
                names = {argument.arg for argument in ast.walk(node.args) if isinstance(argument, ast.arg)}
                assert not names & {"seed", "rng", "random_state", "generator", "key"}
    assert list(inspect.signature(k_norm).parameters) == ["size", "epsilon"]
    assert list(inspect.signature(discrete_laplace).parameters) == ["size", "scale"]
    assert list(inspect.signature(discrete_gaussian).parameters) == ["size", "stddev"]
    assert list(inspect.signature(dirichlet_sticks).parameters) == ["parameters", "places"]
    assert list(inspect.signature(virtual_counts).parameters) == ["parameters", "drawn"]


#: what any sampler may import
_EXACT = {
    *("__future__", "abc", "bisect", "collections", "dataclasses", "fractions", "functools", "itertools"),
    *("flint", "math", "opendp", "os", "privior", "scipy.special", "typing"),
}
#: where floats may be written and NumPy reckons, and why what is drawn is exact all the same
_FLOATS = {
    "block_sums.py": "sums over records for those below, with proved errors; nothing is drawn here",
    "truncated_normal.py": "they choose k, on which nothing depends but how many trials there are",
    "perturbed_minimum.py": "they look for the minimiser and bound how far it can be, within proved errors; "
    "what these leave open is decided by balls, and the random term is known by its bits",
    "shells.py": "they make an envelope that is meant exactly as it is, checked within proved errors",
    "shell_draws.py": "they decide what proved errors leave no doubt of, and balls the rest; only a loss "
    "of somebody else, who gives no enclosures, is believed as close as it is declared to be",
    "trial_bounds.py": "they bound how many trials there are; nothing is drawn here",
    "proved_floats.py": "values of functions for those above, with proved errors; nothing is drawn here",
}


#: by which names others go
_GENERATORS = {"random", "default_rng", "Generator", "RandomState", "SystemRandom", "rvs", "secrets", "seed"}


def _reckons(source: Path) -> bool:
    return source.name in _FLOATS


def _other_generators(text: str, allowed: set[str]) -> list[str]:
    """Say which imports are not allowed, and where a generator is asked for by its name."""
    found = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
            found += [name for name in names if name not in allowed and name.split(".")[0] not in allowed]
            found += [name for name in names if "random" in name]
        elif isinstance(node, ast.ImportFrom):
            module = str(node.module)
            fits = module in allowed or module.split(".")[0] in allowed
            found += [] if fits and module != "numpy.random" else [module]
            found += [alias.name for alias in node.names if alias.name in _GENERATORS]
        elif isinstance(node, ast.Attribute) and node.attr in _GENERATORS:
            found.append(ast.unparse(node))
    return found


def _floats(text: str) -> list[str]:
    return [
        ast.unparse(node)
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Constant) and isinstance(node.value, float)
    ]


def test_t11_no_other_generator_is_imported() -> None:
    """SciPy's quantiles may guess where to look, and no more; the module with its generators is not used.

    Where NumPy reckons, its generators are not used either.
    """
    proved = Path(inspect.getfile(proved_floats))
    for source in (*_sources(), proved):
        allowed = _EXACT | ({"numpy"} if _reckons(source) else set())
        allowed |= {"decimal"} if source == proved else set()
        found = _other_generators(source.read_text(encoding="utf-8"), allowed)
        assert (source.name, found) == (source.name, [])


@pytest.mark.parametrize(
    "planted",
    [
        "import random",
        "import numpy.random",
        "from numpy.random import default_rng",
        "from numpy import random",
        "import numpy as np; np.random.normal()",
        "import numpy as np; np.random.default_rng()",
        "from scipy import stats",
        "from scipy.special import ndtri; ndtri(x.rvs())",
        "import secrets",
    ],
)
def test_t11_another_generator_would_be_seen(planted: str) -> None:
    assert _other_generators(planted, _EXACT | {"numpy"})
    assert not _other_generators("import numpy as np; np.linalg.eigh(m)", _EXACT | {"numpy"})


def test_t11_no_float_is_written_in_a_sampler() -> None:
    """The one float is the scale that OpenDP reads, checked to be exact; beside those of `_FLOATS`."""
    for source in _sources():
        written = _floats(source.read_text(encoding="utf-8"))
        assert _reckons(source) or (source.name, written) == (source.name, [])
    assert _floats("x = 0.5") == ["0.5"]


def test_t11_no_exception_is_left_over() -> None:
    """Each file that may reckon in floats is there and does."""
    sources = [*_sources(), Path(inspect.getfile(proved_floats))]
    reckoning = {one.name for one in sources if "import numpy" in one.read_text(encoding="utf-8")}
    assert reckoning == set(_FLOATS)
