"""Shape: what a learner knows before the first round. Traits: what other packages may know of a game.

A game is a NamedTuple of the room `games`; games/experts.py lists the questions that it answers. It also declares
its traits: capabilities are data, in one place, so that nothing outside `games` asks which class a game is.
"""

from __future__ import annotations

from typing import Any, NamedTuple

Game = Any  # a NamedTuple of the room `games`
SEVERAL = -1  # any number of classes

# What one decision, or one action, is made of.
ONE, PAIR, PER_CLASS, PER_COORDINATE = "one", "pair", "per class", "per coordinate"


class Shape(NamedTuple):
    """What a learner knows before the first round."""

    n: int  # experts, or features
    T: int = 0  # rounds, 0 where that is not known
    span: float = 1.0  # the largest difference between two losses
    classes: int = 2  # labels, where outcomes are labels
    # of a bandit: the length of what is known of a round; of sparse examples: how many features there were when it
    # began, 0 where that is not known (`n` is the room for them); of a table with text of few values: its columns,
    # which are the first features
    features: int = 0


class RoundKind(NamedTuple):
    """What rounds of a kind bring: other packages ask for one of these, never for the name of the kind."""

    name: str
    has_examples: bool = False  # a row of features
    has_arms: bool = False  # arms, of which one is pulled and shown
    has_experts: bool = False  # experts, who give advice or are charged losses
    has_advice: bool = False  # what each expert would predict
    has_outcomes: bool = False  # an outcome, to which predictions are compared
    losses_alone: bool = False  # the loss of each expert, and no outcome
    shows_losses: bool = False  # losses, of experts or of the arm that was pulled


ADVICE = RoundKind("advice", has_experts=True, has_advice=True, has_outcomes=True)
LOSSES = RoundKind("losses", has_experts=True, losses_alone=True, shows_losses=True)
EXAMPLES = RoundKind("examples", has_examples=True, has_outcomes=True)
ARMS = RoundKind("arms", has_arms=True, shows_losses=True)


class Traits(NamedTuple):
    """What a game is like: every field is declared by the game itself (`game.traits()`)."""

    kind: RoundKind  # what a round brings: ADVICE, LOSSES, EXAMPLES or ARMS
    action: (
        str  # what an action is: "number", "label", "expert", "arm", "point", "distribution", "set"
    )
    draws: bool = False  # is the action drawn, so that a cost is an expectation?
    classes: int = 0  # outcomes are numbers (0), one of two labels (2), or one of SEVERAL
    decision: str | int = PER_COORDINATE  # how many numbers a decision has: a kind, or their number
    width: str = ONE  # how many numbers an action has
    loss: Any = None  # the loss of a prediction, where there is one
    interval: tuple[float, float] | None = None  # where losses lie, where the game itself says so
    counts_mistakes: bool = False  # does a round cost 1 for a wrong label, and else 0?
    # does `realised_cost` say something that `cost` does not: mistakes, or the drawn cost?
    has_realised_cost: bool = False
    mixes: bool = False  # is the prediction a mixture of the advice?
    averages: bool = (
        False  # is the prediction, or its expectation, the mean of the advice under the decision?
    )
    tangents: bool = False  # is the learner shown tangents of the loss, and not the loss?
    scores: str = (
        ""  # how scores become probabilities: "logistic" or "softmax"; "" where they do not
    )
    needs_outcome: bool = True  # is a round without an outcome not learned from?
    scratch: bool = True  # does the game need room for as many numbers as there are coordinates?
    infinite: bool = False  # may decisions and actions be infinite, as the limits of a set may?
    zero: int = 1  # of two labels, which one a score of 0 stands for
    offset: int = -1  # the coordinate of an example that is added to the score; -1: none is
