#!/usr/bin/env bash
# Builds the wheel from the source distribution in an empty environment without a network, as packagers do:
# the crates of its lock file are fetched once into a folder, the build backend is installed, and then
# nothing may be fetched. Where the system can take the network away (Linux, as the administrator), it does.
#
#   bash scripts/sdist_offline.sh TARBALL
set -euo pipefail
tarball=$(realpath "$1")
python=${PYTHON:-python3}
here=$(mktemp -d)
trap 'rm -rf "$here"' EXIT

tar -xzf "$tarball" -C "$here"
source=$(echo "$here"/ternwood-*)
for needed in LICENSE-MIT LICENSE-APACHE PKG-INFO; do
    [ -s "$source/$needed" ] || { echo "$(basename "$tarball") has no $needed"; exit 1; }
done
manifest=$(find "$source" -path '*/rust/Cargo.toml' -not -path '*/vendor/*')
"$python" -m venv "$here/env"
bin=$([ -d "$here/env/Scripts" ] && echo Scripts || echo bin)
"$here/env/$bin/python" -m pip install --quiet --disable-pip-version-check 'maturin>=1.9.4,<2'

# A home of its own for cargo: the caller's cache must not help.
mkdir "$here/cargo"
# Not --locked: the lock file also lists the crates of the command, which are not in the distribution, and cargo
# takes them out. The versions of all others stay.
# Not --quiet either, which would also keep the configuration to itself.
cargo vendor --manifest-path "$manifest" "$here/vendor" >"$here/cargo/config.toml" 2>"$here/vendor.log" || {
    cat "$here/vendor.log"
    exit 1
}
grep -q vendored-sources "$here/cargo/config.toml"
offline=()
if unshare --net true 2>/dev/null; then
    offline=(unshare --net)
else
    echo "the network stays on: this system does not let us take it away; cargo and pip are told not to use it"
fi
RUSTUP_HOME=${RUSTUP_HOME:-$HOME/.rustup} CARGO_HOME=$here/cargo CARGO_NET_OFFLINE=true \
    CARGO_TARGET_DIR=$here/target PATH="$here/env/$bin:$PATH" \
    ${offline[@]+"${offline[@]}"} "$here/env/$bin/python" -m pip wheel --quiet --disable-pip-version-check \
    --no-index --no-deps --no-build-isolation --wheel-dir "$here/wheels" "$tarball"
ls "$here/wheels"/ternwood-*.whl >/dev/null
echo "$(basename "$tarball") builds $(basename "$here"/wheels/*.whl) offline"
