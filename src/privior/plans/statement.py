"""A plan in words: what it will do and promise, as named facts; text and markup are made of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from privior.privacy import REPLACE_ONE

if TYPE_CHECKING:
    from privior.plans.plan import Plan


def facts(plan: Plan) -> list[tuple[str, str]]:
    """Say what will be done and promised, as named facts."""
    forecasts = _whose_forecasts(plan)
    imported = plan.mechanism.imported
    memory = "" if imported else plan.mechanism.memory(plan.records)
    return [
        ("population", f"{plan.schema.population}, protecting {plan.schema.unit}"),
        ("model", plan.model.in_words(plan.schema)),
        *([] if plan.group is None else [("group", f"only records with {plan.group}")]),
        ("records", plan.records_in_words),
        *plan.mechanism.facts(plan.model, plan.schema),
        *([("memory", memory)] if memory else []),
        *([("forecasts", forecasts)] if forecasts else []),
        *([] if imported else plan.forecaster.facts(plan.typical_records, plan.mechanism)),
        *([("declared", plan.mechanism.declaration)] if plan.declared else []),
        ("mechanism", f"{plan.mechanism.name}: {plan.mechanism.about}"),
        ("guarantee", str(plan.guarantee)),
        ("that is", plan.guarantee.claim()),
        *([] if imported else [("bad cells", plan.bad_cells_in_words)]),
    ]


def _whose_forecasts(plan: Plan) -> str:
    if plan.inferred == plan.model:
        return str(plan.model.typical_in_words)
    return f"for data typical of {plan.inferred.prior}, and who infers with it"


def records(plan: Plan) -> str:
    """Say what is known about the number of records."""
    unit = plan.schema.unit
    if plan.neighbours is not REPLACE_ONE:
        said = f"at most {plan.records} {unit.noun}s; the number stays private"
        likely = plan.typical_records
        if plan.mechanism.imported or likely == plan.records:
            return said
        return f"{said}; forecasts are for {likely} of them"
    rows = (
        "" if unit.max_rows == 1 else f", up to {unit.max_rows} rows each; the number of rows stays private"
    )
    if plan.schema.drops(plan.model.columns):
        rows += "; how many have a value stays private"
    return f"exactly {plan.records} {unit.noun}s, which is public{rows}"


def bad_cells(plan: Plan) -> str:
    """Say where missing, unknown and unparseable cells go."""
    columns = {name: plan.schema.column(name) for name in plan.model.columns}
    codes = {name: column.missing_code for name, column in columns.items()}
    return "; ".join(
        f"{name}: left out" if code is None else f"{name}: counted as {columns[name].labels[code]}"
        for name, code in codes.items()
    )


def moved(plan: Plan) -> str:
    """Say between what bounds numbers and days are counted; what lies outside is moved there."""
    ends = {name: plan.schema.column(name).ends for name in plan.model.columns}
    return "; ".join(f"{name}: {both[0]} to {both[1]}" for name, both in ends.items() if both)


def text(plan: Plan) -> str:
    """Write facts, comparison and notes as lines."""
    from privior.pictures import listing

    lines = listing.facts(plan.facts())
    if plan.candidates:
        lines += ["", *listing.table(*plan.comparison()), "", plan.choice]
    lines += [f"NOTE: {warning}" for warning in plan.notes]
    return "\n".join(lines)


def page(plan: Plan) -> str:
    """Write them as markup, with the picture."""
    from privior.pictures import markup

    compared = [markup.table(*plan.comparison(), numeric=range(1, 8)), markup.element("p", plan.choice)]
    return markup.fragment(
        markup.facts(plan.facts()),
        *(markup.element("p", warning, class_="warning") for warning in plan.notes),
        *(compared if plan.candidates else []),
        plan.picture().html(),
    )
