"""The sources that a measurement is made with: its own file and all that this reaches, as syntax trees.

Nothing is run. Imports are read from the sources, also those inside functions and inside programs kept as
text; a name of the facade leads to the module that holds it, a function in which others register themselves
to all who do, and the name of a file to that file if it lies beside. What cannot be followed, such as an
import by a name that only a run can tell, leads to the whole package.
"""

from __future__ import annotations

import ast
import hashlib
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent

_EVERYTHING = "privior.*"
#: what imports by names that only a run can tell
_DYNAMIC = {"import_module", "__import__", "walk_packages", "iter_modules"}
#: where helpers are, imported by the names of their files
_HELPERS = ("tests", "evidence", "benchmarks")
#: keeps what was measured, and measures nothing
_KEEPER = "evidence/record.py"
#: import by name what people write outside privior, or what the package that asks has listed in its own file
_BY_NAME = {"src/privior/registry.py", "src/privior/contents.py"}
#: names of files, of modules in text, and of the beginnings of programs in text
_FILE = re.compile(r"[\w-]+\.\w+", re.ASCII)
_MODULE = re.compile(r"\bprivior(?:\.\w+)+")
_PROGRAM = re.compile(r"\b(?:import|from) \w")
#: fields that say nothing new: whether a name is read or set follows from where it stands
_IMPLIED = {"ctx", "kind"}
#: what may lead to other sources
_NAMES = (ast.Import, ast.ImportFrom, ast.Attribute, ast.Name, ast.Constant)


@dataclass(frozen=True)
class Source:
    """One file, read.

    Attributes:
        hash: of its syntax tree, without docstrings and without what only a type checker reads
        imports: dotted names that it may load: modules, or what is in them
        registers: dotted names of functions in which it registers something
        beside: files of its folder that it names
    """

    hash: str
    imports: frozenset[str] = frozenset()
    registers: frozenset[str] = frozenset()
    beside: frozenset[Path] = frozenset()


class Sources:
    """The sources under a folder, each read once."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._facade = root / "src" / "privior" / "__init__.py"
        self._part_of = dict(_table(ast.parse(self._facade.read_bytes())))
        self._read: dict[Path, Source] = {}
        self._places = defaultdict[str, set[Path]](set)
        for folder in _HELPERS:
            for file in (root / folder).rglob("*.py"):
                self._places[file.stem].add(file)
        package = sorted(self._facade.parent.rglob("*.py"))
        for file in package:
            name = ".".join(file.relative_to(root / "src").with_suffix("").parts)
            self._places[name.removesuffix(".__init__")] = {file}
        self._members = defaultdict[Path, set[Path]](set)
        for file in package:
            if b".register" in file.read_bytes():
                for name in self._source(file).registers:
                    self._members[list(self._found(name))[-1]].add(file)
        self._places[_EVERYTHING] = set(package)

    def reached(self, files: Iterable[str | Path]) -> dict[str, str]:
        """Return the hashes of these files and of all they reach, by place; of files that exist."""
        found = set[Path]()
        new = {self._root / file for file in files if (self._root / file).is_file()}
        while new:
            found |= new
            new = set().union(*(self._next(file) for file in new)) - found
        return self.hashes(file.relative_to(self._root).as_posix() for file in sorted(found))

    def hashes(self, places: Iterable[str]) -> dict[str, str]:
        """Return the hashes of these files alone, by place; of those that exist."""
        files = {place: self._root / place for place in places}
        return {place: self._source(file).hash for place, file in files.items() if file.is_file()}

    def _next(self, file: Path) -> set[Path]:
        """Return the files that this one leads to."""
        source = self._source(file)
        loaded = {each for name in source.imports for each in self._found(name)}
        return loaded.union(source.beside, self._members.get(file, ())) - {self._root / _KEEPER}

    def _found(self, name: str) -> Iterator[Path]:
        """Find the files that are loaded for a dotted name."""
        first, *rest = name.split(".")
        if first != "privior":
            yield from self._places.get(first, ())
            return
        if rest and rest[0] != "__version__" and f"privior.{rest[0]}" not in self._places:
            rest = self._part_of.get(rest[0], "*").split(".")
        for length in range(len(rest) + 1):
            yield from self._places.get(".".join([first, *rest[:length]]), ())

    def _led(self, name: str) -> str | None:
        """Say where the facade leads for a dotted name, which so is part of what a file says."""
        first, _, rest = name.partition(".")
        part = self._part_of.get(rest.partition(".")[0]) if first == "privior" else None
        return part and f"{name} {part}"

    def _source(self, file: Path) -> Source:
        if file not in self._read:
            self._read[file] = self._parsed(file)
        return self._read[file]

    def _parsed(self, file: Path) -> Source:
        data = file.read_bytes()
        if file.suffix != ".py":
            return Source(_hash(data))
        tree, said, nodes = ast.parse(data), list[str](), list[ast.AST]()
        if file == self._facade:  # its table counts by the modules that names lead to, its version not at all
            tree.body = [each for block in _table_blocks(tree) for each in block.orelse]
        _write(tree, said, nodes)
        found = _hash("\n".join(said).encode())
        if file == self._facade:
            return Source(found, frozenset({"privior.contents"}))
        strings = [n.value for n in nodes if isinstance(n, ast.Constant) and isinstance(n.value, str)]
        for string in strings:
            nodes += _program(string)
        bound = defaultdict[str, set[str]](set)
        for name, dotted in _bindings(nodes, file.relative_to(self._root).parts[1:-1]):
            bound[name].add(dotted)
        used = {name for node in nodes if isinstance(node, ast.Attribute) for name in _dotted(node, bound)}
        imports = used.union(*bound.values())
        if led := sorted(filter(None, map(self._led, imports))):
            found = _hash("\n".join([found, *led]).encode())
        for name in (name for string in strings for name in _MODULE.findall(string)):
            if ".".join(name.split(".")[:2]) in self._places:
                imports.add(name)
        if file.relative_to(self._root).as_posix() not in _BY_NAME and _leads_anywhere(nodes, bound):
            imports.add(_EVERYTHING)
        return Source(
            found,
            frozenset(imports),
            frozenset(name for name in used if re.fullmatch(r"privior\..*\.register", name)),
            frozenset(each for s in strings if _FILE.fullmatch(s) and (each := file.with_name(s)).is_file()),
        )


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:16]


def _write(found: object, said: list[str], nodes: list[ast.AST]) -> None:
    """Write a tree the same way under every Python, without what has no effect, and list its names."""
    if isinstance(found, ast.AST):
        if isinstance(found, _NAMES):
            nodes.append(found)
        elif isinstance(found, ast.JoinedStr):  # Python 3.12 puts empty pieces between others
            found.values = [each for each in found.values if getattr(each, "value", None) != ""]
        said.append(type(found).__name__)
        for field in found._fields:
            value = getattr(found, field, None)
            if value is not None and value != [] and field not in _IMPLIED:
                said.append(field)
                _write(value, said, nodes)
        said.append(")")
    elif isinstance(found, list):
        said.append("[")
        for each in found:
            if not _idle(each):
                _write(each, said, nodes)
        said.append("]")
    else:
        said.append(repr(found))


def _idle(node: object) -> bool:
    """Tell a docstring, or what only a type checker reads."""
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
    return (
        isinstance(node, ast.If)
        and isinstance(node.test, ast.Name)
        and node.test.id == "TYPE_CHECKING"
        and not node.orelse
    )


def _table(facade: ast.Module) -> Iterator[tuple[str, str]]:
    """Read which part holds a name of the facade."""
    for node in (each for block in _table_blocks(facade) for each in block.body):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield from ((alias.name, node.module.removeprefix("privior.")) for alias in node.names)


def _table_blocks(facade: ast.Module) -> list[ast.If]:
    """Find what lists names for type checkers, and finds them else."""
    return [node for node in facade.body if isinstance(node, ast.If)]


def _program(string: str) -> list[ast.AST]:
    """Read a program kept as text; one with gaps that names the package may load all of it."""
    if not _PROGRAM.search(string):
        return []
    try:
        return list(ast.walk(ast.parse(dedent(string))))
    except (SyntaxError, ValueError):
        gaps = re.search(r"\b(import|from) privior\b", string)
        return [ast.Import([ast.alias(_EVERYTHING)])] if gaps else []


def _bindings(nodes: Sequence[ast.AST], package: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Say which names stand for which dotted names by imports."""
    for node in nodes:
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.asname or alias.name, alias.name
                if not alias.asname:
                    yield (alias.name.partition(".")[0],) * 2
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else ()
            module = ".".join([*above, *([node.module] if node.module else [])])
            for alias in node.names:
                yield alias.asname or alias.name, f"{module}.{alias.name}"


def _dotted(node: ast.AST, bound: dict[str, set[str]]) -> Iterator[str]:
    """Say what an attribute of an imported name stands for."""
    if isinstance(node, ast.Attribute):
        yield from (f"{name}.{node.attr}" for name in _dotted(node.value, bound))
    elif isinstance(node, ast.Name):
        yield from bound.get(node.id, ())


def _leads_anywhere(nodes: Sequence[ast.AST], bound: dict[str, set[str]]) -> bool:
    """Whether something is imported by a name that only a run can tell, or the facade is handed on whole."""
    attributes = [node for node in nodes if isinstance(node, ast.Attribute)]
    facade = {name for name, dotted in bound.items() if "privior" in dotted}
    names = [node for node in nodes if isinstance(node, ast.Name)]
    asked = {id(node.value) for node in attributes}
    return (
        any(name.id in facade and id(name) not in asked for name in names)
        or any(name.rpartition(".")[2] in _DYNAMIC for dotted in bound.values() for name in dotted)
        or any(node.attr in _DYNAMIC for node in attributes)
        or any(name.id in _DYNAMIC for name in names)
    )
