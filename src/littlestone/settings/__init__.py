"""What a learner is given: advice, losses, examples or arms. A new kind of rounds is one more class here."""

from .arms import Arms as Arms
from .arms import Round as Round
from .examples import Examples as Examples
from .experts import Advice as Advice
from .experts import Losses as Losses
from .fit import fit_setting as fit_setting
from .setting import InitialInfo as InitialInfo
from .setting import Setting as Setting
