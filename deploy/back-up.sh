#!/usr/bin/env bash
# A backup of the whole server, which appears under its name when it is whole. PG* say from where.
# Copy it to another machine; what keeps the log too, for any moment, is pgBackRest or Barman.
set -euo pipefail
umask 077
folder="${1:-/backups}"
name="kontor-$(date -u +%Y%m%dT%H%M%SZ)"
trap 'rm -rf "$folder/$name.part"' EXIT
pg_basebackup --pgdata "$folder/$name.part" --format tar --gzip --wal-method stream
mv "$folder/$name.part" "$folder/$name"
# The newest seven stay.
find "$folder" -maxdepth 1 -name 'kontor-*Z' | sort -r | tail -n +8 | xargs -r rm -rf
