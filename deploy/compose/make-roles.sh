#!/usr/bin/env bash
# Once, on a new primary: the owner of the tables, its database, and the role of the standby.
# npm run migrate makes the role and the login of the service.
set -euo pipefail
psql --set=ON_ERROR_STOP=1 --username "$POSTGRES_USER" --dbname postgres \
  --set=owner="$OWNER_PASSWORD" --set=replication="$REPLICATION_PASSWORD" <<'SQL'
-- No standby is there yet, for which a commit would wait.
set synchronous_commit = local;
create role kontor_owner login createrole password :'owner';
create database kontor owner kontor_owner;
create role standby login replication password :'replication';
SQL
echo 'host replication standby all scram-sha-256' >>"$PGDATA/pg_hba.conf"
