"""Cost-complexity pruning of a grown tree: its weakest links, one after another, for its own cost or for errors."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..core.errors import BadInput
from ..core.guarantee import Certificate, Guarantee, Symbols, judge
from ..core.stream import Array
from .estimators import has_classes

COSTS = ("impurity", "errors")
TIE = 1e-12  # links that differ by less than this part of the cost of the root are equally weak
OPTIMAL = Guarantee(
    "T-WEAKEST-LINK", "the pruning path is optimal",
    "for every lambda the path holds a tree with the least cost(leaves) + lambda |leaves| of all prunings",
    "Breiman, Friedman, Olshen & Stone 1984; lectures on supervised learning, 4",
    lambda s: s.optimum, against="none", measures="cost", uses=("cost", "optimum"),
)  # fmt: skip


@dataclass
class PruningPath:
    """The trees that weakest-link pruning goes through, from the grown one to the root alone; an entry a tree.

    Tree k is the smallest with the least `cost + lambda leaves` for lambda in [lambdas[k], lambdas[k + 1]).
    """

    lambdas: Array
    leaves: Any  # how many leaves each tree has
    costs: Array  # the cost of each tree, summed over its leaves
    collapsed: list[
        tuple[int, ...]
    ]  # the nodes of the grown tree that became leaves at this lambda
    cost: str
    tree: Any = field(repr=False)  # the scikit-learn model
    node_costs: Array = field(repr=False)

    def __len__(self) -> int:
        return len(self.lambdas)

    def __str__(self) -> str:
        lines = [f"{'lambda from':>12} {'leaves':>7} {self.cost:>12}"]
        rows = zip(self.lambdas, self.leaves, self.costs, strict=True)
        return "\n".join([*lines, *(f"{a:12.6g} {n:7d} {c:12.6g}" for a, n, c in rows)])

    def index(self, lam: float) -> int:
        """Which tree of the path is the smallest with the least cost at lambda."""
        if not float(lam) >= 0.0:
            raise BadInput(f"lambda must be a number of at least 0, not {lam!r}")
        return int(np.searchsorted(self.lambdas, lam, side="right")) - 1

    def prune(self, lam: float) -> Pruned:
        """The tree of the path at lambda, as a model with `predict`."""
        gone = {node for k in range(self.index(lam) + 1) for node in self.collapsed[k]}
        return Pruned(self.tree, stops(self.tree.tree_, gone))

    def optimum(self, lam: float) -> float:
        """The least `cost + lambda leaves` of all prunings, by dynamic programming from the leaves up."""
        t, R = self.tree.tree_, self.node_costs
        best = R + lam
        for node in range(
            t.node_count - 1, -1, -1
        ):  # children have larger numbers than their parents
            if t.children_left[node] != -1:
                both = best[t.children_left[node]] + best[t.children_right[node]]
                best[node] = min(best[node], both)
        return float(best[0])

    @property
    def certificate(self) -> Certificate:
        """Is it optimal? Compared with dynamic programming over all prunings, where the path bends.

        The optimum is a concave function of lambda and the path's cost is linear between its bends, and never below. So
        they are equal everywhere if they are equal at the bends.
        """
        own = self.costs + self.lambdas * self.leaves
        best = np.array([self.optimum(v) for v in self.lambdas])
        worst = int(np.argmax(own - best))
        found = judge(
            OPTIMAL, None, [Symbols(cost=own[worst], optimum=best[worst])], float(own[worst])
        )
        found.comparator = (
            f"of all prunings, at {len(self)} lambdas; shown: lambda = {self.lambdas[worst]:.6g}"
        )
        return Certificate([found])


@dataclass
class Pruned:
    """A grown tree that stops early at some nodes."""

    tree: Any
    stop: Any  # for each node of the grown tree: the node at which an example that reaches it stops

    @property
    def leaves(self) -> list[int]:
        """The nodes of the grown tree that are leaves now."""
        t = self.tree.tree_
        return sorted({int(self.stop[v]) for v in range(t.node_count) if t.children_left[v] == -1})

    def predict(self, X: Any) -> Any:
        """The label, or the mean, of the leaf of each row."""
        value = self.tree.tree_.value[self.stop[self.tree.apply(X)], 0]
        if has_classes(self.tree):
            return self.tree.classes_[np.argmax(value, axis=1)]
        return value[:, 0]

    def rules(self, names: Any = None) -> list[str]:
        """One line for each leaf: the tests on its path, those on one feature merged, and its label or mean."""
        return [rule(self.tree, leaf, names) for leaf in self.leaves]


def pruning_path(tree: Any, cost: str = "impurity") -> PruningPath:
    """The pruning path of a tree that scikit-learn has grown.

    tree  a fitted DecisionTreeClassifier or DecisionTreeRegressor
    cost  "impurity": what it was grown with, summed over the rows (lambda = rows times scikit-learn's `ccp_alpha`);
          "errors": rows whose label is not that of their leaf, which scikit-learn does not offer

        each internal node v:  g(v) = (cost of v as a leaf - cost of its leaves) / (its leaves - 1)
        collapse the nodes with the least g, and go on until the root is left

    >>> from sklearn.tree import DecisionTreeRegressor
    >>> X, y = [[1, 1], [1, 2], [1, 3], [2, 2], [2, 3]], [9, -4, 2, 4, 2]
    >>> print(pruning_path(DecisionTreeRegressor(random_state=0).fit(X, y)))
     lambda from  leaves     impurity
               0       5            0
               2       4            2
              17       2           36
            51.2       1         87.2

    Breiman, Friedman, Olshen & Stone (1984). Ledger: A-WEAKEST-LINK, T-WEAKEST-LINK; A4.2, A4.4.
    """
    if cost not in COSTS:
        raise BadInput(f"pruning_path: cost must be one of {', '.join(COSTS)}, not {cost!r}")
    t = grown(tree)
    R = node_costs(tree, cost)
    inner = t.children_left != -1
    parent = np.full(t.node_count, -1)
    for side in (t.children_left, t.children_right):
        parent[side[inner]] = np.flatnonzero(inner)
    # cost and number of the leaves under each node
    below, many = R.copy(), np.ones(t.node_count, np.int64)
    for node in range(t.node_count - 1, -1, -1):
        if inner[node]:
            left, right = t.children_left[node], t.children_right[node]
            below[node], many[node] = below[left] + below[right], many[left] + many[right]
    slack = TIE * max(float(R[0]), 1e-300)
    lambdas, leaves, costs = [0.0], [int(many[0])], [float(below[0])]
    collapsed: list[list[int]] = [[]]
    open_ = inner.copy()
    while open_[0]:
        nodes = np.flatnonzero(open_)
        g = (R[nodes] - below[nodes]) / (many[nodes] - 1)
        least = max(float(g.min()), lambdas[-1])
        for node in nodes[g <= least + slack]:  # a parent comes before its children
            if not open_[node]:
                continue
            collapsed_under(t, int(node), open_)
            saved, gained = int(many[node]) - 1, float(R[node] - below[node])
            up = int(node)
            while up != -1:
                below[up], many[up] = below[up] + gained, many[up] - saved
                up = int(parent[up])
            below[node] = R[node]
            if least > lambdas[-1] + slack:
                lambdas.append(least)
                collapsed.append([])
                leaves.append(0)
                costs.append(0.0)
            collapsed[-1].append(int(node))
            leaves[-1], costs[-1] = int(many[0]), float(below[0])
    return PruningPath(
        np.array(lambdas), np.array(leaves), np.array(costs), [tuple(v) for v in collapsed], cost, tree, R
    )  # fmt: skip


def grown(tree: Any) -> Any:
    """The nodes of a fitted tree with one output."""
    t = getattr(tree, "tree_", None)
    if t is None or not hasattr(t, "children_left"):
        raise BadInput(
            f"pruning_path takes a fitted DecisionTreeClassifier or DecisionTreeRegressor, not {type(tree).__name__}"
        )
    if t.n_outputs != 1:
        raise BadInput(f"pruning_path takes trees with one output, not {t.n_outputs}")
    return t


def node_costs(tree: Any, cost: str) -> Array:
    """What each node would cost as a leaf."""
    t = tree.tree_
    if cost == "impurity":
        found: Array = t.impurity * t.weighted_n_node_samples
        return found
    if not has_classes(tree):
        raise BadInput(
            'pruning_path: cost="errors" counts labels, and a regression tree has none: use "impurity"'
        )
    share = t.value[:, 0] / t.value[:, 0].sum(axis=1, keepdims=True)
    found = t.weighted_n_node_samples * (1.0 - share.max(axis=1))
    near = np.rint(found)
    return np.where(np.abs(found - near) < 1e-9 * t.weighted_n_node_samples[0], near, found)


def collapsed_under(t: Any, node: int, open_: Any) -> None:
    """Close a node and all inner nodes below it."""
    stack = [node]
    while stack:
        v = stack.pop()
        if t.children_left[v] != -1:
            open_[v] = False
            stack += [int(t.children_left[v]), int(t.children_right[v])]


def stops(t: Any, gone: set[int]) -> Any:
    """For each node, the highest collapsed node on the way to it, or itself."""
    stop = np.arange(t.node_count)
    for node in range(t.node_count):  # parents first
        for child in (int(t.children_left[node]), int(t.children_right[node])):
            if child != -1 and (node in gone or stop[node] != node):
                stop[child] = stop[node]
    return stop


def rule(tree: Any, leaf: int, names: Any) -> str:
    """The tests on the way to a node, merged, and its label or mean."""
    t = tree.tree_
    low: dict[int, float] = {}
    high: dict[int, float] = {}
    node = 0
    while node != leaf:
        left, j, z = int(t.children_left[node]), int(t.feature[node]), float(t.threshold[node])
        if leaf_under(t, left, leaf):
            high[j] = min(high.get(j, np.inf), z)
            node = left
        else:
            low[j] = max(low.get(j, -np.inf), z)
            node = int(t.children_right[node])
    tests = []
    for j in sorted({*low, *high}):
        name = f"x[{j}]" if names is None else str(names[j])
        text = f"{low[j]:.6g} < {name}" if j in low else name
        tests.append(text + (f" <= {high[j]:.6g}" if j in high else ""))
    value = t.value[leaf, 0]
    said = tree.classes_[int(np.argmax(value))] if has_classes(tree) else f"{value[0]:.6g}"
    return f"{' and '.join(tests) or 'always'}: {said}"


def leaf_under(t: Any, node: int, leaf: int) -> bool:
    """Nodes are numbered in depth-first order: those under a node come before its right sibling's."""
    last = node
    while t.children_left[last] != -1:
        last = int(t.children_right[last])
    return node <= leaf <= last
