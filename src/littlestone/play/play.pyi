"""What type checkers and editors see of `ls.play`. Made by play/signature.py; do not edit."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, TypedDict, Unpack, overload

import numpy as np

from ..core.costs import Costs
from ..core.learner import Learner
from ..run.run import Run, Runs
from ..run.seeds import SeedRuns
from ..streams.options import Column, Names
from .options import Delay, Importance, Progress
from .request import AnyLearner

class PlayKeywords(TypedDict, total=False):
    """What `play` takes by name, besides `by` and `seeds`, which decide what it returns."""

    outcome: str | int | None
    experts: Names | None
    task: Literal["classification", "regression", "forecasting", "losses"] | None
    losses: bool | None
    importance: Importance | None
    labels: bool | str | Sequence[Any] | None
    features: Any
    weights: Column | None
    bits: int | None
    interactions: Names
    text: Names | None
    lags: Any
    ngram: int
    missing: Literal["mean", "zero", "refuse"] | None
    tasks: Sequence[int] | np.ndarray | None
    format: str | None
    encoding: str | None
    decimal: Literal[".", ","] | None
    on_bad_line: Literal["error", "skip"]
    interval: tuple[float, float] | None
    horizon: int | None
    seed: int
    passes: int
    resume: bool
    asleep: Literal["error", "last"]
    engine: Literal["plain", "compiled"] | None
    delay: Delay
    interleave: bool
    costs: Mapping[tuple[Any, Any], float] | Costs | None
    threshold: float | Mapping[Any, float] | None
    rewards: bool
    available: Any
    rounds: int | None
    workers: int | None
    certify: bool
    shifts: int | None
    record: Literal["auto", "all", "none"]
    progress: Progress | Literal[False] | None
    sink: Callable[[int, Any, Any], None] | None

@overload
def play(
    learner: AnyLearner | str,
    data: Any,
    outcomes: Any = None,
    *,
    by: None = None,
    seeds: Literal[1] = 1,
    **options: Unpack[PlayKeywords],
) -> Run:
    """Play a learner over data: arrays, a frame, a path, an iterator of batches, or a Stream.

    With outcomes, an array with one a round, the experts give advice; without, arrays hold the losses themselves.
    Learners over examples take a matrix, CSR or a list of dicts with outcomes. Returns a `Run`; with `by` a `Runs`, one
    run a key; with `seeds` of 2 or more a `SeedRuns`.

    Which part of the data is what:
        outcome: of a frame or file, the column that is predicted.
        experts: of a frame or file, the columns of the experts: names or patterns; '!*Ensemble' takes away; if not
            given, every other column of numbers.
        by: of a frame or file, a column of keys: a learner, a run and a certificate for each key; if not given, one
            run.
        task: "classification" or "regression" of examples, "forecasting" with experts, or "losses", where data could be
            read in two ways; if not given, what learner and data look like.
        losses: are the columns losses of the experts, not their advice? A frame or a file must say so.
        importance: importance weights, one a round.

    Features and labels of examples:
        labels: the classes, where more are possible than the data have; if not given, as they come.
        features: of a frame or file, the columns of the features; of a bandit, an array of what each round offers; if
            not given, every other column of numbers or text.
        weights: importance weights of examples, an array or the name of a column.
        bits: names and text are hashed to 2^bits features, and so are indices of libsvm that are larger; if not given,
            18; indices of libsvm as they are.
        interactions: products that are features as well: "colour:size" by name, "cs" by first letters (of namespaces,
            in vw text).
        text: columns of text that are read as words, each a feature; if not given, columns of sentences.
        lags: outcomes of earlier rows as features, where they are numbers: [1, 2, 12] are those 1, 2 and 12 rows before
            (of its key, with `by`). Predictions start from the nearest, and the change from it is learned; the first
            row has no weight. With a delay lags are larger than it; if not given, none; where a table has nothing else
            to learn from but dates, 1, 2, 3, a season (which the dates tell) and one row more.
        ngram: with 2, pairs of neighbouring words are features too, and so on.
        missing: numbers that are missing in a table: "mean" fills in the mean of the earlier values of the column,
            "zero" reads 0, "refuse" stops; if not given, mean, or as in training.
        tasks: of learners over several tasks, the number of each round's task, from 0.

    How a file is read:
        format: the format: "csv", "parquet", "jsonl", "arff", "libsvm" or "vw"; if not given, seen from the file.
        encoding: the encoding of a text file that is not UTF-8: latin-1, cp1252 (Windows), utf-16-le and others.
        decimal: the mark before the fraction, . or a comma, where numbers such as 1,250 could be read in two ways; if
            not given, what the numbers look like.
        on_bad_line: a line that cannot be read: stop and show it, or leave it out and count it.

    How to play:
        interval: where losses or outcomes lie, (low, high), where a theorem must know it beforehand; if not given, the
            interval that the first rounds show.
        horizon: how many rounds will come, where a theorem must know it and the data do not tell; if not given, the
            number of rounds of the data.
        seed: decides all draws.
        passes: how often a learner over examples goes over them.
        resume: go on from where the learner is; with `by`, from the learners by key of earlier runs, `runs.learners`.
        asleep: when all experts sleep: "error", or "last" to repeat the last action.
        engine: "plain" or "compiled"; if not given, compiled, where Numba can be used.

    Feedback:
        delay: rounds until an outcome is known: a number, or one for each round; infinity: never. With `by` also one
            for each key, {key: rounds}; or the column of `by` itself, whose keys are horizons: 1, 2, 3 rounds ahead; or
            columns such as "*_h{}", where * is a forecaster and {} how many rows ahead: a run for each horizon.
        interleave: with a delay, whether delay + 1 copies take turns: every theorem covers them, but they mostly lose
            more.

    Decisions:
        costs: of learners with probabilities, what it costs to decide for one class where another is true: {("no",
            "yes"): 5}; a mistake that is not listed costs 1. `run.decisions` are those of least expected cost.
        threshold: of two classes, the probability from which on the second is decided for; or {"yes": 0.2}.

    Bandits alone:
        rewards: data are rewards, not losses.
        available: which arms can be pulled, rounds x arms of True and False; if not given, all of them.
        rounds: how many rounds an environment (`ls.Arms`) is played; if not given, all rounds of the data.
        seeds: how many runs, each with draws of its own.
        workers: how many threads share them; if not given, all cores.

    Results:
        certify: compare with the best answers in hindsight, and judge the theorems.
        shifts: comparators with up to this many shifts are computed; if not given, as many as are quickly found.
        record: "auto", "all" or "none": which rounds are kept for `run.predictions` and its like.
        progress: called now and then with the rounds done and the loss so far. Not given, a notebook shows a bar where
            a run takes longer than a second; False: it does not; if not given, the bar of notebooks and of the command
            line; print shows the numbers.
        sink: called with the number of the first round, predictions and losses of each piece; if not given, none.

    >>> import littlestone as ls
    >>> run = ls.play("hedge", [[0.0, 1.0], [0.0, 1.0]])
    >>> round(run.loss, 4), run.comparator
    (0.6591, 'best expert (expert 1)')
    >>> run = ls.play("perceptron", [[0, -1], [1, 0]], [-1, -1])
    >>> run.mistakes, run.learner.state.w.tolist()
    (2.0, [-1.0, 1.0])
    """

@overload
def play(
    learner: AnyLearner | str | Mapping[Any, AnyLearner],
    data: Any,
    outcomes: Any = None,
    *,
    by: str | int,
    seeds: Literal[1] = 1,
    **options: Unpack[PlayKeywords],
) -> Runs: ...
@overload
def play(
    learner: AnyLearner | str,
    data: Any,
    outcomes: Any = None,
    *,
    by: None = None,
    seeds: int,
    **options: Unpack[PlayKeywords],
) -> SeedRuns: ...
def learner(key: str, **parameters: Any) -> Learner[Any, Any, Any, Any]:
    """Any learner of the registry, by key."""
