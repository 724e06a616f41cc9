# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints a model whose device gives every figure that there is, by the header of
an artefact for npu4000. That device's DDR is not known.

    npu-inspect model.npub --format=json | all_figures.py
"""

import json
import sys

figures = json.load(sys.stdin)["header"]["target"]["figures"]
entries = "".join(f'"npu.{name}" = {value}, ' for name, value in figures.items() if name != "ddr_bytes")
print(
    f"""module attributes {{dlti.target_system_spec = #dlti.target_system_spec<
    "NPU" = #dlti.target_device_spec<{entries}"npu.name" = "mine">>}} {{
  func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {{
    %0 = linalg.exp ins(%x : tensor<8x8xf32>) outs(%x : tensor<8x8xf32>) -> tensor<8x8xf32>
    return %0 : tensor<8x8xf32>
  }}
}}"""
)
