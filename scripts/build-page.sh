#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Builds the page of npu-translate --npu-to-html from web/, with Node.js and the
# npm packages that web/package-lock.json pins. The build calls this; where
# Node.js or the packages cannot be had, it writes an empty page, and the tool
# says what was missing.
#
#   scripts/build-page.sh FOLDER PAGE.inc    packages into FOLDER, the page as a
#                                            C++ literal into PAGE.inc
#   scripts/build-page.sh --install FOLDER   the packages alone
set -euo pipefail
web=$(cd "$(dirname "${BASH_SOURCE[0]}")/../web" && pwd)

# Installs what the lock file pins, unless it is there already.
install() {
  local folder=$1
  if cmp --quiet "$web/package-lock.json" "$folder/installed.json"; then
    return
  fi
  command -v node >/dev/null && command -v npm >/dev/null || return 1
  mkdir -p "$folder"
  cp "$web"/{package.json,package-lock.json,.npmrc} "$folder"
  (cd "$folder" && npm ci --no-audit --no-fund --loglevel=error >&2) || return 1
  cp "$web/package-lock.json" "$folder/installed.json"
}

if [[ "${1:-}" == --install ]]; then
  install "$2"
  exit
fi
if install "$1"; then
  node "$web/build.mjs" --packages="$1/node_modules" --literal="$2"
else
  echo "build-page.sh: warning: no page: expected Node.js, npm and the packages of" \
    "web/package-lock.json; npu-translate --npu-to-html will say so" >&2
  echo '""' >"$2"
fi
