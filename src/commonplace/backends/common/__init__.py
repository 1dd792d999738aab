"""Code that several backend families share, so that no family imports another for it.

The vault and SQLite books use `sqlite` (connections), `lease` (one writer at a time on a device)
and `server_state` (for books without a database server). They and PostgreSQL use `ledger` (tables
of events) and `sql_dialect` (conditions on scopes). `arithmetic` compares vectors, and
`http_answers` reads HTTP bodies. `git` runs git on a repository that nobody vouches for.
"""
