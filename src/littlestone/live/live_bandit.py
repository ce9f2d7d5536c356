"""A bandit one round at a time: `predict` draws an arm, `update` tells what it cost."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.errors import BadInput
from ..core.numeric import draw, uniform
from ..engine.checks import array, refuse
from ..engine.compile import ready
from ..engine.memory import read_only
from ..games import Offer, Pulled, inside
from .live import DECLARE, Live, Ticket, entries


class LiveBandit(Live):
    """A bandit that has begun."""

    def __init__(self, *parts: Any, features: int = 0, **more: Any) -> None:
        super().__init__(*parts, **more)
        self.allocation = True
        self.sleeper = None
        self.features = features
        self.low, self.high = map(float, inside(self.game))
        n = self.shape.n
        self.on, self.known = np.zeros((1, n)), np.zeros((1, features))
        self.free = np.zeros((1, 0))

    def more(self) -> dict[str, Any]:
        return {"features": self.features}

    def offer(self, x: Any = None, available: Any = None) -> Offer:
        """What a round offers, as the rules see it; refused where it is not as the first round was."""
        n = self.shape.n
        if x is None and self.features:
            raise BadInput(
                f"{self.learner.key} was given {self.features} features in its first round, and none now"
            )
        if x is not None:
            a = array(x, "features", np.ndim(x)).reshape(-1)
            if len(a) != self.features:
                raise BadInput(
                    f"features must have {self.features} entries, as in the first round, not {entries(a)}"
                )
            if not np.isfinite(a).all():
                refuse(a, -1e150, 1e150, -1, (), "features", False)
            self.learner.examine(a[None, :], n, -1)  # type: ignore[attr-defined]
            self.known[0] = a
        if available is None:
            return Offer(self.free[0], self.known[0])
        on = array(available, "available", 1)
        if len(on) != n or not np.isin(on, (0.0, 1.0)).all():
            raise BadInput(
                f"available must be {n} times True or False, one for each arm, not {available!r:.80}"
            )
        if not on.any():
            raise BadInput("available: no arm is there to be pulled")
        self.on[0] = on
        return Offer(self.on[0], self.known[0])

    def chances(self, x: Any = None, available: Any = None) -> Any:
        """The probability of each arm."""
        loop = ready(decided, self.params, self.game, self.which)
        out = np.zeros(self.shape.n)
        loop(self.params, self.game, self.state, read_only(self.offer(x, available)), out)
        return out

    def predict(self, x: Any, available: Any = None) -> int:
        """The arm that this round's number draws: the same until the round is over."""
        return draw(self.chances(x, available), uniform(self.seed, self.t, 0))

    def update(self, x: Any, arm: Any, loss: Any = None, available: Any = None) -> None:
        p = self.chances(x, available)
        self.learn(self.offer(x, available), self.arm(arm), self.loss(loss), p)
        self.t += 1

    def learn(self, offer: Offer, arm: int, loss: float, p: Any) -> None:
        if not p[arm] > 0.0:
            raise BadInput(
                f"arm {arm} had probability 0 in this round, so nothing can be learned from it; "
                "tell the arm that predict returned"
            )
        game: Any = inside(self.game)
        shown = Pulled(arm, (loss - game.low) / (game.high - game.low), float(p[arm]))
        loop = ready(taught, self.params, self.game, self.which)
        self.state = loop(self.params, self.game, self.state, read_only(offer), p, shown)

    def arm(self, arm: Any) -> int:
        try:
            i = int(arm)
        except (TypeError, ValueError):
            raise BadInput(
                f"arm must be a number from 0 to {self.shape.n - 1}, not {arm!r:.80}"
            ) from None
        if i != arm or not 0 <= i < self.shape.n:
            raise BadInput(f"arm must be a number from 0 to {self.shape.n - 1}, not {arm!r:.80}")
        return i

    def loss(self, loss: Any) -> float:
        try:
            v = float(loss)
        except (TypeError, ValueError):
            raise BadInput(f"the loss must be a number, not {loss!r:.80}") from None
        if not self.low <= v <= self.high:
            refuse(np.full(1, v), self.low, self.high, -1, (), "loss", False, DECLARE)
        return v

    def ask(self, x: Any, available: Any = None) -> Ticket:
        p = self.chances(x, available)
        arm = draw(p, uniform(self.seed, self.t, 0))
        offer = self.offer(x, available)
        kept = np.concatenate([offer.on, offer.x]), len(offer.on)
        ticket = Ticket(self.t, kept, arm, p, float(arm))
        self.t += 1
        return ticket

    def tell(self, ticket: Ticket, y: Any) -> None:
        numbers, split = ticket.x
        offer = Offer(np.array(numbers[:split]), np.array(numbers[split:]))
        self.learn(offer, int(ticket.action), self.loss(y), np.asarray(ticket.decision))

    def weights(self) -> Any:
        return self.chances(np.zeros(self.features) if self.features else None)


def decided(self: Any, game: Any, state: Any, x: Any, out: Any) -> Any:
    d = self.decide(state, x)
    for i in range(out.shape[0]):
        out[i] = d[i]
    return state


def taught(self: Any, game: Any, state: Any, x: Any, d: Any, f: Any) -> Any:
    return self.learn(state, x, d, f)
