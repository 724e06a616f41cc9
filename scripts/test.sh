#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Installs what is missing, builds, and runs every test. Fails when one does;
# the last lines are ctest's own. Arguments go to ctest:
# `scripts/test.sh -R unit-` runs the unit tests only.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

scripts/build.sh
# Without npm, the test that needs it says so and is skipped.
scripts/viewers.sh || echo "warning: trace-viewers is skipped without speedscope" >&2
exec ctest --preset release --no-tests=error --parallel "$(nproc)" "$@"
