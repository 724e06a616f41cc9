// What a plan needs, held against what a tile has: the report, and the error
// that names tile, operation, bytes needed and bytes there.
//
// RUN: split-file %s %t
// RUN: npu-opt %t/fits.mlir --npu-plan-scratchpad=report -o /dev/null | FileCheck %s --check-prefix=NONE
// RUN: npu-opt %t/fits.mlir --npu-plan-scratchpad="target=npu4000 report" -o /dev/null | FileCheck %s --check-prefix=TEXT
// RUN: npu-opt %t/fits.mlir --npu-plan-scratchpad="target=npu4000 report format=json output-file=%t/r.json" -o /dev/null
// RUN: FileCheck %s --check-prefix=JSON --input-file=%t/r.json
// A planned function is reported again, with the same numbers.
// RUN: npu-opt %t/fits.mlir --npu-plan-scratchpad -o %t/planned.mlir
// RUN: npu-opt %t/planned.mlir --npu-plan-scratchpad="report" -o /dev/null | FileCheck %s --check-prefix=AGAIN
// RUN: not npu-opt %t/large.mlir --npu-plan-scratchpad="target=npu4000 report" 2>%t/errors | FileCheck %s --check-prefix=LARGE-REPORT
// RUN: FileCheck %s --check-prefix=LARGE --input-file=%t/errors
// RUN: npu-opt %t/large.mlir --npu-plan-scratchpad=target=npu3720 -o %t/planned.mlir
// RUN: not npu-opt %t/planned.mlir --npu-plan-scratchpad=target=npu4000 2>&1 | FileCheck %s --check-prefix=PLANNED
// RUN: npu-opt %t/large.mlir --npu-plan-scratchpad
// RUN: not npu-opt %t/many.mlir --npu-plan-scratchpad=target=npu3720 2>&1 | FileCheck %s --check-prefix=MANY
// RUN: npu-opt %t/many.mlir --npu-plan-scratchpad=target=npu4000
// RUN: not npu-opt %t/fits.mlir --npu-plan-scratchpad="report output-file=%t/none/r" 2>&1 | FileCheck %s --check-prefix=FILE

// 1024 and 256 bytes at the second copy, then 256 and 64.
// NONE: function @main
// NONE-NEXT: tile 0: 1280 bytes at the peak, at least 1280
// NONE-NEXT: most in use at memref.copy
// TEXT: function @main
// TEXT-NEXT: tile 0: 1280 bytes at the peak of 1474560 on npu4000, at least 1280
// TEXT-NEXT: most in use at memref.copy ({{.*}}fits.mlir:[[#]]:3)
// TEXT-NEXT: 1024 at 0 {{ *}}memref<256xf32, 1> ({{.*}}fits.mlir:[[#]]:8)
// TEXT-NEXT: 256 at 1024 {{ *}}memref<64xf32, 1> ({{.*}}fits.mlir:[[#]]:8)
// TEXT-NEXT: function @nothing
// TEXT-NEXT: no buffers on tiles
// JSON: "target": "npu4000"
// JSON: "name": "main"
// JSON: "tile": 0,
// JSON-NEXT: "peak_bytes": 1280,
// JSON-NEXT: "peak_bytes_bound": 1280,
// JSON-NEXT: "capacity_bytes": 1474560,
// JSON-NEXT: "peak_op": "memref.copy",
// JSON-NEXT: "peak_location": "{{.*}}fits.mlir:[[#]]:3",
// JSON: "offset": 0,
// JSON-NEXT: "bytes": 1024,
// JSON-NEXT: "what": "memref<256xf32, 1>",
// AGAIN: tile 0: 1280 bytes at the peak, at least 1280
// AGAIN: 1024 at 0 {{ *}}memref<256xf32, 1>
// FILE: error: cannot open output file

//--- fits.mlir
func.func @main(%x: memref<256xf32>, %out: memref<64xf32>) {
  %a = memref.alloc() : memref<256xf32, 1>
  memref.copy %x, %a : memref<256xf32> to memref<256xf32, 1>
  %b = memref.alloc() : memref<64xf32, 1>
  %v = memref.subview %a[0] [64] [1] : memref<256xf32, 1> to memref<64xf32, strided<[1]>, 1>
  memref.copy %v, %b : memref<64xf32, strided<[1]>, 1> to memref<64xf32, 1>
  %c = memref.alloc() : memref<16xf32, 1>
  %w = memref.subview %b[0] [16] [1] : memref<64xf32, 1> to memref<16xf32, strided<[1]>, 1>
  memref.copy %w, %c : memref<16xf32, strided<[1]>, 1> to memref<16xf32, 1>
  memref.copy %b, %out : memref<64xf32, 1> to memref<64xf32>
  %u = memref.subview %out[0] [16] [1] : memref<64xf32> to memref<16xf32, strided<[1]>>
  memref.copy %c, %u : memref<16xf32, 1> to memref<16xf32, strided<[1]>>
  return
}
func.func @nothing() {
  return
}

// 1204224 and 602112 bytes, in use at one time where the second is made.
// LARGE-REPORT: tile 0: 1806336 bytes at the peak of 1474560 on npu4000, at least 1806336
// LARGE-REPORT: tile 1: 64 bytes
// LARGE: {{.*}}large.mlir:6:3: error: 'memref.copy' on tile 0: expected 'main' to need at most 1474560 bytes, the scratchpad of npu4000, got 1806336
// LARGE: note: 1806336 bytes are in use here at one time, in 2 buffers
// LARGE: note: 1204224 bytes for memref<7x336x256xf16, 1>
// LARGE: note: 602112 bytes for memref<7x336x128xf16, 1>
// PLANNED: error: 'memref.copy' on tile 0: expected 'main' to need at most 1474560 bytes, the scratchpad of npu4000, got 1806336

//--- large.mlir
func.func @main(%x: memref<7x336x256xf16>, %y: memref<16xf32>) {
  %a = memref.alloc() : memref<7x336x256xf16, 1>
  memref.copy %x, %a : memref<7x336x256xf16> to memref<7x336x256xf16, 1>
  %b = memref.alloc() : memref<7x336x128xf16, 1>
  %v = memref.subview %a[0, 0, 0] [7, 336, 128] [1, 1, 1] : memref<7x336x256xf16, 1> to memref<7x336x128xf16, strided<[86016, 256, 1]>, 1>
  memref.copy %v, %b : memref<7x336x128xf16, strided<[86016, 256, 1]>, 1> to memref<7x336x128xf16, 1>
  %w = memref.subview %x[0, 0, 0] [7, 336, 128] [1, 1, 1] : memref<7x336x256xf16> to memref<7x336x128xf16, strided<[86016, 256, 1]>>
  memref.copy %b, %w : memref<7x336x128xf16, 1> to memref<7x336x128xf16, strided<[86016, 256, 1]>>
  %d = memref.alloc() : memref<16xf32, 2>
  memref.copy %y, %d : memref<16xf32> to memref<16xf32, 2>
  memref.copy %d, %y : memref<16xf32, 2> to memref<16xf32>
  return
}

// MANY: error: expected a program for at most 2 tiles, which npu3720 has, got buffers on tile 5 in 'main'

//--- many.mlir
func.func @main(%y: memref<16xf32>) {
  %d = memref.alloc() : memref<16xf32, 6>
  memref.copy %y, %d : memref<16xf32> to memref<16xf32, 6>
  memref.copy %d, %y : memref<16xf32, 6> to memref<16xf32>
  return
}
