#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Installs what is missing and builds the release preset into build/.
# Arguments go to the build: `scripts/build.sh --target npu-opt`.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

scripts/install-dependencies.sh
cmake --preset release
cmake --build --preset release "$@"
