#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Runs the layout parser and the readers of logs, dumps, artefacts and ONNX
# models under libFuzzer.
#
#   scripts/fuzz.sh [SECONDS]     for each of the five; 60 when not given
#
# Starts from the seeds in test/Fuzz/corpus/ and keeps what it finds in
# build-fuzz/corpus/, so that the next run goes on from there. An input that
# crashes, hangs or leaks is saved in build-fuzz/findings/, and the exit code is
# not 0. To see it again: build-fuzz/bin/npu-layout-fuzzer FILE.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

seconds=${1:-60}
if (($# > 1)) || ! [[ $seconds =~ ^[1-9][0-9]*$ ]]; then
  echo "usage: scripts/fuzz.sh [SECONDS]" >&2
  exit 2
fi

scripts/install-dependencies.sh --with-sanitizers
export ASAN_SYMBOLIZER_PATH=/usr/lib/llvm-22/bin/llvm-symbolizer
# docs/debugging.md says why.
export ASAN_OPTIONS=allow_user_poisoning=0
cmake --preset fuzz
cmake --build --preset fuzz --target npu-layout-fuzzer npu-log-fuzzer npu-dump-fuzzer npu-artefact-fuzzer npu-onnx-fuzzer

# Seeds of the last one are the conformance tests' own models, and those of
# operators that came later.
mkdir -p build-fuzz/seeds/onnx
cp test/Translation/Onnx/Inputs/since18/*.onnx.txt build-fuzz/seeds/onnx
for model in /usr/share/libonnx-testdata/data/*/test_*/model.onnx; do
  name=$(basename "$(dirname "$model")")
  if (($(stat --format=%s "$model") < 2000)); then
    cp "$model" "build-fuzz/seeds/onnx/$name"
  fi
done

mkdir -p build-fuzz/findings
status=0
for input in layout log dump artefact onnx; do
  mkdir -p "build-fuzz/corpus/$input" "build-fuzz/seeds/$input"
  echo "== npu-$input-fuzzer, $seconds s"
  "build-fuzz/bin/npu-$input-fuzzer" \
    -max_total_time="$seconds" -timeout=10 -print_final_stats=1 \
    -artifact_prefix="build-fuzz/findings/$input-" \
    "build-fuzz/corpus/$input" "test/Fuzz/corpus/$input" "build-fuzz/seeds/$input" || status=1
done
exit "$status"
