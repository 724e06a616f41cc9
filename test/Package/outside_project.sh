#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Installs a build into a directory of its own, checks what is there, and builds
# and runs a project outside the source tree against it.
#
#   outside_project.sh SOURCE BUILD CMAKE C_COMPILER CXX_COMPILER
set -euo pipefail
source=$1 build=$2 cmake=$3 cc=$4 cxx=$5

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix=$work/installed

"$cmake" --install "$build" --prefix "$prefix" >"$work/install.log"

# fail MESSAGE
fail() {
  echo "error: $1" >&2
  exit 1
}

for file in \
  bin/npu-{fuzz,lsp-server,opt,run,translate} \
  include/npu/Dialect/NPU/IR/NPU{Ops,Attributes,Dialect}.td \
  include/npu/Dialect/NPU/IR/NPUOps.{h,cpp}.inc \
  include/npu/Dialect/NPU/Transforms/Legalize/Passes.{h,td,h.inc} \
  include/npu/Interfaces/PartwiseOpInterface.{h,td,h.inc} \
  lib/libNPUIR.a \
  lib/cmake/Tilewright/Tilewright{Config,ConfigVersion,Targets}.cmake \
  share/man/man1/npu-{fuzz,lsp-server,opt,run,translate}.1 \
  share/bash-completion/completions/npu-{fuzz,lsp-server,opt,run,translate} \
  share/doc/tilewright/{CHANGELOG.md,LICENSE}; do
  [[ -s $prefix/$file ]] || fail "expected $file to be installed"
done
# Nothing may lead back to the source or the build.
if leads=$(grep -rlIF -e "$source/" -e "$build/" "$prefix" --include='*.cmake' --include='*.h'); then
  fail "$leads names files of the source or of the build"
fi
if find "$prefix" -name '*CMakeFiles*' -o -name 'cmake_install.cmake' | grep -q .; then
  fail "files of the build were installed"
fi

# An installed tool runs without the build: its libraries are found.
"$prefix/bin/npu-opt" --version | grep -q '^npu-opt (Tilewright) 0\.'

# The project is copied, so that no path leads from it to this tree.
cp -r "$source/test/Package/outside" "$work/outside"
"$cmake" -S "$work/outside" -B "$work/build" -G Ninja \
  -DCMAKE_BUILD_TYPE=Debug -DCMAKE_PREFIX_PATH="$prefix" \
  -DCMAKE_C_COMPILER="$cc" -DCMAKE_CXX_COMPILER="$cxx" >"$work/configure.log" ||
  { cat "$work/configure.log"; fail "the project does not configure"; }
"$cmake" --build "$work/build" >"$work/build.log" ||
  { cat "$work/build.log"; fail "the project does not build"; }
"$work/build/outside"
"$work/build/outside-opt" "$source/test/Package/outside/heads.mlir" \
  --npu-legalize-distributions | grep -q 'npu.distribution_cast'

# A version that this one does not promise to be like is not found.
sed -i 's/find_package(Tilewright 0.1/find_package(Tilewright 0.99/' "$work/outside/CMakeLists.txt"
if "$cmake" -S "$work/outside" -B "$work/other" -G Ninja -DCMAKE_PREFIX_PATH="$prefix" \
  -DCMAKE_C_COMPILER="$cc" -DCMAKE_CXX_COMPILER="$cxx" >"$work/other.log" 2>&1; then
  fail "version 0.99 was found"
fi
grep -q 'compatible with requested version "0.99"' "$work/other.log" ||
  fail "expected a message about the version"
