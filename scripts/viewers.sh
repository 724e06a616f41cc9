#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Installs the viewers of traces that test/trace_viewers.py opens traces with, into
# build/viewers, with npm: docs/schedule.md.
set -euo pipefail
scripts=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
modules=$scripts/../build/viewers

if [[ ! -d $modules/node_modules/speedscope ]]; then
  mkdir -p "$modules"
  cp "$scripts"/viewers/{package.json,package-lock.json,.npmrc} "$modules"
  (cd "$modules" && npm ci --ignore-scripts --no-audit --no-fund)
fi
