"""Mondrian trees that grow row by row, and weights by which all their prunings are mixed.

A Mondrian tree splits each box of rows at random times: the wider a side of the box, the sooner. A row outside a box
may split it off above a node, with a new leaf for the row: the tree is then one that could have been drawn for all
rows at once. Lakshminarayanan, Roy & Teh (2014).

A pruning S is the tree with some of its nodes made leaves. Each node v has a weight w_v, the product of what it said
of the outcomes of its rows, and

    W_v = w_v at a leaf,  W_v = s_v w_v + (1 - s_v) W_left W_right at others

is the mixture of all prunings below v, in which node v stops with probability s_v. Willems, Shtarkov & Tjalkens (1995),
context trees; Mourtada, Gaiffas & Scornet (2021), trees. A leaf that is split gets s = 1/2. A node that is inserted
above an inner node shares its s with it:  (1 - s')(1 - s'') = 1 - s. Then W of what is above does not change:

    s' w + (1 - s')(s'' w + (1 - s'') W_left W_right) = s w + (1 - s) W_left W_right

since the two nodes have seen the same rows, and the new leaf none.

Nodes keep no weights but their quotient, the odds of going on, R_v = (1 - s_v) W_left W_right / (s_v w_v). If the
outcome has probability q at v and p in the mixture below, R_v becomes R_v p/q: no logarithm, and nothing overflows.
Inserting above v, with s' = s'', gives the new node the odds (2 - s') R_v + 1 - s', and v the odds
R_v (2 - s')/(1 - s').
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..core.errors import BadInput
from ..core.numeric import decay, log_one, uniform
from ..core.scratch import Buffer
from ..core.stream import Array
from ..core.vectors import index, size, value

FIRST_NODES = 32  # a tree that there is room for at first; the room doubles when it is full
BOX_BYTES = 1 << 26  # that the boxes of all trees take at most
FEWEST_NODES = 64  # of a tree
WIDEST = 2048  # features
LN2 = 0.6931471805599453
# Columns of `link`; a leaf has no feature, and the root no parent.
LEFT, RIGHT, PARENT, FEATURE, LINKS = 0, 1, 2, 3, 4
NONE = -1
# Columns of `node`: the time and the threshold of its split; -log2(1 - s); the odds R, and 1/(1 + R) = s w / W; the
# sum of the importances of its rows.
TIME, THRESHOLD, EXPONENT, ODDS, STOPPED, WEIGHT, COLUMNS = range(7)
LEAST, MOST = 1e-300, 1e300  # between these odds are kept, and what nodes give to an outcome
LOW, HIGH = 0, 1  # rows of a box
# Rows of `features`: the mean of its values, the sum of squared deviations, and of how many rows (as long as a feature
# is constant, one); what splits at it gained, and how many
# rows they were asked about; the rate at which a gap of length 1 is split.
MEAN, DEVIATION, ROWS, GAIN, ASKED, RATE, FEATURE_ROWS = range(7)
LEAST_RELEVANCE = 0.05
PRIOR_ASKED, PRIOR_GAIN = 100.0, 10.0
DRAWS = 4  # random numbers a node
TREE_DRAWS = 1 << 24  # and a tree, at most


class Trees(NamedTuple):
    root: Any  # the root of each tree
    link: Any  # nodes of all trees x LINKS
    node: Array  # nodes x COLUMNS
    box: Array  # nodes x 2 x features
    features: Array  # FEATURE_ROWS x features
    z: Buffer  # the row of this round
    used: Any  # how many nodes there are, of all trees


def init_trees(n: int, trees: int, key: str) -> Trees:
    """Before the first round: trees without nodes."""
    if n > WIDEST:
        raise BadInput(
            f"{key} keeps two numbers a feature in each node: {n:,} features are too many (at most {WIDEST:,}); "
            "take online-linear, or fewer columns"
        )
    N = FIRST_NODES * trees
    feature = np.zeros((FEATURE_ROWS, n))
    return Trees(
        root=np.full(trees, NONE, np.int64),
        link=np.full((N, LINKS), NONE, np.int64),
        node=np.zeros((N, COLUMNS)),
        box=np.zeros((N, 2, n)),
        features=feature,
        z=np.zeros(n),
        used=np.zeros(1, np.int64),
    )


def most_nodes(trees: Trees, nodes: int) -> int:
    """Of all trees: `nodes` each, and boxes of BOX_BYTES together."""
    m, n = trees.root.shape[0], trees.z.shape[0]
    return int(m * max(FEWEST_NODES, min(nodes, BOX_BYTES // (16 * m * max(1, n)))))


def has_room(trees: Trees, nodes: int) -> bool:
    """May all trees grow, by two nodes each?"""
    return bool(trees.used[0] + 2 * trees.root.shape[0] <= most_nodes(trees, nodes))


def order_nodes(trees: Trees, tree: int, order: Any) -> int:
    """Write the nodes of a tree into `order`, parents before children; how many there are."""
    link, first, end = trees.link, 0, 0
    if trees.root[tree] != NONE:
        order[0], end = trees.root[tree], 1
    while first < end:
        v = order[first]
        if link[v, FEATURE] != NONE:
            order[end], order[end + 1] = link[v, LEFT], link[v, RIGHT]
            end += 2
        first += 1
    return end


def read_row(trees: Trees, x: Any) -> None:
    """Write the row, dense or sparse, into `z`."""
    z = trees.z
    for i in range(z.shape[0]):
        z[i] = 0.0
    for k in range(size(x)):
        z[index(x, k)] = value(x, k)


def rate_outside(trees: Trees, v: int) -> float:
    """The rate of splits between the box of a node and the row; 0 where the row is inside."""
    low, high, rate, z, total = (
        trees.box[v, LOW],
        trees.box[v, HIGH],
        trees.features[RATE],
        trees.z,
        0.0,
    )
    for i in range(z.shape[0]):
        total += rate[i] * max(0.0, max(z[i] - high[i], low[i] - z[i]))
    return total


def split_time(trees: Trees, v: int, above: float, u: float) -> float:
    """When the row is split off above a node, whose parent splits at `above`; infinity where it is not."""
    rate = rate_outside(trees, v)
    if rate <= 0.0:
        return np.inf
    time = above - log_one(1.0 - u) / rate
    return time if trees.link[v, FEATURE] == NONE or time < trees.node[v, TIME] else np.inf


def child(trees: Trees, v: int) -> int:
    """The child of an inner node that the row belongs to."""
    right = trees.z[trees.link[v, FEATURE]] > trees.node[v, THRESHOLD]
    return int(trees.link[v, RIGHT if right else LEFT])


def extend_box(trees: Trees, v: int) -> None:
    low, high, z = trees.box[v, LOW], trees.box[v, HIGH], trees.z
    for i in range(z.shape[0]):
        low[i] = min(low[i], z[i])
        high[i] = max(high[i], z[i])


def write_leaf(trees: Trees, v: int, parent: int) -> None:
    """A leaf that holds the row, and no outcome yet."""
    for j in range(LINKS):
        trees.link[v, j] = NONE
    trees.link[v, PARENT] = parent
    for j in range(COLUMNS):
        trees.node[v, j] = 0.0
    trees.node[v, STOPPED] = 1.0  # the odds are 0
    for i in range(trees.z.shape[0]):
        trees.box[v, LOW, i] = trees.z[i]
        trees.box[v, HIGH, i] = trees.z[i]


def choose_split(trees: Trees, v: int, u: float) -> int:
    """The feature at which the row is split off, in proportion to the rates; u picks it."""
    low, high, rate, z = trees.box[v, LOW], trees.box[v, HIGH], trees.features[RATE], trees.z
    left, found = u * rate_outside(trees, v), 0
    for i in range(z.shape[0]):
        own = rate[i] * max(0.0, max(z[i] - high[i], low[i] - z[i]))
        if own > 0.0:
            found = i
            left -= own
            if left < 0.0:
                break
    return found


def threshold_between(a: float, b: float, u: float) -> float:
    """A number t with a <= t < b."""
    t = a + u * (b - a)
    return t if a <= t < b else a


def insert_split(trees: Trees, tree: int, v: int, time: float, u: float, where: float) -> None:
    """Insert a node above v that splits the row off, at the next place, and its leaf at the place after."""
    link, node, box, z = trees.link, trees.node, trees.box, trees.z
    new, leaf, parent = trees.used[0], trees.used[0] + 1, link[v, PARENT]
    i = choose_split(trees, v, u)
    below = z[i] < box[v, LOW, i]
    for j in range(COLUMNS):
        node[new, j] = node[v, j]
    for j in range(z.shape[0]):
        box[new, LOW, j] = min(box[v, LOW, j], z[j])
        box[new, HIGH, j] = max(box[v, HIGH, j], z[j])
    link[new, LEFT], link[new, RIGHT] = (leaf, v) if below else (v, leaf)
    link[new, PARENT], link[new, FEATURE] = parent, i
    node[new, TIME] = time
    if below:
        node[new, THRESHOLD] = threshold_between(z[i], box[v, LOW, i], where)
    else:
        node[new, THRESHOLD] = threshold_between(box[v, HIGH, i], z[i], where)
    if parent == NONE:
        trees.root[tree] = new
    else:
        link[parent, LEFT if link[parent, LEFT] == v else RIGHT] = new
    share_stop(trees, v, new)
    link[v, PARENT] = new
    write_leaf(trees, leaf, new)
    trees.used[0] += 2


def share_stop(trees: Trees, v: int, new: int) -> None:
    """The new node above v stops with probability 1/2 where v is a leaf, else they share what v had."""
    if trees.link[v, FEATURE] == NONE:
        trees.node[new, EXPONENT] = 1.0
        set_odds(trees, new, 1.0)
        return
    x, odds = 0.5 * trees.node[v, EXPONENT], trees.node[v, ODDS]
    go_on = 1.0 - stop_probability(x)
    trees.node[v, EXPONENT] = trees.node[new, EXPONENT] = x
    set_odds(trees, new, (1.0 + go_on) * odds + go_on)
    set_odds(trees, v, odds * (1.0 + go_on) / go_on)


def stop_probability(x: float) -> float:
    """1 - 2^-x."""
    a = x * LN2
    return a * (1.0 - 0.5 * a) if a < 1e-6 else 1.0 - decay(-a)


def set_odds(trees: Trees, v: int, odds: float) -> None:
    odds = min(max(odds, LEAST), MOST)
    trees.node[v, ODDS], trees.node[v, STOPPED] = odds, 1.0 / (1.0 + odds)


def reweigh(trees: Trees, v: int, q: float, below: float) -> float:
    """Bayes' rule: node v gave q to the outcome, and the mixture below it `below`. What the mixture from v on gave."""
    stopped = trees.node[v, STOPPED]
    set_odds(trees, v, trees.node[v, ODDS] * (below / q))
    return float(stopped * q + (1.0 - stopped) * below)


def charge(q: float, h: float) -> float:
    """What an outcome of importance h multiplies a weight by, where it has probability or density q."""
    return min(max(q if h == 1.0 else q**h, LEAST), MOST)


def stopped_above(trees: Trees, v: int) -> float:
    """s w / W of a node that would be inserted above v."""
    if trees.link[v, FEATURE] == NONE:
        return 0.5
    go_on = 1.0 - stop_probability(0.5 * trees.node[v, EXPONENT])
    return float(trees.node[v, STOPPED] / (1.0 + go_on))


def draw_number(seed: int, t: int, tree: int, depth: int, k: int) -> float:
    """The k-th random number of round t for the node at this depth."""
    return uniform(seed, t, tree * TREE_DRAWS + depth * DRAWS + k + 1)


def learn_features(trees: Trees) -> None:
    """Spreads of the features with this row, and what splits at them gained: the rates of later splits."""
    feature, z, most = trees.features, trees.z, 0.0
    for i in range(z.shape[0]):
        if feature[ROWS, i] == 0.0:  # as it is: a quotient by one may be rounded
            feature[MEAN, i], feature[ROWS, i] = z[i], 1.0
        elif feature[DEVIATION, i] > 0.0 or z[i] != feature[MEAN, i]:
            e = z[i] - feature[MEAN, i]
            feature[ROWS, i] += 1.0
            feature[MEAN, i] += e / feature[ROWS, i]
            feature[DEVIATION, i] += e * (z[i] - feature[MEAN, i])
        if feature[DEVIATION, i] > 0.0:
            most = max(most, mean_gain(feature, i))
    for i in range(z.shape[0]):
        spread = np.sqrt(feature[DEVIATION, i] / feature[ROWS, i])
        relevance = max(LEAST_RELEVANCE, mean_gain(feature, i) / most) if most > 0.0 else 1.0
        if spread > 1e-150:
            feature[RATE, i] = relevance / spread
        else:  # a feature that was 0 so far is as one that is not there yet
            feature[RATE, i] = relevance if feature[MEAN, i] != 0.0 else 0.0


def mean_gain(feature: Array, i: int) -> float:
    return float((feature[GAIN, i] + PRIOR_GAIN) / (feature[ASKED, i] + PRIOR_ASKED))


def more_rows(a: Any, rows: int) -> Any:
    """An array with so many rows of zeros behind it."""
    return np.concatenate((a, np.zeros_like(a[:rows])))


def missing_nodes(trees: Trees, nodes: int) -> int:
    """For how many more nodes there must be room before a row is let in: as many as there are, while trees may grow."""
    there = trees.link.shape[0]
    if trees.used[0] + 2 * trees.root.shape[0] <= there or not has_room(trees, nodes):
        return 0
    return int(min(there, most_nodes(trees, nodes) - there))


def with_room(trees: Trees, more: int) -> Trees:
    """The same, with room for more nodes."""
    return Trees(
        root=trees.root,
        link=more_rows(trees.link, more),
        node=more_rows(trees.node, more),
        box=more_rows(trees.box, more),
        features=trees.features,
        z=trees.z,
        used=trees.used,
    )


def drop_boxes(trees: Trees) -> Trees:
    """The same without boxes: nothing asks for them once trees grow no further."""
    if trees.box.shape[0] == 0:
        return trees
    return Trees(
        root=trees.root,
        link=trees.link,
        node=trees.node,
        box=trees.box[:0].copy(),
        features=trees.features,
        z=trees.z,
        used=trees.used,
    )


def mean_of_best_prunings(trees: Trees, costs: Array) -> float:
    """The mean over trees of the least cost of a pruning: those of its leaves, and what T-AMF charges for it."""
    total = 0.0
    order, best = np.zeros(trees.used[0], np.int64), np.zeros(trees.used[0])
    for tree in range(trees.root.shape[0]):
        nodes = order_nodes(trees, tree, order)
        for k in range(nodes):
            v = order[nodes - 1 - k]
            best[v] = costs[v]
            if trees.link[v, FEATURE] != NONE:
                left, right = trees.link[v, LEFT], trees.link[v, RIGHT]
                below = LN2 * trees.node[v, EXPONENT] + best[left] + best[right]
                stops = best[v] - log_one(stop_probability(trees.node[v, EXPONENT]))
                best[v] = min(stops, below)
        if nodes > 0:
            total += best[trees.root[tree]]
    return float(total / trees.root.shape[0])


def place_row(trees: Trees, tree: int, seed: int, t: int, room: bool) -> int:
    """Let the row into a tree, which may grow, and return its leaf; a new one is the last of the nodes."""
    v, above, depth = trees.root[tree], 0.0, 0
    if v == NONE:
        v = trees.used[0]
        trees.root[tree] = v
        trees.used[0] += 1
        write_leaf(trees, v, NONE)
        return int(v)
    while True:
        if room:
            time = split_time(trees, v, above, draw_number(seed, t, tree, depth, 0))
            if time < np.inf:
                u, where = (
                    draw_number(seed, t, tree, depth, 1),
                    draw_number(seed, t, tree, depth, 2),
                )
                insert_split(trees, tree, v, time, u, where)
                return int(trees.used[0] - 1)
            extend_box(trees, v)
        if trees.link[v, FEATURE] == NONE:
            return int(v)
        above = trees.node[v, TIME]
        v = child(trees, v)
        depth += 1


def sibling(trees: Trees, v: int) -> int:
    """The other child of the parent of a node."""
    parent = trees.link[v, PARENT]
    left = trees.link[parent, LEFT]
    return int(trees.link[parent, RIGHT] if left == v else left)
