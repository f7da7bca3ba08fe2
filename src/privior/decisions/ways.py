"""Three ways of answering, by expected utility, by the mode, by released draws, and what each loses."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from privior.decisions.choice import digits, facts_of, said_response
from privior.decisions.judging import Judge
from privior.errors import QuestionError
from privior.pictures import listing, markup


@dataclass(frozen=True)
class Way:
    """One way of answering.

    Attributes:
        name: "expected utility", "mode" or "draws"
        response: what it answers; None if the way is not open here
        expected_utility: of that response, under the posterior
        loss: how far that is behind the best response
        loss_error: the standard error of the loss
        note: what it rests on, or why it is not open
    """

    name: str
    response: object
    expected_utility: float | None
    loss: float | None
    loss_error: float | None
    note: str

    @staticmethod
    def judged(name: str, response: object, best: object, judge: Judge, note: str) -> Way:
        """Judge a response by the posterior."""
        scores, best_scores = judge.scores(response), judge.scores(best)
        apart = best_scores - scores
        error = float(apart.std()) / math.sqrt(judge.size)
        return Way(name, response, float(scores.mean()), max(0.0, float(apart.mean())), error, note)

    @staticmethod
    def closed(name: str, note: str) -> Way:
        """Say why a way is not open."""
        return Way(name, None, None, None, None, note)

    def to_document(self) -> dict[str, object]:
        """Write the way as plain values."""
        facts = facts_of(self)
        return {"way": facts.pop("name"), **facts}


@dataclass(frozen=True, repr=False)
class Ways:
    """The three ways, and Lemma 11's bound for that of the draws.

    Attributes:
        about: what was decided, in words
        expected: maximises the average utility over the posterior, which knows the noise
        mode: answers as if the mode of the posterior were the truth
        draws: maximises the average over the released draws alone (PSAQR)
        bound: what the draws lose at most against the law that they were drawn from, but for a chance of
            `failure`; None if there are none
        printed: the same number as the paper's proof has it
        failure: that chance
        error: the standard error of an expected utility
    """

    about: str
    expected: Way
    mode: Way
    draws: Way
    bound: float | None
    printed: float | None
    failure: float
    error: float

    def __iter__(self) -> Iterator[Way]:
        return iter((self.expected, self.mode, self.draws))

    def to_document(self) -> dict[str, object]:
        """Write the comparison as plain values, for JSON."""
        return {
            "about": self.about,
            "ways": [way.to_document() for way in (self.expected, self.mode, self.draws)],
            "lemma_11": self.bound,
            "lemma_11_printed": self.printed,
            "failure": self.failure,
            "simulation_error": self.error,
        }

    def table(self) -> tuple[list[str], list[list[str]]]:
        """Return a header and one row per way."""
        rows = []
        for way in (self.expected, self.mode, self.draws):
            if way.response is None or way.expected_utility is None or way.loss is None:
                rows.append([way.name, "", "", "", way.note])
                continue
            loss = f"{way.loss:.3g} ± {way.loss_error:.1g}" if way.loss > 0 else "0"
            worth = digits(way.expected_utility, self.error)
            rows.append([way.name, said_response(way.response), worth, loss, way.note])
        return ["answer by", "response", "expected utility", "loses", ""], rows

    @property
    def said(self) -> str:
        """Lemma 11's bound in a sentence; empty if there are no draws."""
        if self.bound is None:
            return ""
        if self.bound >= 1:
            return "Lemma 11 says nothing here (vacuous): too few draws, or too many responses for them."
        return (
            f"Lemma 11: against the law they come from the draws lose {self.bound:.4f} at most, "
            f"with probability {1 - self.failure:g}."
        )

    def __repr__(self) -> str:
        return f"<three ways for {QuestionError.visible(self.about)}>"

    def __str__(self) -> str:
        return "\n".join([*listing.table(*self.table()), *([self.said] if self.said else [])])

    def _repr_html_(self) -> str:
        said = [markup.element("p", self.said)] if self.said else []
        return markup.fragment(markup.table(*self.table()), *said)
