"""Formulas of theorems as MathML, which browsers draw without a script: `sqrt(8 ln n / T)` becomes a root.

Statements are written as one types them: `loss - L_i <= ln n / eta + eta B^2 T / 8 for every expert i`. What reads as
mathematics becomes a formula; words stay words. A word beside an operator, as `loss` above, is part of its formula.
"""

from __future__ import annotations

import re
from html import escape
from typing import NamedTuple

GREEK = {
    "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "eps": "ε", "eta": "η", "theta": "θ", "kappa": "κ",
    "lam": "λ", "mu": "μ", "pi": "π", "rho": "ρ", "sigma": "σ", "tau": "τ", "phi": "φ", "Delta": "Δ", "Phi": "Φ",
}  # fmt: skip
FUNCTIONS = {
    "ln",
    "lg",
    "log2",
    "exp",
    "max",
    "min",
    "det",
    "floor",
    "ceil",
    "range",
    "KL",
    "mean",
}
BINARY = {
    "<=": "≤",
    ">=": "≥",
    "=": "=",
    "+": "+",
    "-": "−",
    "/": "/",
    "<": "<",
    ">": ">",
    "·": "·",
}
OTHER = {"...": "…", "⌈": "⌈", "⌉": "⌉", "'": "′"}
TOKEN = re.compile(
    r"\s+|<=|>=|\.\.\.|(?:[ATE]|ADV)-[A-Z][A-Z0-9]+(?:-[A-Z0-9]+)*|\d+(?:\.\d+)?|(?<=\w)-(?!alpha|beta|mu|phi)[a-z]{3,}"
    r"|[A-Za-z]{2,}(?:-[a-z]{2,})+|log2|[a-z]\d(?!\w)|[A-Za-z]+|[^\sA-Za-z\d]"
)
# Words that are never part of a formula, though an operator stands beside them.
PLAIN = {
    "a", "an", "and", "at", "each", "every", "for", "from", "if", "in", "is", "it", "most", "of", "on", "or", "over",
    "so", "that", "the", "this", "to", "what", "where", "which", "with",
}  # fmt: skip
FENCE = '<mo fence="true" form="{}" stretchy="false">{}</mo>'
GAP = '<mspace width="0.2em"/>'
CLOSES = {"(": ")", "[": "]", "<": ">", "|": "|"}
DRAWN = {"<": "⟨", ">": "⟩"}


class Piece(NamedTuple):
    """A part of a statement: its text, its MathML ("" where it is no mathematics) and what kind it is."""

    text: str
    drawn: str
    kind: str  # "word", "atom", "operator", "space", "mark"


def mathematics(statement: str) -> str:
    """The statement as HTML, with its formulas drawn.

    >>> mathematics("at most T rounds")
    'at most <math><mi>T</mi></math> rounds'
    >>> mathematics("eta sqrt(n)")
    '<math><mi>η</mi><mspace width="0.2em"/><msqrt><mi>n</mi></msqrt></math>'
    """
    return joined(pieces(TOKEN.findall(statement.replace(" . ", " · "))))


def pieces(tokens: list[str]) -> list[Piece]:
    """Every token, with groups, roots, subscripts and powers put together."""
    found: list[Piece] = []
    at = 0
    while at < len(tokens):
        piece, at = next_piece(tokens, at)
        found.append(piece)
    for i, piece in enumerate(found):
        if piece.text in ("sum", "range", "mean", "max", "min") and in_prose(found, i):
            found[i] = Piece(piece.text, "", "word")
    return found


def in_prose(found: list[Piece], at: int) -> bool:
    """Whether a name such as `sum` is a word here: after `the`, or before another word."""
    before = [p.text for p in found[:at] if p.kind != "space"][-1:]
    after = [p for p in found[at + 1 :] if p.kind != "space"][:1]
    return before in (["the"], ["of"]) or not after or after[0].kind in ("word", "mark")


def next_piece(tokens: list[str], at: int) -> tuple[Piece, int]:
    """The piece that begins here, with its subscript and its power, and where the next one begins."""
    piece, end = bare_piece(tokens, at)
    if piece.kind not in ("atom", "word"):
        return piece, end
    sub, end = script(tokens, end, "_")
    power, end = script(tokens, end, "^")
    if sub and piece.kind == "word":  # stay_b: a name with a subscript is mathematics
        piece = Piece(piece.text, f"<mi>{piece.text}</mi>", "atom")
    if not (sub or power) or piece.kind == "word":
        return piece, end
    text = "".join(tokens[at:end])
    inside = f"<mrow>{piece.drawn}</mrow>{sub}{power}"
    tag = "msubsup" if sub and power else "msub" if sub else "msup"
    return Piece(text, f"<{tag}>{inside}</{tag}>", "atom"), end


def bare_piece(tokens: list[str], at: int) -> tuple[Piece, int]:
    token = tokens[at]
    if token == "sqrt" and at + 1 < len(tokens):
        return root(tokens, at)
    if opens(tokens, at) and (group := grouped(tokens, at)):
        return group
    return single(token), at + 1


def single(token: str) -> Piece:
    """A token by itself."""
    if token.isspace():
        return Piece(token, "", "space")
    if token in BINARY:
        return Piece(token, f"<mo>{escape(BINARY[token])}</mo>", "operator")
    if token in OTHER:
        return Piece(token, f"<mo>{OTHER[token]}</mo>", "atom")
    if token in GREEK:
        return Piece(token, f"<mi>{GREEK[token]}</mi>", "atom")
    if token in FUNCTIONS:
        return Piece(token, f'<mi mathvariant="normal">{token}</mi><mo>&#x2061;</mo>', "atom")
    if token == "sum":
        return Piece(token, "<mo>∑</mo>", "atom")
    if token[0].isdigit():
        return Piece(token, f"<mn>{token}</mn>", "atom")
    if len(token) == 1 and token.isalpha():
        return Piece(token, f"<mi>{token}</mi>", "atom")
    if len(token) == 2 and token[1].isdigit():
        return Piece(token, f"<msub><mi>{token[0]}</mi><mn>{token[1]}</mn></msub>", "atom")
    if re.fullmatch("[A-Z]+-[A-Z].*|-[a-z]+", token):  # an id, or the rest of a word: 2-cover
        return Piece(token, "", "mark")
    return Piece(token, "", "word" if token[0].isalpha() else "mark")


def opens(tokens: list[str], at: int) -> bool:
    """Whether a group begins here: `<u, x>` and `|u|` have no blank inside, `a < b` has two."""
    token = tokens[at]
    if token in "([":
        return True
    after = tokens[at + 1] if at + 1 < len(tokens) else " "
    before = tokens[at - 1] if at else " "
    return token in "<|" and not after.isspace() and (before.isspace() or before in "([|")


def grouped(tokens: list[str], at: int) -> tuple[Piece, int] | None:
    """What stands between brackets as one piece, if all of it is mathematics."""
    mark, end, depth = tokens[at], at + 1, 1
    while end < len(tokens):
        if tokens[end] == CLOSES[mark] and not (mark in "<|" and tokens[end - 1].isspace()):
            depth -= 1
        elif tokens[end] == mark:
            depth += 1
        if not depth:
            break
        end += 1
    else:
        return None
    inside = drawn_whole(pieces(tokens[at + 1 : end]), alone=mark in "[|")
    if not inside:
        return None
    first, last = (DRAWN.get(m, m) for m in (mark, tokens[end]))
    drawn = FENCE.format("prefix", first) + inside + FENCE.format("postfix", last)
    return Piece("".join(tokens[at : end + 1]), f"<mrow>{drawn}</mrow>", "atom"), end + 1


def without_brackets(drawn: str) -> str:
    """What stands between round brackets: a root and a power need none."""
    first, last = "<mrow>" + FENCE.format("prefix", "("), FENCE.format("postfix", ")") + "</mrow>"
    return drawn.removeprefix(first).removesuffix(last) if drawn.startswith(first) else drawn


def drawn_whole(inside: list[Piece], alone: bool) -> str:
    """Pieces as one formula; "" if words that are no part of it are among them. `alone`: a single word is none."""
    joins = joining(inside, counted=True)
    words = [p for p, j in zip(inside, joins, strict=True) if p.kind == "word" and not j]
    marks = [p for p in inside if p.kind == "mark" and p.text != ","]
    single_word = alone and len(inside) == 1
    if (words and not single_word) or marks or not any(p.kind != "mark" for p in inside):
        return ""
    return drawn_run(inside)


def drawn_run(run: list[Piece]) -> str:
    """Pieces one after another, with a gap beside words and functions."""
    made: list[str] = []
    for before, piece, after in zip([None, *run], run, [*run[1:], None], strict=False):
        if piece.kind == "space":
            beside = [p for p in (before, after) if p]
            wide = any(p.kind == "word" or p.text in FUNCTIONS or "sqrt" in p.text for p in beside)
            made.append(GAP if wide and not any(p.kind == "operator" for p in beside) else "")
        elif piece.text == ",":
            made.append("<mo>,</mo>")
        else:
            made.append(piece.drawn or f"<mtext>{escape(piece.text)}</mtext>")
    return "".join(made)


def root(tokens: list[str], at: int) -> tuple[Piece, int]:
    """`sqrt(...)`, or `sqrt T`."""
    start = at + 2 if tokens[at + 1].isspace() else at + 1
    piece, end = bare_piece(tokens, start) if start < len(tokens) else (single("sqrt"), at + 1)
    if not piece.drawn:
        return single("sqrt"), at + 1
    inside = without_brackets(piece.drawn)
    return Piece("".join(tokens[at:end]), f"<msqrt>{inside}</msqrt>", "atom"), end


def script(tokens: list[str], at: int, mark: str) -> tuple[str, int]:
    """A subscript or a power: `t`, `t,i`, `12`, `-j` or what stands in brackets; "" where there is none."""
    if at + 1 >= len(tokens) or tokens[at] != mark or tokens[at + 1].isspace():
        return "", at
    start = at + 1
    sign = "<mo>−</mo>" if tokens[start] == "-" else ""
    start += bool(sign)
    if start >= len(tokens):
        return "", at
    if tokens[start] == "(" and (group := grouped(tokens, start)):
        inside, end = without_brackets(group[0].drawn), group[1]
        if end < len(tokens) and mark == "_" and re.fullmatch(r"[a-z]", tokens[end]):
            inside, end = inside + single(tokens[end]).drawn, end + 1  # A_(t-1)i
        return f"<mrow>{sign}{inside}</mrow>", end
    letters = tokens[start]
    if letters == "+":  # (x)_+ is the positive part
        return "<mo>+</mo>", start + 1
    if not re.fullmatch(r"\w+", letters):
        return "", at
    inside = (
        "".join(single(c).drawn for c in letters)
        if letters not in GREEK and len(letters) < 3
        else ""
    )
    inside, end = inside or single(letters).drawn or f"<mi>{letters}</mi>", start + 1
    if tokens[end : end + 2] == ["+", "1"] and mark == "_":  # theta_t+1
        inside, end = f"{inside}<mo>+</mo><mn>1</mn>", end + 2
    while end + 1 < len(tokens) and tokens[end] == "," and re.fullmatch(r"\w", tokens[end + 1]):
        inside, end = f"{inside}<mo>,</mo>{single(tokens[end + 1]).drawn}", end + 2
    return f"<mrow>{sign}{inside}</mrow>", end


def joining(found: list[Piece], counted: bool = False) -> list[bool]:
    """Of each piece, whether it is part of a formula: a word is, beside an operator; `counted`: or behind a number."""
    solid = [i for i, p in enumerate(found) if p.kind != "space"]
    joins = [bool(p.drawn) for p in found]
    for place, i in enumerate(solid):
        if found[i].kind != "word" or found[i].text in PLAIN:
            continue
        beside = [found[solid[n]] for n in (place - 1, place + 1) if 0 <= n < len(solid)]
        number = counted and place and found[solid[place - 1]].drawn.startswith("<mn>")
        joins[i] = bool(number) or any(p.kind == "operator" for p in beside)
    return joins


def joined(found: list[Piece]) -> str:
    """Runs of mathematics as formulas, what is between them as text."""
    joins, made, run = joining(found), list[str](), list[Piece]()
    for piece, joins_formula in zip(found, joins, strict=True):
        if joins_formula or (run and piece.kind == "space"):
            run.append(piece)
            continue
        made += [formula(run), escape(piece.text)]
        run = []
    return "".join([*made, formula(run)])


def formula(run: list[Piece]) -> str:
    """A run of pieces as `<math>`; an article, or a number in a sentence, stays text."""
    if len(run) > 1 and run[0].text in ("a", "A") and run[1].kind == "space":
        return run[0].text + formula(run[1:])
    text = "".join(p.text for p in run)
    core = text.strip()
    if not core or core in ("a", "A", "I") or re.fullmatch(r"[\d.]+|[-<>=./+ ]+", core):
        return escape(text)
    before, after = text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :]
    solid = run[bool(before) : len(run) - bool(after)]
    return before + "<wbr>".join(f"<math>{part}</math>" for part in breakable(solid)) + after


def breakable(run: list[Piece]) -> list[str]:
    """A formula in parts, each from an operator on: a browser breaks no line within a formula."""
    parts: list[list[Piece]] = [[]]
    for piece in run:
        if piece.kind == "operator" and piece.text != "/" and parts[-1]:
            parts.append([])
        parts[-1].append(piece)
    return [
        drawn_run(p).replace("<mo>", '<mo form="infix">', p[0].kind == "operator") for p in parts
    ]
