"""Numbers as people write them: 1,000.50 or 1.234,50, with a currency or a percent sign, and - for a missing one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

CURRENCIES = "€$£¥₹₽₩₺"
CODES = "USD|EUR|GBP|JPY|CHF|CNY|INR|CAD|AUD|SEK|NOK|DKK|PLN|BRL"
DASHES = ("-", "--", "–", "—")  # a missing number, in a column of numbers
SPACES = "\u00a0\u202f\u2009"  # which are no ordinary space, but stand between groups of digits
UNIT = rf"[{CURRENCIES}]|{CODES}|%"
# Which mark stands before the fraction, and which between thousands; the first that fits is taken.
MARKS = ((".", ","), (",", "."), (".", " "), (",", " "), (".", "'"), (",", "'"))
SLIPS = 0.1  # of a column: if no more than this is not a number, it should be
LOOK = 64  # values that tell whether the others are worth a look


class Style(NamedTuple):
    """How the numbers of a column are written.

    >>> style, odd = style_of(["1,000.50", "$2,000", "-"])
    >>> style.number("1,000.50"), style.number("$2,000"), style.number("-"), odd
    (1000.5, 2000.0, nan, None)
    >>> style_of(["1.234,50", "12,5"])[0].number("1.234,50")
    1234.5
    >>> style_of(["5%", "12.5 %"])[0].number("5%")
    5.0
    >>> style_of(["5%", "12"]), style_of(["a", "b"]), style_of(["€3", "$4"])
    ((None, None), (None, None), (None, None))
    >>> style_of(["0,942", "1,250"])[0].number("0,942")
    0.942
    """

    point: str
    group: str
    unit: str

    @property
    def pattern(self) -> str:
        """A whole number of this style."""
        point, group = re.escape(self.point), re.escape(self.group)
        digits = rf"(?:[1-9]\d{{0,2}}(?:{group}\d{{3}})+|\d+)(?:{point}\d+)?|{point}\d+"
        unit = rf"\s*(?:{re.escape(self.unit)})" if self.unit else ""
        if self.unit == "%":
            return rf"^\s*[-+]?(?:{digits}){unit}\s*$"
        before = rf"(?:{unit})?\s*" if unit else r"\s*"
        after = rf"(?:{unit})?" if unit else ""
        return rf"^{before}[-+]?{before}(?:{digits}){after}\s*$"

    def number(self, text: str) -> float | None:
        """The number; NaN for a dash; None for what is no number of this style."""
        text = plain_spaces(text)
        if text.strip() in DASHES:
            return float("nan")
        if re.match(self.pattern, text) is None:
            return _float(text) if self.point == "." and not self.unit else None
        for mark in (self.unit, self.group):
            text = text.replace(mark, "") if mark else text
        return float("".join(text.split()).replace(self.point, "."))

    def said(self, column: str, values: Sequence[str]) -> str:
        """What a note says of the column."""
        marked = next((v for v in values if _float(v) is None and v.strip() not in DASHES), None)
        if marked is None:
            dash = next(v for v in values if v.strip() in DASHES)
            return f"{column!r} is read as numbers: {dash.strip()!r} is a missing one"
        return f"{column!r} is read as numbers: {marked!r} is {self.number(marked):.15g}"

    def doubt(self, values: Sequence[str]) -> tuple[int, str] | None:
        """The place of a number, and how it could be read in two ways; None where all can be read in one.

        A group of three digits may be a fraction of three. It is none where a number has two such groups, or has a
        fraction besides, or where small numbers stand beside it without a mark.

        >>> style, _ = style_of(["1,250", "2,500"])
        >>> style.doubt(["1,250", "2,500"]), style.doubt(["1,250", "2,500", "950"])
        ((0, '1250 or 1.25'), None)
        """
        if {self.point, self.group} != {".", ","}:
            return None
        other = self._replace(point=self.group, group=self.point)
        first = None
        for i, text in enumerate(values):
            here, there = self.number(text), other.number(text)
            if here is None or here != here:
                continue
            if there is None or (here == there and 0.0 < abs(here) < 1000.0):
                return None
            if here != there:
                first = first or (i, f"{here:.15g} or {there:.15g}")
        return first


def mixed_units(values: Sequence[str]) -> int | None:
    """Where a value has a sign, as % or €, that others have not, though all are numbers; None: nowhere.

    >>> mixed_units(["5.0", "5.0%", "7"]), mixed_units(["5%", "7%"]), mixed_units(["a%", "b"])
    (1, None, None)
    """
    signs = [m[0] if (m := re.search(UNIT, v)) else "" for v in values]
    if len(set(signs)) < 2 or not all(is_number(v) for v in values):
        return None
    return next(i for i, sign in enumerate(signs) if sign)


def plain_spaces(text: str) -> str:
    for space in SPACES:
        text = text.replace(space, " ")
    return text


def style_of(values: Sequence[str], decimal: str | None = None) -> tuple[Style | None, int | None]:
    """The style of nearly all values, and the place of the first that is not of it; None: there is none.

    `decimal`: the mark before the fraction, where the caller said it. Values that are plain numbers need no style, so
    a column of them has none unless dashes stand among them.
    """
    if not any(c.isdigit() for v in values[:LOOK] for c in v[:24]):
        return None, None
    if len(values) > LOOK and _style(values[:LOOK], 0.5, decimal) is None:
        return None, None
    plain = all(_float(v) is not None for v in values)
    style = None if plain else _style(values, SLIPS, decimal)
    if style is None:
        return None, None
    odd = (i for i, v in enumerate(values) if style.number(v) is None)
    return style, next(odd, None)


def _style(values: Sequence[str], slips: float, decimal: str | None = None) -> Style | None:
    """The style that all but a part of the values have."""
    texts = [t for t in (plain_spaces(v).strip() for v in values) if t not in DASHES]
    if not texts:
        return None
    found = {m[0] for t in texts if (m := re.search(UNIT, t))}
    if len(found) > 1:
        return None
    unit = next(iter(found), "")
    need = len(texts) * (1.0 - slips)
    if unit == "%" and sum("%" in t for t in texts) < need:
        return None
    for point, group in MARKS:
        if decimal not in (None, point):
            continue
        style = Style(point, group, unit)
        if sum(style.number(t) is not None for t in texts) >= need:
            return style
    return None


def is_number(value: object) -> bool:
    """Is it a number, or text that is one in any of the styles?"""
    if not isinstance(value, str):
        return True
    return _float(value) is not None or _style([value], 0.0) is not None


def _float(text: str) -> float | None:
    """A plain number, as 1e-3 or inf."""
    try:
        return float(text.replace("_", "x"))
    except ValueError:
        return None


def as_numbers(column: Any, style: Style) -> Any:
    """A column of text of pyarrow's as float64; pa.ArrowInvalid where a value is no number of this style."""
    import pyarrow as pa
    import pyarrow.compute as pc

    encoded = column.dictionary_encode()
    chunks = []
    for chunk in encoded.chunks:
        numbers = [style.number(v) for v in chunk.dictionary.to_pylist()]
        if None in numbers:  # missing values have no entry in the dictionary
            raise pa.ArrowInvalid(f"{chunk.dictionary[numbers.index(None)]} is not a number")
        values = pa.array([n if n == n else None for n in numbers], pa.float64())
        chunks.append(pc.take(values, chunk.indices))
    return pa.chunked_array(chunks, pa.float64())
