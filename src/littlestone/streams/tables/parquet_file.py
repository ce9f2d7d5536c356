"""Parquet in pieces of bounded memory, through pyarrow."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from typing import IO, Any, ClassVar

from littlestone.core.errors import BadFile, on_one_line

from ..source import Source
from .choice import Choice, Column
from .frames import eager
from .kinds import columns_of, judge_whole

# Bytes read ahead per column. Without it every column's whole row group is in memory at once:
# one group of 10^6 rows x 65 columns took 780 MB, with it 250 MB, and a quarter of the time.
AHEAD = 1 << 16
LOOK = 4096  # rows that tell which columns of whole numbers are identifiers


class ParquetFile:
    """The columns and the length of a Parquet file, and its rows as pyarrow tables."""

    notes: tuple[str, ...] = ()
    bad = None  # there are no lines
    labels: ClassVar[dict[str, list[object]]] = {}  # no classes are declared

    def __init__(self, source: Source) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        self.source = source
        self._spool: IO[bytes] | None = None
        self.file: Any = None  # pyarrow's, once it is open
        place: Any = source.path
        try:
            if place is None or source.packed:  # Parquet is read from its end: a pipe must be kept
                place = self._spool = tempfile.TemporaryFile()  # noqa: SIM115 - see `close`
                with source.reading():
                    shutil.copyfileobj(source.stream(), place)
            self.file = pq.ParquetFile(place, buffer_size=AHEAD, pre_buffer=False)
            self.rounds: int | None = self.file.metadata.num_rows
            self.names: list[str] = list(self.file.schema_arrow.names)
            twice = [name for name in self.names if self.names.count(name) > 1]
            if twice:
                raise BadFile(
                    f"{source.name}: two columns are called {twice[0]!r}; rename one of them"
                )
            self.columns = self._columns()
        except BadFile:
            self.close()
            raise
        except (pa.ArrowException, OSError, ValueError) as error:  # names that are no text, too
            self.close()
            raise BadFile(
                f"{source.name} is cut off or not a Parquet file: {on_one_line(error)}"
            ) from None

    def types(self, choice: Choice) -> dict[int, object]:
        """Columns have the types of the file, whatever they are chosen for."""
        return dict.fromkeys(choice.all)

    def tables(self, choice: Choice, rows: int) -> Iterator[Any]:
        """The chosen columns, at most `rows` rows at a time."""
        import pyarrow as pa

        names = [self.names[i] for i in choice.all]
        try:
            # One thread is faster here (measured), and leaves the other cores to the learner.
            for piece in self.file.iter_batches(batch_size=rows, columns=names, use_threads=False):
                refuse_damaged_text(piece)
                yield pa.Table.from_batches([piece])
        except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
            raise BadFile(f"{self.source.name} is damaged: {on_one_line(error)}") from None
        finally:
            self.close()

    def close(self) -> None:
        if self.file is not None:
            self.file.close()
        if self._spool is not None:
            self._spool.close()
        self.source.close()

    def _columns(self) -> list[Column]:
        import pyarrow as pa

        # not `empty_table`, which imports pandas wherever it is installed: 0.4 s
        none = pa.Table.from_batches([], schema=self.file.schema_arrow)
        columns = columns_of(eager(none))
        empty = _empty(self.file)
        columns = [c._replace(kind="empty") if c.name in empty else c for c in columns]
        whole = {f.name for f in self.file.schema_arrow if pa.types.is_integer(f.type)} - empty
        pieces = self.file.iter_batches(batch_size=LOOK, columns=sorted(whole)) if whole else ()
        for piece in pieces:  # the first rows tell which whole numbers only name rows
            head = eager(piece)
            columns = [
                judge_whole(head.get_column(c.name), i, c) if c.name in whole else c
                for i, c in enumerate(columns)
            ]
            break
        return columns


def refuse_damaged_text(piece: Any) -> None:
    """Raise ArrowInvalid where text is no text, or a code has no text: pyarrow says so only when they are used."""
    import pyarrow as pa

    for column in piece.columns:
        if pa.types.is_dictionary(column.type):
            column.validate(full=True)  # the codes
            column = column.dictionary
        if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
            column.validate(full=True)


def _empty(file: Any) -> set[str]:
    """Columns without a value, as far as the file's own statistics tell.

    pyarrow ends the process where it is asked for the statistics of a chunk whose description is damaged, and raises
    an error where it reads from one. So the first rows of each chunk are read before its statistics are.
    """
    places = {file.schema.column(j).path: j for j in range(len(file.schema))}
    empty = set(places) & set(file.schema_arrow.names)
    for g in range(file.metadata.num_row_groups):
        if not empty:
            break
        pieces = file.iter_batches(batch_size=1024, row_groups=[g], columns=sorted(empty))
        for piece in pieces:
            empty = {name for name in empty if piece.column(name).null_count == piece.num_rows}
            break
        group = file.metadata.row_group(g)
        for name in sorted(empty):
            facts = group.column(places[name]).statistics
            if facts is None or not facts.has_null_count or facts.null_count != group.num_rows:
                empty.discard(name)
    return empty if file.metadata.num_row_groups else set()
