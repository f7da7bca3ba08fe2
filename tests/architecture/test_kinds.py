"""Nobody asks of what kind something is: kinds answer for themselves.

A chain of `isinstance` over kinds forgets the next kind, silently. What is counted here are checks of objects
against a class of models, mechanisms, plans or posteriors, anywhere in the sources.
"""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

SOURCES = Path(__file__).parents[2] / "src" / "privior"
#: fewer than this are allowed in all
MOST = 15
#: what every kind of something is
CONTRACTS = {"Belief", "Forecaster", "Mechanism", "Model", "Posterior"}
#: classes of kinds are those that come from these parts
PARTS = ("models", "mechanisms", "plans", "posterior", "forecasting")


def kinds() -> set[str]:
    """Return the names of all classes that have a kind of model, mechanism, plan or posterior above them."""
    bases: dict[str, set[str]] = {}
    for part in PARTS:
        for file in (SOURCES / part).rglob("*.py"):
            for node in ast.walk(ast.parse(file.read_text("utf-8"))):
                if isinstance(node, ast.ClassDef):
                    bases[node.name] = {base.id for base in node.bases if isinstance(base, ast.Name)}
    found = set(CONTRACTS)
    while True:
        more = {name for name, above in bases.items() if above & found} - found
        if not more:
            return found - CONTRACTS  # whoever asks whether it was given a model at all asks for no kind
        found |= more


def asked(text: str, known: set[str]) -> list[tuple[int, str]]:
    """Return the lines that ask whether something is of a kind, and the kinds."""
    found = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("isinstance", "issubclass"):
            names = {one.id for one in ast.walk(node.args[1]) if isinstance(one, ast.Name)}
            found += [(node.lineno, name) for name in sorted(names & known)]
        if isinstance(node, ast.MatchClass) and isinstance(node.cls, ast.Name) and node.cls.id in known:
            found.append((node.lineno, node.cls.id))
    return found


def test_few_places_ask_of_what_kind_something_is() -> None:
    known = kinds()
    places = Counter(
        str(file.relative_to(SOURCES))
        for file in SOURCES.rglob("*.py")
        for _ in asked(file.read_text("utf-8"), known)
    )
    assert sum(places.values()) < MOST, places.most_common()


def test_a_planted_chain_is_seen() -> None:
    planted = "isinstance(law, KNorm | DirichletDraw)\nmatch model:\n    case MarkovChain():\n        pass\n"
    assert [name for _, name in asked(planted, kinds())] == ["DirichletDraw", "KNorm", "MarkovChain"]


def naming(*names: str) -> set[str]:
    """Return the files that name a kind, but for tables of contents, which register it."""
    files = (file for file in SOURCES.rglob("*.py") if file.name != "__init__.py")
    return {
        str(file.relative_to(SOURCES))
        for file in files
        if any(name in file.read_text("utf-8") for name in names)
    }


def test_a_markov_chain_is_its_model_its_posterior_and_its_questions() -> None:
    """The questions know the posterior's methods by name alone."""
    files = naming("MarkovChain", "MarkovPosterior")
    assert files == {"models/markov_chain.py", "posterior/tables/markov.py"}
    assert "queries/chains.py" in naming("stationary")
