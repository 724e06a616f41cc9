// An assignment says what it chose, what else would have cost, and what forbade
// it: as remarks, and for one value in words.
//
// RUN: npu-opt %s --npu-assign-distributions=target=npu4000 -o /dev/null \
// RUN:   --remarks-filter=npu --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: npu-opt %s --npu-explain-assignment="target=npu4000 value=%%2" -o /dev/null | FileCheck %s --check-prefix=MADE
// RUN: npu-opt %s --npu-explain-assignment="target=npu4000 value=%%arg0" -o /dev/null | FileCheck %s --check-prefix=GIVEN
// RUN: npu-opt %s --npu-explain-assignment="target=npu4000 value=%%1" -o /dev/null | FileCheck %s --check-prefix=UNIFORM
// RUN: not npu-opt %s --npu-explain-assignment="target=npu4000 value=%%77" -o /dev/null 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not npu-opt %s --npu-explain-assignment="target=npu1 value=%%2" -o /dev/null 2>&1 | FileCheck %s --check-prefix=TARGET
// Nothing is written into the function.
// RUN: npu-opt %s --npu-explain-assignment="target=npu4000 value=%%2 output-file=%t.txt" -o %t.mlir
// RUN: npu-opt %s -o %t.same
// RUN: diff %t.mlir %t.same
// RUN: FileCheck %s --input-file=%t.txt --check-prefix=MADE

// REMARK: remark: [Passed] assign {{.*}}'linalg.matmul' runs as 'split d0 over 2 and d1 over 2' at [[#]] cycles; the next best, '{{.*}}', would cost [[#]] more in all
// REMARK: remark: [Analysis] assignment {{.*}}"2 operations and 3 values on npu4000: [[#]] cycles, proved least"

// Equal layers are solved once, and the summary says so.
// RUN: %python %S/../../../scripts/generate-model.py --model=qwen2-1.5b --scale=small --layers=8 -o %t.model.mlir
// RUN: npu-opt %t.model.mlir --npu-compile="target=npu4000 compile-to=assigned" -o /dev/null \
// RUN:   --remarks-filter=npu --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=ONCE
// ONCE: cycles, proved least; {{[678]}} equal layers of [[#]] operations solved once"

// MADE: %2 : tensor<128x128xf32>, in function @main on npu4000
// MADE-NEXT: the whole function takes [[#]] cycles, which is proved to be the least
// MADE-NEXT: made by 'linalg.matmul' at {{.*}}:[[#]]:[[#]]:
// MADE-NEXT: split d0 over 4: [[#]] cycles, makes #npu.layout<SEGMENTED, tiles = [4, 1]>; +[[#]] cycles in all, everything else as it is
// MADE: split d0 over 2 and d1 over 2: [[#]] cycles, makes #npu.layout<SEGMENTED, tiles = [2, 2]>; chosen
// MADE: exists in #npu.layout<SEGMENTED, tiles = [2, 2]>, as it is made
// MADE: exists in DDR, brought there for [[#]] cycles
// MADE: read by 'func.return' at {{.*}} in DDR

// GIVEN: it is there from the beginning, in DDR
// GIVEN: exists in #npu.layout<SEGMENTED, tiles = [2, 1], copies = 2>, brought there for [[#]] cycles
// GIVEN: read by 'linalg.matmul' at {{.*}} in #npu.layout<SEGMENTED, tiles = [2, 1], copies = 2>: it runs as 'split d0 over 2 and d1 over 2' for [[#]] cycles, at least [[#]] with any candidate

// UNIFORM: %1 has one value everywhere, or none, and is made wherever it is read
// UNKNOWN: error: npu-explain-assignment: expected value=NAME with a tensor's name in a dump, such as %0 or %arg0, got '%77'
// TARGET: error: {{.*}}npu3720, npu4000
func.func @main(%a: tensor<128x64xf32>, %b: tensor<64x128xf32>) -> tensor<128x128xf32> {
  %e = tensor.empty() : tensor<128x128xf32>
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<128x128xf32>) -> tensor<128x128xf32>
  %m = linalg.matmul ins(%a, %b : tensor<128x64xf32>, tensor<64x128xf32>) outs(%f : tensor<128x128xf32>)
      -> tensor<128x128xf32>
  return %m : tensor<128x128xf32>
}
