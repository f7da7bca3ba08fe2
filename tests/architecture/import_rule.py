"""The import rule, which is the privacy argument: rows reach a posterior only through a release.

Reads source files as text and never runs them, so that an import inside a function, under TYPE_CHECKING or
by `importlib` counts like any other.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

# A part may import parts of earlier lines only: not its neighbours on the same line, not later ones.
LAYERS: tuple[tuple[str, ...], ...] = (
    ("arrays", "contents", "light_scipy", "stand_in", "whole_files"),
    ("errors", "interrupts", "interval_arithmetic", "pictures", "special", "vocabulary"),
    ("exact", "pandas_frames", "proved_floats", "registry"),
    ("checks",),
    ("schema",),
    ("bundled", "privacy", "randomness"),
    ("models", "theory"),
    ("mechanisms",),
    ("forecasting",),
    ("plans",),
    ("ledger",),
    ("release",),
    ("calculator", "posterior", "planning", "smoothness", "tables"),
    ("analyses", "auditing", "cache", "curator", "queries"),
    ("decisions", "sequential"),
    ("health", "report", "reviews"),
    ("papers",),  # what the papers state: nothing but the command line imports it
    ("extend", "testing"),
    ("cli",),
)
LAYER_OF = {part: number for number, parts in enumerate(LAYERS) for part in parts}

# Only the curator may open tables, and only tables may use what reads rows.
READERS_OF_TABLES = {"curator"}
OUTSIDE = {
    "duckdb": {"tables"},
    "ibis": {"tables"},
    "pandas": {"tables", "pandas_frames"},  # one file that makes frames of answers; reading: see READING
    "polars": {"tables"},
    "pyarrow": {
        "tables",
        "papers",
    },  # studies write Parquet; reading it is forbidden them by name, see READING
    **{
        f"pyarrow.{reader}": {"tables"}
        for reader in ("csv", "dataset", "feather", "fs", "ipc", "json", "orc")
    },
    "csv": {"tables"},
    "sqlite3": {"ledger"},
    "opendp": {"randomness"},
    "flint": {"interval_arithmetic", "privacy", "randomness", "papers"},
    "secrets": {"randomness"},
    "random": set[str](),
    "pickle": set[str](),
    "_duckdb": {"tables"},
    "_csv": {"tables"},
    "_sqlite3": {"ledger"},
    "psycopg": {"ledger"},
    "_pickle": set[str](),
    "marshal": set[str](),
    "shelve": set[str](),
    "pkgutil": set[str](),
    "runpy": set[str](),
    "builtins": set[str](),
    "ctypes": {"curator"},
    "subprocess": {"curator"},
    "urllib.request": {"tables"},
    "http": {"tables"},
    "socket": set[str](),
    "numba": {"posterior"},
    # post-processing; synthetic data and noise that protect nobody; what an agent does with what it
    # published, and simulations of it, which are marked and no release is made of
    "numpy.random": {"posterior", "papers", "sequential", "testing"},
    "gymnasium": {"sequential"},
}
#: may import by name: what a person named, somebody's own models and mechanisms; the files of a package that
#: are in its own table of contents; SciPy; what stands for a package, which imports nothing by itself
IMPORTERS = {"registry", "contents", "light_scipy", "stand_in"}
DYNAMIC = {"import_module", "__import__", "importlib", "exec", "eval", "resolve_name", "__builtins__"}
# Who may draw entropy, and who may read files: what is public, and the private side itself. The cache reads
# what it wrote itself, from a folder of the user's own: what follows from releases.
DRAWERS = {"randomness", "curator"}
FILE_READERS = {"tables", "schema", "release", "ledger", "cache"}
READING = {
    *("read_whole", "read_text", "read_bytes", "loadtxt", "genfromtxt", "fromfile", "memmap", "open_memmap"),
    *("read_csv", "read_excel", "read_feather", "read_json", "read_parquet", "read_sql", "read_clipboard"),
    *("read_table", "read_pandas", "ParquetFile", "ParquetDataset", "memory_map", "OSFile", "dataset"),
}
# The curator's doors; whatever else it holds is its own.
CURATOR = {
    "CellsLook",
    "KeptState",
    "Measurement",
    "Reservation",
    "engine_version",
    "header",
    "kept_state",
    "look",
    "measure",
    "measure_all",
    "measure_statistics",
    "prepare",
    "reserve",
    "reserved",
    "steps_of",
}


def faults(package: Path) -> list[str]:
    """List every import in the package that breaks the rule."""
    found = []
    for file in sorted(package.rglob("*.py")):
        inside = file.relative_to(package)
        part = inside.parts[0].removesuffix(".py")
        if part == "__init__":
            continue  # the facade names every part and is imported by none
        if part not in LAYER_OF:
            found.append(f"{inside}: the part {part!r} has no layer")
            continue
        found += [f"{inside}:{line}: {fault}" for line, fault in _judged(file.read_text("utf-8"), inside)]
    return found


@cache
def _judged(text: str, inside: Path) -> tuple[tuple[int, str], ...]:
    """Judge the text of a file; what was judged once need not be read again."""
    return tuple(_faults(ast.parse(text), inside.parts[0].removesuffix(".py"), inside))


def _faults(tree: ast.AST, part: str, inside: Path) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield from ((node.lineno, fault) for fault in _judge(alias.name, None, part))
        elif isinstance(node, ast.ImportFrom):
            module = _absolute(node, inside)
            for alias in node.names:
                if alias.name in DYNAMIC | {"urandom", "getrandom"} and part not in DRAWERS | IMPORTERS:
                    yield node.lineno, f"takes {alias.name} by name"
                if module == "privior.curator" and alias.name not in CURATOR:
                    yield node.lineno, f"takes {alias.name} from the curator, which is its own"
                if alias.name in READING and part not in FILE_READERS:
                    yield node.lineno, f"reads files ({alias.name})"
                yield from ((node.lineno, fault) for fault in _judge(module, alias.name, part))
        elif isinstance(node, (ast.Name, ast.Attribute)):
            name = node.id if isinstance(node, ast.Name) else node.attr
            bare = isinstance(node, ast.Name)
            if part in IMPORTERS:
                continue
            if name in DYNAMIC or (bare and name == "compile") or _dotted(node) == "sys.modules":
                yield node.lineno, f"may import by name ({name}), which cannot be checked"
            elif (name in READING or (bare and name == "open")) and part not in FILE_READERS:
                yield node.lineno, f"reads files ({name})"
            elif _dotted(node) in ("np.random", "numpy.random") and part not in OUTSIDE["numpy.random"]:
                yield node.lineno, "uses numpy.random"
            elif name in ("urandom", "getrandom") and part not in DRAWERS:
                yield node.lineno, "draws randomness"


def _judge(module: str, name: str | None, part: str) -> Iterator[str]:
    """Judge `import module` (no name) or `from module import name`."""
    first, _, rest = module.partition(".")
    if first != "privior":
        for outside, allowed in OUTSIDE.items():
            used = module == outside or module.startswith(outside + ".") or f"{module}.{name}" == outside
            if used and part not in allowed:
                yield f"uses {outside}"
        known = name in (None, "metadata", "resources") or part in IMPORTERS
        if first == "importlib" and not known:
            yield "imports importlib, whose imports cannot be checked"
        return
    target = rest.partition(".")[0] or name
    if target == "__version__":
        return
    if target not in LAYER_OF:
        yield f"imports {name or 'privior'} through the facade"
        return
    if target == part:
        return
    if target == "interval_arithmetic" and part not in OUTSIDE["flint"]:
        yield "uses flint"
    if LAYER_OF[target] >= LAYER_OF[part]:
        kind = "its sibling" if LAYER_OF[target] == LAYER_OF[part] else "upwards"
        yield f"imports {kind}: {target}"
    if target == "curator" and "." in rest:
        yield f"reaches into the curator ({module}), which is its own"
    if target == "tables" and part not in READERS_OF_TABLES:
        yield "opens tables but is not the curator"


def _absolute(node: ast.ImportFrom, inside: Path) -> str:
    """Return the module of a from-import with its dots resolved."""
    if node.level == 0:
        return node.module or ""
    package = ["privior", *inside.parts[:-1]]
    base = package[: len(package) - node.level + 1]
    return ".".join([*base, *([node.module] if node.module else [])])


def _dotted(node: ast.AST) -> str:
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return f"{node.value.id}.{node.attr}"
    return ""
