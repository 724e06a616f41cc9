#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Runs clang-tidy over lib/ and tools/, or over the files whose path matches
# one of the given regular expressions: `scripts/tidy.sh lib/Placement`. Fails
# on any finding. Builds first: generated headers and compile_commands.json
# come from there.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

if (($# == 0)); then
  set -- "$PWD/lib/" "$PWD/tools/"
fi

scripts/install-dependencies.sh --with-tidy
scripts/build.sh
run-clang-tidy-22 -quiet -p build -j "$(nproc)" "$@"
