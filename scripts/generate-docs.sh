#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Writes docs/reference/dialect.md and docs/reference/passes.md from the
# TableGen files; with --check it writes nothing and fails when they are stale.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

llvm=${LLVM_PREFIX:-/usr/lib/llvm-22}
case "${1:-}" in
  "" | --check) ;;
  *)
    echo "usage: scripts/generate-docs.sh [--check]" >&2
    exit 2
    ;;
esac

# tblgen GENERATOR... < INPUT, without what only one web site generator reads
# and without blanks at line ends.
tblgen() {
  "$llvm/bin/mlir-tblgen" "$@" -I include -I "$llvm/include" - |
    sed -e '/^\[TOC\]$/d' -e 's/[[:blank:]]*$//'
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

tblgen --gen-dialect-doc --dialect=npu >"$work/dialect.md" <<'EOF'
include "npu/Dialect/NPU/IR/NPUAttributes.td"
include "npu/Dialect/NPU/IR/NPUOps.td"
EOF
{
  printf '# Passes\n\n'
  # The generator's headings begin at the third level, and its flags with one
  # dash.
  # shellcheck disable=SC2016
  tblgen --gen-pass-doc <<<'include "npu/Dialect/NPU/Transforms/Passes.td"' |
    sed -e 's/^#\(##*\) /\1 /' -e 's/^## `-\([^-]\)/## `--\1/'
} >"$work/passes.md"

if [[ "${1:-}" != --check ]]; then
  mkdir -p docs/reference
  cp "$work/dialect.md" "$work/passes.md" docs/reference/
  exit 0
fi

status=0
for page in dialect.md passes.md; do
  if ! diff -u "docs/reference/$page" "$work/$page"; then
    echo "error: docs/reference/$page is stale; run scripts/generate-docs.sh" >&2
    status=1
  fi
done
exit "$status"
