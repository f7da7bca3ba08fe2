"""Small symmetric matrices of exact rational numbers: what several parameters need of linear algebra.

A positive definite matrix is M = L D L', L lower triangular with ones on its diagonal, D diagonal and
positive: no square root is taken, so everything here stays rational.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from privior.arrays import Floats
from privior.checks import told_by
from privior.errors import ModelError, shown
from privior.exact import rational

Vector = tuple[Fraction, ...]
Matrix = tuple[Vector, ...]


def read_vector(value: object, where: str, name: str) -> Vector:
    """Read numbers exactly, at least one."""
    listed = value.tolist() if isinstance(value, np.ndarray) else value
    if not isinstance(listed, (list, tuple)) or not listed:
        raise ModelError(f"{name} is not a list of numbers", where=where, asked=shown(value))
    with told_by(ModelError, where):
        return tuple(rational(one, name) for one in listed)


def read_matrix(value: object, where: str, name: str) -> Matrix:
    """Read a matrix exactly, which must be symmetric and positive definite."""
    listed = value.tolist() if isinstance(value, np.ndarray) else value
    if not isinstance(listed, (list, tuple)) or not listed:
        raise ModelError(f"{name} is not a list of rows", where=where, asked=shown(value))
    rows = tuple(read_vector(row, where, name) for row in listed)
    if any(len(row) != len(rows) for row in rows) or any(
        rows[i][j] != rows[j][i] for i in range(len(rows)) for j in range(i)
    ):
        raise ModelError(f"{name} is not square and symmetric", where=where, asked=shown(value))
    if factors(rows) is None:
        raise ModelError(
            f"{name} is not positive definite",
            where=where,
            asked=shown(value),
            advice="Every combination of the columns must have a positive variance.",
        )
    return rows


def factors(matrix: Matrix) -> tuple[Matrix, Vector] | None:
    """Return L and the diagonal of D of M = L D L', or None if M is not positive definite."""
    size = len(matrix)
    lower = [[Fraction(int(i == j)) for j in range(size)] for i in range(size)]
    diagonal: list[Fraction] = []
    for i in range(size):
        for j in range(i):
            known = sum((lower[i][k] * lower[j][k] * diagonal[k] for k in range(j)), start=Fraction(0))
            lower[i][j] = (matrix[i][j] - known) / diagonal[j]
        pivot = matrix[i][i] - sum((lower[i][k] ** 2 * diagonal[k] for k in range(i)), start=Fraction(0))
        if pivot <= 0:
            return None
        diagonal.append(pivot)
    return tuple(tuple(row) for row in lower), tuple(diagonal)


def definite_factors(matrix: Matrix) -> tuple[Matrix, Vector]:
    """Return L and D of a matrix that is known to be positive definite."""
    found = factors(matrix)
    if found is None:
        raise ValueError("the matrix is not positive definite")
    return found


def solved(matrix: Matrix, vector: Sequence[Fraction]) -> Vector:
    """Return M^-1 v."""
    lower, diagonal = definite_factors(matrix)
    size = len(matrix)
    found = list(vector)
    for i in range(size):
        found[i] -= sum((lower[i][k] * found[k] for k in range(i)), start=Fraction(0))
    found = [one / pivot for one, pivot in zip(found, diagonal, strict=True)]
    for i in reversed(range(size)):
        found[i] -= sum((lower[k][i] * found[k] for k in range(i + 1, size)), start=Fraction(0))
    return tuple(found)


def inverse(matrix: Matrix) -> Matrix:
    """Return M^-1."""
    size = len(matrix)
    unit = [[Fraction(int(i == j)) for j in range(size)] for i in range(size)]
    return tuple(solved(matrix, row) for row in unit)  # symmetric: rows are columns


def times(matrix: Matrix, vector: Sequence[Fraction]) -> Vector:
    """Return M v."""
    return tuple(dot(row, vector) for row in matrix)


def dot(one: Sequence[Fraction], other: Sequence[Fraction]) -> Fraction:
    """Return the inner product."""
    return sum((a * b for a, b in zip(one, other, strict=True)), start=Fraction(0))


def added(one: Matrix, other: Matrix, weight: Fraction = Fraction(1)) -> Matrix:
    """Return M + weight N."""
    return tuple(
        tuple(a + weight * b for a, b in zip(row, another, strict=True))
        for row, another in zip(one, other, strict=True)
    )


def floats(matrix: Matrix) -> Floats:
    """Return the matrix in floating point."""
    return np.array([[float(one) for one in row] for row in matrix])
