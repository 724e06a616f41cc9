#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Builds with source-based coverage into build-coverage/, runs every test, and
# prints line and branch coverage per file. The same with every line marked:
# build-coverage/html/index.html.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

scripts/install-dependencies.sh --with-sanitizers
cmake --preset coverage
cmake --build --preset coverage

profiles=$PWD/build-coverage/profiles
rm -rf "$profiles"
# %m keeps one file per executable, which its runs merge into; the number lets
# runs in parallel use one of that many.
LLVM_PROFILE_FILE="$profiles/%4m.profraw" \
  ctest --preset coverage --no-tests=error --parallel "$(nproc)"
llvm-profdata-22 merge --sparse "$profiles"/*.profraw -o "$profiles/all.profdata"

objects=()
while IFS= read -r -d '' executable; do
  objects+=(--object "$executable")
done < <(find build-coverage/bin build-coverage/test/unit -maxdepth 1 \
  -type f -executable -print0)
options=(
  --instr-profile="$profiles/all.profdata"
  --ignore-filename-regex='^/usr/|/build-coverage/|/test/'
)
llvm-cov-22 show "${objects[@]}" "${options[@]}" \
  --format=html --output-dir=build-coverage/html
llvm-cov-22 report "${objects[@]}" "${options[@]}"
