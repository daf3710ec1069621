#!/bin/sh
# Install XLearning from this bundle, without a network.
#
#   ./install.sh [PREFIX [PYTHON]]
#
# PREFIX (default /opt/xlearning) gets one folder per version and a link `current` to this one; older versions
# stay, so that `ln -sfn` back is all that a way back needs.
set -eu

want=@PYTHON@
here=$(cd "$(dirname "$0")" && pwd)
prefix=${1:-/opt/xlearning}
python=${2:-python$want}

fail() {
    echo "install.sh: $1" >&2
    exit 1
}

command -v "$python" >/dev/null || fail "there is no $python here; name it: ./install.sh $prefix /path/to/python$want"
found=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
[ "$found" = "$want" ] || fail "this bundle is for Python $want, and $python is $found"
(cd "$here" && sha256sum --quiet --check SHA256SUMS) || fail "the bundle is damaged: fetch it again"

version=$(ls "$here"/wheels/xlearning-*.whl | sed 's/.*xlearning-\([^-]*\)-.*/\1/')
target=$prefix/$version
[ ! -e "$target" ] || fail "$target exists; remove it to install it again"
mkdir -p "$prefix" || fail "$prefix cannot be made"
trap 'rm -rf "$target"' EXIT
"$python" -m venv "$target" || fail "$python cannot make a virtual environment (on Debian: apt-get install python3-venv)"
"$target/bin/python" -m pip install --quiet --disable-pip-version-check --no-index \
    --find-links "$here/wheels" xlearning
cp "$here/xlearning-site.xml.template" "$target/"
ln -sfn "$version" "$prefix/current"
trap - EXIT

echo "installed $("$target/bin/xl-submit" --version) in $target"
echo "next:"
echo "  ln -s $prefix/current/bin/xl-submit /usr/local/bin/xl-submit"
echo "  mkdir -p /etc/xlearning/conf"
echo "  cp -n $target/xlearning-site.xml.template /etc/xlearning/conf/xlearning-site.xml"
