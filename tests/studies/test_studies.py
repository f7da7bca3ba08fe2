"""Every study runs through the program, and its tables hold what other formulas give."""

from __future__ import annotations

import json
import math
import sys
from itertools import combinations, pairwise, product
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from numpy.typing import ArrayLike, NDArray
from program import Ended, run
from scipy import optimize, stats
from scipy.special import eval_legendre, gammaln, polygamma

import privior as pv
from child_program import EVERYWHERE
from forking import COMMAND_LINE
from privior.models import ExactStatistics, Observed
from privior.papers.studies import STUDIES, Findings, distinguish, draws_or_noise, hellinger_accuracy
from privior.papers.studies.simplex import projected, table

FILES = {
    "dirichlet-renyi": {"renyi.parquet", "delta.parquet"},
    "histogram-error": {"losses.parquet"},
    "multinomial-dirichlet": {"divergences.parquet"},
    "hellinger-accuracy": {"distances.parquet"},
    "lipschitz-mass": {"mass.parquet", "constants.parquet", "loss.parquet"},
    "distinguish": {"tests.parquet", "needed.parquet"},
    "draws-or-noise": {"errors.parquet"},
    "naive-bayes": {"accuracy.parquet"},
    "linear-regression": {"regression.parquet"},
    "gibbs-logistic": {
        "losses.parquet",
        "temperatures.parquet",
        "effects.parquet",
        "table-1.parquet",
        "accuracy.parquet",
        "calibrated.parquet",
    },
    "fourier": {"graphs.parquet", "bounds.parquet", "shifts.parquet"},
    "riverswim": {"rewards.parquet"},
}
Floats = NDArray[np.float64]
Made = dict[str, tuple[Path, Ended]]
#: three pictures of each study are drawn, and agents of one epsilon, not two, are calibrated: that takes long
_LESS = f"""{EVERYWHERE}
from dataclasses import replace
from privior.papers.studies import Study, river_swim
river_swim.EPSILONS = river_swim.EPSILONS[:3]
whole = Study.run
def run(self, quick=False, say=lambda step: None):
    found = whole(self, quick, say)
    return replace(found, pictures=dict(list(found.pictures.items())[:3]))
Study.run = run
{COMMAND_LINE}
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    """Every study, quick, by the command line, once for all tests here."""
    found = {}
    for name in STUDIES:
        folder = tmp_path_factory.mktemp("study")
        arguments = ["study", name, "--quick", "-o", "out"]
        found[name] = folder / "out", run(arguments, folder, program=[sys.executable, "-c", _LESS])
    return found


def rows(made: Made, name: str, table: str) -> list[dict[str, float]]:
    found: list[dict[str, float]] = pq.read_table(made[name][0] / f"{table}.parquet").to_pylist()
    assert len(found) > 10
    return found


def test_every_study_is_tested_here() -> None:
    assert set(FILES) == set(STUDIES)


@pytest.mark.parametrize("name", STUDIES)
def test_a_study_writes_tables_pictures_and_a_paragraph(name: str, made: Made) -> None:
    folder, ended = made[name]
    assert ended.code == 0, ended.errors
    written = {file.name for file in folder.iterdir()}
    assert FILES[name] == {file for file in written if file.endswith(".parquet")}
    pictures = [file for file in folder.iterdir() if file.suffix == ".png"]
    assert len(pictures) == 3
    assert all(file.read_bytes().startswith(b"\x89PNG") and file.stat().st_size > 10_000 for file in pictures)
    text = (folder / "findings.txt").read_text()
    assert "quick run" in text
    assert text.strip().splitlines()[-1] in " ".join(ended.output.split())  # there lines are folded
    assert STUDIES[name].figure in text
    assert "..." in ended.errors  # progress, on the error stream


def test_naive_bayes_is_charged_for_all_nodes(made: Made) -> None:
    """The published sampler wins by what it is not charged for; at its cost noise is ahead."""
    found: dict[Any, Any] = {
        (row["way"], row["epsilon"]): row for row in rows(made, "naive-bayes", "accuracy")
    }
    eta = 34 * math.log(math.e - 1)
    assert found["sampler_paper_1", 2]["true_epsilon"] == pytest.approx(eta)
    assert found["sampler_paper_100", 2]["true_epsilon"] == pytest.approx(100 * eta)
    assert ("sampler_paper_1", 1) not in found
    assert found["fourier_stealth90", 5]["runs"] == 9
    accuracy = {key: row["accuracy"] for key, row in found.items()}
    assert accuracy["sampler_paper_1", 2] > accuracy["laplace", 2] > accuracy["sampler_sound_1", 2]
    plain = accuracy["nonpriv", None]
    for way in ("laplace", "fourier_sound", "fourier_stealth90"):
        assert accuracy[way, 0.5] < accuracy[way, 200] == pytest.approx(plain, abs=0.02)


def test_draws_of_regressions_cost_what_the_ball_says(made: Made) -> None:
    """Errors grow with the prior's precision, the true cost falls with the ball; only the printed has n."""
    found: dict[Any, Any] = {
        (row["table"], row["way"], row["precision"]): row
        for row in rows(made, "linear-regression", "regression")
    }
    for (rows_of, way, b), row in found.items():
        radius = 10 / math.sqrt(b)
        eta = (1 + radius) ** 2 if radius >= 1 else 4 * radius
        if way == "one draw":
            assert row["true_epsilon"] == pytest.approx(eta)
            assert row["published_epsilon"] > (2206 if rows_of == "incomes" else 37_000)
        if way == "average of 100 draws":
            assert row["true_epsilon"] == pytest.approx(100 * eta)
    for rows_of, none in (("incomes", 0.0594), ("made up", 0.0189)):
        means = [found[rows_of, "posterior mean", b]["error"] for b in (0.01, 1.0, 100.0, 1000.0)]
        assert means == sorted(means)
        assert means[0] == pytest.approx(none, abs=1e-3)
    weak = found["incomes", "one draw at a true epsilon of 1", 0.1]
    assert weak["error"] > 10 * found["incomes", "one draw", 0.1]["error"]


def test_gibbs_temperatures_are_those_of_the_curve(made: Made) -> None:
    """mu = 2 beta at precision 1: by the Normal law; exact ones are larger, and an intercept costs sqrt 2."""
    folder = made["gibbs-logistic"][0]
    found = pq.read_table(folder / "temperatures.parquet").to_pylist()
    for row in found:
        mu, e = 2 * row["exact"], row["epsilon"]
        high, low = mu / 2 - e / mu, -mu / 2 - e / mu
        chance = stats.norm.cdf(high) - math.exp(e) * stats.norm.cdf(low)
        assert chance == pytest.approx(1e-6, rel=1e-3)
        assert row["published"] < row["exact"]
        assert row["with_intercept"] == pytest.approx(row["exact"] / math.sqrt(2), rel=1e-4)
    losses = pq.read_table(folder / "losses.parquet").to_pylist()
    assert all(row["losses"] == pytest.approx(row["size"], abs=1e-9) for row in losses)
    assert max(row["slopes"] for row in losses) <= 1 + 1e-9
    accuracy = pq.read_table(folder / "accuracy.parquet").to_pylist()
    by_way = {(row["way"], row["epsilon"]): row["log_loss"] for row in accuracy}
    assert by_way["not private", 2.0] < by_way["exact", 2.0] < by_way["exact", 0.1]
    calibrated = pq.read_table(folder / "calibrated.parquet").to_pylist()
    ways = {"Gibbs draws", "the posterior itself", "objective perturbation", "moments"}
    assert {row["way"] for row in calibrated} == ways
    for row in calibrated:
        assert 0 <= row["low"] < row["high"] <= 1
        assert row["low"] <= row["observed"] <= row["high"]
        assert row["records"] >= 50
    true = [row for row in calibrated if row["way"] == "the posterior itself"]
    assert all(abs(row["predicted"] - row["observed"]) < 0.08 for row in true)


def test_fourier_noise_grows_with_the_graph(made: Made) -> None:
    """Remark 1 has it the other way; the counts of coefficients by listing all subsets."""
    found = rows(made, "fourier", "bounds")
    assert all(row["printed"] > row["error"] for row in found)
    table = pq.read_table(made["fourier"][0] / "graphs.parquet").to_pylist()
    for row in table:
        families = [range(max(0, one - row["parents"]), one + 1) for one in range(8)]
        subsets = {
            frozenset(s) for f in families for size in range(len(f) + 1) for s in combinations(f, size)
        }
        assert row["coefficients"] == len(subsets)
    ratios = [row["cell_ratio"] for row in table]
    assert ratios == sorted(ratios)
    assert [row["verdict"] for row in table[:4]] == ["false"] * 4


def test_noise_beats_draws_as_the_plan_says(made: Made) -> None:
    """One case of the table against a plan, and the order that the paragraph tells."""
    found = {
        (str(row["family"]), row["epsilon"], row["records"], str(row["way"])): row["error"]
        for row in rows(made, "draws-or-noise", "errors")
    }
    model = draws_or_noise.FAMILIES["rate of waiting"][0]
    plan = pv.plan(
        model, draws_or_noise.SCHEMA, records=300, epsilon=1, delta="1e-6", mechanism=pv.PosteriorDraws
    )
    assert found["rate of waiting", 1, 300, "one draw"] == pytest.approx(plan.forecast.error)
    for (family, epsilon, records, way), error in found.items():
        alone = found[family, epsilon, records, "records alone"]
        noise = found[family, epsilon, records, "Laplace noise"]
        assert alone <= noise, (family, epsilon, records)
        if way == "one pure draw, cut prior" and error is not None:
            assert noise < error, (family, epsilon, records)


def test_the_divergences_are_those_of_closed_forms(made: Made) -> None:
    for row in rows(made, "dirichlet-renyi", "renyi"):
        a = row["prior"]
        replaced = str(row["neighbours"]) == "replace-one"
        assert row["printed"] == pytest.approx((2 if replaced else 1) * float(polygamma(1, a - 1)), rel=1e-12)
        exact = math.log((a + 1) / (a - 1)) if replaced else math.log(a / (a - 1))
        assert row["exact"] == pytest.approx(exact, rel=1e-12)
        if not replaced:
            assert row["exact_with_10"] == pytest.approx(math.log((a + 10) / (a + 9)), rel=1e-12)


def test_the_deltas_are_those_of_beta_laws(made: Made) -> None:
    for row in rows(made, "dirichlet-renyi", "delta"):
        a, e = row["prior"], row["epsilon"]
        edge = 1 / (1 + math.exp(-e))  # Beta(a+1, a) has e^e times the density of Beta(a, a+1) here
        exact = stats.beta.sf(edge, a + 1, a) - math.exp(e) * stats.beta.sf(edge, a, a + 1)
        assert row["exact"] == pytest.approx(float(exact), rel=1e-6, abs=1e-14)
        assert row["exact"] < row["printed"]


def test_the_losses_are_those_of_vectors(made: Made) -> None:
    for row in rows(made, "histogram-error", "losses"):
        k, n, d = int(row["levels"]), int(row["records"]), row["divergence"]
        assert row["gaussian"] == pytest.approx(math.sqrt(2 * k / d) / n, rel=1e-12)
        assert row["gaussian_projected"] <= row["gaussian"] + 4 * row["standard_error"]
        if str(row["data"]) == "typical":
            continue
        counts = np.zeros(k)
        if str(row["data"]) == "even":
            counts += n // k
            counts[: n % k] += 1
        else:
            counts[0] = n
        u = counts + 1 / math.tanh(d / 2)  # the exact prior
        mean = u / u.sum()
        loss = (mean * (1 - mean)).sum() / (u.sum() + 1) + ((mean - counts / n) ** 2).sum()
        assert row["dirichlet_exact"] == pytest.approx(math.sqrt(loss), rel=1e-6)


def test_k_norm_noise_has_the_divergence_that_is_promised(made: Made) -> None:
    def divergence(epsilon: float) -> float:
        x = math.exp(-epsilon)
        at = (1 + x) / (1 - x)
        chance = float(eval_legendre(8, at) / (eval_legendre(9, at) * (1 - x)))  # of the largest loss
        return math.log1p(chance * (math.exp(epsilon) - 1) + x * chance * (math.exp(-epsilon) - 1))

    found = [row for row in rows(made, "histogram-error", "losses") if row["levels"] == 10]
    for row in found:
        epsilon = optimize.brentq(lambda e, row=row: divergence(e) - row["divergence"], 0.01, 5, xtol=1e-12)
        noise = pv.KNorm(10, float(epsilon)).expected_squared_error
        assert row["k_norm"] == pytest.approx(math.sqrt(noise) / row["records"], rel=1e-6)


def test_typical_losses_are_those_of_simulated_draws(made: Made) -> None:
    """With few records, where the data matter most; 4,000 draws, five standard errors."""
    generator = np.random.default_rng(5)
    found = [
        row
        for row in rows(made, "histogram-error", "losses")
        if str(row["data"]) == "typical" and row["levels"] == 10 and row["records"] <= 1000
    ]
    assert len(found) == 9
    for row in found:
        chances = generator.dirichlet(np.ones(10), size=4000)
        counts = generator.multinomial(int(row["records"]), chances)
        gammas = generator.gamma(counts + 1 / math.tanh(row["divergence"] / 2))
        drawn = gammas / gammas.sum(axis=1, keepdims=True)
        squared = ((drawn - counts / row["records"]) ** 2).sum(axis=1)
        error = float(squared.std()) / math.sqrt(4000)
        assert abs(squared.mean() - row["dirichlet_exact"] ** 2) < 5 * error


def test_expected_divergences_are_those_of_simulated_counts(made: Made) -> None:
    for row in rows(made, "multinomial-dirichlet", "divergences"):
        assert abs(row["simulated"] - row["expected"]) < 5 * row["standard_error"]
        if row["evenness"] > 1:
            assert row["expected"] < row["bound"]
        else:
            assert row["bound"] is None


def apart(one: ArrayLike, other: ArrayLike) -> float:
    """The Hellinger distance of two Dirichlet laws, by the printed formula."""

    def log_beta(a: Floats) -> float:
        return float(gammaln(a).sum() - gammaln(a.sum()))

    a, b = np.asarray(one, dtype=np.float64), np.asarray(other, dtype=np.float64)
    overlap = log_beta((a + b) / 2) - (log_beta(a) + log_beta(b)) / 2
    return math.sqrt(max(0.0, -math.expm1(overlap)))


@pytest.mark.parametrize("name", ["LSDim", "LSHist", "EHD", "EHD, calibrated", "EHDS", "EHDL"])
def test_expected_distances_are_sums_over_what_the_mechanism_says_it_releases(made: Made, name: str) -> None:
    found = [
        row
        for row in rows(made, "hellinger-accuracy", "distances")
        if str(row["mechanism"]) == name and row["records"] == 10
    ]
    assert len(found) == 12
    for row in found:
        k, n, a = int(row["levels"]), int(row["records"]), row["prior"]
        mechanism = hellinger_accuracy.MECHANISMS[name](k, str(row["epsilon"]), n, str(a))
        counts = ExactStatistics(table(k, n, str(row["data"])))
        mean = whole = 0.0
        for output in product(range(n + 1), repeat=k):
            chance = math.exp(mechanism.log_likelihood(Observed.of(output), counts))
            whole += chance
            if chance > 0:
                mean += chance * apart(np.array(output) + a, counts.counts + a)
        assert whole == pytest.approx(1, abs=1e-9)
        assert row["expected"] == pytest.approx(mean, rel=1e-6)
        cost = float(mechanism.guarantee.cost.epsilon)
        assert row["charged"] == pytest.approx(cost, rel=1e-12)
        assert (cost > row["epsilon"] * 1.1) is (name == "EHDL")


def test_expected_distances_of_k_norm_noise_are_those_of_draws(made: Made) -> None:
    """The mechanism's own draws, 1,500 a case; six standard errors, a false alarm in 10^8 runs."""
    found = [
        row
        for row in rows(made, "hellinger-accuracy", "distances")
        if str(row["mechanism"]) == "K-norm" and row["levels"] == 3 and row["records"] in (5, 40)
    ]
    assert len(found) == 12
    for row in found:
        n, a = int(row["records"]), row["prior"]
        counts = table(3, n, str(row["data"]))
        mechanism = pv.KNorm(3, str(row["epsilon"]))
        drawn = [mechanism.release(ExactStatistics(counts)).array() for _ in range(1500)]
        near = n * projected(np.array(drawn) / n)
        seen = np.array([apart(one + a, counts + a) for one in near])
        assert abs(seen.mean() - row["expected"]) < 6 * seen.std() / math.sqrt(len(seen)) + 1e-9


def test_for_two_levels_lshist_is_k_norm_noise(made: Made) -> None:
    found = {
        name: [
            row["expected"]
            for row in rows(made, "hellinger-accuracy", "distances")
            if str(row["mechanism"]) == name and row["levels"] == 2
        ]
        for name in ("LSHist", "K-norm")
    }
    assert found["LSHist"] == pytest.approx(found["K-norm"], rel=1e-6)


def test_a_study_finds_the_same_twice(made: Made) -> None:
    """In two processes."""
    again = STUDIES["multinomial-dirichlet"].run(quick=True).tables["divergences"]
    first = pq.read_table(made["multinomial-dirichlet"][0] / "divergences.parquet").to_pydict()
    assert first == {name: list(column) for name, column in again.items()}


def test_projecting_finds_the_nearest_probability_vector() -> None:
    """The nearest point is where every feasible direction leads away: checked against many others."""
    generator = np.random.default_rng(6)
    rows = generator.normal(size=(50, 4))
    near = projected(rows)
    assert near.min() >= 0
    assert np.allclose(near.sum(axis=1), 1)
    for other in generator.dirichlet(np.ones(4), size=200):
        assert (((rows - near) ** 2).sum(axis=1) <= ((rows - other) ** 2).sum(axis=1) + 1e-12).all()


def test_findings_hold_together() -> None:
    with pytest.raises(ValueError, match="length"):
        Findings({"t": {"a": [1], "b": [1, 2]}}, {}, "")


def test_without_a_name_all_studies_are_listed(tmp_path: Path) -> None:
    ended = run(["study"], tmp_path)
    assert ended.code == 0
    assert all(name in ended.output for name in STUDIES)
    listed = json.loads(run(["study", "--json"], tmp_path).output)
    assert [entry["name"] for entry in listed] == list(STUDIES)


def test_an_unknown_study_is_refused(tmp_path: Path) -> None:
    ended = run(["study", "figure-9"], tmp_path)
    assert ended.code == 3
    assert "dirichlet-renyi" in ended.errors
    assert list(tmp_path.iterdir()) == []


def test_files_in_the_folder_are_kept(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("five years")
    ended = run(["study", "lipschitz-mass", "--quick", "-o", "mine"], tmp_path)
    assert ended.code == 6
    assert "--force" in ended.errors
    assert [file.name for file in (tmp_path / "mine").iterdir()] == ["thesis.txt"]
    ended = run(["study", "lipschitz-mass", "--quick", "-o", "mine", "--force", "--json"], tmp_path)
    assert ended.code == 0
    assert (tmp_path / "mine" / "thesis.txt").read_text() == "five years"
    document = json.loads(ended.output)
    assert all((tmp_path / file).exists() for file in document["files"])


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    ended = run(["study", "dirichlet-renyi", "--quick", "-o", "file/inside"], tmp_path)
    assert ended.code == 6
    assert "cannot be used" in ended.errors


def test_masses_are_those_of_finite_families_and_never_below_what_is_promised(made: Made) -> None:
    for row in rows(made, "lipschitz-mass", "mass"):
        count = round(1 / row["step"])
        chances = np.arange(1, count) / count
        slopes = np.abs(np.log(chances / (1 - chances)))
        weights = np.ones(count - 1) if str(row["prior"]) == "uniform" else np.exp(-slopes)
        inside = weights[slopes <= row["level"] * (1 + 1e-9)].sum() / weights.sum()
        assert row["mass"] == pytest.approx(float(inside), abs=1e-9)
        assert row["promised"] <= row["mass"] + 1e-9
    constants = pq.read_table(made["lipschitz-mass"][0] / "constants.parquet").to_pylist()
    assert [row["L"] for row in constants[:2]] == pytest.approx([math.log(4), math.log(19)])
    assert constants[0]["c"] == pytest.approx(math.log(2) / (math.log(4) - math.log(1.5)))  # two steps
    assert constants[2]["c"] > constants[0]["c"]
    assert constants[3]["c"] > constants[1]["c"]
    for row in constants:
        assert row["mean"] <= row["best_scale"] <= row["L"] + 1e-9


def test_losses_of_finite_families_are_those_of_all_data(made: Made) -> None:
    found = rows(made, "lipschitz-mass", "loss")
    oracle = [row for row in found if str(row["prior"]) == "uniform" and row["step"] == 0.2]
    assert [row["exact"] for row in oracle if row["records"] in (1, 10)] == pytest.approx(
        [1.38629436, 2.68329489]
    )
    for row in [row for row in found if row["records"] <= 10]:
        count, n = round(1 / row["step"]), int(row["records"])
        chances = np.arange(1, count) / count
        slopes = np.abs(np.log(chances / (1 - chances)))
        prior = np.ones(count - 1) if str(row["prior"]) == "uniform" else np.exp(-slopes)
        laws = [prior * chances**s * (1 - chances) ** (n - s) for s in range(n + 1)]
        logs = [np.log(law / law.sum()) for law in laws]
        loss = max(float(np.abs(one - two).max()) for one, two in pairwise(logs))
        assert row["exact"] == pytest.approx(loss, rel=1e-9)
        assert loss <= row["bound"] <= row["printed"]


def test_the_best_tests_are_those_of_simulated_draws(made: Made) -> None:
    """Draws of both posteriors, tested by their summed log odds: 40,000 repetitions, five standard errors."""
    rng, repeats = np.random.default_rng(8), 40_000

    def sums(first: float, second: float, draws: int, low: float, high: float) -> Floats:
        if (low, high) == (0, 1):
            drawn = rng.beta(first, second, (repeats, draws))
        else:
            ends = stats.beta.cdf([low, high], first, second)
            shares = ends[0] + (ends[1] - ends[0]) * rng.uniform(size=(repeats, draws))
            drawn = stats.beta.ppf(shares, first, second)
        drawn = np.clip(drawn, 1e-12, 1 - 1e-12)
        return np.asarray(np.log(drawn / (1 - drawn)).sum(axis=1))

    places = {"flat": (1, 0, 1), "Beta(5, 5)": (5, 0, 1), "flat on [0.2, 0.8]": (1, 0.2, 0.8)}
    found = [row for row in rows(made, "distinguish", "tests") if row["draws"] in (1, 5)]
    for row in [row for row in found if str(row["prior"]) in places]:
        a, low, high = places[str(row["prior"])]
        best = 0.0
        for ones in (0, 1, 3, 4, 5, 7, 8, 9):  # of the nine other records
            one, two = (sums(a + ones + x, a + 10 - ones - x, int(row["draws"]), low, high) for x in (1, 0))
            edges = np.quantile(np.concatenate([one, two]), np.linspace(0.01, 0.99, 197))
            below = [np.searchsorted(np.sort(drawn), edges, side="right") for drawn in (one, two)]
            best = max(best, (1 + (below[1] - below[0]).max() / repeats) / 2)
        assert abs(best - row["guess"]) < 5 * math.sqrt(0.5 / repeats)
        assert row["guess_at_least"] <= row["guess"] < row["guess_at_least"] + 0.01
        assert row["power_at_least"] <= row["power"]
    needed = {(str(row["prior"]), row["records"]): row["needed"] for row in _needed_rows(made)}
    assert needed["flat", 10] < needed["Beta(5, 5)", 10] < needed["flat on [0.4, 0.6]", 10]


@pytest.mark.parametrize("prior", ["flat", "Beta(5, 5)"])
def test_fewer_draws_than_needed_are_too_few(prior: str) -> None:
    needed = int(distinguish._needed(prior, 10, quick=True)["needed"] or 0)
    contrast = distinguish.worst(prior, 10)
    before, then = (contrast.with_draws(draws, 1 << 12).accuracy.high for draws in (needed - 1, needed))
    assert before < 1 - distinguish.FAILURE <= then


def _needed_rows(made: Made) -> list[dict[str, float]]:
    found: list[dict[str, float]] = pq.read_table(made["distinguish"][0] / "needed.parquet").to_pylist()
    return found
