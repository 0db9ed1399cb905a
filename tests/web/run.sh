#!/bin/sh
# run.sh WHICH FEEDRATE SOURCES BUILD: `node` holds the page's simulator to the program, byte for byte;
# `chromium` does so in a browser and uses the page. 77 (skipped) where there is no page of this build.
set -eu
which=$1 feedrate=$2 sources=$3 build=$4
skip() { echo "web/$which: $1" >&2; exit 77; }
page=$build/web/whatif.html
if [ ! -f "$page" ]; then
  skip "no page was built (apt-get install emscripten; cmake -DFEEDRATE_WEB=ON; target web)"
fi
for newer in "$sources"/src "$sources"/plots "$sources"/pricing "$sources"/scenarios; do
  if [ -n "$(find "$newer" -name node_modules -prune -o -name '*.[chj]*' -newer "$page" -print -quit)" ]; then
    skip "the page is older than the sources: cmake --build $build --target web"
  fi
done
command -v node >/dev/null || skip "node is not installed"
[ "$which" = node ] && exec node "$sources/tests/web/same_bytes.mjs" "$page" "$feedrate" "$sources"
chromium=${CHROMIUM:-$(command -v chromium || command -v chromium-browser || true)}
[ -n "$chromium" ] || skip "chromium is not installed"
[ -d "$sources/plots/node_modules/playwright-core" ] || skip "run npm ci --prefix plots"
exec node "$sources/tests/web/page.mjs" "$page" "$feedrate" "$sources" "$chromium" "$build/screenshots"
