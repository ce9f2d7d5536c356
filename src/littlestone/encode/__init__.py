"""Names, text and labels become numbers, in batches and one row at a time."""
