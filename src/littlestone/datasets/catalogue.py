"""Which data there are: what is in each, where it comes from, under which licence."""

from __future__ import annotations

from typing import NamedTuple

from ..core.errors import BadInput


class Dataset(NamedTuple):
    """One table or stream."""

    name: str
    about: str
    rows: int
    outcome: str  # the column of outcomes; "" where the format says which it is
    licence: str
    source: str
    file: str  # how the file is called
    address: str = ""  # where it is fetched from; "" for what is inside
    sha256: str = ""


PRICES = "Lago, Marcjasz, De Schutter & Weron (2021), doi.org/10.1016/j.apenergy.2021.116983"
EPF = "https://raw.githubusercontent.com/jeslago/epftoolbox"
NP = "27fabcc116bec161be3670b4ebac74baa4e03539/forecasts/Forecasts_NP_DNN_LEAR_ensembles.csv"
DE = "6404365fe3650f366f6aeb3616c623e8f8270b4a/forecasts/Forecasts_DE_DNN_LEAR_ensembles.csv"
CAPYMOA = "https://raw.githubusercontent.com/adaptive-machine-learning/CapyMOA"
SOL = "https://raw.githubusercontent.com/LIBOL/SOL/4c1cff841466c7eb8bcba8f285a7198b97800e16"
VW = "https://raw.githubusercontent.com/VowpalWabbit/vowpal_wabbit"

INSIDE = (
    Dataset("breast-cancer", "tumours, benign or malignant, 30 features", 569, "diagnosis",
            "CC BY 4.0", "Wolberg, Mangasarian, Street & Street (1993), with scikit-learn", "breast-cancer.csv"),
    Dataset("diabetes", "progression of diabetes after a year, 10 features", 442, "progression",
            "BSD-3-Clause", "Efron, Hastie, Johnstone & Tibshirani (2004), with scikit-learn", "diabetes.csv"),
    Dataset("wine", "wines of three growers, 13 features", 178, "grower",
            "CC BY 4.0", "Aeberhard & Forina (1991), with scikit-learn", "wine.csv"),
    Dataset("iris", "three species of iris, 4 features", 150, "species",
            "CC BY 4.0", "Fisher (1936), with scikit-learn", "iris.csv"),
    Dataset("air-passengers", "passengers of airlines, in thousands, one number a month from 1949 to 1960", 144,
            "passengers", "facts, public", "Box & Jenkins (1976), series G", "air-passengers.csv"),
    Dataset("shifting-experts", "made: 64 forecasters, the best one changes three times", 800, "outcome",
            "BSD-3-Clause", "Herbster & Warmuth (1998), the simulation; seed 0", "shifting-experts.csv"),
)  # fmt: skip
FETCHED = (
    Dataset("prices", "hourly day-ahead prices of Nord Pool, eight forecasters and two ensembles", 17_472,
            "Real price", "Apache-2.0", PRICES, "prices.csv", f"{EPF}/{NP}",
            "683fd04acca5b0593eaf5afeb06b6d9bfae1f9efb8d4ac7555c1182382674849"),
    Dataset("prices-de", "the same for Germany", 17_472, "Real price", "Apache-2.0", PRICES, "prices-de.csv",
            f"{EPF}/{DE}", "1577f8ae0851fb536e654b69608c94840a9813aa5776d04691dd5ec1a2a3ea13"),
    Dataset("electricity", "prices of New South Wales, up or down, 6 features, in time order", 45_312, "class",
            "BSD-3-Clause", "Harries (1999), as CapyMOA has it", "electricity.csv",
            f"{CAPYMOA}/013fd496db305508debc7851c196fcd051cc8a11/data/electricity.csv",
            "b96c120acb05078af777ec49113a682200a38f4ea93944af27b813c282184b79"),
    Dataset("adult", "incomes above 50,000 dollars, 123 binary features, libsvm text", 30_956, "",
            "Apache-2.0", "UCI Adult as a1a.t, as SOL has it", "adult.libsvm", f"{SOL}/data/a1a.t",
            "b98244653c31ac5b151097866216831b962cb5a2857c91e8b276cdfcc4c44771"),
    Dataset("rcv1-sample", "news of Reuters, words as features, VW text", 1_000, "", "BSD-3-Clause",
            "Lewis, Yang, Rose & Li (2004), as Vowpal Wabbit has it", "rcv1_small.vw",
            f"{VW}/6bc08155407ac33294db0808271b346f1bbe9260/test/train-sets/rcv1_small.dat",
            "348d59a15f8161852b817fedd45a0a9efa5e2602ea86d9e920ba7079f633e084"),
)  # fmt: skip
DATASETS = {d.name: d for d in (*INSIDE, *FETCHED)}


def names() -> tuple[str, ...]:
    """The names of all data, those inside first.

    >>> names()[:3]
    ('breast-cancer', 'diabetes', 'wine')
    """
    return tuple(DATASETS)


def about(name: str) -> Dataset:
    """What is known of one: rows, outcome, licence, source.

    >>> about("prices").outcome
    'Real price'
    """
    if name not in DATASETS:
        raise BadInput(
            f"there are no data {name!r}; there are {', '.join(DATASETS)}",
            field="name",
            value=name,
        )
    return DATASETS[name]
