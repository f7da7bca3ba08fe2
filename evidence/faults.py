"""The catalogue of planted faults: small changes of the package that the tests must notice.

Each is a mistake that somebody has made, or could: a sensitivity halved, one order of a pair forgotten, noise
in floats, a refund after a crash. Most are guarded by tests that cost much, many draws or processes or cases,
for these are the ones that somebody who wants a quicker suite would cut. `mutants` plants them one by one.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Fault:
    """A planted fault.

    Attributes:
        name: short
        breaks: what is wrong then, in plain words
        source: the file, below the package
        old: what stands there, once
        new: what is put in its place
        tests: files, folders or single tests that must notice, the one that does first
    """

    name: str
    breaks: str
    source: str
    old: str
    new: str
    tests: tuple[str, ...]


FAULTS = (
    # ---- privacy
    Fault(
        "one-branch-delta",
        "a pair of two levels looks at one order only",
        "privacy/pairs/two_levels.py",
        "return max(measure(pair), 0.0 if pair.mirror == pair else measure(pair.mirror))",
        "return measure(pair)",
        ("tests/privacy/test_pair_contract.py", "tests/privacy/test_pair_enumeration.py"),
    ),
    Fault(
        "first-orders-composed",
        "under replace-one only the first orders of several releases are composed",
        "privacy/composition/composing.py",
        "_unknown([(both_orders(pair), times) for pair, times in _checked(parts)])",
        "_unknown(_checked(parts))",
        ("tests/privacy/test_composition.py",),
    ),
    Fault(
        "tail-of-losses-lost",
        "losses beyond the grid of a composition count as nothing instead of as infinite",
        "privacy/composition/loss_distribution.py",
        "np.concatenate([lower[::-1], [centre], higher]), float(mine[-1]))",
        "np.concatenate([lower[::-1], [centre], higher]), 0.0)",
        (
            "tests/privacy/test_composition.py::test_exact_convolution_of_a_finite_pair",
            "tests/privacy/test_composition.py::test_any_two_finite_pairs",
        ),
    ),
    Fault(
        "error-of-transform-lost",
        "what a Fourier window leaves out above is not added to delta",
        "privacy/composition/convolution.py",
        "upper = (found + error + over) * math.exp(exponent) * (1 + pad) + 1e-300",
        "upper = found * math.exp(exponent)",
        (
            "tests/privacy/test_composition.py::test_the_transform_errs_by_less_than_its_allowance",
            "tests/privacy/test_composition.py::test_the_transform_brackets_rational_convolution",
            "tests/privacy/test_composition.py::test_any_tilt_gives_bounds",
        ),
    ),
    Fault(
        "renyi-one-order-charged",
        "a Renyi filter charges one order of a pair and forgets its mirror",
        "privacy/filters.py",
        "costs = [max(cost.renyi(order), cost.mirror.renyi(order)) for order in floats]",
        "costs = [cost.renyi(order) for order in floats]",
        ("tests/privacy/test_filters.py",),
    ),
    Fault(
        "union-bound-forgotten",
        "a Renyi filter with many orders spends the whole delta at each of them",
        "privacy/filters.py",
        "ball(len(self.orders) / self.delta).log()",
        "ball(1 / self.delta).log()",
        ("tests/privacy/test_filters.py", "tests/privacy/test_accounting.py"),
    ),
    Fault(
        "aside-promised-twice",
        "what is put aside of a cap is also given to the accounting's own sum",
        "privacy/accounting.py",
        "        return self.cap - self.aside\n",
        "        return self.cap\n",
        ("tests/privacy/test_accounting.py",),
    ),
    Fault(
        "epsilon-rounded-down",
        "the epsilon for a delta is the lower end of the interval in which it lies",
        "privacy/curve.py",
        "return high if pure is None else min(high, round_up(pure))",
        "return low if pure is None else min(low, round_up(pure))",
        ("tests/privacy/test_guarantee.py", "tests/privacy/test_several_guarantees.py"),
    ),
    Fault(
        "hellinger-sensitivity-off-by-one",
        "the distance of neighbours' posteriors is taken with one record too many",
        "privacy/hellinger/enclosures.py",
        "places = [(first, second + records - 1), (first + records - 1, second)]",
        "places = [(first, second + records), (first + records, second)]",
        ("tests/privacy/test_hellinger_enclosures.py", "tests/mechanisms/test_hellinger_distances.py"),
    ),
    Fault(
        "group-as-composition",
        "a unit of m records costs the delta of m single ones, without the powers of e^epsilon",
        "privacy/pairs/group.py",
        "found = min(1.0, upper(lambda: ball(each) * powers(ball(epsilon) / self.size, self.size)))",
        "found = min(1.0, upper(lambda: ball(each) * self.size))",
        ("tests/privacy/test_several_guarantees.py", "tests/privacy/test_pair_contract.py"),
    ),
    Fault(
        "sensitivity-halved",
        "replacing a record is said to move the counts as little as adding one",
        "privacy/sensitivity.py",
        "return Sensitivity(2 * max_rows, 2 * max_rows**2, max_rows == 1, relation)",
        "return Sensitivity(max_rows, max_rows**2, max_rows == 1, relation)",
        (
            "tests/auditing/test_enumeration.py",
            "tests/privacy/test_noise_enumeration.py",
            "tests/threats/test_t21_many_rows.py",
        ),
    ),
    Fault(
        "range-of-sum-halved",
        "replacing a record is said to move a sum by its largest number, not by its range",
        "privacy/sensitivity.py",
        "[high - low if relation is REPLACE_ONE else max(abs(low), abs(high)) for low, high in ranges]",
        "[max(abs(low), abs(high)) for low, high in ranges]",
        ("tests/families/test_family_privacy.py", "tests/families/test_family_contract.py"),
    ),
    # ---- randomness
    Fault(
        "float-noise",
        "Laplace noise comes from numpy's floats",
        "randomness/discrete.py",
        "draws = _draws(dp.m.make_laplace(*space, _float(scale)), size)",
        "import numpy\n\n    drawn = numpy.random.default_rng().laplace(0, _float(scale), size)\n"
        "    draws = [int(one) for one in numpy.rint(drawn)]",
        ("tests/randomness/test_noise_source.py", "tests/randomness/test_discrete_noise.py"),
    ),
    Fault(
        "noise-clamped",
        "noise beyond 64 bits stays at the clamp and publishes the count",
        "randomness/discrete.py",
        "excess = laplace_excess(scale, bits)",
        "excess = 0",
        ("tests/randomness/test_discrete_noise.py",),
    ),
    Fault(
        "gaussian-tail-too-light",
        "Gaussian noise beyond the clamp is accepted with the wrong chance",
        "randomness/discrete.py",
        "loss = excess * excess / (2 * variance)",
        "loss = excess * excess / variance",
        ("tests/randomness/test_discrete_noise.py",),
    ),
    Fault(
        "coin-off-by-one",
        "the coin of probability exp(-gamma) compares with <= instead of <",
        "randomness/bernoulli.py",
        "while below(denominator * step) < numerator:",
        "while below(denominator * step) <= numerator:",
        ("tests/randomness/test_bernoulli.py",),
    ),
    Fault(
        "modulo-bias",
        "words beyond the last whole block are used instead of thrown away",
        "randomness/entropy.py",
        "if word - place <= last_start:",
        "if word >= 0:",
        ("tests/randomness/test_entropy.py",),
    ),
    Fault(
        "fork-shares-buffer",
        "a forked process draws the noise of its parent",
        "randomness/entropy.py",
        "if os.getpid() != self._process:",
        "if self._process < 0:",
        ("tests/randomness/test_entropy.py", "tests/threats/test_t13_processes.py"),
    ),
    Fault(
        "k-norm-geometric-missing",
        "the length of K-norm noise is the sum of one geometric too few",
        "randomness/knorm.py",
        "for _ in range(size - 1):",
        "for _ in range(size - 2):",
        ("tests/randomness/test_k_norm.py",),
    ),
    Fault(
        "k-norm-places-skewed",
        "the places of K-norm noise are shuffled unevenly",
        "randomness/knorm.py",
        "other = place + bits.below(size - place)",
        "other = bits.below(size)",
        ("tests/randomness/test_k_norm.py",),
    ),
    Fault(
        "cuts-not-uniform",
        "of Floyd's subsets some are drawn more often than others",
        "randomness/compositions.py",
        "chosen.add(last if drawn in chosen else drawn)",
        "chosen.add(min(set(range(1, last + 1)) - chosen) if drawn in chosen else drawn)",
        ("tests/randomness/test_k_norm.py",),
    ),
    Fault(
        "sticks-of-the-whole",
        "a stick of a Dirichlet draw is a part of all parameters, its own included",
        "randomness/dirichlet.py",
        "sticks.append(rounded(BetaLaw(parameter, left), places, bits))",
        "sticks.append(rounded(BetaLaw(parameter, left + parameter), places, bits))",
        ("tests/randomness/test_dirichlet.py",),
    ),
    Fault(
        "urn-without-return",
        "records of an urn are drawn from its first content only",
        "randomness/dirichlet.py",
        "place = bits.below(whole + unit * before)",
        "place = bits.below(whole)",
        ("tests/randomness/test_dirichlet.py",),
    ),
    Fault(
        "rounded-down",
        "draws of real numbers are rounded down, not to the nearest point",
        "randomness/rounding.py",
        "return (2 * place - 1) * self.unit / 2",
        "return place * self.unit",
        ("tests/randomness/test_rounding.py",),
    ),
    Fault(
        "undecided-drawn-again",
        "a draw that its bits do not decide is drawn again instead of continued",
        "randomness/rounding.py",
        "self._uniform = (self._uniform << count) | self._bits.bits(count)",
        "self._uniform = self._bits.bits(self._known + count)",
        (
            "tests/randomness/test_rounding.py::test_a_uniform_number_next_to_a_border_is_decided_by_its_later_bits",
        ),
    ),
    Fault(
        "index-drawn-again",
        "an index that its bits do not decide is drawn again instead of continued",
        "randomness/inversion.py",
        "uniform = (uniform << known) | bits.bits(known)",
        "uniform = bits.bits(2 * known)",
        ("tests/randomness/test_inversion.py",),
    ),
    Fault(
        "truncation-forgotten",
        "above its centre a truncated law has the tail of the whole one",
        "randomness/truncated.py",
        "return 1 - self.law.mass(point, self.upper) / whole",
        "return 1 - self.law.mass(point, None) / whole",
        ("tests/randomness/test_truncated_draws.py",),
    ),
    Fault(
        "boxes-weighed-alike",
        "the layers of a Hellinger table are drawn without the number of their tables",
        "randomness/hellinger.py",
        "total = total + height * (1 - decay) * box.count",
        "total = total + height * (1 - decay)",
        ("tests/randomness/test_hellinger_table.py",),
    ),
    # ---- mechanisms and models
    Fault(
        "noise-scale-halved",
        "Laplace noise on counts has half the scale that it is sold with",
        "mechanisms/laplace_counts.py",
        "discrete_laplace(self.cells, self.laplace_scale))",
        "discrete_laplace(self.cells, self.laplace_scale / 2))",
        ("tests/mechanisms/test_contract.py",),
    ),
    Fault(
        "sum-noise-halved",
        "noise on sums has half the scale that it is sold with",
        "mechanisms/noisy_statistics.py",
        "noise = [draw(1, one)[0] for one in self.scales]",
        "noise = [draw(1, one / 2)[0] for one in self.scales]",
        ("tests/mechanisms/test_noisy_sums.py",),
    ),
    Fault(
        "sum-noise-shared",
        "all noisy sums have the same noise: their difference is exact",
        "mechanisms/noisy_statistics.py",
        "noise = [draw(1, one)[0] for one in self.scales]",
        "noise = [draw(1, max(self.scales))[0]] * self.levels",
        ("tests/mechanisms/test_noisy_sums.py",),
    ),
    Fault(
        "prior-floor-wrong",
        "virtual records are priced by the largest prior parameter instead of the smallest",
        "mechanisms/virtual_records.py",
        "needed = virtual_records_epsilon(drawn, min(self.floors(self.rate)), self.rate)",
        "needed = virtual_records_epsilon(drawn, max(self.floors(self.rate)), self.rate)",
        ("tests/mechanisms/test_posterior_releases.py",),
    ),
    Fault(
        "public-minimum-trusted",
        "counts below a stated minimum are not raised: the guarantee rests on a claim",
        "mechanisms/posterior_release.py",
        "[a + self.rate * max(int(c), self.least) for a, c in",
        "[a + self.rate * int(c) for a, c in",
        ("tests/mechanisms/test_public_minimum.py",),
    ),
    Fault(
        "forecast-of-half-the-noise",
        "the variance of Laplace noise is forecast at half",
        "mechanisms/laws.py",
        "return 2 * math.exp(-rate) / math.expm1(-rate) ** 2",
        "return math.exp(-rate) / math.expm1(-rate) ** 2",
        (
            "tests/mechanisms/test_contract.py::test_the_expected_squared_error_is_that_of_the_law",
            "tests/planning/test_forecasts.py",
        ),
    ),
    Fault(
        "failures-counted-once",
        "a Beta prior counts the failures of one trial where there were several",
        "models/families/beta_chance.py",
        "failures = self.trials * records - totals",
        "failures = np.maximum(records - totals, 0)",
        ("tests/families/test_family_contract.py::test_the_update_is_bayes",),
    ),
    # ---- tables
    Fault(
        "raw-instead-of-clipped",
        "numbers above the upper bound are summed as they are",
        "tables/codes.py",
        "return ibis.cases((value.between(low, high), value), (value > high, high), (value < low, low))",
        "return ibis.cases((value >= low, value), (value < low, low))",
        ("tests/tables/test_codes.py",),
    ),
    Fault(
        "light-sum-unclamped",
        "the quick sum of whole numbers does not clamp above",
        "tables/light.py",
        "return Light(beyond - beyond.abs(), 2 * (column.upper - column.lower))",
        "return Light(beyond + beyond, 2 * (column.upper - column.lower))",
        ("tests/tables/test_light_sums.py",),
    ),
    Fault(
        "one-row-too-many",
        "one row more than allowed is kept of each person",
        "tables/persons.py",
        'return ranked.filter(ranked["rank"] < most)',
        'return ranked.filter(ranked["rank"] <= most)',
        ("tests/tables/test_persons.py",),
    ),
    Fault(
        "lots-by-order",
        "which rows of a person are kept depends on the order of the table",
        "tables/persons.py",
        'order = [drawn["lot"], *(drawn[word] for word in words), drawn["turn"]]',
        'order = [drawn["turn"]]',
        ("tests/tables/test_persons.py", "tests/threats/test_t22_order.py"),
    ),
    Fault(
        "quote-swallows-neighbours",
        "a stray quote stays open beyond the end of its line",
        "tables/splitting.py",
        "if odd.any():  # close what such a line left open at its own end",
        "if odd.size < 0:",
        ("tests/tables/test_splitting.py", "tests/tables/test_row_locality.py"),
    ),
    Fault(
        "first-record-quoted",
        "a first line that is a record is shown as if it were a header",
        "tables/headers.py",
        "if absent and not declared and not any(",
        "if absent and declared and not any(",
        ("tests/tables/test_opening.py",),
    ),
    # ---- ledger
    Fault(
        "refund-on-crash",
        "a spend that never ended is given back by the next one",
        "ledger/rules.py",
        "total = last.accounting.add(last.total, price)",
        "crashed = last.spends and last.kind is EntryKind.SPENT and page.closing(last) is None\n"
        "    pairs = zip(last.total, last.price, strict=True)\n"
        "    refund = tuple((all_ or 0) - (one or 0) for all_, one in pairs)\n"
        "    total = last.accounting.add(refund if crashed else last.total, price)",
        ("tests/threats/test_t27_crashes.py", "tests/curator/test_crashes.py"),
    ),
    Fault(
        "cap-with-a-tolerance",
        "a sum is within the cap if it exceeds it by less than a rounding",
        "privacy/accounting.py",
        "sum_ is not None and limit is not None and sum_ <= limit",
        "sum_ is not None and limit is not None and float(sum_) <= float(limit) + 1e-15",
        ("tests/threats/test_t31_floats.py", "tests/privacy/test_accounting.py"),
    ),
    Fault(
        "sums-in-floats",
        "amounts are added as floats",
        "privacy/accounting.py",
        "return tuple(None if a is None or b is None else a + b for a, b in zip(one, other, strict=True))",
        "return tuple(\n            None if a is None or b is None else Fraction(float(a) + float(b))\n"
        "            for a, b in zip(one, other, strict=True)\n        )",
        ("tests/threats/test_t31_floats.py", "tests/privacy/test_accounting.py"),
    ),
    Fault(
        "check-then-insert",
        "a spend is compared with the cap before its transaction begins",
        "ledger/ledger.py",
        "            with self._store.writing() as page:\n                if not corrections(page):\n"
        "                    entry = next_entry(page, request)\n",
        "            with self._store.reading() as page:\n                early = next_entry(page, request)\n"
        "            with self._store.writing() as page:\n                if not corrections(page):\n"
        "                    from dataclasses import replace\n\n                    last = page.last()\n"
        "                    entry = replace(early, number=last.number + 1, previous=last.hash).sealed()\n",
        ("tests/threats/test_t26_races.py", "tests/ledger/test_storm_small.py"),
    ),
    Fault(
        "chain-not-verified",
        "entries need not name the hash of the one before",
        "ledger/verifying.py",
        "if entry.number != place or entry.previous != previous:",
        "if entry.number != place:",
        ("tests/ledger/test_ledger.py::test_an_entry_that_follows_another_chain_is_noticed",),
    ),
    Fault(
        "key-of-another-analyst",
        "a used key gives its release to another analyst too",
        "ledger/request.py",
        "return (entry.plans, entry.analyst, entry.version) == (\n            self.plan.digests,\n"
        "            self.analyst,\n            self.version,\n        )",
        "return (entry.plans, entry.version) == (self.plan.digests, self.version)",
        ("tests/ledger/test_ledger_contract.py::test_a_key_is_charged_once",),
    ),
    Fault(
        "rollback-accepted",
        "an old copy of a ledger is spent from",
        "ledger/rules.py",
        "    refuse_rollback(page, ())\n    _check_facts",
        "    _check_facts",
        ("tests/threats/test_t32_rollbacks.py",),
    ),
    Fault(
        "declared-taken",
        "a ledger takes guarantees that code outside privior declares, though it was not created so",
        "ledger/rules.py",
        "if plan.declared and not last.accepts_declared:",
        "if plan.declared and not last.accepts_declared and last.number < 0:",
        ("tests/ledger/test_declared.py::test_a_ledger_takes_them_only_if_it_was_created_so",),
    ),
    Fault(
        "declared-forgotten",
        "only the next receipt says that a guarantee was declared, and not all later ones",
        "ledger/rules.py",
        "declared_spends=last.declared_spends + plan.declared,",
        "declared_spends=int(plan.declared),",
        ("tests/ledger/test_declared.py::test_its_totals_and_all_later_receipts_say_it",),
    ),
    Fault(
        "forked-in-the-middle",
        "a child that was forked while a thread had the ledger open uses what SQLite remembers of its locks",
        "ledger/file_locks.py",
        "            if file.connections:\n",
        "            if not file.inode:\n",
        ("tests/ledger/test_mounts.py::test_a_child_forked_while_a_thread_writes_is_told_so_at_once",),
    ),
    Fault(
        "remembered-while-others-write",
        "a page that others may write to meanwhile gives the newest entry that it saw first",
        "ledger/file_pages.py",
        "        if self._alone:\n            self._newest = ",
        "        if True:\n            self._newest = ",
        ("tests/ledger/test_ledger.py::test_a_page_for_reading_sees_what_others_write_meanwhile",),
    ),
    Fault(
        "ledger-copied",
        "a deep copy of a ledger has a budget of its own",
        "ledger/ledger.py",
        "    def __deepcopy__(self, memo: object) -> Ledger:\n        return self",
        "    def __deepcopy__(self, memo: object) -> Ledger:\n"
        "        cap = self.cap\n"
        "        return Ledger.in_memory(population=self.population, epsilon=cap.epsilon, delta=cap.delta)",
        ("tests/threats/test_t30_copies.py",),
    ),
    # ---- curator and release
    Fault(
        "read-before-spend",
        "rows are read and noise is drawn before the budget is charged",
        "curator/worker.py",
        '            channel.send({"prepared": True})',
        '            ready.noisy(Incident("early"))\n            channel.send({"prepared": True})',
        (
            "tests/curator/test_measure.py::test_a_failure_leaves_the_name_free",
            "tests/curator/test_own_process.py",
        ),
    ),
    Fault(
        "failure-tells-its-step",
        "the answer to a failed release says at which step it failed",
        "curator/charging.py",
        '"the release failed after its budget was spent"',
        'f"the release failed after its budget was spent, while {incident.step}"',
        ("tests/threats/test_t36_failures.py", "tests/curator/test_incidents.py"),
    ),
    Fault(
        "progress-after-the-spend",
        "whoever listens is told when the rows have been read",
        "curator/measurement.py",
        "            pairs = zip(work.members, noisy, strict=True)\n",
        '            tell(progress, "writing")\n            pairs = zip(work.members, noisy, strict=True)\n',
        ("tests/curator/test_incidents.py::test_a_listener_learns_nothing_from_the_steps",),
    ),
    Fault(
        "log-quotes-the-error",
        "the curator's log holds messages of errors, and cells with them",
        "curator/incidents.py",
        'f"{type(link).__module__}.{type(link).__qualname__}" for link in chain',
        'f"{type(link).__module__}.{type(link).__qualname__}: {link}" for link in chain',
        ("tests/curator/test_incidents.py", "tests/threats/test_t38_traces.py"),
    ),
    Fault(
        "folder-left-behind",
        "the temporary folder of a reader that was killed stays",
        "curator/own_process.py",
        "def _wipe(folder: str) -> None:\n    shutil.rmtree(folder, ignore_errors=True)",
        "def _wipe(folder: str) -> None:\n    return",
        ("tests/curator/test_own_process.py", "tests/threats/test_t38_traces.py"),
    ),
    Fault(
        "reader-listens-to-ctrl-c",
        "an interruption on the terminal reaches the process that reads rows",
        "curator/own_process.py",
        "start_new_session=True,",
        "start_new_session=False,",
        (
            "tests/curator/test_own_process.py::test_inside_the_process",
            "tests/cli/test_interrupts.py",
        ),
    ),
    Fault(
        "release-with-more-entries",
        "a release file may hold entries that nobody knows",
        "release/release.py",
        "if set(document) != names:",
        "if not set(document) >= names:",
        ("tests/release/test_release.py", "tests/threats/test_t25_diagnostics.py"),
    ),
    Fault(
        "trial-not-marked",
        "a release charged to a ledger in memory looks like a real one",
        "curator/charging.py",
        "LedgerReceipt.of(entry, durable=self.book.durable)",
        "LedgerReceipt.of(entry, durable=True)",
        ("tests/report/test_report.py::test_a_trial_says_that_it_is_one",),
    ),
    # ---- posterior and what is asked of it
    Fault(
        "noise-ignored",
        "the posterior takes noisy counts for nearly true ones",
        "posterior/counts/evidence.py",
        "observed=observed.astype(np.int64), rates=rates,",
        "observed=observed.astype(np.int64), rates=4 * rates,",
        ("tests/posterior/test_coverage_small.py", "tests/posterior/test_latent_exact.py"),
    ),
    Fault(
        "chain-capped-step",
        "a Markov chain shortens steps that are too long, and its law is another one",
        "posterior/counts/chain.py",
        "                if step > counts[i]:\n                    continue\n",
        "                step = min(step, counts[i])\n",
        ("tests/posterior/test_latent_chain.py",),
    ),
    Fault(
        "chain-without-normaliser",
        "a Markov chain with a private total forgets how its prior depends on the total",
        "posterior/counts/chain.py",
        "gain = new - heights[i] + change",
        "gain = new - heights[i]",
        ("tests/posterior/test_latent_chain.py",),
    ),
    Fault(
        "wrong-prior",
        "the Markov chain has one record more in each cell of the prior",
        "posterior/counts/chain.py",
        "a = cell[PRIOR]",
        "a = cell[PRIOR] + 1",
        ("tests/posterior/test_latent_chain.py",),
    ),
    Fault(
        "learned-noise-halved",
        "what is learned of the prior takes the noise for half as wide",
        "posterior/counts/learned_laws.py",
        "logs -= release.rates[cell] * away + release.curvatures[cell] * away**2 / 2",
        "logs -= 2 * (release.rates[cell] * away + release.curvatures[cell] * away**2 / 2)",
        ("tests/posterior/test_learned_prior.py",),
    ),
    Fault(
        "comparison-off-by-one",
        "<= means < in questions about ordered columns",
        "queries/comparisons.py",
        'first = math.ceil(at) if operator in ("<", ">=") else math.floor(at) + 1',
        "first = math.ceil(at)",
        ("tests/queries/test_question_binding.py", "tests/queries/test_answers.py"),
    ),
    Fault(
        "formula-in-export",
        "text that a spreadsheet takes for a formula is exported as it is",
        "queries/records.py",
        'written = "\'" + written',
        "written = written.strip()",
        ("tests/threats/test_t40_formulas.py", "tests/queries/test_answers.py"),
    ),
    Fault(
        "worst-response-chosen",
        "of several responses the worst is chosen",
        "decisions/choice.py",
        "enough = max(averages) - _ROUNDING",
        "enough = min(averages) - _ROUNDING",
        ("tests/decisions/test_decision.py", "tests/decisions/test_utilities.py"),
    ),
    Fault(
        "worst-mechanism-planned",
        "a plan takes the mechanism with the largest forecast error",
        "planning/comparison.py",
        "return min(fitting, key=lambda one: one.error)",
        "return max(fitting, key=lambda one: one.error)",
        ("tests/planning/test_plan.py",),
    ),
    # ---- theory, papers, pages, commands
    Fault(
        "one-end-of-the-support",
        "the smoothness of a family is looked at one end of its parameters only",
        "smoothness/one_parameter.py",
        "        found = 0.0\n        for end in self.ends:",
        "        found = 0.0\n        for end in self.ends[:1]:",
        ("tests/smoothness/test_analyse.py::test_slopes_are_the_largest_over_all_pairs_of_records",),
    ),
    Fault(
        "divergence-from-the-wrong-side",
        "the divergence of two posteriors has the digamma function of the other one",
        "theory/draw_divergence.py",
        "- (high - low) * psi(x + low))",
        "- (high - low) * psi(x + high))",
        ("tests/theory/test_exact_errors.py", "tests/theory"),
    ),
    Fault(
        "study-stops-early",
        "a study counts too few draws until neighbours can be told apart",
        "papers/studies/distinguish.py",
        "low, high = (middle, high) if guess(middle).high < 1 - FAILURE else (low, middle)",
        "low, high = (low, middle)",
        ("tests/studies/test_studies.py::test_fewer_draws_than_needed_are_too_few",),
    ),
    Fault(
        "quotes-not-escaped",
        "a name with a quote ends an attribute of a page",
        "pictures/markup.py",
        'return html.escape(clean(text, keep="\\n\\t"), quote=True)',
        'return html.escape(clean(text, keep="\\n\\t"), quote=False)',
        ("tests/pictures/test_markup.py", "tests/threats/test_t40_pages.py"),
    ),
    Fault(
        "trial-not-said-on-page",
        "the page of a trial does not say that it is one",
        "report.py",
        "        if release.receipt.durable\n",
        "        if release.receipt\n",
        ("tests/report/test_report.py",),
    ),
    Fault(
        "exit-code-of-the-parent",
        "an exceeded budget ends a command like any trouble with a ledger",
        "cli/exit_codes.py",
        "    (BudgetExceededError, ExitCode.BUDGET),\n",
        "",
        ("tests/cli/test_bad_input.py", "tests/cli/test_ledger_commands.py"),
    ),
    Fault(
        "grid-not-checked",
        "a grid that does not divide its range is accepted",
        "schema/columns.py",
        "if step <= 0 or (high - low) % step:",
        "if step <= 0:",
        ("tests/schema/test_schema.py",),
    ),
)
