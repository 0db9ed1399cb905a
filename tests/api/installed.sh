#!/bin/sh
# The library where `cmake --install` puts it: a C program by pkg-config, the Python module beside
# the loader, the catalogue beside the library.
#   installed.sh BUILD_FOLDER SOURCE_FOLDER
set -eu
build=$1 source=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for component in feedrate libfeedrate; do
  cmake --install "$build" --prefix "$folder" --component "$component" >"$folder/log" || { cat "$folder/log"; exit 1; }
done
for tool in pkg-config cc python3; do
  command -v "$tool" >/dev/null || { echo "installed: not tried: no $tool"; exit 77; }
done
config=$(dirname "$(find "$folder" -name feedrate.pc)")
library=$(dirname "$(find "$folder" -name libfeedrate.so)")
exported=$(nm -D --defined-only "$library/libfeedrate.so" | awk '$2 != "w" && $2 != "V" && $2 != "u" {print $3}' | sort | tr '\n' ' ')
[ "$exported" = "feedrate_free feedrate_run " ] || { echo "the library exports: $exported"; exit 1; }

export PKG_CONFIG_PATH="$config"
# Each word is a flag.
# shellcheck disable=SC2046
cc -std=c99 -Wall -Wextra -Wpedantic -Werror $(pkg-config --cflags feedrate) "$source/tests/api/program.c" \
  $(pkg-config --libs feedrate) -o "$folder/program"
# The catalogue is found beside the library: with another price there, the bill is another.
sed -i 's/"price": "3.825 USD\/h"/"price": "7.65 USD\/h"/' "$folder/share/feedrate/pricing/aws/p3.json"
echo "{\"file\": \"$source/scenarios/caltech256_p3.json\", \"allow_files\": [\"$source/scenarios\"]}" >"$folder/request"
LD_LIBRARY_PATH="$library" "$folder/program" <"$folder/request" >"$folder/answer"
FEEDRATE_PRICING="$folder/share/feedrate/pricing" "$folder/bin/feedrate" run "$source/scenarios/caltech256_p3.json" \
  --format json | cmp - "$folder/answer"
"$build/feedrate" run "$source/scenarios/caltech256_p3.json" --format json | cmp -s - "$folder/answer" &&
  { echo "the catalogue beside the library is not read"; exit 1; }

module=$(dirname "$(dirname "$(find "$folder" -path '*/feedrate/__init__.py')")")
# Without LD_LIBRARY_PATH: a prefix of one's own is no folder that the loader knows.
said=$(cd "$folder" && env -u FEEDRATE_LIBRARY -u LD_LIBRARY_PATH PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$module" \
  python3 -c "import feedrate; print(feedrate.run('$source/scenarios/caltech256_p3.json')['bottleneck']['stage'])")
[ "$said" = gpu ] || { echo "the Python module says: $said"; exit 1; }
