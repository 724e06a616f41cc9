// The modelled run of a product in steps whose buffers rotate: loads run under
// work, and the checker of schedules accepts it.

// RUN: npu-opt %s --npu-compile="compile-from=assigned" --npu-print-schedule="format=json" -o /dev/null > %t.json
// RUN: FileCheck %s < %t.json
// RUN: %S/../../check_schedule.py %t.json | FileCheck %s --check-prefix=CHECKED
// RUN: npu-opt %s --npu-compile="compile-from=assigned" --npu-print-schedule="format=json rows=0" -o /dev/null | FileCheck %s --check-prefix=NONE
// RUN: npu-opt %s --npu-compile="compile-from=assigned" --npu-print-schedule="rows=2" -o /dev/null | FileCheck %s --check-prefix=TEXT
// RUN: npu-opt %s --npu-compile="compile-from=assigned compile-to=scratchpad" | npu-opt --npu-print-schedule="format=json" -o /dev/null | grep -v location > %t.again
// RUN: grep -v location %t.json | diff - %t.again

// RUN: npu-opt %s --npu-compile="compile-from=assigned" --npu-print-schedule="format=picture rows=2" -o /dev/null > %t.picture
// RUN: FileCheck %s --check-prefix=PICTURE --strict-whitespace < %t.picture
// RUN: not grep -E '^.{81}' %t.picture
// RUN: npu-opt %s --npu-compile="compile-from=assigned" --npu-print-schedule="format=picture engines=3" -o /dev/null | FileCheck %s --check-prefix=FOLDED
// RUN: npu-opt %s --npu-compile="compile-from=assigned" --npu-print-schedule="format=chrome" -o /dev/null > %t.trace
// RUN: %S/../../check_trace.py %t.trace %t.json | FileCheck %s --check-prefix=TRACE

// PICTURE: function @main on npu3720
// PICTURE-NEXT: total
// PICTURE: {{^}}  # at work   + more than half of the time   . less{{$}}
// PICTURE-NEXT: {{^}}  dma 0         |{{[#+. ]{60}\|$}}
// PICTURE-NEXT: {{^}}  dma 1         |{{[#+. ]{60}\|$}}
// PICTURE-NEXT: {{^}}  tile 0 matrix |{{[#+. ]{60}\|$}}
// PICTURE-NEXT: {{^}}  tile 1 matrix |{{[#+. ]{60}\|$}}
// PICTURE: linalg.matmul
// PICTURE-NEXT: {{^}}    waiting {{[0-9]+}}, work 74784, transfers {{[0-9]+}}, rows 44
// PICTURE: {{^ +}}0 {{.*}} dma 0 load
// FOLDED: tile 0 matrix
// FOLDED-NEXT: {{^}}  ... 1 more engine; all with engines=0
// TRACE: events, nothing wrong
// CHECK: "name": "main"
// CHECK: "unit": "cycles"
// CHECK: "total": [[TOTAL:[0-9]+]],
// CHECK: "compute_bound"
// CHECK: "waiting": {
// CHECK: "rows": [
// CHECK: "engine": "dma 0"
// CHECK: "what": "load"
// CHECK: "reads": [],
// CHECK: "writes": {{\[}}[0,
// CHECK: "engine": "tile 0 matrix"
// CHECK: "what": "linalg.matmul"
// CHECK: "reads": {{\[}}[0, {{[0-9]+}}, {{[0-9]+}}, {{[0-9]+}}],
// CHECKED: rows, nothing wrong
// NONE: "rows": []
// TEXT: function @main on npu3720
// TEXT-NEXT: total
// TEXT: dma 0 {{.*}}|{{[#+. ]+}}|
// TEXT: those that wait longest first
// TEXT: dma 0 {{.*}}load

#rows = #npu.layout<SEGMENTED, tiles = [2, 1]>
#all = #npu.layout<DUPLICATED, tiles = 2>
module attributes {dlti.target_system_spec = #dlti.target_system_spec<
    "NPU" = #dlti.target_device_spec<"npu.name" = "npu3720">>} {
  func.func @main(%a: tensor<64x2048xf16>, %b: tensor<2048x512xf16>, %c: tensor<64x512xf16>) -> tensor<64x512xf16> {
    %m = linalg.matmul {npu.steps = {loops = array<i64: 2>, sizes = array<i64: 256>, slots = array<i64: 2>,
            layouts = [#rows, #all, #rows]}}
        ins(%a, %b : tensor<64x2048xf16>, tensor<2048x512xf16>)
        outs(%c : tensor<64x512xf16>) -> tensor<64x512xf16>
    return %m : tensor<64x512xf16>
  }
}
