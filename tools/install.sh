#!/bin/sh
# Install XLearning from this bundle, without a network.
#
# PREFIX gets one folder per version and a link `current` to this one; older versions stay, so that
# `ln -sfn` back is all that a way back needs.
set -eu
umask 022 # for everybody, whatever the account that installs keeps to itself

want=@PYTHON@
here=$(cd "$(dirname "$0")" && pwd)

usage() {
    echo "usage: ./install.sh [PREFIX [PYTHON]]"
    echo "  PREFIX  folder of all versions (default: /opt/xlearning)"
    echo "  PYTHON  interpreter of version $want (default: python$want)"
}

fail() {
    echo "install.sh: $1" >&2
    exit 1
}

wrong() {
    echo "install.sh: $1" >&2
    usage >&2
    exit 1
}

for word; do
    case $word in
    -h | --help)
        usage
        exit 0
        ;;
    -*) wrong "there is no option $word" ;;
    '') wrong "an empty word is no folder and no interpreter" ;;
    esac
done
[ $# -le 2 ] || wrong "two words at most, not $#"

prefix=${1:-/opt/xlearning}
python=${2:-python$want}
case $prefix in
/*) ;;
*) prefix=$PWD/${prefix#./} ;;
esac

command -v "$python" >/dev/null || fail "there is no $python here; name it: ./install.sh $prefix /path/to/python$want"
found=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
[ "$found" = "$want" ] || fail "this bundle is for Python $want, and $python is $found"
(cd "$here" && sha256sum --quiet --check SHA256SUMS) || fail "the bundle is damaged: fetch it again"

version=$(ls "$here"/wheels/xlearning-*.whl | sed 's/.*xlearning-\([^-]*\)-.*/\1/')
target=$prefix/$version
[ ! -e "$target" ] || fail "$target exists; remove it to install it again"
[ ! -e "$prefix/current" ] || [ -L "$prefix/current" ] || fail "$prefix/current is there and is not a link of ours"
mkdir -p "$prefix" || fail "$prefix cannot be made"
mkdir "$target" || fail "$target cannot be made"
# From here on the folder is ours, so nothing of anybody else can go with it.
trap 'rm -rf "$target"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
"$python" -m venv "$target" || fail "$python cannot make a virtual environment (on Debian: apt-get install python3-venv)"
"$target/bin/python" -m pip install --quiet --disable-pip-version-check --no-index \
    --find-links "$here/wheels" "xlearning$(cat "$here/EXTRAS")"
cp "$here/xlearning-site.xml.template" "$target/"
chmod 644 "$target/xlearning-site.xml.template" # it may have been unpacked with less
ln -sfn "$version" "$prefix/current"
trap - EXIT

echo "installed $("$target/bin/xl-submit" --version) in $target"
echo "next:"
echo "  ln -s $prefix/current/bin/xl-submit /usr/local/bin/xl-submit"
echo "  mkdir -p /etc/xlearning/conf"
echo "  cp -n $target/xlearning-site.xml.template /etc/xlearning/conf/xlearning-site.xml"
