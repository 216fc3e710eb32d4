"""Files in the Bayesian Interchange Format, .bif, as text and as arrays (Cozman 1996).

Vocabulary
    block   ``network``, ``variable X { ... }`` or ``probability ( X | A, B ) { ... }``
    word    a name, a state or a number: whatever stands between blanks and ``{ } ( ) [ ] ; , |``,
            or anything at all in double quotes
    row     ``(a, b) .2, .8;``, the distribution of X for one state of each parent

A ``table`` of a variable with parents lists its numbers with the first state of X first, for all
states of the parents, of which the last varies fastest; ``default`` fills the rows that are not
there. Numbers are read to the last bit, and written so that they read back to it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import NamedTuple, NoReturn

import numpy as np

from ..algebra.arrays import Array
from ..arguments import shown

LOOSE = 1e-3
"""The largest distance of a row's sum from one, since numbers may be written with few digits."""

_TOKEN = re.compile(
    r"(?P<blank>\s+|//[^\n]*|/\*.*?\*/)"
    r'|"(?P<quoted>[^"\n]*)"'
    r"|(?P<mark>[{}()\[\];,|])"
    r'|(?P<word>(?:(?!//|/\*)[^\s{}()\[\];,|"])+)',
    re.DOTALL,
)
_PLAIN = re.compile(r'(?:(?!//|/\*)[^\s{}()\[\];,|"])+')
_QUOTED = re.compile(r'[^"\n\r]*')


class Token(NamedTuple):
    """A word or a mark of a file, and the line it stands in."""

    text: str
    line: int
    mark: bool = False


class Network(NamedTuple):
    """The model of a file: states and parents by variable, and arrays ``(M_A, M_B, ..., M_X)``."""

    states: dict[str, list[str]]
    parents: dict[str, tuple[str, ...]]
    arrays: dict[str, Array]


def parse(text: str) -> Network:
    """The network that a text describes; ``ValueError`` says in which line and block it is odd."""
    return _Reader(text).network()


class _Reader:
    """One pass over the words of a file."""

    def __init__(self, text: str) -> None:
        self.block = ""
        self.last = Token("", 1)
        self.tokens = list(self._tokens(text))
        self.at = 0
        self.states: dict[str, list[str]] = {}
        self.parents: dict[str, tuple[str, ...]] = {}
        self.arrays: dict[str, Array] = {}

    def _tokens(self, text: str) -> Iterator[Token]:
        line, at = 1, 0
        while at < len(text):
            token = _TOKEN.match(text, at)
            if token is None:
                what = "a comment" if text.startswith("/*", at) else "a text in quotes"
                self._odd(f"{what} begins that does not end", Token("", line))
            if token["blank"] is None:
                word = token["quoted"] if token["word"] is None else token["word"]
                yield Token(token["mark"] or word or "", line, token["mark"] is not None)
            line += token[0].count("\n")
            at = token.end()

    def network(self) -> Network:
        named = False
        while self.at < len(self.tokens):
            self.block = ""
            word = self._next("a block: network, variable or probability")
            if word.mark or word.text not in ("network", "variable", "probability"):
                self._odd(
                    f"{shown(word.text)} stands where a block should begin: expected network, "
                    "variable or probability",
                    word,
                )
            if word.text == "variable":
                self._variable()
            elif word.text == "probability":
                self._probability()
            else:
                self.block = "network"
                if named:
                    self._odd("there are two networks: expected one in a file", word)
                named = True
                if self._peek() != "{":
                    self._word("the name of the network")
                self._mark("{")
                while not self._take("}"):
                    self._property()
        self.block = ""
        if not self.states:
            self._odd("there is no variable", self.last)
        for name in self.states:
            if name not in self.arrays:
                self._odd(f"the variable {name!r} has no probability block", self.last)
        arrays = {name: self.arrays[name] for name in self.states}
        return Network(self.states, {name: self.parents[name] for name in self.states}, arrays)

    def _variable(self) -> None:
        start = self._word("the name of a variable")
        self.block = f"variable {start.text}"
        if start.text in self.states:
            self._odd("the variable is there a second time", start)
        states: list[str] | None = None
        self._mark("{")
        while not self._take("}"):
            if self._peek() != "type":
                self._property()
                continue
            here = self._next("type")
            if states is not None:
                self._odd("its type is given twice", here)
            kind = self._word("its type")
            if kind.text != "discrete":
                self._odd(f"the type is {kind.text!r}: expected discrete", kind)
            self._mark("[")
            size = self._count()
            self._mark("]")
            self._mark("{")
            states = []
            while not self._take("}"):
                if states:
                    self._take(",")
                state = self._word("a state")
                if state.text in states:
                    self._odd(f"the state {state.text!r} is there twice", state)
                states.append(state.text)
            if len(states) != size:
                self._odd(f"it has {len(states)} states, and [ {size} ] says {size}", here)
            self._mark(";")
        if states is None:
            self._odd("it has no type: expected type discrete [ 2 ] { no, yes };", self.last)
        self.states[start.text] = states

    def _probability(self) -> None:
        self._mark("(")
        names: list[Token] = []
        bar = False
        while not self._take(")"):
            if names and self._take("|"):
                if bar or len(names) > 1:
                    self._odd("a bar stands in the wrong place: expected ( X | A, B )", self.last)
                bar = True
            elif names:
                self._take(",")
            names.append(self._word("the name of a variable"))
        if not names:
            self._odd("it names no variable: expected ( X | A, B )", self.last)
        child, *others = (token.text for token in names)
        parents = tuple(others)
        self.block = f"probability ( {child}{' | ' if parents else ''}{', '.join(parents)} )"
        for token in names:
            if token.text not in self.states:
                self._odd(
                    f"{token.text!r} is no variable above it: there are "
                    f"{', '.join(self.states) or 'none'}",
                    token,
                )
        if len({*others, child}) < len(names):
            self._odd("it names a variable twice", names[0])
        if child in self.arrays:
            self._odd(f"the probabilities of {child!r} are given a second time", names[0])
        sizes = [len(self.states[name]) for name in parents]
        size = len(self.states[child])
        array: Array = np.full((*sizes, size), np.nan)
        given: dict[str, Token] = {}
        rows: dict[tuple[int, ...], Token] = {}
        default: list[float] = []
        self._mark("{")
        while not self._take("}"):
            here = self.tokens[self.at] if self.at < len(self.tokens) else self.last
            if self._take("("):
                if not parents:
                    self._odd("a row names states of parents, and it has none", here)
                row = self._row(parents)
                if row in rows:
                    self._odd(f"the row ({self._named(parents, row)}) is given twice", here)
                rows[row] = here
                array[row] = self._numbers(size, here, f"the row ({self._named(parents, row)})")
            elif self._peek() in ("table", "default"):
                word = self._next("table").text
                if word in given:
                    self._odd(f"its {word} is given twice", here)
                given[word] = here
                if word == "default":
                    default = self._numbers(size, here, "default")
                else:
                    numbers = self._numbers(array.size, here, "table", f"{size} x ", sizes)
                    array = np.moveaxis(np.reshape(numbers, (size, *sizes)), 0, -1)
            else:
                self._property()
        if "table" in given and (rows or "default" in given):
            self._odd("it has a table, and rows or a default beside it", given["table"])
        missing = np.argwhere(np.isnan(array[..., 0]))
        if len(missing) and not default:
            what = f"the row ({self._named(parents, missing[0])})" if parents else "its table"
            self._odd(f"{what} is missing, and there is no default", self.last)
        for row in map(tuple, missing):
            array[row] = default
        sums = array.sum(axis=-1)
        for row in map(tuple, np.argwhere(~(np.abs(sums - 1) < LOOSE))):
            what = f"the row ({self._named(parents, row)})" if parents else "its table"
            at = rows.get(row) or given.get("table") or given.get("default") or self.last
            self._odd(f"{what} sums to {sums[row]:.10g}: expected 1", at)
        self.parents[child], self.arrays[child] = parents, array

    def _row(self, parents: Sequence[str]) -> tuple[int, ...]:
        """The places of the states that a row names."""
        codes: list[int] = []
        while not self._take(")"):
            if codes:
                self._take(",")
            state = self._word("a state")
            if len(codes) == len(parents):
                self._odd(f"a row names more states than there are parents, {len(parents)}", state)
            states = self.states[parents[len(codes)]]
            if state.text not in states:
                self._odd(
                    f"{state.text!r} is no state of {parents[len(codes)]!r}: there are "
                    f"{', '.join(states)}",
                    state,
                )
            codes.append(states.index(state.text))
        if len(codes) < len(parents):
            self._odd(f"a row names {len(codes)} states for {len(parents)} parents", self.last)
        return tuple(codes)

    def _numbers(
        self, count: int, start: Token, what: str, own: str = "", sizes: Sequence[int] = ()
    ) -> list[float]:
        """Numbers up to a semicolon, as many as there should be."""
        numbers: list[float] = []
        while not self._take(";"):
            if numbers:
                self._take(",")
            word = self._word("a number")
            try:
                number = float(word.text) if "_" not in word.text else math.nan
            except ValueError:
                number = math.nan
            if not 0 <= number < math.inf:
                self._odd(f"{word.text!r} is no probability: expected a number >= 0", word)
            numbers.append(number)
        if len(numbers) != count:
            why = f" ({own}{' x '.join(map(str, sizes))})" if sizes else ""
            self._odd(f"{what} has {len(numbers)} numbers: expected {count}{why}", start)
        return numbers

    def _named(self, parents: Sequence[str], row: Sequence[int]) -> str:
        return ", ".join(self.states[p][k] for p, k in zip(parents, row, strict=True))

    def _property(self) -> None:
        """``property anything at all ;`` is passed over."""
        word = self._next("property")
        if word.mark or word.text != "property":
            self._odd(f"{shown(word.text)} is no part of it", word)
        while not self._take(";"):
            if self.at == len(self.tokens) or self.tokens[self.at][::2] == ("}", True):
                self._odd("a property does not end with ;", word)
            self._next(";")

    def _count(self) -> int:
        word = self._word("the number of states")
        if not word.text.isascii() or not word.text.isdigit() or int(word.text) < 1:
            self._odd(f"the number of states is {word.text!r}: expected a whole number >= 1", word)
        return int(word.text)

    def _peek(self) -> str:
        return self.tokens[self.at].text if self.at < len(self.tokens) else ""

    def _take(self, mark: str) -> bool:
        """True if this mark comes next; then it is passed."""
        there = self.at < len(self.tokens) and self.tokens[self.at][::2] == (mark, True)
        if there:
            self._next(mark)
        return there

    def _mark(self, mark: str) -> None:
        if not self._take(mark):
            token = self._next(repr(mark))
            self._odd(
                f"{shown(token.text)} stands where {mark!r} is expected{_blank(token)}", token
            )

    def _word(self, what: str) -> Token:
        token = self._next(what)
        if token.mark:
            self._odd(f"{token.text!r} stands where {what} is expected", token)
        return token

    def _next(self, what: str) -> Token:
        if self.at == len(self.tokens):
            self._odd(f"the file ends where {what} is expected", self.last)
        self.last = self.tokens[self.at]
        self.at += 1
        return self.last

    def _odd(self, says: str, token: Token) -> NoReturn:
        where = f", in {self.block}" if self.block else ""
        raise ValueError(f"line {token.line}{where}: {says}")


def _blank(token: Token) -> str:
    return "" if token.mark else "; a name with blanks needs quotes"


def write(network: Network) -> str:
    """The text of a file. ``ValueError`` for a name or state that none can hold."""
    lines = ["network unknown {", "}"]
    for name, states in network.states.items():
        listed = ", ".join(_written(state, f"a state of {name!r}") for state in states)
        lines += [
            f"variable {_written(name, 'a name')} {{",
            f"  type discrete [ {len(states)} ] {{ {listed} }};",
            "}",
        ]
    for name, parents in network.parents.items():
        given = f" | {', '.join(_written(p, 'a name') for p in parents)}" if parents else ""
        lines.append(f"probability ( {_written(name, 'a name')}{given} ) {{")
        array = network.arrays[name].reshape(-1, len(network.states[name]))
        rows = product(*(network.states[p] for p in parents))
        for row, numbers in zip(rows, array.tolist(), strict=True):
            named = ", ".join(_written(state, "a state") for state in row)
            head = f"({named})" if parents else "table"
            lines.append(f"  {head} {', '.join(map(repr, numbers))};")
        lines.append("}")
    return "\n".join(lines) + "\n"


def _written(word: str, what: str) -> str:
    if _PLAIN.fullmatch(word):
        return word
    if _QUOTED.fullmatch(word) and word:
        return f'"{word}"'
    raise ValueError(f"{what} is {word!r}: a .bif file holds texts without quotes and line ends")


def read_states(states: Mapping[str, Sequence[object]]) -> dict[str, list[str]]:
    """States as text: strings and whole numbers, all different then too."""
    texts = {}
    for name, labels in states.items():
        for label in labels:
            if isinstance(label, bool) or not isinstance(label, str | int):
                raise ValueError(
                    f"{name}: the state {label!r} is a {type(label).__name__}: a .bif file holds "
                    "texts and whole numbers; a .json file holds more"
                )
        texts[name] = [str(label) for label in labels]
        if len(set(texts[name])) < len(labels):
            raise ValueError(f"{name}: the states {tuple(labels)} are not different as texts")
    return texts
