#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Builds with AddressSanitizer and UndefinedBehaviorSanitizer into build-asan/,
# or with --thread as its first argument with ThreadSanitizer into build-tsan/,
# and runs every test there. Other arguments go to ctest. The options the
# sanitizers need are in the test presets; docs/debugging.md says why.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

preset=asan-ubsan
if [[ "${1:-}" == --thread ]]; then
  preset=tsan
  shift
fi

scripts/install-dependencies.sh --with-sanitizers
for sanitizer in ASAN UBSAN TSAN; do
  export "${sanitizer}_SYMBOLIZER_PATH=/usr/lib/llvm-22/bin/llvm-symbolizer"
done
cmake --preset "$preset"
cmake --build --preset "$preset"
exec ctest --preset "$preset" --no-tests=error --parallel "$(nproc)" "$@"
