"""The report: one self-contained page that tells anybody what a release says, promises and does not say."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from privior.errors import ReleaseError, shown
from privior.pictures import Markup, markup
from privior.pictures.markup import element
from privior.posterior import Posterior, infer
from privior.posterior.findings import markup_of
from privior.privacy import REPLACE_ONE
from privior.release import Release
from privior.vocabulary import explained
from privior.whole_files import write_whole


def write_report(release: Release, path: str | Path, posterior: Posterior | None = None) -> None:
    """Write the page, whole or not at all; `posterior` is what follows from it, if that is known already."""
    _write(path, page_of(release, posterior))


def _write(path: str | Path, page: str) -> None:
    try:
        write_whole(path, page)
    except (OSError, ValueError):
        raise ReleaseError("the report cannot be written there", where=shown(str(path))) from None


def page_of(release: Release, posterior: Posterior | None = None) -> str:
    """Return the page of a release as HTML: no script, nothing to load.

    Args:
        release: what to report
        posterior: what follows from it, if that is known already
    """
    found: Posterior = infer(release) if posterior is None else posterior
    plan = release.plan
    return markup.page(
        f"{plan.model.subject}, {plan.schema.population}{_group(release)}",
        *_summary(release, found),
        _section("What follows from the release", *markup_of(found.findings())),
        _section("What is promised", *_promise(release)),
        *([] if release.imported else [_section("What the promise costs", *_cost(release))]),
        _section("What may not be concluded", _items(_limits(release, found))),
        _section("How to cite", element("p", _citation(release), class_="quote")),
        _section("How to verify", *_verification(release)),
        element(
            "footer",
            f"Made from the release alone, which privior {release.library} wrote: whoever has it can make "
            "this page again. It runs no script and loads nothing.",
        ),
    )


def write_report_of_all(
    releases: Sequence[Release], cost: str, path: str | Path, say: Callable[[str], None]
) -> None:
    """Write one page about releases that were charged together, whole or not at all.

    Args:
        releases: of one table, or of groups of it
        cost: what they cost together
        path: where
        say: is told what is being inferred
    """
    plan = releases[0].plan
    lead = (
        f"{len(releases)} releases about {plan.schema.population} ({plan.records_in_words}), charged "
        f"together: {cost}, protecting one {plan.schema.unit.noun}."
    )
    found: list[tuple[Release, Posterior]] = []
    for number, release in enumerate(releases, start=1):
        say(f"inferring release {number} of {len(releases)}")
        found.append((release, infer(release)))
    limits = list(dict.fromkeys(limit for one in found for limit in _limits(*one)))
    _write(
        path,
        markup.page(
            f"{plan.schema.population}: {len(releases)} releases",
            element("p", lead, class_="lead"),
            *(_part(*one) for one in found),
            _section("What may not be concluded", _items(limits)),
            element("footer", "Made from the releases alone. It runs no script and loads nothing."),
        ),
    )


def _part(release: Release, found: Posterior) -> Markup:
    """Tell one of several releases: whose it is, what follows from it, what it promises."""
    plan = release.plan
    return _section(
        " x ".join(plan.model.columns) + _group(release),
        *(element("p", text, class_="warning") for text in (*found.warnings, *plan.warnings)),
        *markup_of(found.findings()),
        element("p", plan.guarantee.claim(), class_="claim"),
        markup.facts(
            [
                ("guarantee", str(plan.guarantee)),
                ("release", release.identifier),
                ("SHA-256 of its file", release.sha256),
            ]
        ),
    )


def _group(release: Release) -> str:
    """Say whose records alone were counted, if only those of a group were."""
    return "" if release.plan.group is None else f", {release.plan.group}"


def _section(title: str, *children: Markup) -> Markup:
    return element("section", element("h2", title), *children)


def _items(texts: Iterable[str]) -> Markup:
    return element("ul", *(element("li", text) for text in texts))


def _summary(release: Release, posterior: Posterior) -> list[Markup]:
    plan = release.plan
    noun = plan.schema.unit.noun
    only = "" if plan.group is None else f"that have {plan.group} "
    lead = (
        f"Learned from the records of {plan.schema.population} {only}({plan.records_in_words}), and "
        f"published under differential privacy, protecting one {noun}: {plan.cost}, {plan.neighbours}."
    )
    return [
        element("p", lead, class_="lead"),
        *(
            element("p", text, class_="warning")
            for text in (*_unpaid(release), *posterior.caveats, *plan.warnings)
        ),
    ]


def _unpaid(release: Release) -> list[str]:
    """Say that nobody's budget was charged before, where that is so."""
    if release.paid is None:
        return [f"Noisy numbers made by others: {release.plan.mechanism.declaration}."]
    if release.paid.durable:
        return []
    return ["A trial: the ledger lived in memory only, and nobody's budget was charged. Do not publish."]


def _promise(release: Release) -> list[Markup]:
    plan = release.plan
    facts = [(name, value) for name, value in release.facts() if name != "that is"]
    words = explained(value for _, value in facts)
    meanings = [element("h3", "The words"), markup.facts(words)] if words else []
    return [element("p", plan.guarantee.claim(), class_="claim"), markup.facts(facts), *meanings]


def _cost(release: Release) -> list[Markup]:
    bar = release.picture()
    return [release.plan.picture().html(), *([] if bar is None else [bar.html()])]


def _limits(release: Release, posterior: Posterior) -> list[str]:
    plan = release.plan
    noun = plan.schema.unit.noun
    faster = "" if plan.cost.delta == 0 else ", and delta grows faster than that"
    number = f" and the number of {noun}s" if plan.neighbours is REPLACE_ONE else ""
    return [
        f"Nothing about whether or how any one {noun} was counted: probabilities describe the population.",
        f"Not that nothing is learned about anyone: what holds for all holds for each {noun} too, counted or "
        "not. The promise is that one record changes little.",
        f"Not the same promise for groups: for two {noun}s together epsilon counts twice, for ten tenfold"
        f"{faster}.",
        *(_uncertain() if posterior.uncertain else _estimated()),
        *_meant(posterior),
        *posterior.assumptions,
        f"What the release states openly is not hidden: columns, levels, ranges, the prior{number}.",
        *_bad_cells(release),
        *_moved(plan.moved_in_words),
        f"Other releases about the same {noun}s add up with this one; the ledger counts those charged to it, "
        "and no others.",
    ]


def _uncertain() -> list[str]:
    """Say what intervals are for."""
    return [
        "No difference that is smaller than the intervals show.",
        "Not that the numbers in the file are the true counts: noisy counts may be negative or too large, "
        "draws and drawn records are random. The intervals account for that.",
    ]


def _estimated() -> list[str]:
    """Say that there are no intervals, and what that leaves open."""
    return [
        "Not how far noise and chance have moved the numbers: they are random estimates, and there are no "
        "intervals. A difference between two of them may be noise alone."
    ]


def _bad_cells(release: Release) -> list[str]:
    """Say where bad cells went, as far as that is known."""
    if release.imported:
        return ["Nothing about missing or unreadable cells: what others did with them is not known here."]
    where = release.plan.bad_cells_in_words
    return [f"Missing, unknown or unreadable cells were not left blank ({where})."]


def _moved(bounds: str) -> list[str]:
    """Say that values outside the bounds were not counted as they are, where columns have bounds."""
    if not bounds:
        return []
    return [
        f"Nothing about values beyond the declared bounds ({bounds}): they were counted as the nearest "
        "bound, and means are of what was counted."
    ]


def _meant(posterior: Posterior) -> list[str]:
    """Say what the probabilities are of, where the table itself can be asked too."""
    if posterior.knowing("table") is None:
        return []
    return [
        "Not what share of the table's records is so: probabilities are of the next record, from the process "
        "behind the table. The table itself is asked by share(event), table(mean(column)) and counts(column)."
    ]


def _citation(release: Release) -> str:
    plan = release.plan
    paid = plan.guarantee.reason if release.paid is None else f"ledger entry {release.paid.entry}"
    return (
        f"{plan.schema.population}{_group(release)}: {' x '.join(plan.model.columns)}. Differentially "
        f"private release {release.identifier} ({plan.cost}, {plan.neighbours}, protecting "
        f"{plan.schema.unit}; {plan.mechanism.name}), {paid}. privior {release.library}."
    )


def _verification(release: Release) -> list[Markup]:
    paid = release.paid
    if paid is None:
        words = "Nothing here can verify a guarantee of others: ask whoever made the numbers."
        return [element("p", words), markup.facts([("SHA-256 of the file", release.sha256)])]
    return [
        element(
            "p",
            "Reading the release file recomputes its guarantee from the plan in it and refuses a file that "
            "does not hold together. Whoever keeps the ledger can confirm that this plan was charged.",
        ),
        element(
            "pre",
            "privior review RELEASE.json --ledger LEDGER\n"
            f'privior ask RELEASE.json "{release.plan.model.first_question}"',
        ),
        markup.facts(
            [
                ("SHA-256 of the release file", release.sha256),
                ("ledger entry", f"{paid.entry} of {paid.population}"),
                ("ledger head", paid.head),
                ("plan", release.plan.digest),
            ]
        ),
    ]
