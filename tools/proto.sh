#!/usr/bin/env bash
# Generate proto/*_pb2*. grpcio-tools 1.62.3 on purpose: what it writes loads on protobuf 4.25 to 7.
set -eu
cd "$(dirname "$0")/.."
env=$(mktemp -d)
trap 'rm -rf "$env"' EXIT
"${PYTHON:-python3}" -m venv "$env"
"$env/bin/pip" install --quiet --disable-pip-version-check grpcio-tools==1.62.3 'setuptools<80'
out=${1:-tools/typepath}
"$env/bin/python" -m grpc_tools.protoc -Ixlearning/proto=proto \
    --python_out="$out" --pyi_out="$out" --grpc_python_out="$out" xlearning/proto/xlearning.proto
