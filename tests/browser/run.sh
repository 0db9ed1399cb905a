#!/bin/sh
# run.sh FEEDRATE SOURCES SCREENSHOTS [PART]: the browser tests, those with PART in their names, or a clear word about what
# they miss.
set -eu
plots=$2/plots
missing() { echo "browser tests: $1" >&2; exit 1; }
command -v node >/dev/null || missing "node is not installed (Debian: apt-get install nodejs npm)"
[ -d "$plots/node_modules/playwright-core" ] || missing "run npm ci --prefix $plots"
chromium=${CHROMIUM:-$(command -v chromium || command -v chromium-browser || true)}
if [ -z "$chromium" ] && grep -qs '^ID=ubuntu' /etc/os-release; then
  echo "browser tests: left out: Ubuntu has Chromium as a snap only"
  exit 77
fi
[ -n "$chromium" ] || missing "chromium is not installed (Debian: apt-get install chromium)"
exec node "$2/tests/browser/main.mjs" "$1" "$2" "$3" "$chromium" "${4:-}"
