#!/bin/sh
# Makes what docker/compose.yaml mounts from docker/secrets; keeps what is there already.
set -eu
umask 077
cd "$(dirname "$0")"
mkdir -p secrets
random() { head -c 24 /dev/urandom | od -An -vtx1 | tr -d ' \n'; }
put() { [ -s "secrets/$1" ] || printf '%s' "$2" > "secrets/$1"; }
put postgres_password "$(random)"
put redis_password "$(random)"
put memstream_hash_key "$(random)"
put objects_user memstream
put objects_password "$(random)"
put grafana_password "$(random)"
put metrics_key none
put memstream_postgres "postgresql://memstream:$(cat secrets/postgres_password)@postgres/memstream"
put memstream_redis "redis://:$(cat secrets/redis_password)@redis:6379/0"
# The containers' account is not yours.
chmod 0444 secrets/*
