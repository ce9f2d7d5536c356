"""All rows of a table file at once, each column of the type that its values look like."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from littlestone.core.errors import BadFile, BadInput, on_one_line

from ..csv.csv_file import CsvFile
from ..formats import format_of
from ..options import ReadOptions
from ..source import Source
from .columns import names_of
from .parquet_file import ParquetFile

if TYPE_CHECKING:
    import narwhals as nw


def read_columns(path: str, names: list[str], options: ReadOptions) -> dict[str, nw.Series[Any]]:
    """The columns of these names; `options` says how the file is written, as for every other reader."""
    from .frames import eager

    table = read_whole(path, options)
    there: list[str] = table.column_names
    for name in names:
        if name not in there:
            raise BadInput(f"{path} has no column {name!r}; its columns are {names_of(there)}")
        if there.count(name) > 1:
            raise BadInput(f"{path}: two columns are called {name!r}; rename one of them")
    frame = eager(table.select(list(dict.fromkeys(names))))
    return {name: frame.get_column(name) for name in names}


def read_whole(path: str, options: ReadOptions) -> Any:
    """The whole file as a table of pyarrow."""
    import pyarrow as pa

    source = Source(path, options.encoding)
    try:
        form = format_of(source, options.format)
        if form == "csv":
            return CsvFile(source, options.on_bad_line, options.decimal).whole()
        if form == "parquet":
            return ParquetFile(source).file.read()
        if form == "jsonl":
            import pyarrow.json as pj

            return pj.read_json(source.stream())
    except (pa.ArrowInvalid, OSError) as problem:
        raise BadFile(f"{path} cannot be read as a table: {on_one_line(problem)}") from None
    finally:
        source.close()
    raise BadInput(f"{path} is {form}: a table is CSV, Parquet or JSON lines")
