"""A bound as a user writes it: parsed, never evaluated as Python."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from ..core.errors import BadInput
from ..core.guarantee import Symbols
from .digits import SCOPE, Number

OPERATORS: dict[type[ast.AST], Callable[..., Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
}
FUNCTIONS: dict[str, Callable[..., Any]] = {
    "sqrt": np.sqrt,
    "log": np.log,
    "ln": np.log,
    "lg": np.log2,
    "exp": np.exp,
    "ceil": np.ceil,
    "floor": np.floor,
    "min": lambda *v: _folded(np.minimum, v),
    "max": lambda *v: _folded(np.maximum, v),
}
SIGNS = "+ - * / **"
DEEP = 50  # how far an expression may be nested


def _folded(f: Callable[..., Any], values: tuple[Any, ...]) -> Any:
    made = values[0]
    for v in values[1:]:
        made = f(made, v)
    return made


class Expression:
    """A function of a theorem's symbols.

    >>> bound = parse_expression("sqrt(T * log(n) / 2)", ("T", "n"))
    >>> round(float(bound(Symbols(T=8, n=4))), 4)
    2.3548
    >>> sorted(bound.names)
    ['T', 'n']
    """

    def __init__(self, text: str, tree: ast.expr, names: frozenset[str]) -> None:
        self.text, self.tree, self.names = text, tree, names

    def __call__(self, s: Symbols) -> Any:
        with np.errstate(all="ignore"):
            return self._value(self.tree, s)

    def _value(self, node: ast.expr, s: Symbols) -> Any:
        if isinstance(node, ast.Constant):
            return np.float64(node.value)  # type: ignore[arg-type]
        if isinstance(node, ast.Name):
            v = getattr(s, node.id)
            return np.asarray(v, float) if isinstance(v, (list, np.ndarray)) else np.float64(v)
        if isinstance(node, ast.UnaryOp):
            return OPERATORS[type(node.op)](self._value(node.operand, s))
        if isinstance(node, ast.BinOp):
            left, right = self._value(node.left, s), self._value(node.right, s)
            return OPERATORS[type(node.op)](left, right)
        assert isinstance(node, ast.Call)
        assert isinstance(node.func, ast.Name)
        return FUNCTIONS[node.func.id](*[self._value(a, s) for a in node.args])

    def exactly(self, s: Symbols) -> Any:
        """The value in fifty digits, for symbols that are Numbers of fifty digits."""
        arrays = SCOPE["np"]

        def of(node: ast.expr) -> Any:
            if isinstance(node, ast.Constant):
                return Number(node.value)
            if isinstance(node, ast.Name):
                return getattr(s, node.id)
            if isinstance(node, ast.UnaryOp):
                return OPERATORS[type(node.op)](of(node.operand))
            if isinstance(node, ast.BinOp):
                return OPERATORS[type(node.op)](of(node.left), of(node.right))
            assert isinstance(node, ast.Call)
            assert isinstance(node.func, ast.Name)
            f = FUNCTIONS[node.func.id]
            if node.func.id not in ("min", "max"):
                f = getattr(arrays, {"ln": "log", "lg": "log2"}.get(node.func.id, node.func.id))
            return f(*map(of, node.args))

        return of(self.tree)

    def __repr__(self) -> str:
        return self.text


def parse_expression(text: str, known: tuple[str, ...]) -> Expression:
    """An expression of the known symbols; BadInput says what is wrong with any other."""
    return check_tree(syntax_tree(text, "bound", known), text, "bound", known)


def syntax_tree(text: str, option: str, known: tuple[str, ...]) -> ast.expr:
    """The syntax tree of a formula that was given as `option`."""
    try:
        return ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise BadInput(f"{option} {text!r:.80} is no formula; {legend(known)}") from None


def check_tree(tree: ast.expr, text: str, option: str, known: tuple[str, ...]) -> Expression:
    """A tree as an expression, if it holds nothing but arithmetic of the known symbols."""
    names: set[str] = set()
    _check(tree, text, option, known, names, 0)
    return Expression(text, tree, frozenset(names))


def _check(
    node: ast.AST, text: str, option: str, known: tuple[str, ...], names: set[str], deep: int
) -> None:
    def refuse(why: str) -> BadInput:
        return BadInput(f"{option} {text!r:.80}: {why}; {legend(known)}")

    if deep > DEEP:
        raise refuse("it is nested too deeply")
    for part in _parts(node, known, names, refuse):
        _check(part, text, option, known, names, deep + 1)


def _parts(
    node: ast.AST, known: tuple[str, ...], names: set[str], refuse: Callable[[str], BadInput]
) -> list[ast.expr]:
    """What a node is made of; its symbol goes into `names`. What is no arithmetic is refused."""
    if isinstance(node, ast.Constant):
        if isinstance(node.value, bool) or not isinstance(node.value, (int, float)):
            raise refuse(f"{node.value!r:.40} is not a number")
        if not abs(node.value) < 1e300:
            raise refuse("a number is too large")
        return []
    if isinstance(node, ast.Name):
        if node.id not in known:
            raise refuse(f"there is no symbol {node.id!r}")
        names.add(node.id)
        return []
    if isinstance(node, ast.UnaryOp) and type(node.op) in OPERATORS:
        return [node.operand]
    if isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
        return [node.left, node.right]
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return _arguments(node, node.func.id, refuse)
    raise refuse(f"{ast.unparse(node)!r:.40} cannot be part of it")


def _arguments(node: ast.Call, name: str, refuse: Callable[[str], BadInput]) -> list[ast.expr]:
    """The arguments of a function that is known."""
    if name not in FUNCTIONS:
        raise refuse(f"there is no function {name!r}")
    least, most = (1, 99) if name in ("min", "max") else (1, 1)
    if node.keywords or not least <= len(node.args) <= most:
        raise refuse(f"{name} takes {'numbers' if most > 1 else 'one number'}")
    return node.args


def legend(known: tuple[str, ...]) -> str:
    return f"symbols: {', '.join(known)}; with {SIGNS} and {', '.join(FUNCTIONS)}"
