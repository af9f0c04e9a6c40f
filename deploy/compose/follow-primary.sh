#!/usr/bin/env bash
# A standby: the first start copies the primary; later ones go on from there.
set -euo pipefail
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  rm -rf "$PGDATA"
  install -d -o postgres -g postgres -m 0700 "$PGDATA"
  export PGPASSWORD="$REPLICATION_PASSWORD"
  gosu postgres pg_basebackup --pgdata "$PGDATA" --wal-method stream --checkpoint fast \
    --dbname 'host=primary user=standby application_name=standby' --write-recovery-conf
fi
exec docker-entrypoint.sh "$@"
