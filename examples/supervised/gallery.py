"""Experiments of the lectures on supervised learning, with a picture each: X-REGIONS, X-POLYNOMIALS, X-SELECTION,
X-BIAS-VARIANCE, X-CONSISTENCY, X-BALLS, X-RIDGE, X-SVM-C, X-SUPPORT, X-CART, X-BOOST, X-FORESTS, X-LABEL-NOISE,
X-ERRORS, X-VALIDATION, X-PAC, X-GROWTH, X-NFL (X1 to X17 and X27 of the notes' ledger).

    python examples/supervised/gallery.py                      all of them, some minutes
    python examples/supervised/gallery.py regions cart         some of them
    python examples/supervised/gallery.py --quick              small sizes, for a first look
    python examples/supervised/gallery.py --out docs/images    and write supervised-*.png there (matplotlib)

A row says "noted" where the lectures' ledger has a number of a single run. The exit code is 1 if a mean is off by more
than 3 standard errors and 10%.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

import ensembles
import fits
import guarantees
import limits
import margins
from show import Show

PARTS: dict[str, Callable[[Show], None]] = {
    "regions": fits.regions,
    "polynomials": fits.polynomials,
    "selection": fits.selection,
    "bias-variance": fits.bias_variance,
    "consistency": limits.consistency,
    "balls": margins.balls,
    "ridge": margins.ridge,
    "svm-c": margins.svm_c,
    "support": margins.support,
    "cart": ensembles.cart,
    "boosting": ensembles.boosting,
    "forests": ensembles.forests,
    "label-noise": ensembles.label_noise,
    "errors": guarantees.errors,
    "validation": guarantees.validation,
    "pac": guarantees.pac,
    "growth": guarantees.growth,
    "lunch": guarantees.lunch,
}


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("parts", nargs="*", help=f"of {', '.join(PARTS)}; all")
    parser.add_argument("--quick", action="store_true", help="small sizes: seconds, and less sharp")
    parser.add_argument("--out", type=Path, help="a folder for the pictures")
    asked = parser.parse_args(argv)
    unknown = [name for name in asked.parts if name not in PARTS]
    if unknown:
        parser.error(f"no part {unknown[0]!r}; there are {', '.join(PARTS)}")
    show = Show(asked.quick, asked.out)
    for name in asked.parts or PARTS:
        PARTS[name](show)
    off = [f"{part}: {r.label}" for part, rows in show.rows.items() for r in rows if not r.close]
    if off:
        print(f"off what was noted: {'; '.join(off)}")
    return int(bool(off) and not asked.quick)


if __name__ == "__main__":
    sys.exit(main())
