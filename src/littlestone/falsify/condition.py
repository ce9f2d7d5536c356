"""A condition as a user writes it, "margin > 0 and T >= 3": parsed, never evaluated as Python."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from ..core.errors import BadInput
from ..core.guarantee import Symbols
from .expression import DEEP, Expression, check_tree, legend, syntax_tree

COMPARISONS: dict[type[ast.AST], Callable[[Any, Any], Any]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}
SIGNS = "< <= > >= == !=, joined by and, or, not"


class Condition:
    """True or false for a theorem's symbols: one entry a comparator, where they have one.

    >>> some = condition("1 <= T < 9 and not n == 2", ("T", "n"))
    >>> bool(some(Symbols(T=8, n=4))), bool(some(Symbols(T=8, n=2)))
    (True, False)
    >>> condition("L == 0", ("L",))(Symbols(L=np.array([0.0, 3.0]))).tolist()
    [True, False]
    """

    def __init__(self, text: str, holds: Callable[[Symbols], Any], names: frozenset[str]) -> None:
        self.text, self.holds, self.names = text, holds, names

    def __call__(self, s: Symbols) -> Any:
        with np.errstate(all="ignore"):
            return self.holds(s)

    def __repr__(self) -> str:
        return self.text


def condition(text: str, known: tuple[str, ...]) -> Condition:
    """A condition on the known symbols; BadInput says what is wrong with any other."""
    names: set[str] = set()
    holds = _part(syntax_tree(text, "where", known), text, known, names, 0)
    return Condition(text, holds, frozenset(names))


def _part(
    node: ast.expr, text: str, known: tuple[str, ...], names: set[str], deep: int
) -> Callable[[Symbols], Any]:
    """A part of the condition, as a function of the symbols."""

    def refuse(why: str) -> BadInput:
        return BadInput(f"where {text!r:.80}: {why}; conditions: {SIGNS}; {legend(known)}")

    if deep > DEEP:
        raise refuse("it is nested too deeply")
    if isinstance(node, ast.BoolOp):
        parts = [_part(v, text, known, names, deep + 1) for v in node.values]
        join = np.logical_and if isinstance(node.op, ast.And) else np.logical_or
        return lambda s: _joined(join, [part(s) for part in parts])
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        inner = _part(node.operand, text, known, names, deep + 1)
        return lambda s: np.logical_not(inner(s))
    if not isinstance(node, ast.Compare):
        raise refuse(f"{ast.unparse(node)!r:.40} is not a condition, such as T >= 3")
    signs = [type(op) for op in node.ops]
    if any(sign not in COMPARISONS for sign in signs):
        raise refuse(f"{ast.unparse(node)!r:.40} is not a comparison")
    sides: list[Expression] = []
    for side in (node.left, *node.comparators):
        sides.append(check_tree(side, text, "where", known))
        names |= sides[-1].names

    def holds(s: Symbols) -> Any:
        v = [side(s) for side in sides]
        each = [COMPARISONS[sign](v[i], v[i + 1]) for i, sign in enumerate(signs)]
        return _joined(np.logical_and, each)

    return holds


def _joined(join: Any, values: list[Any]) -> Any:
    made = values[0]
    for v in values[1:]:
        made = join(made, v)
    return made
