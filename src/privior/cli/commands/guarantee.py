"""privior guarantee: the calculator. What a mechanism or a draw promises, from public facts alone."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from privior.cli.drawing import draw
from privior.cli.options import Delta, Epsilon, Json, Quiet, screen_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from privior.calculator import Calculation
    from privior.papers.published import Published

_SILENT = "none of the papers states a number for this; some do at an epsilon, or with --order"

#: what the calculator may be told, in the order in which it is shown
_FACTS = (
    *("prior", "rate", "records", "neighbours", "draws", "least", "squared", "largest", "nodes", "shape"),
    *("bound", "lower", "upper", "data_lower", "data_upper", "diameter", "stddev", "prior_stddev", "floor"),
    *("eta", "drawn", "temperature", "lipschitz", "strong_convexity", "loss_convexity"),
)


def _told(about: str | None = None, *names: str) -> Any:
    """Return an option that has no default worth showing."""
    return typer.Option(*names, help=about, show_default=False)


Fact = Annotated[str | None, _told()]


#: names that scripts of earlier versions say
_FORMERLY = {"network-draw": "network-draws"}


def guarantee(
    context: typer.Context,
    mechanism: Annotated[
        str,
        typer.Argument(
            metavar="MECHANISM",
            help="k-norm, laplace-counts, gaussian-counts, lshist, lsdim, dirichlet-draw, poisson-draw, "
            "network-draws, statistics-draw, exponential-draw, precision-draw, normal-mean-draw, "
            "truncated-bernoulli, truncated-exponential, bounded-range, virtual-records or gibbs.",
            show_default=False,
        ),
    ],
    epsilon: Epsilon = None,
    delta: Delta = None,
    order: Annotated[float | None, _told("Promise a Renyi divergence of this order instead.")] = None,
    solve: Annotated[str | None, _told("Find this parameter for the promise asked for.")] = None,
    neighbours: Annotated[str | None, _told("replace-one (default) or add-or-remove-one.")] = None,
    records: Annotated[str | None, _told("Number of records.", "--records", "-n")] = None,
    levels: Annotated[int | None, _told("Number of cells of a table.", "--levels", "-k")] = None,
    max_rows: Annotated[int, typer.Option(help="Rows that one person has at most.")] = 1,
    prior: Annotated[str | None, _told("Prior parameter: one number, or one per level.")] = None,
    rate: Annotated[
        str | None, _told("Weight of one record in a draw; of exponentials the prior's rate.")
    ] = None,
    draws: Annotated[str | None, _told("Number of draws or releases, planned together.")] = None,
    least: Annotated[str | None, _told("Records that every cell has at least, if that is public.")] = None,
    squared: Annotated[str | None, _told("Largest sum of squared changes of the statistics.")] = None,
    largest: Annotated[str | None, _told("Largest change of one of the statistics.")] = None,
    nodes: Annotated[str | None, _told('Smallest prior parameters of each table: "1,2; 1,1".')] = None,
    shape: Fact = None,
    bound: Fact = None,
    lower: Fact = None,
    upper: Fact = None,
    data_lower: Fact = None,
    data_upper: Fact = None,
    diameter: Fact = None,
    stddev: Fact = None,
    prior_stddev: Fact = None,
    floor: Fact = None,
    eta: Fact = None,
    drawn: Fact = None,
    temperature: Fact = None,
    lipschitz: Fact = None,
    strong_convexity: Fact = None,
    loss_convexity: Annotated[str | None, _told("Strong convexity of each record's own loss.")] = None,
    at_delta: Annotated[
        list[str] | None, _told("Also the epsilon at this delta, from the exact curve.")
    ] = None,
    noun: Annotated[str, typer.Option(help="Whom the guarantee protects.")] = "person",
    compare: Annotated[bool, typer.Option("--compare", help="What papers state about the same.")] = False,
    plot: Annotated[
        Path | None, _told("Draw delta against epsilon into this file, the trade-off beside it.")
    ] = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Compute what a mechanism promises; nothing is spent."""
    from dataclasses import replace

    from privior.calculator import CALCULATORS
    from privior.exact import round_down

    screen = screen_of(context)
    mechanism = _FORMERLY.get(mechanism, mechanism)
    facts = {name: value for name in _FACTS if (value := context.params[name]) is not None}
    if mechanism in CALCULATORS and max_rows != 1:
        facts["max_rows"] = str(max_rows)
    sought = "" if solve is None else solve.replace("-", "_")
    if mechanism not in CALCULATORS:
        made = _of_counts(mechanism, levels, epsilon, delta, facts, max_rows, sought)
    elif solve is None:
        made = CALCULATORS[mechanism].promised(facts, epsilon, delta)
    else:
        made = CALCULATORS[mechanism].solved(sought, facts, epsilon or "1", delta or 0, order)
    from privior.forecasting import squared_error

    published: Sequence[Published] = ()
    if compare:
        from privior.papers import statements

        published = statements(made, order)
    promise = replace(made.guarantee, unit=noun)
    slack = promise.slack(round_down(promise.cost.epsilon))
    curve = {chance: promise.epsilon(chance) for chance in at_delta or []}
    noise = None if made.mechanism is None else squared_error(made.mechanism)
    renyi = None if order is None else promise.renyi(order)
    unread = ("neighbours", sought)
    screen.document(
        {
            "mechanism": made.name if made.mechanism is None else made.mechanism.to_document(),
            **{name: _plain(value) for name, value in made.facts.items() if name not in unread},
            **({} if solve is None else {sought: float(str(made.facts[sought]))}),
            **promise.to_document(),
            "claim": promise.claim(),
            **({} if not slack else {"slack": slack}),
            **({} if noise is None else {"expected_squared_error": noise}),
            **({} if renyi is None else {"order": order, "renyi": _finite(renyi)}),
            "epsilon_at_delta": {chance: _finite(value) for chance, value in curve.items()},
            **({} if made.mechanism is None else {"randomness": made.mechanism.randomness}),
            **({"published": [_statement(one) for one in published]} if compare else {}),
        }
    )
    screen.facts(
        [
            ("mechanism", f"{made.name}: {made.about}"),
            *((name.replace("_", " "), str(fact)) for name, fact in made.facts.items() if fact is not None),
            ("guarantee", str(promise)),
            ("that is", promise.claim()),
            *([] if not slack else [("computed", f"delta is above the exact one by {slack:.2g} at most")]),
            *(
                []
                if noise is None
                else [("noise", f"expected squared error {noise:.7g} over {levels} cells")]
            ),
            *([] if renyi is None else [(f"Renyi, order {order:g}", f"{renyi:.7g}")]),
            *((f"at delta {chance}", f"epsilon {value:.6g}") for chance, value in curve.items()),
            *((f"published, {one.place}", _compared(one)) for one in published),
            *([("published", _SILENT)] if compare and not published else []),
        ]
    )
    if plot is not None:
        screen.text(f"Drew {' and '.join(map(str, draw(promise.pictures(), plot, 'trade-off')))}.")
    if screen.quiet:
        screen.answer(str(promise.cost) if solve is None else str(made.facts[sought]))


def _of_counts(
    name: str,
    levels: int | None,
    epsilon: str | None,
    delta: str | None,
    facts: dict[str, str],
    max_rows: int,
    sought: str,
) -> Calculation:
    from privior.calculator import names, of_mechanism
    from privior.calculator.facts import count
    from privior.errors import PlanError
    from privior.exact import rational
    from privior.mechanisms import MECHANISMS, PublicFacts, TableMechanism
    from privior.privacy import Budget, Neighbours

    if name not in names():
        raise PlanError("unknown mechanism", where="guarantee", asked=repr(name), allowed=", ".join(names()))
    if levels is None:
        raise PlanError("the number of cells is missing", where=name, advice="Say --levels K.")
    budget = Budget.of("1" if epsilon is None else epsilon, "0" if delta is None else delta)
    records = int(rational(facts.get("records", "1000"), "records"))
    strange = sorted(set(facts) - {"records", "neighbours", "draws", "prior"})
    if strange:
        raise PlanError("a fact plays no part here", where=name, asked=", ".join(strange))
    relation = Neighbours.of(facts.get("neighbours", "replace-one"))
    cells = tuple(rational(cell, "prior") for cell in facts.get("prior", "1").split(","))
    prior = cells[0] if len(cells) == 1 else cells
    public = PublicFacts(levels, records, max_rows, relation, budget, prior)
    return of_mechanism(
        cast(type[TableMechanism], MECHANISMS.named(name)),
        public,
        count({"draws": "1", **facts}, "draws"),
        sought,
    )


def _compared(one: Published) -> str:
    instead = "" if one.better is None else f", exact {one.better:.7g}"
    stated = f"{one.quantity} {one.value:.7g}{instead}: {one.verdict.value}"
    return f"{stated}; {one.reason} ({one.paper})"


def _statement(one: Published) -> dict[str, object]:
    return {
        "paper": str(one.paper),
        "place": one.place,
        "formula": one.formula,
        "quantity": one.quantity,
        "value": _finite(one.value),
        "exact": None if one.better is None else _finite(one.better),
        "verdict": one.verdict.value,
        "reason": one.reason,
    }


def _plain(value: object) -> object:
    """Return a number that was typed as a number, and lists as they were typed."""
    try:
        number = float(str(value))
    except ValueError:
        return value
    return int(number) if number.is_integer() else number


def _finite(value: float) -> float | None:
    return value if value < float("inf") else None
