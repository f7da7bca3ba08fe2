"""The grammar: what can be read, where it cannot, and that every question reads back as itself."""

from __future__ import annotations

import pickle
import unicodedata
from fractions import Fraction

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from privior.errors import InferenceError, QuestionError
from privior.queries import (
    AnyOf,
    Condition,
    Counts,
    Difference,
    Interval,
    Mean,
    Median,
    OfTable,
    Probability,
    Quantile,
    Question,
    Ratio,
    Sample,
    Share,
    Word,
    parse,
)
from privior.queries.tokens import LONGEST


def one(column: str, operator: str, *values: str) -> tuple[Condition, ...]:
    return (Condition(Word(column), operator, tuple(map(Word, values))),)


A, B = one("a", "=", "x"), one("b", "!=", "y")
GOOD: dict[str, Question] = {
    "P(a=x)": Probability(A),
    " p ( a == x ) ": Probability(A),
    "P('a'=\"x\")": Probability(A),
    "P(a=x, b!=y)": Probability(A + B),
    "P(a=x AND b != y)": Probability(A + B),
    "P(a=x|b!=y)": Probability(A, B),
    "P(a=x | b!=y and a=x)": Probability(A, B + A),
    "P(a in {x})": Probability(one("a", "in", "x")),
    "P(a IN{x , 'y, z'})": Probability(one("a", "in", "x", "y, z")),
    "P(level of education = some  college)": Probability(one("level of education", "=", "some college")),
    "P(in in {in})": Probability(one("in", "in", "in")),
    "P(born in = in)": Probability(one("born in", "=", "in")),
    "P(age>=20, age<65)": Probability(one("age", ">=", "20") + one("age", "<", "65")),
    "P(day<=2026-01-01)": Probability(one("day", "<=", "2026-01-01")),
    "P(t>-5)": Probability(one("t", ">", "-5")),
    "P(language=c++)": Probability(one("language", "=", "c++")),
    "P(größe=über)": Probability(one("größe", "=", "über")),
    "P(日本=東京)": Probability(one("日本", "=", "東京")),
    "P(a='O''Brien')": Probability(one("a", "=", "O'Brien")),
    'P(a="O\'Brien")': Probability(one("a", "=", "O'Brien")),
    "P(a='')": Probability(one("a", "=", "")),
    "P(a='and')": Probability(one("a", "=", "and")),
    "P(a=yes!)": Probability(one("a", "=", "yes!")),
    "P(a!=!b)": Probability(one("a", "!=", "!b")),
    "P(P=mean)": Probability(one("P", "=", "mean")),
    "mean(age)": Mean(Word("age")),
    "MEAN( 'age' | a=x )": Mean(Word("age"), A),
    "mean(mean)": Mean(Word("mean")),
    "interval(a=x)": Interval(Probability(A)),
    "interval(a=x, 0.8)": Interval(Probability(A), Fraction(4, 5)),
    "interval(a=x, b!=y)": Interval(Probability(A + B)),
    "interval(a=x, b!=y, 90%)": Interval(Probability(A + B), Fraction(9, 10)),
    "interval(a=x and b!=y | a=x, b!=y, 90 %)": Interval(Probability(A + B, A + B), Fraction(9, 10)),
    "interval(P(a=x | b!=y), 1/3)": Interval(Probability(A, B), Fraction(1, 3)),
    "Interval(Mean(age|a=x),.5)": Interval(Mean(Word("age"), A), Fraction(1, 2)),
    "interval(0.9=x)": Interval(Probability(one("0.9", "=", "x"))),
    "interval(P=x, 0.9)": Interval(Probability(one("P", "=", "x")), Fraction(9, 10)),
    "counts()": Counts(),
    "counts(a)": Counts((Word("a"),)),
    "Counts(a, 'b c', b c)": Counts((Word("a"), Word("b c"), Word("b c"))),
    "sample 100": Sample(100),
    "SAMPLE(100)": Sample(100),
    "sample\n7": Sample(7),
    "P(a=x or b!=y)": Probability(AnyOf((A, B))),
    "P(a=x OR b!=y and a=x)": Probability(AnyOf((A, B + A))),
    "P(a=x | b!=y or a in {x})": Probability(A, AnyOf((B, one("a", "in", "x")))),
    "P(a=x or y)": Probability(one("a", "=", "x or y")),
    "P(a=x or y, b!=y)": Probability(one("a", "=", "x or y") + B),
    "P(x or y = x)": Probability(one("x or y", "=", "x")),
    "P(a='x or y' or 'b' != y)": Probability(AnyOf((one("a", "=", "x or y"), B))),
    "interval(a=x or b!=y, 0.8)": Interval(Probability(AnyOf((A, B))), Fraction(4, 5)),
    "median(age)": Median(Word("age")),
    "Median(age | a=x)": Median(Word("age"), given=A),
    "quantile(age, 90%)": Quantile(Word("age"), Fraction(9, 10)),
    "quantile(age, 0.25 | a=x, b!=y)": Quantile(Word("age"), Fraction(1, 4), A + B),
    "share(a=x | b!=y)": Share(Probability(A, B)),
    "table(mean(age | a=x))": OfTable(Mean(Word("age"), A)),
    "table(P(a=x) - P(b!=y))": OfTable(Difference(Probability(A), Probability(B))),
    "P(a=x) - P(b!=y)": Difference(Probability(A), Probability(B)),
    "P(a=x)-P(b!=y)": Difference(Probability(A), Probability(B)),
    "mean(age | a=x)/mean(age | b!=y)": Ratio(Mean(Word("age"), A), Mean(Word("age"), B)),
    "share(a=x)-share(b!=y)": Difference(Share(Probability(A)), Share(Probability(B))),
    "interval(median(age)-mean(age), 0.5)": Interval(
        Difference(Median(Word("age")), Mean(Word("age"))), Fraction(1, 2)
    ),
}

#: a question, the place that is pointed at, and words of the message
BAD: list[tuple[str, int, str]] = [
    ("", 0, "empty"),
    ("   ", 3, "empty"),
    ("=", 0, "not a form"),
    ("a=x", 0, r"written P\(event\)"),
    ("prob(a=x)", 0, r"Did you mean P\("),
    ("intervall(a=x)", 0, r"Did you mean interval\("),
    ("'P'(a=x)", 0, "not a form"),
    ("P", 1, "opening parenthesis"),
    ("P a=x", 2, "opening parenthesis is missing before this"),
    ("P(", 2, "a column is missing"),
    ("P()", 2, "a column is missing before this"),
    ("P(a", 3, "a comparison is missing"),
    ("P(a)", 3, r"a comparison is missing(.|\n)*which value is meant"),
    ("P(fee (EUR)>1)", 6, r"a comparison is missing(.|\n)*parenthesis stands in quotes"),
    ("P(a in x)", 8, "in braces"),
    ("P(a=", 4, "a value is missing"),
    ("P(a=)", 4, "a value is missing"),
    ("P(a=and)", 4, "in quotes"),
    ("P(a=<x)", 4, "a value is missing"),
    ("P(a===x)", 5, "a value is missing"),
    ("P(a=x", 5, "closing parenthesis is missing\n"),
    ("P(a=x=y)", 5, "closing parenthesis is missing before this"),
    ("P(a=x,)", 6, "a column is missing"),
    ("P(a=x and)", 9, "a column is missing"),
    ("P(a=x || b=y)", 7, "a column is missing"),
    ("P(a=x | b=y | c=z)", 12, "closing parenthesis"),
    ("P(a=x))", 6, "has ended before"),
    ("P(a=x) P(a=x)", 7, "has ended before"),
    ("P(a=x 'y')", 6, "closing parenthesis"),
    ("P(a='x)", 4, "not closed"),
    ("P(a=O'Brien)", 5, "not closed"),
    ("P(a='x'')", 4, "not closed"),
    ("P(a in {})", 8, "a value is missing"),
    ("P(a in {x,})", 10, "a value is missing"),
    ("P(a in {x)", 9, "closing brace"),
    ("P(a in {x", 9, "closing brace is missing\n"),
    ("P(a={x})", 4, "a value is missing"),
    ("P((a=x))", 2, "a column is missing"),
    ("mean()", 5, "a column is missing"),
    ("mean(age", 8, "closing parenthesis"),
    ("mean(age, b=y)", 8, "closing parenthesis"),
    ("mean(age=3)", 8, "closing parenthesis"),
    ("mean age", 5, r"mean\(column"),
    ("interval()", 9, "a column is missing"),
    ("interval(a=x, 1)", 14, "between 0 and 1"),
    ("interval(a=x, 0)", 14, "between 0 and 1"),
    ("interval(a=x, b)", 14, "between 0 and 1"),
    ("interval(a=x, '0.9')", 19, "a comparison is missing"),
    ("interval(P(a=x), '0.9')", 17, "between 0 and 1"),
    ("interval(P(a=x), 0.9, 0.9)", 20, "closing parenthesis"),
    ("interval(P(a=x), 0.99999999999999999999)", 17, "between 0 and 1"),
    ("interval(P(a=x), 1e-9999)", 17, "between 0 and 1"),
    ("interval(interval(a=x))", 17, "a comparison is missing"),
    ("interval(counts())", 15, "a comparison is missing"),
    ("counts(", 7, "a column is missing"),
    ("counts(a,)", 9, "a column is missing"),
    ("counts(a b=c)", 10, "closing parenthesis"),
    ("counts", 6, "opening parenthesis"),
    ("sample", 6, "in digits"),
    ("sample -5", 7, "in digits"),
    ("sample 1e3", 7, "in digits"),
    ("sample ٣", 7, "in digits"),
    ("sample 1000000000000000000000", 7, "in digits"),
    ("sample(5", 8, "closing parenthesis"),
    ("sample 5 6", 9, "has ended before"),
    ("P(a=x, b=y or c=z)", 5, "in two ways(.|\n)*Write and"),
    ("P(a=x or b=y, c=z)", 12, "in two ways"),
    ("P(a=x or b=)", 11, "a value is missing"),
    ("quantile(age)", 12, "a comma, then a share"),
    ("quantile(age, 100%)", 14, "share of a quantile"),
    ("quantile(age, 90%, a=x)", 17, "closing parenthesis"),
    ("table()", 6, "asked of the table is missing"),
    ("table(counts())", 6, "asked of the table is missing"),
    ("table(share(a=x))", 6, "of the table already"),
    ("table(table(mean(age)))", 6, "of the table already"),
    ("table(" * 500 + "mean(age)", 6, "of the table already"),
    ("table(mean(age) - " * 200, 18, "one of these is of the table"),
    ("share(a=x) - P(a=x)", 13, "one of these is of the table"),
    ("P(a=x) -", 8, "to compare with is missing behind -"),
    ("P(a=x) -counts()", 8, "to compare with is missing behind -"),
    ("P(a=x) / 3", 9, "to compare with is missing behind /"),
    ("P(a=x) - P(a=y) - P(a=z)", 16, "compared at a time"),
    ("P(a=x) + P(a=y)", 7, "compared at a time"),
    ("counts() - counts()", 9, "has ended before"),
    ("P(a=x\0)", 5, "cannot be seen"),
    ("P(a=\u202ex)", 4, "cannot be seen"),
]


@pytest.mark.parametrize("text", GOOD)
def test_good_questions_are_read_and_read_back(text: str) -> None:
    assert parse(text) == GOOD[text]
    assert parse(str(GOOD[text])) == GOOD[text]
    assert str(parse(str(GOOD[text]))) == str(GOOD[text])


@pytest.mark.parametrize(("text", "place", "says"), BAD)
def test_bad_questions_say_where_and_why(text: str, place: int, says: str) -> None:
    with pytest.raises(QuestionError, match=says) as refusal:
        parse(text)
    assert refusal.value.question == text
    assert refusal.value.place == place


def test_canonical_forms() -> None:
    for text, canonical in {
        " p( a ==x and  b  in {y,'z'} |c>=3 )": "P(a=x, b in {y, z} | c>=3)",
        "interval(a=x,90%)": "interval(P(a=x), 0.9)",
        "Counts('a b', \"c'd\")": 'counts(a b, "c\'d")',
        "sample(3)": "sample 3",
        "P(a='[0, 10)')": "P(a='[0, 10)')",
    }.items():
        assert str(parse(text)) == canonical


def test_places_are_kept_and_play_no_part_in_equality() -> None:
    question = parse("P(a  >= 'x')")
    assert isinstance(question, Probability)
    assert isinstance(question.event, tuple)
    (condition,) = question.event
    assert (condition.column.place, condition.place, condition.values[0].place) == (2, 5, 8)
    assert question == parse("P(a>=x)")
    assert hash(question) == hash(parse("P(a>=x)"))


def pointed(error: QuestionError) -> tuple[str, str]:
    """Return the line with the question and the line with the caret, without their margins."""
    lines = str(error).split("\n")
    assert lines[2].strip() == "^"
    return lines[1][2:], lines[2][2:]


def test_the_message_points_at_the_place() -> None:
    with pytest.raises(QuestionError) as refusal:
        parse("P(a=x")
    assert str(refusal.value) == "a closing parenthesis is missing\n  P(a=x\n       ^"


@pytest.mark.parametrize(
    ("text", "line", "caret"),
    [
        ("P(a\n=", r"P(a\n=", 6),
        ("P(\x1b[31m=", r"P(\x1b[31m=", 2),
        ("P('\0' \u202e", r"P('\x00' \u202e", 9),
        ("P('\ud800'", r"P('\ud800'", 10),
        ("P(日本=", "P(日本=", 7),
        ("P(e\u0301=", "P(e\u0301=", 4),
    ],
)
def test_what_breaks_lines_or_terminals_is_escaped(text: str, line: str, caret: int) -> None:
    with pytest.raises(QuestionError) as refusal:
        parse(text)
    assert pointed(refusal.value) == (line, " " * caret + "^")
    assert all(sign.isprintable() or sign == "\n" for sign in str(refusal.value))


@pytest.mark.parametrize("before", [0, 30, 59, 60, 61, 100, 1000])
@pytest.mark.parametrize("after", [0, 30, 61, 1000])
def test_a_long_question_is_shown_around_the_place(before: int, after: int) -> None:
    error = QuestionError("wrong", question="b" * before + "X" + "a" * after, place=before)
    line, caret = pointed(error)
    assert len(line) <= 100
    assert line[len(caret) - 1] == "X"
    if before + after < 100:
        assert line == error.question


def test_the_error_is_an_error_of_inference_and_can_be_sent() -> None:
    with pytest.raises(InferenceError) as refusal:
        parse("P(a\n=x")
    error = pickle.loads(pickle.dumps(refusal.value))
    assert isinstance(error, QuestionError)
    assert str(error) == str(refusal.value)
    assert (error.what, error.question, error.place) == ("a closing parenthesis is missing", "P(a\n=x", 6)
    assert error.cost == ""
    assert error.to_document()["place"] == 6


@pytest.mark.parametrize(
    "text",
    [
        "(" * LONGEST,
        "P" + "(" * (LONGEST - 1),
        "interval(" * 1000,
        "'" * (LONGEST - 1),
        "P(a in {" + "'" * 5001,
        "P(" + "a=x," * 2000,
        "P(a=x" + " and" * 2000,
        "\0",
        "\n" * 100,
        "\u202e\u200f",
        "P(a=\ud800)",
        "=" * LONGEST,
        "!" * LONGEST,
        "a" * (LONGEST + 1),
        "P(a=x)" + " " * LONGEST,
    ],
    ids=range(15),
)
def test_hostile_questions_are_refused_shortly(text: str) -> None:
    with pytest.raises(QuestionError) as refusal:
        parse(text)
    assert len(str(refusal.value)) < 600
    assert len(refusal.value.question) <= LONGEST


@pytest.mark.parametrize("what", [None, 3, b"P(a=x)", ["P(a=x)"]])
def test_what_is_not_text_is_refused(what: object) -> None:
    with pytest.raises(QuestionError, match="is a text"):
        parse(what)  # type: ignore[arg-type]


def question_or_error(text: str) -> Question | QuestionError:
    try:
        return parse(text)
    except QuestionError as error:
        return error


@settings(max_examples=400, deadline=None)
@given(st.one_of(st.text(), st.text(alphabet="Pmean()intervalor-/|,={}<>!'\" 0.9%ab\n")))
@example("P(a=x)")
def test_any_text_is_a_question_or_an_error_that_points(text: str) -> None:
    found = question_or_error(text)
    if isinstance(found, QuestionError):
        assert 0 <= found.place <= len(text)
        assert len(str(found).split("\n")) <= 6
    else:
        assert parse(str(found)) == found


NASTY = st.one_of(
    st.text(min_size=1),
    st.text(alphabet="a 'and\"in=!<>|,(){}%P\n\u202e日e\u0301", min_size=1),
    st.sampled_from(
        [
            "and",
            "AND",
            "or",
            "a or b",
            "or or",
            "-",
            "/",
            "in",
            " a",
            "a  b",
            "a and b",
            "x in",
            "90%",
            "==",
            "''",
            '"',
            "!",
            "\xa0",
        ]
    ),
)
WORDS = st.builds(Word, NASTY)
CONDITIONS = st.one_of(
    st.builds(
        lambda column, operator, value: Condition(column, operator, (value,)),
        WORDS,
        st.sampled_from(["=", "!=", "<", "<=", ">", ">="]),
        WORDS,
    ),
    st.builds(
        lambda column, values: Condition(column, "in", tuple(values)),
        WORDS,
        st.lists(WORDS, min_size=1, max_size=3),
    ),
)
ALL = st.lists(CONDITIONS, min_size=1, max_size=3).map(tuple)
ANY = st.lists(ALL, min_size=2, max_size=3).map(tuple).map(AnyOf)
EVENTS = ALL | ANY
GIVENS = st.lists(CONDITIONS, max_size=2).map(tuple) | ANY
LEVELS = st.fractions(min_value=Fraction(1, 10**6), max_value=1 - Fraction(1, 10**6), max_denominator=10**15)
PLAIN = st.one_of(
    st.builds(Probability, EVENTS, GIVENS),
    st.builds(Mean, WORDS, GIVENS),
    st.builds(lambda column, given: Median(column, given=given), WORDS, GIVENS),
    st.builds(Quantile, WORDS, LEVELS, GIVENS),
)
COMPARED = PLAIN | st.builds(Difference, PLAIN, PLAIN) | st.builds(Ratio, PLAIN, PLAIN)
TABLES = st.builds(OfTable, COMPARED) | st.builds(Share, st.builds(Probability, EVENTS, GIVENS))
NUMBERS = COMPARED | TABLES | st.builds(Difference, TABLES, TABLES)
QUESTIONS = st.one_of(
    NUMBERS,
    st.builds(Interval, NUMBERS, st.none() | LEVELS),
    st.builds(Counts, st.lists(WORDS, max_size=3).map(tuple)),
    st.builds(Sample, st.integers(0, 10**18 - 1)),
)


@settings(max_examples=500, deadline=None)
@given(QUESTIONS)
def test_every_question_reads_back_as_itself(question: Question) -> None:
    assert parse(str(question)) == question
    assert str(parse(str(question))) == str(question)


@settings(max_examples=300, deadline=None)
@given(NASTY, NASTY)
def test_every_word_may_stand_in_quotes_of_either_kind(column: str, value: str) -> None:
    quoted = [
        ("'" + word.replace("'", "''") + "'", '"' + word.replace('"', '""') + '"') for word in (column, value)
    ]
    for left in quoted[0]:
        for right in quoted[1]:
            assert parse(f"P({left} = {right})") == Probability(one(column, "=", value))


def test_the_caret_counts_columns_as_terminals_do() -> None:
    assert unicodedata.east_asian_width("日") == "W"
    error = QuestionError("wrong", question="日本=x", place=3)
    assert pointed(error)[1] == " " * 5 + "^"
