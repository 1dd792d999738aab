#!/bin/sh
# Runs once, for a new database: creates the role of the servers.
# `commonplace postgres init` grants it the necessary rights.
set -eu
psql --set ON_ERROR_STOP=1 --set password="$SERVER_PASSWORD" \
  --username "$POSTGRES_USER" --dbname "$POSTGRES_DB" <<'SQL'
CREATE ROLE commonplace_server LOGIN PASSWORD :'password';
SQL
