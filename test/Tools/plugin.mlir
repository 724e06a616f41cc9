// Upstream's mlir-opt with this project as a plugin: the dialect with its models,
// and the passes. A plugin's passes are known inside --pass-pipeline alone: upstream
// reads its flags before it loads plugins.
//
// UNSUPPORTED: sanitized
// RUN: mlir-opt --load-dialect-plugin=%plugin --load-pass-plugin=%plugin %s \
// RUN:     --pass-pipeline='builtin.module(npu-legalize-distributions,npu-verify-distributions{strict=true})' \
// RUN:   | FileCheck %s
//
// The same as npu-opt prints, and further on to tile programs and LLVM.
//
// RUN: npu-opt %s --npu-legalize-distributions > %t.ours
// RUN: mlir-opt --load-dialect-plugin=%plugin --load-pass-plugin=%plugin %s \
// RUN:     --pass-pipeline='builtin.module(npu-legalize-distributions)' > %t.theirs
// RUN: diff %t.ours %t.theirs
// RUN: mlir-opt --load-dialect-plugin=%plugin --load-pass-plugin=%plugin %s \
// RUN:     --pass-pipeline='builtin.module(npu-legalize-distributions,npu-lower-to-tiles,npu-to-llvm)' \
// RUN:   | FileCheck %s --check-prefix=LLVM
//
// A tool that has it all, or a plugin that is given twice, is told so.
//
// RUN: npu-opt --load-dialect-plugin=%plugin --load-pass-plugin=%plugin %s \
// RUN:     --npu-legalize-distributions 2> %t.warnings > %t.again
// RUN: diff %t.ours %t.again
// RUN: FileCheck %s --check-prefix=AGAIN < %t.warnings
// AGAIN-DAG: warning: the tool has this plugin's passes already
// AGAIN-DAG: warning: the tool has this plugin's dialects already
//
// Without the dialect's half, the file cannot be read.
//
// RUN: not mlir-opt --load-pass-plugin=%plugin %s 2>&1 | FileCheck %s --check-prefix=HALF

#heads = #npu.layout<SEGMENTED, tiles = [4, 1]>
#columns = #npu.layout<SEGMENTED, tiles = [1, 4]>

// HALF: error: #"npu"{{.*}} created with unregistered dialect

// The models of linalg and tensor operations are there: the matmul's right-hand
// side goes to every tile, and nothing falls back to the host.
// CHECK-LABEL: func.func @matmul
// CHECK: npu.redistribute %{{.*}} to tensor<16x8xf32, #duplicated>
// CHECK: linalg.matmul
// LLVM: llvm.func @matmul
// LLVM-NOT: npu.
func.func @matmul(%a: tensor<8x16xf32, #heads>, %b: tensor<16x8xf32, #columns>)
    -> tensor<8x8xf32, #heads> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<8x8xf32, #heads>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<8x8xf32, #heads>)
      -> tensor<8x8xf32, #heads>
  %c = linalg.matmul ins(%a, %b : tensor<8x16xf32, #heads>, tensor<16x8xf32, #columns>)
      outs(%init : tensor<8x8xf32, #heads>) -> tensor<8x8xf32, #heads>
  return %c : tensor<8x8xf32, #heads>
}
