"""Words of the command line that are taken as they stand: text, and paths that can be read or are not there.

Typer reads every word by Pydantic, which takes longer to load than many commands take. What is not taken
here, such as numbers, Typer still reads.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any, get_args, get_origin


class Words:
    """Stands for what Typer would make to read the words of one parameter, until that is needed."""

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        """Return the value of a parameter by what was written."""
        kind, info = param.type_descriptor.annotation, param.type_descriptor.parameter_info
        several = param.multiple or param.nargs == -1
        if value is None:
            return () if several else None
        single = get_args(kind)[0] if get_origin(kind) is list else kind
        words = list(value) if isinstance(value, (list, tuple)) else [value]
        fitting = several == isinstance(value, (list, tuple))
        if fitting and all(_is_plain(word, single, info) for word in words):
            read = [word if type(word) is single else single(word) for word in words]
            return read if get_origin(kind) is list else read[0]
        param._runtime_param = None
        return param.get_runtime_param().coerce(value, param=param, ctx=ctx)


def take_words(parameters: Iterable[Any]) -> None:
    """Let parameters take plain words as they stand, in versions of Typer that ask Pydantic."""
    for parameter in parameters:
        if hasattr(parameter, "_runtime_param") and parameter._runtime_param is None:
            parameter._runtime_param = Words()


def _is_plain(word: object, kind: object, info: Any) -> bool:
    if type(word) is kind and info.parser is None:
        return True
    if not isinstance(word, str) or info.parser is not None:
        return False
    asked = info.exists or info.resolve_path or info.writable or not (info.file_okay and info.dir_okay)
    return kind is Path and not asked and (not os.path.exists(word) or os.access(word, os.R_OK))
