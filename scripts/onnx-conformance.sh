#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Runs ONNX's conformance tests on build/bin: imported as they are, and
# distributed over four tiles. Needs libonnx-testdata (install-dependencies.sh).
#
#   scripts/onnx-conformance.sh                 all of them
#   scripts/onnx-conformance.sh '^softmax'      those whose name matches
#   scripts/onnx-conformance.sh --sample=150    so many, spread over all
#   scripts/onnx-conformance.sh --write-table   all, and docs/reference/onnx.md
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
exec python3 "$root/test/onnx_conformance.py" "$root/build/bin" "$@"
