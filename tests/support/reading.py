"""Streams, opened with options by keyword."""

from dataclasses import replace

from littlestone.streams import open as opening
from littlestone.streams.options import ReadOptions


def open_stream(data, outcomes=None, **options):
    return opening.open_stream(data, outcomes, ReadOptions(**options))


def holds_classes(file, **options):
    return file.holds_classes(replace(file.options, **options))
