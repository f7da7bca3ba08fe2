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


def test_t11_no_other_generator_is_imported() -> None:
    """SciPy's quantiles may guess where to look, and no more; the module with its generators is not used."""
    allowed = {
        "__future__",
        "abc",
        "bisect",
        "collections",
        "dataclasses",
        "flint",
        "fractions",
        "functools",
        "itertools",
        "math",
        "opendp",
        "os",
        "privior",
        "scipy.special",
        "typing",
    }
    for source in _sources():
        for node in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                assert {alias.name.split(".")[0] for alias in node.names} <= allowed
            elif isinstance(node, ast.ImportFrom):
                module = str(node.module)
                assert module in allowed or module.split(".")[0] in allowed


def test_t11_no_float_is_written_in_a_sampler() -> None:
    """The one float is the scale that OpenDP reads, checked to be exact."""
    for source in _sources():
        for node in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
            assert not (isinstance(node, ast.Constant) and isinstance(node.value, float))
