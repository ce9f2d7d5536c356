"""What the report reads from a run over examples."""

from __future__ import annotations

from typing import Any

from ..run.run import Run
from . import curves, reliability
from .each_round import each_round, kept_rounds
from .reader import RunReader
from .rivals import find_rival
from .simple import Reference, look_at_nothing, summed_up
from .words import features, loss_name

CLASSES = 12  # at most so many classes are named


class OverExamples(RunReader):
    """The best fixed linear predictor, and answers that look at no feature, are drawn beside the learner."""

    kind = "examples"

    def size(self, run: Run) -> str:
        return features(run)

    def summary(self, run: Run) -> dict[str, Any]:
        """The regret is to the best fixed predictor that is known, whichever theorem it belongs to."""
        found: dict[str, Any] = {"importance": run.importance}
        who = find_rival(run)
        if who is not None:
            found |= {
                "comparator": who.name,
                "comparator_loss": who.loss,
                "regret": run.loss - who.loss,
                # the least loss that a theorem allows stays as it is
                "bound": run.bound + (run.comparator_loss - who.loss),
            }
        if run.classifies:
            found |= {
                "accuracy": run.accuracy,
                "mistakes": run.mistakes,
                **reliability.numbers(run),
            }
        return found

    def facts(self, run: Run) -> dict[str, Any]:
        found = {"features": features(run).replace(" features", "").replace(" feature", "")}
        if run.classifies:
            found["classes"] = list_features(run.transcript.copies[0].live.labels or ())
        return found

    def references(self, runs: list[Run]) -> list[Reference]:
        """The best fixed linear predictor, and answers that look at no feature; of many keys, one sum each."""
        return summed_up([simple_answers(run) for run in runs])

    def simple_references(self, runs: list[Run]) -> list[Reference]:
        return summed_up([look_at_nothing(run) for run in runs])

    def cumulative(self, run: Run, at: Any) -> list[dict[str, Any]]:
        """The learner, and the best fixed predictor where its rounds are known."""
        found, who = super().cumulative(run, at), find_rival(run)
        if who is not None and who.u is not None:
            values = curves.predictor_curve(run, who.u)["L"][at]
            found.append({"name": who.name, "kind": "comparator", "values": values.tolist()})
        return found


def simple_answers(run: Run) -> list[Reference]:
    """The best fixed linear predictor of one run, and answers that look at no feature."""
    found = [linear] if (linear := best_linear(run)) is not None else []
    return found + look_at_nothing(run)


def best_linear(run: Run) -> Reference | None:
    """The best fixed linear predictor, with its mistakes where labels are predicted."""
    who, rounds, counts = find_rival(run), kept_rounds(run), run.traits.counts_mistakes
    if who is None:
        return None
    found = Reference("best_linear", who.name, who.loss)
    if run.classifies and who.u is not None and rounds is not None:
        times = run.rounds / len(rounds.y)
        found.mistakes = times * float(each_round(run, who.u)["wrong"].sum())
    elif counts:
        found.mistakes = who.loss
    by = f"by {loss_name(run)}"
    if run.classifies and not counts and by not in found.name:
        # it is the best by this loss, and not the one with the fewest mistakes
        found.name += f" ({by})"
    return found


def list_features(names: Any) -> str:
    """
    >>> list_features([-1, 1, None]), list_features(range(400))
    ('-1, 1', '400: 0, 1, 2, 3, 4, 5, 6, 7, …')
    """
    every = [str(name) for name in names if name is not None]
    if len(every) <= CLASSES:
        return ", ".join(every)
    return f"{len(every):,}: {', '.join(every[:8])}, …"
