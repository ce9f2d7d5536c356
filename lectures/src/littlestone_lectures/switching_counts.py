"""How many ways there are to switch among few hypotheses: the sizes behind bounds for switching with memory.

A sequence over T rounds has k switches (places among T-1 where it changes, E-KDEF) and m modes (different entries).
UCL COMP0078, switching with memory; Herbster & Warmuth (1998) for sequences without a limit on the modes. Ledger:
T-MODES-COUNT, X-MODES.
"""

from __future__ import annotations

import math

from littlestone.core.errors import BadInput


def onto_without_repeats(k: int, m: int) -> int:
    """S(k, m): words of k+1 letters that use each of m letters, and never the same one twice in a row.

    Without the demand that all are used there are m (m-1)^k; inclusion and exclusion over the letters left out.

    >>> [onto_without_repeats(k, 3) for k in (1, 2, 3)], onto_without_repeats(0, 1)
    ([0, 6, 18], 1)
    """
    check(k >= 0 and m >= 1, f"k must be 0 or more and m 1 or more; got k={k}, m={m}")
    return sum(
        (-1) ** j * math.comb(m, j) * (m - j) * (m - j - 1) ** k for j in range(m) if m - j > 0
    )


def mode_sequences(n: int, T: int, k: int, m: int) -> int:
    """Sequences of n hypotheses over T rounds with exactly k switches and m modes.

    X-MODES:

    >>> mode_sequences(n=8, T=11, k=5, m=4), mode_sequences(n=8, T=16, k=5, m=4)
    (10584000, 126126000)
    """
    check(n >= 1 and T >= 1, f"there must be hypotheses and rounds; got n={n}, T={T}")
    return math.comb(n, m) * math.comb(T - 1, k) * onto_without_repeats(k, m)


def crude_mode_sequences(n: int, T: int, k: int, m: int) -> int:
    """C(n, m) C(T-1, k) m^(k+1): at least as many as `mode_sequences` counts.

    >>> crude_mode_sequences(n=8, T=11, k=5, m=4)
    72253440
    """
    return math.comb(n, m) * math.comb(T - 1, k) * int(m ** (k + 1))


def mode_nats(n: int, T: int, k: int, m: int) -> float:
    """m ln(n/m) + k ln((T-1)/k) + (k+1) ln m + k + m, at least the logarithm of their number.

    >>> round(mode_nats(n=8, T=11, k=5, m=4), 3)
    23.556
    """
    check(1 <= m <= n and 0 <= k < T, f"m must be in [1, n], k in [0, T-1]; got m={m}, k={k}")
    moves = k * math.log((T - 1) / k) if k else 0.0
    return m * math.log(n / m) + moves + (k + 1) * math.log(m) + k + m


def colourings(T: int, k: int, m: int) -> int:
    """At least as many as there are colourings of T rounds with at most m colours and k switches.

    >>> colourings(T=5, k=1, m=2)
    16
    """
    check(m >= 1 and 0 <= k < T, f"m must be 1 or more, k in [0, T-1]; got m={m}, k={k}")
    return math.comb(T - 1, k) * int(m ** (k + 1))


def check(holds: bool, said: str) -> None:
    if not holds:
        raise BadInput(said)
