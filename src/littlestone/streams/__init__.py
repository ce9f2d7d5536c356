"""Arrays, frames, files and iterators -> one Stream of rounds. Start at `open.open_stream`."""
