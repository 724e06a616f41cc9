#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The main job from beginning to end on a compile log: why the field compiler
# stopped, what the difference costs, and the IR that compiles.
#
#   scripts/demo.sh [LOG]     LOG defaults to examples/prompt-336.log
set -euo pipefail

if (($# > 1)) || [[ "${1:-}" == -* ]]; then
  echo "usage: scripts/demo.sh [LOG]" >&2
  exit 2
fi
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
if (($# == 1)); then
  log=$(realpath --relative-to="$root" -- "$1")
else
  log=examples/prompt-336.log
fi
cd "$root"

scripts/build.sh --target npu-opt --target npu-translate

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# heading TEXT COMMAND: what follows, and the command that prints it.
heading() {
  printf '\n== %s\n   $ %s\n\n' "$1" "$2"
}

heading "Why it failed, and what it costs" \
  "build/bin/npu-translate --explain-npu-log $log"
build/bin/npu-translate --explain-npu-log "$log"

heading "The failure as IR" \
  "build/bin/npu-translate --import-npu-log $log -o failing.mlir"
build/bin/npu-translate --import-npu-log "$log" -o "$work/failing.mlir"
cat "$work/failing.mlir"

heading "What the field compiler says about it" \
  "build/bin/npu-opt failing.mlir --npu-verify-distributions=strict -o /dev/null"
if (cd "$work" && "$root/build/bin/npu-opt" failing.mlir \
  --npu-verify-distributions=strict -o /dev/null 2>&1); then
  echo "(nothing: strict verification accepts it)"
fi

heading "The repaired IR, which strict verification accepts" \
  "build/bin/npu-opt failing.mlir --npu-legalize-distributions --npu-verify-distributions=strict"
build/bin/npu-opt "$work/failing.mlir" \
  --npu-legalize-distributions --npu-verify-distributions=strict

heading "What the repair moves" \
  "build/bin/npu-opt failing.mlir --npu-legalize-distributions --npu-print-transfers=format=json -o /dev/null"
build/bin/npu-opt "$work/failing.mlir" --npu-legalize-distributions \
  --npu-print-transfers=format=json -o /dev/null | tee "$work/transfers.json"

# Both totals come from the report just shown.
python3 - "$work/transfers.json" <<'EOF'
import json
import sys

with open(sys.argv[1]) as report:
    rows = [row for function in json.load(report)["functions"]
            for row in function["redistributions"]]
print("\nBytes between tiles: {}. Bytes through DDR: {}.".format(
    sum(row["bytes_received"] for row in rows),
    sum(row["ddr_bytes"] for row in rows)))
EOF
