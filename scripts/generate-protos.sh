#!/usr/bin/env bash
# Generates server/src/flight/gen/ and server/src/engine/spark/connect/gen/ from server/proto/. The output is committed: run this only when a
# protocol file changes. JavaScript with declarations beside it, because TypeScript output would carry enums, which type stripping cannot erase.
set -euo pipefail
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
# shellcheck source=/dev/null
source "$root/.ci/env"

# npx starts what it runs in the nearest package, so every path is given from the root.
cd "$root"

# generate <output folder> <protocol file or folder>…
generate() {
  local out="$1" paths=() path
  shift
  for path in "$@"; do paths+=(--path "server/proto/$path"); done
  local template='{
  "version": "v2",
  "clean": true,
  "plugins": [
    { "local": "protoc-gen-es", "out": "'"$out"'", "opt": ["target=js+dts", "import_extension=js"] }
  ]
}'
  npx --yes --package @bufbuild/buf@1.74.0 --package @bufbuild/protoc-gen-es@2.16.0 -- \
    buf generate server/proto --template "$template" "${paths[@]}"
}

generate server/src/flight/gen Flight.proto FlightSql.proto health.proto
generate server/src/engine/spark/connect/gen spark
