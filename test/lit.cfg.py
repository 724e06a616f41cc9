# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The lit suite: one folder per pass or part, every file on its own feet.

import os
import sys

import lit.formats
from lit.llvm import llvm_config

config.name = "tilewright"
config.test_format = lit.formats.ShTest(not llvm_config.use_lit_shell)
config.suffixes = [".mlir", ".test"]
config.excludes = ["CMakeLists.txt", "Inputs", "Package", "lib", "unit", "Fuzz"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.npu_binary_dir, "test")

# Tests of tens of seconds: lit --param large=1.
if lit_config.params.get("large", "0") != "0":
    config.available_features.add("large")

# The page of npu-translate --npu-to-html, where Node.js has built it.
page = os.path.join(config.npu_binary_dir, "lib", "Translation", "Page", "Page.inc")
if os.path.exists(page) and os.path.getsize(page) > 100:
    config.available_features.add("page")

# Figures and logs that the documentation and the tests share.
config.substitutions.append(("%examples", os.path.join(config.npu_source_dir, "examples")))
config.substitutions.append(("%python", os.environ.get("PYTHON", sys.executable)))
config.substitutions.append(("%source", config.npu_source_dir))
# Lines that were folded at 80 columns, as they were.
config.substitutions.append(("%unfolded", r"sed -z 's/\n      */ /g'"))
config.substitutions.append(("%binary", config.npu_binary_dir))
config.substitutions.append(("%plugin", os.path.join(config.npu_binary_dir, "lib", "TilewrightPlugin.so")))
# Upstream's way from TOSA to linalg, with upstream's tool.
config.substitutions.append(
    (
        "%tosa_to_linalg",
        "mlir-opt --pass-pipeline='builtin.module(func.func("
        "tosa-optional-decompositions,tosa-infer-shapes,tosa-make-broadcastable,"
        "tosa-to-linalg-named,canonicalize,tosa-to-linalg,tosa-to-arith,"
        "tosa-to-tensor),canonicalize,cse)'",
    )
)

llvm_config.with_environment(
    "PATH",
    [os.path.join(config.npu_binary_dir, "bin"), config.llvm_tools_dir],
    append_path=True,
)
if config.npu_sanitize != "OFF":
    config.available_features.add("sanitized")
if config.npu_sanitize == "address":
    # The packaged libMLIR and our storage classes disagree on poisoning
    # (docs/debugging.md).
    config.environment["ASAN_OPTIONS"] = "allow_user_poisoning=0:detect_leaks=1"
elif config.npu_sanitize == "thread":
    # The packaged libMLIR is not instrumented (docs/debugging.md).
    config.environment["TSAN_OPTIONS"] = "ignore_noninstrumented_modules=1"
