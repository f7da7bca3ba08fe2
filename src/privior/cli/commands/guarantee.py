"""privior guarantee: the calculator. What a mechanism promises and costs, from public facts alone."""

from __future__ import annotations

from typing import Annotated

import typer

from privior.cli.options import Delta, Epsilon, Json, NeighboursName, Quiet, screen_of


def guarantee(
    context: typer.Context,
    mechanism: Annotated[
        str,
        typer.Argument(help="k-norm, laplace-counts, gaussian-counts, lshist or lsdim.", show_default=False),
    ],
    levels: Annotated[int, typer.Option("--levels", "-k", help="Number of cells of the table.")],
    epsilon: Epsilon = "1",
    delta: Delta = "0",
    neighbours: NeighboursName = "replace-one",
    records: Annotated[int, typer.Option("--records", "-n", help="Number of persons.")] = 1000,
    max_rows: Annotated[int, typer.Option(help="Rows that one person has at most.")] = 1,
    at_delta: Annotated[
        list[str] | None,
        typer.Option(help="Also the epsilon at this delta, from the exact curve.", show_default=False),
    ] = None,
    noun: Annotated[str, typer.Option(help="Whom the guarantee protects.")] = "person",
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Compute what a mechanism promises; nothing is spent."""
    from privior.mechanisms import PublicFacts, mechanism_named
    from privior.privacy import Budget, Neighbours

    screen = screen_of(context)
    facts = PublicFacts(levels, records, max_rows, Neighbours.of(neighbours or ""), Budget.of(epsilon, delta))
    built = mechanism_named(mechanism).for_facts(facts)
    promise = built.guarantee
    curve = {chance: promise.epsilon(chance) for chance in at_delta or []}
    screen.document(
        {
            "mechanism": built.to_document(),
            **promise.to_document(),
            "claim": promise.claim(noun),
            "expected_squared_error": built.expected_squared_error,
            "epsilon_at_delta": {chance: _finite(value) for chance, value in curve.items()},
            "randomness": built.randomness,
        }
    )
    screen.facts(
        [
            ("mechanism", f"{built.name}: {built.about}"),
            ("guarantee", str(promise)),
            ("that is", promise.claim(noun)),
            ("noise", f"expected squared error {built.expected_squared_error:.7g} over {levels} cells"),
            ("randomness", built.randomness),
            *((f"at delta {chance}", f"epsilon {value:.6g}") for chance, value in curve.items()),
        ]
    )
    if screen.quiet:
        screen.answer(str(promise.cost))


def _finite(value: float) -> float | None:
    return value if value < float("inf") else None
