"""One row at a time without the loop of `play`: one example in plain Python, or compiled code on packed memory.

`row_of` chooses when a learner begins. Each form has the methods of `LoopRow`, and its bits.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..core.game import ONE
from ..core.rows import BIG
from ..core.vectors import row
from ..engine.loops import act_on_row, learn_row
from ..engine.memory import rebuilt
from ..engine.packed import Packed, is_clean, numbers
from ..games import Room
from ..settings import Setting
from .loop_row import LoopRow


def row_of(setting: Setting, state: Any, scratch: Room, seed: int, engine: str) -> LoopRow:
    """The fastest form that plays rounds of this setting."""
    made = LoopRow
    traits = setting.traits
    # Packed memory needs arrays of the state that stay where they are, and no scratch space.
    if setting.learner.fixed and not traits.scratch:
        if traits.kind.has_examples and traits.width == ONE:
            made = PlainExample if engine == "plain" else PackedExample
        elif traits.kind.has_arms and engine != "plain":
            made = PackedArms
    return made(setting, state, scratch, seed, engine)


def checked_row(setting: Any) -> Any:
    """The example in the buffers, for one row in plain Python; raise where a number of it is refused."""
    x = row(setting.row, 0) if setting.sparse else setting.row
    if not is_clean(numbers(x), BIG):
        setting.refuse()
    return x


class PlainExample(LoopRow):
    """One example in plain Python, without the loop."""

    acts_on_numbers = True

    def act(self, t: int) -> float:
        x = checked_row(self.setting)
        a: float = act_on_row(self.params, self.game, self.state, x, self.seed, t)
        if not self.is_declared(a):
            raise self.bad_action(a, t)
        return a

    def learn(self, code: float, importance: float, t: int) -> None:
        x = checked_row(self.setting)
        h = float(importance)
        self.state = learn_row(self.params, self.game, self.state, x, code, h, self.seed, t)


class PackedRow(LoopRow):
    """A state that is packed in memory when it is first needed there, and read back when it is asked for."""

    unpacked: Any
    packed: Packed | None
    changed: bool  # has compiled code changed numbers of the state that were not read back yet?
    next_state: Callable[[Any, Any], Any]  # makes the next state of such numbers

    @property
    def state(self) -> Any:
        """The state; it is read back first where compiled code has changed it."""
        if self.changed and self.packed is not None:
            self.unpacked = self.next_state(self.unpacked, self.packed.numbers())
            self.changed = False
        return self.unpacked

    @state.setter
    def state(self, new: Any) -> None:
        self.unpacked, self.packed, self.changed = new, None, False

    def pack(self) -> Packed:
        """Pack what compiled code reads, and the state."""
        self.packed = made = Packed(self.values(), self.unpacked)
        self.next_state = rebuilt(self.unpacked)
        return made

    def values(self) -> tuple[Any, ...]:
        """What is packed beside the state."""
        raise NotImplementedError


class PackedExample(PackedRow):
    """One example in compiled code."""

    acts_on_numbers = True

    def values(self) -> tuple[Any, ...]:
        s: Any = self.setting
        return self.params, self.game, s.row, self.seed, BIG

    def act(self, t: int) -> float:
        a: float = (self.packed or self.pack()).predict(t)
        if self.is_declared(a):
            return a
        s: Any = self.setting
        s.refuse(False)
        raise self.bad_action(a, t)

    def learn(self, code: float, importance: float, t: int) -> None:
        if (self.packed or self.pack()).update(code, float(importance), t):
            self.changed = True
        else:
            s: Any = self.setting
            s.refuse()


class PackedArms(PackedRow):
    """A bandit in compiled code, where a round offers all arms; by the loop where it does not."""

    def values(self) -> tuple[Any, ...]:
        s: Any = self.setting
        x, y = s.whole
        return self.params, self.game, x, y, self.decisions, self.seed

    def look(self, t: int) -> None:
        if self.setting.offers_all and self.is_declared(a := (self.packed or self.pack()).pull(t)):
            self.written[1][0] = a
        else:
            super().look(t)

    def decide(self, t: int) -> tuple[Any, Any]:
        if self.setting.offers_all and self.is_declared(a := (self.packed or self.pack()).pull(t)):
            return self.written[0].copy(), a
        return super().decide(t)

    def learn_late(self, decision: Any, action: Any) -> None:
        if self.setting.offers_all and decision.flags.c_contiguous:
            (self.packed or self.pack()).tell(decision, action)
            self.changed = True
        else:
            super().learn_late(decision, action)
