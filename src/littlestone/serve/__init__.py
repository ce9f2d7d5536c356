"""A durable learner service: decisions and outcomes over HTTP, kept in a log; what was acknowledged is never lost.

    littlestone serve --data DIR

There is no mathematics in this package. A request goes through `application` (routes), `requests` (what may be in
it) and `writer` (one queue, one commit for many requests) to `service`, which applies it to a learner and writes it
down in `store`. The log is the truth; a learner in memory and its snapshots are a cache of it.
"""
