#!/usr/bin/env bash
# Brings every real part that the tests use into .parts/ (ignored by git). Safe to run again: what is there stays.
set -euo pipefail
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
parts="$root/.parts"
mkdir -p "$parts/bin" "$parts/questdb"
# shellcheck source=/dev/null
source "$root/.ci/env"

questdb_version=9.3.4
questdb_sha256=939bc53ab22f93dbaa6545143a6e7c536d4904c07b7f2d381e8eef10436be062
toxiproxy_version=v2.12.0

say() { printf 'setup: %s\n' "$*"; }

# Debian's package lists are fetched only where they are missing or do not know the package.
debian() {
  if ! apt-get "$@"; then
    apt-get update -qq && apt-get "$@"
  fi
}

[ -d "$root/node_modules/fastify" ] || { say 'npm packages'; (cd "$root" && npm ci --ignore-scripts); }

wanted="$(sha256sum "$root/scripts/python-parts.txt" | cut -c1-16)"
if [ "$(cat "$parts/venv/.wanted" 2>/dev/null || true)" != "$wanted" ]; then
  say 'Python parts'
  python3 -m venv "$parts/venv"
  "$parts/venv/bin/pip" install --quiet --disable-pip-version-check -r "$root/scripts/python-parts.txt"
  echo "$wanted" >"$parts/venv/.wanted"
fi

jar="$parts/questdb/questdb-$questdb_version.jar"
if [ ! -f "$jar" ]; then
  say "QuestDB $questdb_version"
  staged="$(mktemp -d "$parts/questdb/staged.XXXXXX")"
  artifact="questdb-$questdb_version.jar"
  # Straight from Maven Central; by Maven itself where a mirror stands before it.
  curl -fsSL --retry 2 --max-time 300 -o "$staged/$artifact" \
    "https://repo1.maven.org/maven2/org/questdb/questdb/$questdb_version/$artifact" ||
    mvn -q -B org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy \
      "-Dartifact=org.questdb:questdb:$questdb_version:jar" "-DoutputDirectory=$staged"
  echo "$questdb_sha256  $staged/$artifact" | sha256sum --check --quiet
  mv "$staged/$artifact" "$jar"
  rm -r "$staged"
fi

toxiproxy="$parts/bin/toxiproxy-$toxiproxy_version"
if [ ! -x "$toxiproxy" ]; then
  say "toxiproxy $toxiproxy_version"
  staged="$(mktemp -d "$parts/bin/staged.XXXXXX")"
  GOBIN="$staged" go install "github.com/Shopify/toxiproxy/v2/cmd/server@$toxiproxy_version"
  mv "$staged/server" "$toxiproxy"
  rm -r "$staged"
fi

# Only the binary is wanted: the package is unpacked, not installed, so that no daemon is set up.
if [ ! -x "$parts/bin/prometheus" ]; then
  say 'Prometheus'
  staged="$(mktemp -d "$parts/bin/staged.XXXXXX")"
  (cd "$staged" && debian download -qq prometheus 2>/dev/null && dpkg-deb -x prometheus_*.deb .)
  mv "$staged/usr/bin/prometheus" "$parts/bin/prometheus"
  rm -r "$staged"
fi

if ! command -v wrk >/dev/null; then
  say 'wrk'
  DEBIAN_FRONTEND=noninteractive debian install -y -qq --no-install-recommends wrk >/dev/null
fi

command -v java >/dev/null || { say 'Java 17 is needed for QuestDB: install openjdk-17-jre-headless'; exit 1; }
