"""Interpolation with the least p-energy, sum over edges of w |u_i - u_j|^p, and resistances by it.

p = 2 is the harmonic function; as p falls to 1 the energy becomes twice a minimum cut, as p grows the largest step
counts. Damped Newton steps on a smoothed energy, whose smoothing falls to nothing; p goes from 2 to its value little by
little. Near p = 1 currents are less precise than energies: |d|^(p - 1) is infinitely steep at 0.
Ledger: A-PLAPLACIAN, A-PRESISTANCE; lecture 6: A6.26, A6.27, A6.28; T6.24, T6.25, T6.26, T6.27, T6.34.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...core.errors import BadInput
from ...core.stream import Array
from .cuts import minimum_cut
from .graph import Graph, packed
from .harmonic import fixed, harmonic
from .resistance import vertex
from .solver import solver

# how much the energy is smoothed, as parts of the range of the values
SMOOTH = (1e-2, 1e-4, 1e-6, 1e-9)
NEWTON = 200  # at most so many steps are made for each p and smoothing
CLOSE = 1e-13  # a Newton iteration ends when the relative fall of the energy is below this
TINY = 1e-14  # the least Hessian weight, relative to the largest


def checked_p(p: Any) -> float:
    try:
        number = float(p)
    except (TypeError, ValueError):
        number = math.nan
    if not 1.0 < number <= 100.0:
        raise BadInput(f"p must be a number above 1, at most 100, not {p!r}")
    return number


def p_energy(graph: Graph, u: Any, p: float) -> float:
    """Sum over edges of w |u_i - u_j|^p."""
    a, b, w = graph.pairs()
    u = np.asarray(u, np.float64)
    return float((w * np.abs(u[a] - u[b]) ** p).sum())


def p_harmonic(graph: Graph, vertices: Any, values: Any, p: float = 2.0) -> Array:
    """The function with these values at these vertices and the least p-energy; one value a vertex.

    >>> from .graph import from_edges
    >>> path = from_edges([(0, 1), (1, 2, 8.0), (2, 3)], 4)
    >>> p_harmonic(path, [0, 3], [0.0, 1.0], 3.0).round(
    ...     4
    ... ).tolist()  # resistors 1, 1/8, 1: steps go as their roots
    [0.0, 0.4249, 0.5751, 1.0]
    """
    p = checked_p(p)
    at, y = fixed(graph, vertices, values)
    if y.ndim != 1:
        raise BadInput("p-harmonic functions take one value a vertex")
    u: Array = harmonic(graph, at, y)
    span = float(np.ptp(y))
    free = np.setdiff1d(np.arange(graph.n), at)
    if p == 2.0 or span == 0.0 or not len(free):
        return u
    steps = path_of_p(p)
    for k, q in enumerate(steps):
        for smooth in SMOOTH if k + 1 == len(steps) else SMOOTH[:2]:
            u = newton(graph, free, u, q, smooth * span)
    return u


def path_of_p(p: float) -> list[float]:
    """The powers from 2 to p, in small steps."""
    made, q = [], 2.0
    while abs(math.log((q - 1.0) / (p - 1.0))) > 0.5:
        q = 1.0 + (q - 1.0) * math.exp(math.copysign(0.5, p - q))
        made.append(q)
    return [*made, p]


def smoothed(d: Array, w: Array, p: float, e: float) -> float:
    return float((w * (d * d + e * e) ** (p / 2.0)).sum())


def newton(graph: Graph, free: Any, u: Array, p: float, e: float) -> Array:
    """Minimise the smoothed p-energy over the free vertices, from u."""
    a, b, w = graph.pairs()
    now = smoothed(u[a] - u[b], w, p, e)
    for _ in range(NEWTON):
        d = u[a] - u[b]
        s = d * d + e * e
        slope = w * d * s ** (p / 2.0 - 1.0)
        curve = w * s ** (p / 2.0 - 2.0) * ((p - 1.0) * d * d + e * e)
        curve = np.maximum(curve, TINY * curve.max())
        g = np.bincount(a, slope, graph.n) - np.bincount(b, slope, graph.n)
        step = np.zeros(graph.n)
        system = solver(packed(a, b, curve, graph.n), free)
        step[free] = -system.solve(g[free], 1e-9)
        size, fall = 1.0, float(p * (g[free] @ step[free]))
        while size > 1e-12:
            new = u + size * step
            then = smoothed(new[a] - new[b], w, p, e)
            if then <= now + 1e-4 * size * fall:
                break
            size *= 0.5
        else:
            return u
        u, before, now = new, now, then
        if before - now <= CLOSE * before:
            return u
    return u


def p_currents(graph: Graph, u: Any, p: float) -> tuple[Array, Array]:
    """The p-current w |d|^(p - 1) sign(d) along each edge of `graph.pairs()`, and the flow out of each vertex (A6.27).

    At the minimum of the energy nothing flows out of a vertex whose value was free (T6.24).
    """
    a, b, w = graph.pairs()
    d = np.asarray(u, np.float64)[a] - np.asarray(u, np.float64)[b]
    flow: Array = w * np.abs(d) ** (p - 1.0) * np.sign(d)
    out: Any = np.bincount(a, flow, graph.n) - np.bincount(b, flow, graph.n)
    return flow, out


def p_resistance(graph: Graph, a: int, b: int, p: float = 2.0) -> float:
    """1 over the least p-energy of a function that is 1 at a and 0 at b; p = 1: 1 over the minimum cut (A6.28).

    >>> from .graph import from_edges
    >>> round(
    ...     p_resistance(from_edges([(0, 1), (1, 2)], 3), 0, 2, 3.0), 9
    ... )  # two in series: 2^(p - 1)
    4.0
    """
    a, b = vertex(graph, a, "a"), vertex(graph, b, "b")
    if a == b:
        return 0.0
    home = together(graph, a, b)
    if home is None:
        return math.inf
    graph, a, b = home
    if p == 1.0:
        return 1.0 / minimum_cut(graph, [a], [b]).weight
    return 1.0 / p_energy(graph, p_harmonic(graph, [a, b], [1.0, 0.0], p), checked_p(p))


def p_resistance_by_flow(graph: Graph, a: int, b: int, p: float = 2.0) -> float:
    """The p-resistance by its dual: with 1/p + 1/q = 1, r^(1/(p - 1)) is the least sum of |f|^q / w^(q - 1) over flows
    of 1 from a to b. It is computed independently, to check `p_resistance`."""
    p = checked_p(p)
    a, b = vertex(graph, a, "a"), vertex(graph, b, "b")
    if a == b:
        return 0.0
    home = together(graph, a, b)
    if home is None:
        return math.inf
    graph, a, b = home
    tails, heads, w = graph.pairs()
    u = harmonic(graph, [a, b], [1.0, 0.0])
    f: Array = w * (u[tails] - u[heads])
    f = f / (np.bincount(tails, f, graph.n) - np.bincount(heads, f, graph.n))[a]
    rest = np.setdiff1d(np.arange(graph.n), [b])
    for q in path_of_p(p / (p - 1.0)):
        c: Array = w ** (1.0 - q)
        for e in SMOOTH if q < 2.0 else SMOOTH[:3]:
            f = flow_newton((tails, heads, graph.n), (rest, a), f, c, q, e)
    q = p / (p - 1.0)
    return float((w ** (1.0 - q) * np.abs(f) ** q).sum() ** (p - 1.0))


def flow_newton(ends: Any, rest_and_source: Any, f: Array, c: Array, q: float, e: float) -> Array:
    """Minimise sum of c (f^2 + e^2)^(q/2) over flows of 1 from the source; steps go round in circles.

    What rounding adds to or takes from the flow out of a vertex is given back by the next step.
    """
    (tails, heads, n), (rest, source) = ends, rest_and_source
    sources = (np.arange(n) == source).astype(np.float64)
    now = smoothed(f, c, q, e)
    for _ in range(NEWTON):
        s = f * f + e * e
        g = c * f * s ** (q / 2.0 - 1.0)
        curve = c * s ** (q / 2.0 - 2.0) * ((q - 1.0) * f * f + e * e)
        curve = np.maximum(curve, 1e-9 * curve.max())
        push = g / curve
        potential = np.zeros(n)
        more = push - f
        wanted: Any = sources + np.bincount(tails, more, n) - np.bincount(heads, more, n)
        system = solver(packed(tails, heads, 1.0 / curve, n), rest)
        potential[rest] = system.solve(wanted[rest], 1e-11)
        step = (potential[tails] - potential[heads]) / curve - push
        size, fall = 1.0, float(q * (g @ step))
        while size > 1e-12:
            new = f + size * step
            then = smoothed(new, c, q, e)
            if then <= now + 1e-4 * size * fall:
                break
            size *= 0.5
        else:
            return f
        f, before, now = new, now, then
        if before - now <= CLOSE * before:
            return f
    return f


def together(graph: Graph, a: int, b: int) -> tuple[Graph, int, int] | None:
    """The connected part that holds a and b, and their numbers in it; None where no path joins them."""
    _, part = graph.components
    if part[a] != part[b]:
        return None
    home = np.flatnonzero(part == part[a])
    if len(home) == graph.n:
        return graph, a, b
    tails, heads, w = graph.pairs()
    inside = part[tails] == part[a]
    place = np.full(graph.n, -1)
    place[home] = np.arange(len(home))
    made = packed(place[tails[inside]], place[heads[inside]], w[inside], len(home))
    return made, int(place[a]), int(place[b])
