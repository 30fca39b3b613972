#!/usr/bin/env bash
# Generates server/src/flight/gen/ from server/proto/, and engines/spark/src/connect/gen/ from engines/spark/proto/. The output is committed: run
# this only when a protocol file changes. JavaScript with declarations beside it, because TypeScript output would carry enums, which type
# stripping cannot erase.
set -euo pipefail
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
# shellcheck source=/dev/null
source "$root/.ci/env"

# npx starts what it runs in the nearest package, so every path is given from the root.
cd "$root"

# generate <output folder> <folder of protocol files> <file or folder in it>…
generate() {
  local out="$1" from="$2" paths=() path
  shift 2
  for path in "$@"; do paths+=(--path "$from/$path"); done
  local template='{
  "version": "v2",
  "clean": true,
  "plugins": [
    { "local": "protoc-gen-es", "out": "'"$out"'", "opt": ["target=js+dts", "import_extension=js"] }
  ]
}'
  npx --yes --package @bufbuild/buf@1.74.0 --package @bufbuild/protoc-gen-es@2.16.0 -- \
    buf generate "$from" --template "$template" "${paths[@]}"
}

generate server/src/flight/gen server/proto Flight.proto FlightSql.proto health.proto
generate engines/spark/src/connect/gen engines/spark/proto spark
