"""Choices: the response of the largest average utility, how sure that is, and the others beside it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from fractions import Fraction

from privior.decisions.judging import Judge
from privior.decisions.responses import ResponseGrid, ResponseInterval, Responses
from privior.errors import DecisionError, QuestionError
from privior.pictures import listing, markup
from privior.theory.sampling_loss import sampling_loss

#: more candidates are not listed in text
_SHOWN = 20
#: of an interval so many steps are shown beside the best response
_STEPS = 10
#: averages of utilities that differ by less are equal: they are sums of rounded numbers from 0 to 1
_ROUNDING = 1e-12
#: the chance with which `shortfall` may fail, if nothing else is said
FAILURE = Fraction(1, 20)


@dataclass(frozen=True)
class RatedResponse:
    """A response, and what it is worth.

    Attributes:
        response: the response
        expected_utility: its average utility, from 0 to 1
        behind: how far that is behind the best
        behind_error: the standard error of `behind`, both on the same draws
    """

    response: object
    expected_utility: float
    behind: float
    behind_error: float

    def to_document(self) -> dict[str, object]:
        """Write the candidate as plain values."""
        return facts_of(self)


@dataclass(frozen=True, repr=False)
class Choice:
    """The response of the largest average utility over draws.

    Attributes:
        about: what was decided, in words
        response: the best response
        expected_utility: its average utility, from 0 to 1
        simulation_error: the standard error of that average
        meaning: the same in the quantity's own units, if they are known
        draws: over how many draws was averaged
        shortfall: by how much another response may be better after all, because draws are finitely many; true
            but for a chance of `failure`, if they are independent
            (Lemma 11 as `privior.theory.sampling_loss` proves it)
        failure: the chance with which `shortfall` may fail
        gap: by how much another response may be better on these very draws; None if that is not known
        found: how the response was found
        candidates: those that were compared, best first; of an interval the best response and a few others
        warnings: what must be known before the response is relied on
    """

    about: str
    response: object
    expected_utility: float
    simulation_error: float
    meaning: str
    draws: int
    shortfall: float
    failure: float
    gap: float | None
    found: str
    candidates: tuple[RatedResponse, ...]
    warnings: tuple[str, ...] = ()

    def to_document(self) -> dict[str, object]:
        """Write the choice as plain values, for JSON."""
        return facts_of(self)

    def facts(self) -> list[tuple[str, str]]:
        """Say what was chosen and how sure that is, as named facts."""
        proved = "not proved to be the best" if self.gap is None else f"proved best up to {self.gap:.1g}"
        gap = "" if self.gap == 0 else f", {proved}"
        vacuous = " (vacuous)" if self.shortfall >= 1 else ""
        worth = f"{digits(self.expected_utility, self.simulation_error)} ± {self.simulation_error:.1g}"
        return [
            ("decision", QuestionError.visible(self.about)),
            ("response", said_response(self.response)),
            ("expected utility", f"{worth}, {self.meaning}" if self.meaning else worth),
            ("found", f"{self.found}, over {self.draws} draws{gap}"),
            (
                "may lose by few draws",
                f"{self.shortfall:.2g} at most, with probability {1 - self.failure:.10g}{vacuous}",
            ),
        ]

    def table(self) -> tuple[list[str], list[list[str]]]:
        """Return a header and one row per candidate; numbers rising, with bars from the worst to the best."""
        shown = list(self.candidates[:_SHOWN])
        worst = min(each.expected_utility for each in shown)
        room = self.expected_utility - worst
        numbers = {each.response: each for each in shown if isinstance(each.response, float)}
        if len(numbers) == len(shown):
            shown = [numbers[at] for at in sorted(numbers)]
        return ["response", "expected utility", "behind the best", ""], [
            [
                said_response(each.response),
                digits(each.expected_utility, self.simulation_error),
                f"{each.behind:.3g} ± {each.behind_error:.1g}" if each.behind > 0 else "",
                "█" * round(20 * (each.expected_utility - worst) / room) if room > 0 else "",
            ]
            for each in shown
        ]

    def __repr__(self) -> str:
        return f"<choice of {said_response(self.response)} for {QuestionError.visible(self.about)}>"

    def __str__(self) -> str:
        more = len(self.candidates) - _SHOWN
        left_out = [f"... and {more} more candidates, worse"] if more > 0 else []
        return "\n".join(
            [*listing.facts(self.facts()), "", *listing.table(*self.table()), *left_out, *self.warnings]
        )

    def _repr_html_(self) -> str:
        warnings = (markup.element("p", warning, class_="warning") for warning in self.warnings)
        return markup.fragment(markup.facts(self.facts()), markup.table(*self.table()), *warnings)


def choose(
    judge: Judge, responses: Responses, about: str, warnings: Sequence[str] = (), failure: Fraction = FAILURE
) -> Choice:
    """Return the best of the responses, of equal ones the first."""
    compared = _compared(judge, responses)
    read = compared.responses
    averages = [float(judge.scores(response).mean()) for response in read]
    enough = max(averages) - _ROUNDING
    place = next(i for i, average in enumerate(averages) if average >= enough)
    averages = [min(average, averages[place]) for average in averages]
    best = judge.scores(read[place])
    candidates = []
    for response, average in zip(read, averages, strict=True):
        apart = best - judge.scores(response)
        error = float(apart.std()) / math.sqrt(judge.size)
        candidates.append(RatedResponse(response, average, averages[place] - average, error))
    share = f"{100 * judge.clamped:.2g}%"
    clamped = [f"NOTE: {share} of the draws lie outside of the declared ends and count as the nearest one"]
    return Choice(
        about=about,
        response=read[place],
        expected_utility=averages[place],
        simulation_error=float(best.std()) / math.sqrt(judge.size),
        meaning=judge.plain(averages[place]),
        draws=judge.size,
        shortfall=sampling_loss(
            judge.size,
            failure,
            responses=len(read) if compared.finite else None,
            variation=judge.variation,
            travel=judge.travel(responses if isinstance(responses, ResponseInterval) else None),
        ),
        gap=compared.gap,
        found=compared.found,
        candidates=tuple(sorted(candidates, key=lambda each: -each.expected_utility)),
        warnings=(*warnings, *(clamped if judge.clamped else ())),
        failure=float(failure),
    )


@dataclass(frozen=True)
class _Compared:
    """Responses to compare: all that there are (`finite`), or the best of an interval and a few others."""

    responses: list[object]
    finite: bool
    gap: float | None
    found: str


def _compared(judge: Judge, given: Responses) -> _Compared:
    listed: list[object] | None = None
    if isinstance(given, tuple):
        listed = list(given)
    elif isinstance(given, ResponseGrid):
        listed = list(given.numbers)
    elif given is None and judge.actions is not None:
        listed = list(judge.actions)
    if listed is not None:
        return _Compared(_distinct(judge, listed), True, 0.0, f"the best of {len(listed)}")
    among = given if isinstance(given, ResponseInterval) else None
    best, gap, found = judge.optimum(among)
    beside: list[object] = []
    if isinstance(best, float):
        beside = [each for each in ResponseGrid(*judge.near(among), _STEPS).numbers if each != best]
    return _Compared([best, *beside], False, gap, found)


def _distinct(judge: Judge, given: list[object]) -> list[object]:
    read, seen = [judge.read(each) for each in given], set()
    for each in read:
        if isinstance(each, str | float | tuple):
            if each in seen:
                raise DecisionError(
                    "a response is listed twice", where="responses", asked=said_response(each)
                )
            seen.add(each)
    return read


def digits(number: float, error: float) -> str:
    """Write a number with one digit more than its error leaves, four at least, twelve at most."""
    places = math.ceil(-math.log10(error)) + 1 if error > 1e-12 else 4
    return f"{number:.{min(max(places, 4), 12)}f}"


def said_response(response: object) -> str:
    """Write a response for people."""
    if isinstance(response, tuple) and all(isinstance(part, float) for part in response):
        return " to ".join(f"{part:.6g}" for part in response)
    if isinstance(response, float):
        return f"{response:.6g}"
    return QuestionError.visible(str(response))


def facts_of(value: object) -> dict[str, object]:
    """Write the fields of a value for JSON."""
    return {each.name: plain(getattr(value, each.name)) for each in fields(value)}  # type: ignore[arg-type]


def plain(fact: object) -> object:
    """Write a response, a number or several for JSON."""
    if isinstance(fact, RatedResponse):
        return fact.to_document()
    if isinstance(fact, tuple):
        return [plain(part) for part in fact]
    return fact if fact is None or isinstance(fact, str | bool | int | float) else str(fact)
