"""What errors advise, in the words of the command line: its options, and the entries of an analysis file.

Errors are written for those who call functions. Who typed a command has no keywords and no `pv`: what can be
said by an option of that command is, the rest as it stands in an analysis file.
"""

from __future__ import annotations

import re
from collections.abc import Container
from copy import copy

from privior.errors import PriviorError

#: fields of an error that may speak of functions
_FIELDS = ("asked", "allowed", "advice")
#: keywords of functions that files and options have under the same name
_KEYWORDS = "target|neighbours|prior|missing|records|epsilon|delta|mechanism|header|delimiter"
_CALL = r"\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)"
_VALUE = rf'pv\.\w+(?:{_CALL})?|"[^"]*"|\.\.\.|[\w/-]+(?:\.\d+)?'
_KEYWORD = re.compile(rf"\b({_KEYWORDS})=({_VALUE})")
_NAME = re.compile(rf"\bpv\.(\w+)({_CALL})?")
#: phrases, and how files say them; functions beside a command that is named already are left out
_PHRASES = (
    (re.compile(r"csv=pv\.CsvDialect\(([^()]*)\)"), r"\1"),
    (
        re.compile(r'pv\.Unit\("([^"]*)", column="\.\.\.", max_rows=(\w+)\)'),
        r'unit = { noun = "\1", column = "...", max_rows = \2 }',
    ),
    (re.compile(r"pv\.BDeu\((\w+)\)"), r"{ bdeu = \1 }"),
    (re.compile(r"pv\.BayesianNetwork\.read\(path\)"), 'bif = "FILE"'),
    (re.compile(r"\bmissing = DROP\b"), 'missing = "drop"'),
    (re.compile(rf",? or pv\.\w+\.\w+{_CALL}"), ""),
)
#: what files say in other words
_WORDS = {
    "ADD_OR_REMOVE_ONE": '"add-or-remove-one"',
    "REPLACE_ONE": '"replace-one"',
    "DROP": '"drop"',
    "True": "true",
    "False": "false",
}


def spoken(error: PriviorError, options: Container[str] = ()) -> PriviorError:
    """Return an error as it is told to who gave a command with these options (`--neighbours`, ...)."""
    said = copy(error)
    for name in _FIELDS:
        text = getattr(said, name)
        if isinstance(text, str):
            # What shows how an object is made in Python says nothing here: `what` names it.
            setattr(said, name, None if "mappingproxy(" in text else told(text, options))
    return copy(said)  # which words its message anew


def told(text: str, options: Container[str] = ()) -> str:
    """Return a text without keywords and names of Python, as far as the command line has others."""
    for phrase, instead in _PHRASES:
        text = phrase.sub(instead, text)

    def entry(found: re.Match[str]) -> str:
        name, value = found[1], found[2].removeprefix("pv.")
        value = _WORDS.get(value, value)
        bare = value.strip('"')
        return f"--{name} {bare}" if f"--{name}" in options else f"{name} = {value}"

    return _NAME.sub(lambda found: _named(found, options), _KEYWORD.sub(entry, text))


def _named(found: re.Match[str], options: Container[str]) -> str:
    """Say what a name of the package is called in files; what is not in files stays as it is."""
    import privior.models as models
    import privior.models.laws as laws
    import privior.schema as schema
    from privior.mechanisms import MECHANISMS

    mechanisms = {one.__name__: one.name for one in MECHANISMS}
    families = {one.__name__: one.family for one in models.MODELS}
    if found[1] in mechanisms:
        said = f"mechanism {mechanisms[found[1]]}"
        return f"--{said}" if "--mechanism" in options else said
    if found[1] in families:
        return f'family = "{families[found[1]]}"'
    kind = getattr(schema, found[1], getattr(laws, found[1], None))
    for entry, attribute in (('type = "{}"', "kind"), ('{{ law = "{}", ... }}', "name")):
        if isinstance(kind, type) and isinstance(name := getattr(kind, attribute, None), str):
            return entry.format(name)
    return _WORDS.get(found[1], found[0])
