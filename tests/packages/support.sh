# Sourced by the tests of packages that take minutes and a bare system. They need FEEDRATE_TEST_PACKAGES=1, root and debootstrap.
# FEEDRATE_RELEASE: a folder that .ci/release filled, else one is made. FEEDRATE_BARE: a fresh Debian 12 root that is copied
# (debootstrap --variant=minbase bookworm FOLDER), else one is made. Exit status 77: cannot run here.
self=$(basename "$0")
skip() { echo "$self: not tried: $*"; exit 77; }
fail() { echo "$self: $*" >&2; exit 1; }
[ -n "${FEEDRATE_TEST_PACKAGES:-}" ] || skip "it takes minutes: set FEEDRATE_TEST_PACKAGES=1"
[ "$(id -u)" = 0 ] || skip "it needs root"
version=$(sed -n 's/.*version = "\(.*\)".*/\1/p' src/base/version.hpp)
place=$(mktemp -d)
clean_up() { [ ! -d "$place/bare/proc" ] || umount "$place/bare/proc" 2>/dev/null || :; rm -rf "$place"; }
trap clean_up EXIT

# Sets $release.
find_release() {
  release=${FEEDRATE_RELEASE:-$place/release}
  [ -n "${FEEDRATE_RELEASE:-}" ] || .ci/release "$version" --unreleased --output "$release" >"$place/release.log" 2>&1 ||
    fail "$(cat "$place/release.log")"
  release=$(realpath "$release")
}

# The Debian mirror that this machine's apt is set to.
mirror() {
  apt-get indextargets --format '$(REPO_URI) $(CODENAME) $(ORIGIN)' "Created-By: Packages" | sed -n 's/ bookworm Debian$//p' | sort -u | head -n 1
}

# Makes $place/bare: a fresh Debian 12 that reaches its mirror as this machine does.
make_bare() {
  if [ -n "${FEEDRATE_BARE:-}" ]; then
    cp -a "$FEEDRATE_BARE" "$place/bare"
  else
    command -v debootstrap >/dev/null || skip "debootstrap is not installed"
    local from=${DEBIAN_MIRROR:-$(mirror)}
    [ -n "$from" ] || skip "apt here is set to no mirror of Debian 12: set DEBIAN_MIRROR"
    debootstrap --variant=minbase bookworm "$place/bare" "$from" >"$place/debootstrap.log" 2>&1 ||
      skip "debootstrap: $(tail -n 1 "$place/debootstrap.log")"
  fi
  cp -r /etc/apt/apt.conf.d/. "$place/bare/etc/apt/apt.conf.d/"
}

# Runs a command in a root, with a known environment: in_root FOLDER COMMAND…
in_root() {
  local root=$1
  shift
  env -i PATH=/opt/feedrate/bin:/usr/bin:/bin:/usr/sbin:/sbin DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 /usr/sbin/chroot "$root" "$@"
}

# expect WORDS COMMAND…: the command succeeds and says them.
expect() {
  local words=$1 said
  shift
  said=$("$@" 2>&1) || fail "$* failed: $said"
  grep -qF -- "$words" <<<"$said" || fail "$* does not say \"$words\": $said"
  echo "ok: ${*/#$place/…}"
}
