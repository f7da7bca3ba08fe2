"""One meaning per word: no two types of the package have one name.

A type is a class, or what is assigned to a name like one at the top of a file: an alias, a type variable, a
named tuple. Private names of a file are its own affair.
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path

SOURCES = Path(__file__).parents[2] / "src" / "privior"
#: a name that looks like that of a type, and not like that of a constant
TYPE = re.compile(r"[A-Z][A-Za-z0-9]*[a-z][A-Za-z0-9]*")


def types(text: str) -> list[str]:
    """Return the names of the types that a file defines at its top, also under a condition."""
    found = []
    bodies = [ast.parse(text).body]
    while bodies:
        for node in bodies.pop():
            match node:
                case ast.ClassDef(name=name):
                    found.append(name)
                case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
                    found.append(name)
                case ast.If(body=body, orelse=other):
                    bodies += [body, other]
    return [name for name in found if TYPE.fullmatch(name)]


def defined_twice(files: Mapping[str, str]) -> dict[str, list[str]]:
    """Return the names of types that more than one file defines, or one file twice, with the files."""
    places = defaultdict(list)
    for file, text in files.items():
        for name in types(text):
            places[name].append(file)
    return {name: found for name, found in places.items() if len(found) > 1}


def test_every_type_has_a_name_of_its_own() -> None:
    files = {str(file.relative_to(SOURCES)): file.read_text("utf-8") for file in SOURCES.rglob("*.py")}
    assert sum(len(types(text)) for text in files.values()) > 700
    assert defined_twice(files) == {}


def test_a_planted_second_type_is_seen() -> None:
    planted = {
        "a.py": "class Law:\n    pass\nclass _Own:\n    pass\nLIMIT = 3\n",
        "b.py": "if True:\n    Law = dict[str, int]\nclass _Own:\n    pass\nLIMIT = 4\n",
        "c.py": "from a import Law\nKind = TypeVar('Kind')\n",
        "d.py": "Kind: TypeAlias = int\n",
    }
    assert defined_twice(planted) == {"Law": ["a.py", "b.py"], "Kind": ["c.py", "d.py"]}
