#!/bin/sh
# Makes Temporal's two databases, or brings them up to this version; may run again at any time.
set -eu
SQL_PASSWORD="$(cat /run/secrets/postgres-password)"
export SQL_PASSWORD

for database in temporal temporal_visibility; do
  case "$database" in
    temporal) schema=temporal ;;
    *) schema=visibility ;;
  esac
  temporal-sql-tool --db "$database" create
  # Changes nothing in a database that has a schema.
  temporal-sql-tool --db "$database" setup-schema -v 0.0
  temporal-sql-tool --db "$database" update-schema -d "/etc/temporal/schema/postgresql/v12/$schema/versioned"
done
