"""Section 4.3 of "Differential Privacy for Bayesian Inference through Posterior Sampling", computed.

The paper bounds how many draws an adversary needs to tell two neighbouring data sets apart, for one tester
(Theorem 13). Here: what the best test of all can do, by number of draws, for Bernoulli records and several
priors; how many draws it needs to be right 95 times in 100, by number of records; and Theorem 13's number.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache

import privior.smoothness.one_parameter  # noqa: F401 - families register themselves
from privior.models.families import BetaBernoulli
from privior.models.laws import Beta, Truncated
from privior.papers.distinguishing import theorem_13
from privior.papers.published.posterior_sampling import PAPER
from privior.papers.studies.study import Findings, Row, Say, Study, StudyRows
from privior.pictures import ErrorCurve, Picture
from privior.schema import Boolean, Schema
from privior.smoothness.subject import Contrast, Subject, subject_of
from privior.theory.likelihood_ratio import Bounds

SCHEMA = Schema({"x": Boolean()}, population="study", unit="person")
PRIORS = {
    "flat": Beta(),
    "Beta(5, 5)": Beta(5, 5),
    "flat on [0.2, 0.8]": Truncated(Beta(), "0.2", "0.8"),
    "flat on [0.4, 0.6]": Truncated(Beta(), "0.4", "0.6"),
}
RECORDS = 10
FALSE_ALARM = 0.05
#: draws beyond which nobody searches
MOST = 600
#: the chance of a wrong answer in Theorem 13
FAILURE = Fraction(1, 20)


def _carry_out(quick: bool, say: Say) -> Findings:
    numbers = [1, 2, 5, 10, 20, 50, 100] if quick else [1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200]
    tests = StudyRows()
    for name in PRIORS:
        say(f"best tests, prior {name}")
        tests += [_test(name, number, quick) for number in numbers]
    sizes = [1, 10] if quick else [1, 2, 3, 5, 10, 20, 30]
    needed = StudyRows()
    for name in PRIORS:
        say(f"draws needed, prior {name}")
        needed += [_needed(name, size, quick) for size in sizes]
    pictures: dict[str, Picture] = {
        "best-guess": _picture(tests, "guess", "How often the best guess is right", "probability"),
        "power": _picture(tests, "power", "Power at 5% false alarms", "probability"),
        "draws-needed": _needed_picture(needed),
    }
    return Findings({"tests": tests.columns(), "needed": needed.columns()}, pictures, _text(tests, needed))


@lru_cache
def _subject(name: str) -> Subject:
    return subject_of(BetaBernoulli("x", PRIORS[name]), SCHEMA, None)


@lru_cache
def worst(name: str, records: int) -> Contrast:
    """Return the neighbours that one draw tells apart best, of those whose others are alike or mixed."""
    found = [one for one in _subject(name).contrasts(records) if one.replaced == 1]
    return max(found, key=lambda one: one.with_draws(1, 1 << 12).total_variation.low)


def _points(quick: bool) -> int:
    return 1 << 13 if quick else 1 << 15


def _test(name: str, draws: int, quick: bool) -> Row:
    test = worst(name, RECORDS).with_draws(draws, _points(quick))
    guess, power = test.accuracy, test.power(FALSE_ALARM)
    slope = _subject(name).roughest
    facts: Row = {"prior": name, "records": RECORDS, "draws": draws}
    guesses: Row = {"guess": guess.high, "guess_at_least": guess.low}
    powers: Row = {"power": power.high, "power_at_least": power.low}
    threshold = None if math.isinf(slope) else theorem_13(slope, draws, FAILURE, 1).value
    return {**facts, **guesses, **powers, "threshold": threshold}


def _needed(name: str, records: int, quick: bool) -> Row:
    """Find the least number of draws with which the best guess is right with probability 1 - failure.

    More draws never tell less, so halving finds it; the number is that of the upper ends.
    """
    contrast, most = worst(name, records), MOST

    def guess(draws: int) -> Bounds:
        return contrast.with_draws(draws, 1 << 12 if quick else 1 << 14).accuracy

    low, high = 0, 1
    while high < most and guess(high).high < 1 - FAILURE:
        low, high = high, min(2 * high, most)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if guess(middle).high < 1 - FAILURE else (low, middle)
    slope = _subject(name).roughest
    printed = None if math.isinf(slope) else math.ceil(3 * math.log(1 / FAILURE) / (4 * slope))
    return {"prior": name, "records": records, "needed": high, "printed": printed}


def _picture(rows: StudyRows, value: str, title: str, label: str) -> Picture:
    return ErrorCurve(
        rows.where(prior=next(iter(PRIORS))).numbers("draws"),
        {name: rows.where(prior=name).numbers(value) for name in PRIORS},
        title=title,
        y_label=label,
        x_label="draws",
        note=f"{RECORDS} Bernoulli records, one of them replaced, the worst such data; likelihood ratio test",
    )


def _needed_picture(rows: StudyRows) -> Picture:
    printed = {
        f"Theorem 13, {name}": number
        for name in PRIORS
        for number in rows.where(prior=name, records=1).numbers("printed")
    }
    return ErrorCurve(
        rows.where(prior=next(iter(PRIORS))).numbers("records"),
        {name: rows.where(prior=name).numbers("needed") for name in PRIORS},
        title="Draws that the best test needs to be right 95 times in 100",
        y_label="draws",
        x_label="records",
        lines=printed,
    )


def _text(tests: StudyRows, needed: StudyRows) -> str:
    ten = {name: needed.where(prior=name, records=RECORDS)[0] for name in PRIORS}
    said = ", ".join(f"{row['needed']} ({name})" for name, row in ten.items())
    cut = "flat on [0.2, 0.8]"
    one = tests.where(prior=cut, draws=10)[0]
    return (
        f"With {RECORDS} records the best test needs so many draws to tell the worst neighbours apart 95 "
        f"times in 100: {said}. Theorem 13 says that {ten[cut]['printed']} are enough for {cut} and "
        f"{ten['flat on [0.4, 0.6]']['printed']} for flat on [0.4, 0.6]: it is a necessary condition of one "
        f"tester, read as a sufficient one. Ten draws of {cut} give the best guess {one['guess']:.3f} and a "
        f"power of {one['power']:.3f} at 5% false alarms. A prior on fewer chances "
        "hides a record from many more draws."
    )


ABOUT = "how well the best test tells neighbouring data sets apart by posterior draws"
STUDY = Study("distinguish", ABOUT, PAPER, "Section 4.3", _carry_out)
