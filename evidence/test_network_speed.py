"""Speed of the inference of networks, in CPU seconds on one machine in one run, by default settings.

Everything is under add-or-remove-one: twice as many records are declared as there are, and their number is
inferred. Compiled loops are loaded beforehand, by a small network of each kind.
"""

from __future__ import annotations

import time

import numpy as np
from network_chains import apart, r_hats_of, told
from network_trials import Truth, counted, planned, released
from record import Certificate, store

import privior as pv
from networks import chain, classes, grown, inference
from privior.posterior.diagnostics import WORST_R_HAT

RECORDS = 10_000
EPSILONS = ("0.1", "1", "10")
#: CPU seconds that are allowed
ALARM, NAIVE_BAYES = 60.0, 2.0
FEATURES = 20


def line(
    what: str, epsilon: str, posterior: pv.NetworkPosterior, took: float, bar: float | None
) -> tuple[str, ...]:
    """Say what an inference took, and how far its chains agreed."""
    r_hats = r_hats_of(posterior)
    agree = float(np.mean(r_hats <= WORST_R_HAT)) if r_hats.size else 1.0
    return (
        what,
        str(posterior.numbers.width),
        epsilon,
        f"{took:.1f}",
        "" if bar is None else f"{bar:g}",
        f"{agree:.1%}, the worst {r_hats.max(initial=1.0):.2f}",
        "yes" if posterior.warnings else "no",
    )


def test_networks_are_inferred_in_time() -> None:
    certificate, truth = Certificate.of(__file__), Truth.of("alarm")
    inference(*chain(5, 2), 1000, "1")
    inference(*classes(2), 1000, "1")
    rows, bad = [], []

    def add(what: str, epsilon: str, posterior: pv.NetworkPosterior, took: float, bar: float | None) -> None:
        rows.append(line(what, epsilon, posterior, took, bar))
        print(*rows[-1], flush=True)
        silent = told(posterior) != int((r_hats_of(posterior) > WORST_R_HAT).sum())
        if (bar is not None and took > bar) or silent or apart(posterior):
            bad.append(rows[-1])

    for epsilon in EPSILONS:
        counts = counted(truth.model, truth.schema, truth.records(RECORDS, np.random.default_rng(3000)))
        release = released(planned(truth.model, truth.schema, RECORDS, epsilon, pv.ADD_OR_REMOVE_ONE), counts)
        begun = time.process_time()
        posterior = pv.infer(release)
        add("alarm, 37 nodes", epsilon, posterior, time.process_time() - begun, ALARM)
    for epsilon in EPSILONS:
        found = inference(*classes(FEATURES), RECORDS, epsilon)
        add(f"naive Bayes, {FEATURES} features of 5 levels", epsilon, *found, NAIVE_BAYES)
    for what, model, schema, epsilon in grown():
        add(what, epsilon, *inference(model, schema, RECORDS, epsilon), None)
    store(
        "network_speed",
        certificate,
        title=f"Inference of networks: CPU seconds, {RECORDS:,} records of at most {2 * RECORDS:,}",
        claim=f"alarm within {ALARM:g} s, naive Bayes of {FEATURES} features within {NAIVE_BAYES:g} s "
        f"of one core; entries about which chains disagree (split R-hat above {WORST_R_HAT}) are counted by "
        "a warning, and tables that overlap agree in every draw; growth in nodes, cells and epsilon beside "
        "them, without a bar",
        header=(
            "network",
            "entries",
            "epsilon",
            "CPU seconds",
            "bar",
            "entries about which chains agree",
            "warned",
        ),
        rows=rows,
    )
    assert not bad, bad
