"""An application to look at: learners of several kinds, asked and told by a simulation, some outcomes late or never."""

from __future__ import annotations

import random
import threading
import time
from typing import Any

from .client import Client, RemoteLearner, connect
from .problems import Problem

PRICES = {"small": 0.3, "middle": 0.5, "large": 0.42}


class Demo:
    """Three learners and the world around them."""

    def __init__(self, url: str, seed: int = 0) -> None:
        self.client: Client = connect(url)
        self.r = random.Random(seed)
        self.waiting: list[tuple[float, RemoteLearner, str, dict[str, Any]]] = []
        spec: dict[str, Any] = {"wait": 10.0, "default": {"reward": 0.0}, "interval": [0, 1]}
        today: dict[str, Any] = {"arm": "small", "share": 0.2}
        self.offers = self.client.learner(
            "offers", "tsallis-inf", names=list(PRICES), seed=1, baseline=today, **spec
        )
        self.mix = self.client.learner(
            "forecasts", "tracker", names=["bank", "model", "naive"], interval=[0, 1], books=True
        )
        steady = {"level": 0.01, "reference": 100}
        self.words = self.client.learner("spam", "online-linear", alarm=steady)
        self.level = 0.5

    def step(self) -> None:
        """One visitor, one forecast, one message; and the outcomes that are due."""
        r = self.r
        one = self.offers.ask()
        if r.random() < 0.9:
            bought = float(r.random() < PRICES[str(one["prediction"])])
            self.later(r.expovariate(0.5), self.offers, one, {"reward": bought})
        self.level = min(0.9, max(0.1, self.level + r.gauss(0, 0.02)))
        good, bad = self.level + r.gauss(0, 0.02), self.level + r.gauss(0.1, 0.1)
        advice = {"bank": clipped(good), "model": clipped(bad), "naive": 0.5}
        two = self.mix.ask(advice)
        self.later(1.0, self.mix, two, {"y": self.level})
        spam = r.random() < 0.4
        three = self.words.ask(
            {r.choice(["offer", "win", "free"]) if spam else "meeting": 1.0, "length": r.random()}
        )
        self.later(r.expovariate(1.0), self.words, three, {"y": "spam" if spam else "good"})
        now = time.monotonic()
        due = [w for w in self.waiting if w[0] <= now]
        self.waiting = [w for w in self.waiting if w[0] > now]
        for _, learner, id_, outcome in due:
            try:
                learner.tell(id_, **outcome)
            except Problem as problem:
                if problem.status != 409:  # it came too late: the default was told before
                    raise

    def later(
        self,
        seconds: float,
        learner: RemoteLearner,
        decision: dict[str, Any],
        outcome: dict[str, Any],
    ) -> None:
        """Tell an outcome after so many seconds."""
        self.waiting.append((time.monotonic() + seconds, learner, str(decision["id"]), outcome))


def clipped(v: float) -> float:
    """The number, moved into [0, 1]."""
    return min(1.0, max(0.0, v))


def play_demo(url: str, per_second: float = 10.0) -> threading.Thread:
    """Play the application in a thread, for as long as the process lives."""

    def run() -> None:
        demo = Demo(url)
        while True:
            try:
                demo.step()
            except (OSError, Problem):
                return  # the service has ended
            time.sleep(1.0 / per_second)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    return thread
