"""Decision: a utility, what it is about, and the responses among which one is wanted (PSAQR, Algorithm 2).

Deciding is free: it follows from a release. The paper's algorithm answers from released draws alone; with a
release in hand the posterior, which knows the noise, is at least as good a judge, and both are offered.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from privior.checks import fill, is_whole, strictly_within
from privior.decisions.choice import FAILURE, Choice, choose
from privior.decisions.documents import responses_document, to_responses, to_utility
from privior.decisions.judging import CallableJudge, Callback, Judge, NamedJudge
from privior.decisions.prior_loss import PriorLoss
from privior.decisions.reach import Reach
from privior.decisions.responses import Responses, responses_of
from privior.decisions.utility import Utility
from privior.decisions.ways import Way, Ways
from privior.errors import DecisionError, InferenceError, ReleaseError, shown
from privior.plans import Plan
from privior.posterior import Belief, GivenDraws, Posterior, infer
from privior.posterior.contract import released_draws
from privior.posterior.quantity import DRAWS
from privior.queries import Number, Question, number_asked, parse
from privior.release import Release
from privior.theory.draw_divergence import divergence
from privior.theory.sampling_loss import expected_prior_loss, loss_per_variation

_KIND, _FORMAT = "privior-decision", 1
_ENTRIES = {"kind", "format", "query", "utility", "responses"}

DecisionSource = Belief | Release | Sequence[Release] | str | Path


@dataclass(frozen=True, init=False)
class Decision:
    """What to answer, if answers are worth what a utility says.

    Attributes:
        query: for a named utility a question about one number, such as "P(smoker=yes | age>=65)" or
            "mean(age)"; for a callable whatever it understands
        utility: a named one, or any callable u(theta, query, response) with values from 0 to 1; theta are
            draws of the parameters as (draws, parameters), and it returns one number per draw
        responses: a list, a `ResponseGrid`, a `ResponseInterval`; None for all that the utility allows
    """

    query: object
    utility: Utility | Callback
    responses: Responses

    def __init__(self, query: object, utility: Utility | Callback, responses: object = None) -> None:
        if isinstance(utility, Utility):
            query = str(parse(str(query)) if isinstance(query, Question) else parse(query))  # type: ignore[arg-type]
        elif isinstance(utility, type) or not callable(utility):
            raise DecisionError(
                "not a utility", asked=shown(utility), allowed="a named utility as a value, or a callable"
            )
        fill(self, query=query, utility=utility, responses=responses_of(responses))

    def decide(self, source: DecisionSource) -> Choice:
        """Return the response of the largest expected utility.

        Args:
            source: a posterior, or a release to infer it from, or the path of its file, or several
        """
        plan = _plan(source)
        number = self._number(plan)  # a wrong question is refused before inference
        belief = _belief(source)
        return self._choose(self._judge(belief, plan, number), belief.warnings)

    def by_draws(self, source: DecisionSource, *, failure: object = FAILURE) -> Choice:
        """Return the response that is best on average over the released draws alone: PSAQR itself.

        Nothing is inferred. `shortfall` is Lemma 11's bound: what the response loses at most against the best
        one under the law that the draws come from, which is the posterior given the data (more diffuse if the
        rate of the release is below 1). It takes the draws as independent, which they are, and the query as
        chosen before they were seen.

        Args:
            source: a release with draws, or the path of its file, or several, of which the first with draws
                is used; or a posterior given such releases
            failure: the chance with which the bound may fail
        """
        plan = _plan(source)
        number, release = self._number(plan), _with_draws(source)
        if release is None:
            raise _without_draws(_releases(source)[0])
        weight = float(release.plan.mechanism.draw_weight)
        diffuse = f"NOTE: the draws have rate {weight:g}: their law is more diffuse than the posterior"
        judge = self._judge(GivenDraws((release,), release.draws), plan, number, len(release.draws))
        notes = [] if weight == 1 else [diffuse]
        return choose(judge, self.responses, self.about, notes, strictly_within(failure, "failure"))

    def compare(self, source: DecisionSource, *, failure: object = FAILURE) -> Ways:
        """Return what the expected utility, the mode and the released draws answer, and what each loses.

        Losses are judged by the posterior given the release. Lemma 11's bound is about something else: what
        draws lose against the very law they were drawn from, which is the posterior given the data (tempered
        if the rate of the release is below 1). It takes the draws as independent, which they are, and the
        query as chosen before they were seen.

        Args:
            source: a posterior, or a release to infer it from, or the path of its file, or several
            failure: the chance with which Lemma 11's bound may fail
        """
        plan = _plan(source)
        number, belief = self._number(plan), _belief(source)
        judge = self._judge(belief, plan, number)
        choice = self._choose(judge)
        best, error = choice.response, choice.simulation_error
        expected = Way.judged("expected utility", best, best, judge, f"over {judge.size} draws")
        mode = self._by_mode(belief, plan, number, judge, best)
        chance = strictly_within(failure, "failure")
        if _with_draws(source) is None:
            closed = Way.closed("draws", "the release holds no posterior draws")
            return Ways(self.about, expected, mode, closed, None, None, float(chance), error)
        drawn = self.by_draws(source, failure=chance)
        printed = loss_per_variation(drawn.draws, chance)
        diffuse = ", from a more diffuse law than the posterior" if drawn.warnings else ""
        way = Way.judged("draws", drawn.response, best, judge, f"{drawn.draws} released{diffuse}")
        return Ways(self.about, expected, mode, way, drawn.shortfall, printed, float(chance), error)

    def prior_loss(self, source: Release | Sequence[Release] | str | Path, *, prior: object) -> PriorLoss:
        """Return what an analyst with her own prior loses by the response that the release's prior gives.

        Args:
            source: a release, or the path of its file, or several
            prior: hers, as `pv.infer` takes it
        """
        if isinstance(source, Belief):
            raise DecisionError(
                "a posterior has its prior already", advice="Give the release, from which both are inferred."
            )
        plan = _plan(source)
        number = self._number(plan)
        releases = Release.read(source) if isinstance(source, str | Path) else source
        own, usual = infer(releases, prior=prior), infer(releases)
        judge = self._judge(own, plan, number)
        hers = self._choose(judge).response
        theirs = self.decide(usual).response
        way = Way.judged("given", theirs, hers, judge, "")
        best = float(judge.scores(hers).mean())
        apart = _divergence(own, usual)
        return PriorLoss(
            about=self.about,
            own_response=hers,
            own_utility=best,
            given_response=theirs,
            given_utility=best - (way.loss or 0.0),
            loss=way.loss or 0.0,
            loss_error=way.loss_error or 0.0,
            divergence=apart,
            expected_bound=1.0 if apart is None else expected_prior_loss(apart),
            eta=None if apart is None else 0.0 if apart == 0 else math.inf,
        )

    @property
    def about(self) -> str:
        """The decision in words: what is asked, and by which utility."""
        if isinstance(self.utility, Utility):
            return f"{self.query} by {self.utility}"
        return f"{shown(self.query)} by {getattr(self.utility, '__name__', 'a callable')}"

    def to_document(self) -> dict[str, object]:
        """Write the decision as plain values; a callable has none."""
        if not isinstance(self.utility, Utility):
            raise DecisionError(
                "a callable cannot be written to a file",
                asked=shown(self.utility),
                advice="Use one of the named utilities: docs/decisions.md lists them.",
            )
        return {
            "kind": _KIND,
            "format": _FORMAT,
            "query": self.query,
            "utility": self.utility.to_document(),
            "responses": responses_document(self.responses),
        }

    @staticmethod
    def from_document(document: object) -> Decision:
        """Read what `to_document` wrote; only named utilities can be named."""
        entries = document if isinstance(document, Mapping) else {}
        if entries.get("kind") != _KIND or set(entries) != _ENTRIES:
            raise DecisionError("not a decision, or entries are missing or unknown", asked=shown(document))
        number = entries["format"]
        if not is_whole(number, _FORMAT, _FORMAT):
            raise DecisionError("not a format that is known", asked=shown(number), allowed=_FORMAT)
        return Decision(entries["query"], to_utility(entries["utility"]), to_responses(entries["responses"]))

    def _number(self, plan: Plan) -> Number | None:
        """Bind the question, if the utility is about one."""
        if not isinstance(self.utility, Utility):
            return None
        return number_asked(str(self.query), plan.schema, plan.model)

    def _judge(self, belief: Belief, plan: Plan, number: Number | None, draws: int = DRAWS) -> Judge:
        if not isinstance(self.utility, Utility) or number is None:
            return CallableJudge(self.utility, self.query, belief.draws(draws, belief.seed))  # type: ignore[arg-type]
        reach = Reach.of(number.ends(plan.schema, plan.model), self.utility.lower, self.utility.upper)
        return NamedJudge.of(self.utility, number.quantity(belief).values, reach)

    def _choose(self, judge: Judge, warnings: Sequence[str] = ()) -> Choice:
        return choose(judge, self.responses, self.about, warnings)

    def _by_mode(self, belief: Belief, plan: Plan, number: Number | None, judge: Judge, best: object) -> Way:
        try:
            mode = np.asarray(belief.mode())
        except InferenceError as error:
            return Way.closed("mode", error.what)
        single = GivenDraws(belief.releases, mode[np.newaxis])
        answer = self._choose(self._judge(single, plan, number, 1)).response
        return Way.judged("mode", answer, best, judge, "as if the mode of the posterior were the truth")


def _belief(source: DecisionSource) -> Belief:
    if isinstance(source, Belief):
        return source
    found: Posterior = infer(source)
    return found


def _releases(source: DecisionSource) -> list[Release]:
    """Return the releases, so that a wrong question is refused before inference."""
    given: object = Release.read(source) if isinstance(source, str | Path) else source
    if isinstance(source, Belief):
        given = source.releases
    several = list(given) if isinstance(given, list | tuple) else [given]
    found = [each for each in several if isinstance(each, Release)]
    if not found or len(found) < len(several):
        raise ReleaseError("not a posterior or a release", asked=shown(source))
    return found


def _plan(source: DecisionSource) -> Plan:
    """Return the plan of the release, or of the first of several: what is known without data."""
    plan: Plan = _releases(source)[0].plan
    return plan


def _divergence(own: Posterior, usual: Posterior) -> float | None:
    """Return how far the release's prior is from hers, if both are Dirichlet laws."""
    first, second = own.dirichlet_prior, usual.dirichlet_prior
    if first is not None and second is not None:
        return divergence([0] * len(first), first.tolist(), second.tolist())
    return 0.0 if first is second and own.model == usual.model else None


def _with_draws(source: DecisionSource) -> Release | None:
    """Return the first release that holds draws."""
    return next((each for each in _releases(source) if released_draws(each)), None)


def _without_draws(release: Release) -> DecisionError:
    """Say that a release holds no draws, and which mechanisms release some."""
    allowed = None
    try:
        _ = release.draws
    except ReleaseError as error:
        allowed = error.allowed
    return DecisionError(
        "the release holds no posterior draws",
        asked=release.plan.mechanism.name,
        allowed=allowed,
        advice="Decide by what follows from it: decide(release).",
    )
