"""What an analyst with a prior of her own loses by the response that the release's prior gives."""

from __future__ import annotations

from dataclasses import dataclass

from privior.decisions.choice import digits, facts_of, said_response
from privior.errors import QuestionError
from privior.pictures import listing, markup


@dataclass(frozen=True, repr=False)
class PriorLoss:
    """Her best response and that of the release's prior, both judged by her posterior.

    Attributes:
        about: what was decided, in words
        own_response: the best one under her prior
        own_utility: its expected utility, in her eyes
        given_response: the best one under the prior of the release
        given_utility: its expected utility, in her eyes
        loss: the difference, which is what she loses here
        loss_error: its standard error
        divergence: KL of her prior from the release's; None if it is not known
        expected_bound: what she loses at most on average over the data that she expects (Lemmas 14 and 15
            in their sharp form); 1 is vacuous
        eta: the largest |ln| of the ratio of the priors, for Lemma 15 and Corollary 16: 0, or infinite, since
            two different Dirichlet densities have no bounded ratio
    """

    about: str
    own_response: object
    own_utility: float
    given_response: object
    given_utility: float
    loss: float
    loss_error: float
    divergence: float | None
    expected_bound: float
    eta: float | None

    def to_document(self) -> dict[str, object]:
        """Write the loss as plain values, for JSON; an infinite eta is null."""
        return {
            **facts_of(self),
            "eta": self.eta if self.eta == 0 else None,
            "vacuous": self.expected_bound >= 1,
        }

    def facts(self) -> list[tuple[str, str]]:
        """Say what is lost, as named facts."""
        vacuous = self.expected_bound >= 1
        own, given = (digits(worth, self.loss_error) for worth in (self.own_utility, self.given_utility))
        bound = (
            "vacuous: the priors are too far apart for Lemmas 14 and 15"
            if vacuous
            else f"{self.expected_bound:.4f} on average over data that your prior expects (Lemmas 14 and 15)"
        )
        pointwise = (
            "0: the priors are the same"
            if self.eta == 0
            else "vacuous: the ratio of the two priors has no bound (eta is infinite)"
        )
        return [
            ("decision", QuestionError.visible(self.about)),
            ("your response", f"{said_response(self.own_response)}, expected utility {own}"),
            ("the release's prior", f"{said_response(self.given_response)}, expected utility {given} to you"),
            ("you would lose", f"{self.loss:.3g} ± {self.loss_error:.1g}"),
            ("at most", bound),
            ("Corollary 16", pointwise),
        ]

    def __repr__(self) -> str:
        return f"<loss of {self.loss:.4g} by another prior for {QuestionError.visible(self.about)}>"

    def __str__(self) -> str:
        return "\n".join(listing.facts(self.facts()))

    def _repr_html_(self) -> str:
        return markup.fragment(markup.facts(self.facts()))
