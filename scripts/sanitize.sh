#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Builds with AddressSanitizer and UndefinedBehaviorSanitizer into build-asan/
# and runs every test there. Arguments go to ctest. The options the sanitizers
# need are in the asan-ubsan test preset; docs/debugging.md says why.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

scripts/install-dependencies.sh --with-sanitizers
export ASAN_SYMBOLIZER_PATH=/usr/lib/llvm-22/bin/llvm-symbolizer
export UBSAN_SYMBOLIZER_PATH=$ASAN_SYMBOLIZER_PATH
cmake --preset asan-ubsan
cmake --build --preset asan-ubsan
exec ctest --preset asan-ubsan --no-tests=error --parallel "$(nproc)" "$@"
