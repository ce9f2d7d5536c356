"""What `core.learner.Learner` asks of this package: to begin, with a size or with a round, and to be written."""

from .begin import begin as begin
from .begin import begin_with as begin_with
from .store import save as save
from .store import to_bytes as to_bytes
