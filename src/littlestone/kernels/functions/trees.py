"""The kernel of trees that share subtrees (T-SUBTREES)."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import numpy as np

from ...core.errors import BadInput
from ...core.stream import Array
from .string_grams import inside


class Subtrees(NamedTuple):
    """Common subtrees of two ordered trees: one keeps all children of a node or none, and has an edge (A-SUBTREES).

    A tree is written in brackets, as in treebanks, or as nested tuples of its label and its children. Subtrees count
    wherever they are, or with `anywhere=False` those at the root only; with `labels=False` their shapes alone count.
    `normalised` divides by sqrt(K(s, s) K(t, t)). O(nodes of one times nodes of the other), and their children.

    >>> Subtrees()("(S (NP she) (VP runs))", "(S (NP he) (VP runs))")  # VP; S with NP cut, or both
    3.0
    >>> Subtrees(labels=False)(("a", "b"), ("c", ("d", "e")))
    2.0
    """

    labels: bool = True
    anywhere: bool = True
    normalised: bool = False

    def __call__(self, s: Any, t: Any) -> Any:
        """K(s, t) of two trees; of two lists of trees their matrix, as scikit-learn's `SVC(kernel=k)` asks for."""
        one = is_tree(s), is_tree(t)
        if all(one):
            return float(self.gram([s], [t])[0, 0])
        if any(one):
            raise BadInput(
                f"s and t must be two trees, or two lists of them, not {s!r:.40} and {t!r:.40}"
            )
        return self.gram(s, t)

    def gram(self, X: Any, Z: Any = None) -> Array:
        """The matrix of K(s, t) for the trees of X and of Z, or for all pairs of X."""
        for name in self._fields:
            if not isinstance(getattr(self, name), (bool, np.bool_)):
                raise BadInput(
                    f"{name} of the Subtrees kernel must be True or False, not {getattr(self, name)!r:.60}"
                )
        alone = Z is None or Z is X
        rows = parsed(X, "X")
        every = rows if alone else rows + parsed(Z, "Z")
        flat = flattened(every, self.labels)
        n, first = len(rows), 0 if alone else len(rows)
        K = self._pairs(flat, n, first, alone, own=False)
        if self.normalised:
            root = np.sqrt(self._pairs(flat, len(every), 0, False, own=True)[:, 0])
            size = root[:n, None] * root[None, first:]
            K = np.divide(K, size, out=np.zeros_like(K), where=size > 0.0)
        return K

    def _pairs(self, flat: Any, n: int, first: int, half: bool, own: bool) -> Array:
        from .compiled_trees import tree_pairs

        K = np.zeros((n, 1 if own else len(flat[0]) - 1 - first))
        begin, label, start, child = flat
        tree_pairs(begin, label, start, child, n, first, half, bool(self.anywhere), own, K)
        return inside(K)


def is_tree(t: Any) -> bool:
    """A tree in brackets or a tuple; a list is a list of trees."""
    return isinstance(t, (str, tuple))


def parsed(X: Any, what: str) -> list[Any]:
    """Trees as nested tuples (label, child, …)."""
    if is_tree(X) or not hasattr(X, "__iter__"):
        raise BadInput(f"{what} must be a list of trees, not {X!r:.60}")
    return [tree(t, f"{what}: tree {i + 1}") for i, t in enumerate(X)]


def tree(t: Any, what: str) -> Any:
    if isinstance(t, str):
        return bracketed(t, what)
    return nested(t, what)


def nested(t: Any, what: str) -> Any:
    """A label is a leaf; a tuple is a label and its children."""
    if isinstance(t, str) and t:
        return (t,)
    if not isinstance(t, tuple) or not t or not isinstance(t[0], str) or not t[0]:
        raise BadInput(
            f"{what}: {t!r:.60} is no tree: write a label, or a tuple of a label and its children"
        )
    return (t[0], *(nested(c, what) for c in t[1:]))


def bracketed(text: str, what: str) -> Any:
    """A tree from (S (NP she) (VP runs)): a bracket opens with its label, and a bare word is a leaf."""
    top: list[Any] = []
    still: list[list[Any]] = [top]
    for word in re.findall(r"[()]|[^\s()]+", text):
        if word == "(":
            still.append([])
        elif word != ")":
            still[-1].append(word if len(still) > 1 and not still[-1] else (word,))
        elif len(still) == 1:
            raise BadInput(f"{what}: {text!r:.60} closes a bracket that was not opened")
        else:
            made = still.pop()
            if not made or not isinstance(made[0], str):
                raise BadInput(f"{what}: {text!r:.60} has a bracket without a label: write (S …)")
            still[-1].append(tuple(made))
    if len(still) > 1:
        raise BadInput(f"{what}: {text!r:.60} leaves a bracket open")
    if len(top) != 1:
        raise BadInput(f"{what}: {text!r:.60} must hold one tree, not {len(top)}")
    return top[0]


def flattened(trees: list[Any], labels: bool) -> tuple[Any, Any, Any, Any]:
    """Of all nodes, children first: where each tree begins, labels, where the children of a node begin, and these."""
    names: dict[str, int] = {}
    begin, start = [0], [0]
    label: list[int] = []
    child: list[int] = []
    for one in trees:
        waiting: list[tuple[Any, bool]] = [(one, False)]
        done: list[int] = []
        while waiting:
            node, below = waiting.pop()
            if not below:
                waiting.append((node, True))
                waiting += [(c, False) for c in reversed(node[1:])]
                continue
            children = [done.pop() for _ in node[1:]][::-1]
            child += children
            start.append(len(child))
            done.append(len(label))
            label.append(names.setdefault(node[0], len(names)) if labels else 0)
        begin.append(len(label))
    found = [np.array(part, dtype=np.int64) for part in (begin, label, start, child)]
    return found[0], found[1], found[2], found[3]
