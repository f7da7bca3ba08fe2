"""Tokens: a question's text in pieces, each with its place."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from privior.errors import QuestionError, shown

#: a longer question is refused unread
LONGEST = 10_000

_TOKEN = re.compile(
    r"""(?P<sign> [=!<>]= | [(){},|=<>] )
      | (?P<quoted> '(?:[^']|'')*+' | "(?:[^"]|"")*+" )
      | (?P<word> (?: [^\s(){},|=<>!'"] | !(?!=) )+ )
      | \s+""",
    re.VERBOSE,
)


@dataclass(frozen=True)
class Token:
    """A piece of a question: a sign, a piece of a bare word, a quoted word without its quotes, or the end."""

    kind: Literal["sign", "word", "quoted", "end"]
    text: str
    place: int

    def is_sign(self, *signs: str) -> bool:
        """Say whether this is one of some signs."""
        return self.kind == "sign" and self.text in signs

    def is_word(self, *words: str) -> bool:
        """Say whether this is one of some bare words, in whatever case."""
        return self.kind == "word" and self.text.lower() in words


def tokens(question: object) -> list[Token]:
    """Cut a question into tokens, the last of which is its end."""
    if not isinstance(question, str):
        raise QuestionError(
            "a question is a text", question=QuestionError.visible(shown(question)), place=0, allowed="text"
        )
    if len(question) > LONGEST:
        raise QuestionError(
            "the question is too long",
            question=question[:LONGEST],
            place=LONGEST,
            asked=f"{len(question)} characters",
            allowed=f"{LONGEST} characters",
        )
    found, place = [], 0
    while place < len(question):
        match = _TOKEN.match(question, place)
        if match is None:
            raise QuestionError(
                "a quote is opened and not closed",
                question=question,
                place=place,
                advice="A quote inside a word is written in quotes of the other kind, or twice.",
            )
        if match.lastgroup is not None:
            found.append(_token(match, question))
        place = match.end()
    return [*found, Token("end", "", len(question))]


def _token(match: re.Match[str], question: str) -> Token:
    text, place = match.group(), match.start()
    if match.lastgroup == "sign":
        return Token("sign", "=" if text == "==" else text, place)
    if match.lastgroup == "quoted":
        return Token("quoted", text[1:-1].replace(2 * text[0], text[0]), place)
    if not text.isprintable():
        unseen = next(at for at, sign in enumerate(text) if not sign.isprintable())
        raise QuestionError(
            "a sign that cannot be seen stands in a bare word",
            question=question,
            place=place + unseen,
            asked=ascii(text[unseen]),
            advice="Remove it, or put the word in quotes.",
        )
    return Token("word", text, place)
