#!/bin/sh
# Runs once, when the database is new: the role that the servers work as, with its password.
# `commonplace postgres init` gives it what it needs, and no more.
set -eu
psql --set ON_ERROR_STOP=1 --set password="$SERVER_PASSWORD" \
  --username "$POSTGRES_USER" --dbname "$POSTGRES_DB" <<'SQL'
CREATE ROLE commonplace_server LOGIN PASSWORD :'password';
SQL
