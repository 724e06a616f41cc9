#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Installs the packages that building and testing Tilewright needs on Debian 12.
# What is there already is left alone: when nothing is missing, this is one
# query of the package database, without network and without root.
set -euo pipefail

usage() {
  cat <<'EOF'
usage: scripts/install-dependencies.sh [option...]

Installs what building and testing needs (Debian 12). Options add to that:

  --with-sanitizers   compiler runtime for sanitizers, coverage and fuzzers
  --with-benchmarks   Google Benchmark, OpenBLAS and ScaLAPACK, for benchmarks/
  --with-format       clang-format, for scripts/format.sh
  --with-tidy         clang-tidy, for scripts/tidy.sh
  --help              this text
EOF
}

# The LLVM packages pull in the headers they need themselves (libffi, libxml2,
# z3, ncurses). LLVM's CMake files also look for libedit and curl, but do without.
packages=(
  cmake ninja-build
  clang-22 lld-22              # the compiler brings libstdc++'s headers
  llvm-22-dev libmlir-22-dev
  mlir-22-tools                # mlir-tblgen
  zlib1g-dev libzstd-dev       # what LLVM's archives are linked with
  libjemalloc-dev              # the tools' allocator
  llvm-22-tools                # lit, FileCheck, not, split-file
  libfmt-dev
  libgtest-dev libgmock-dev
  python3                      # lit
  coinor-cbc                   # solves assignments independently, in a test
  libonnx-dev libprotobuf-dev  # reading ONNX models (NPU_ENABLE_ONNX)
  libpugixml-dev               # reading OpenVINO IR
  libonnx-testdata             # ONNX's conformance tests
  chromium                     # walks through the page, in a test
  openmpi-bin libopenmpi-dev   # tiles as processes (npu-run --mpi)
)
# The page is built with Node.js, which may be there without Debian's packages.
if ! command -v node >/dev/null || ! command -v npm >/dev/null; then
  packages+=(nodejs npm)
fi

for option in "$@"; do
  case "$option" in
    --with-sanitizers) packages+=(libclang-rt-22-dev) ;;
    --with-benchmarks) packages+=(libbenchmark-dev libopenblas-dev libscalapack-openmpi-dev) ;;
    --with-format) packages+=(clang-format-22) ;;
    --with-tidy) packages+=(clang-tidy-22) ;;
    --help | -h)
      usage
      exit 0
      ;;
    *)
      echo "error: unknown option '$option'" >&2
      usage >&2
      exit 2
      ;;
  esac
done

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  echo "error: expected Debian 12, got a system without dpkg and apt-get" >&2
  echo "note: the packages that are needed are: ${packages[*]}" >&2
  exit 1
fi

# Status "ii" or "hi": installed (and held). Unknown packages are reported on
# stderr and by the exit code; both only mean that they are missing.
installed=$(dpkg-query --show --showformat='${db:Status-Abbrev}${Package}\n' \
  "${packages[@]}" 2>/dev/null | sed -n 's/^[ih]i //p') || true
missing=()
for package in "${packages[@]}"; do
  if ! grep --quiet --line-regexp --fixed-strings -- "$package" <<<"$installed"; then
    missing+=("$package")
  fi
done
if ((${#missing[@]} == 0)); then
  exit 0
fi

as_root=()
if ((EUID != 0)); then
  if ! command -v sudo >/dev/null; then
    echo "error: packages are missing, and installing them needs root or sudo" >&2
    echo "note: as root, run: apt-get install ${missing[*]}" >&2
    exit 1
  fi
  as_root=(sudo)
fi

echo "Installing ${missing[*]}"
"${as_root[@]}" apt-get update
if ! "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
  apt-get install --yes --no-install-recommends "${missing[@]}"; then
  echo "error: could not install ${missing[*]}" >&2
  echo "note: LLVM 22 is in Debian 12's security suite (bookworm-security);" \
    "expected it among the sources of apt" >&2
  exit 1
fi
