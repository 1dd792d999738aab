"""Implementations of the ports, one folder for each family.

Books: `vault` (markdown notes; its search index is `sql/sqlite/index.py`), `sql` (SQLite and
PostgreSQL), `milvus` (vectors beside either). Models: `neural` (embedders), `reasoners`. Others:
`sessions`, `sources`, `imports`, `backups`, `ciphers`. `common` holds code that families share.
"""
