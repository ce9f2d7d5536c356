"""Write a file of made-up ad clicks, as large as you like, as vw text, libsvm or CSV.

    python examples/big_file.py clicks.vw --rows 4000000
    python examples/big_file.py clicks.libsvm --rows 100000 --seed 1
    python examples/big_file.py clicks.csv --rows 100000

Each row is a user who is shown an ad on a site at some hour: text and numbers, and whether they clicked (1 or -1).
Tastes of users, appeal of ads and sites are fixed but unknown; new users keep turning up, as they do. Rows of one
seed are the same whatever their number, and 100,000 of them are made at a time.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

import numpy as np

USERS, ADS, SITES = 200_000, 2_000, 200
BLOCK = 100_000


def blocks(rows: int, seed: int) -> Iterator[tuple[np.ndarray, ...]]:
    """Clicks, users, ads, sites, hours and prices."""
    world = np.random.default_rng(0)  # the same for every seed, so that files agree
    taste, appeal, place = (
        world.normal(0, 1, USERS),
        world.normal(0, 1, ADS),
        world.normal(0, 1, SITES),
    )
    rng = np.random.default_rng(seed + 1)
    for first in range(0, rows, BLOCK):
        T = min(BLOCK, rows - first)
        # a user of rank r is as frequent as 1/r, among those who have turned up so far
        known = min(USERS, 1_000 + first // 50)
        user = (known ** rng.random(BLOCK)).astype(int) - 1
        ad, site = rng.integers(0, ADS, BLOCK), rng.integers(0, SITES, BLOCK)
        hour, price = rng.random(BLOCK) * 24, rng.exponential(1.0, BLOCK)
        score = taste[user] + appeal[ad] + place[site] + 0.1 * (hour - 12) - 0.5 * price
        click = rng.random(BLOCK) < 1 / (1 + np.exp(-score))
        yield tuple(column[:T] for column in (click, user, ad, site, hour, price))


def as_vw(*row: float) -> str:
    click, user, ad, site, hour, price = row
    label = 1 if click else -1
    return f"{label} |u u{user} |a ad{ad} site{site} |n hour:{hour:.2f} price:{price:.3f}"


def as_libsvm(*row: float) -> str:
    click, user, ad, site, hour, price = row
    label = "+1" if click else "-1"
    places = f"{ad + 3}:1 {ADS + site + 3}:1 {ADS + SITES + user + 3}:1"
    return f"{label} 1:{hour:.2f} 2:{price:.3f} {places}"


def as_csv(*row: float) -> str:
    click, user, ad, site, hour, price = row
    return f"u{user},ad{ad},site{site},{hour:.2f},{price:.3f},{1 if click else -1}"


WRITERS = {".vw": as_vw, ".libsvm": as_libsvm, ".csv": as_csv}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("path", type=Path, help="ends in .vw, .libsvm or .csv")
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    if given.path.suffix not in WRITERS:
        parser.error(f"{given.path} must end in {', '.join(WRITERS)}")
    line = WRITERS[given.path.suffix]
    with given.path.open("w", encoding="utf-8") as file:
        if given.path.suffix == ".csv":
            file.write("user,ad,site,hour,price,clicked\n")
        for columns in blocks(given.rows, given.seed):
            rows = zip(*(column.tolist() for column in columns), strict=True)
            file.write("\n".join(line(*row) for row in rows) + "\n")


if __name__ == "__main__":
    main()
