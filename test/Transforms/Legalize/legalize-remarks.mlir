// Remarks of legalization are about its result: what was undone is said as
// undone, what has become one is said once with the bytes of the one, and the
// last remark has the totals of npu-print-transfers.
//
// RUN: npu-opt %s --npu-legalize-distributions --npu-verify-distributions=strict -o /dev/null \
// RUN:   --verify-diagnostics --remarks-filter=npu --remark-format=emitRemark
// RUN: npu-opt %s --npu-legalize-distributions -o /dev/null \
// RUN:   --remarks-filter=npu --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=ORDER
// Nobody has asked for them.
// RUN: sed s/expected-// %s | npu-opt --npu-legalize-distributions -o /dev/null 2>&1 | count 0

#rows = #npu.layout<SEGMENTED, tiles = [2, 1]>
#columns = #npu.layout<SEGMENTED, tiles = [1, 2]>
#everywhere = #npu.layout<DUPLICATED, tiles = 2>

// By way of DDR 64 bytes are stored and 64 loaded. Straight, each of two tiles
// gets the other's half: 32 bytes. The argument is loaded, the result stored: 64
// bytes each.
// expected-remark@+2 {{[Analysis] total | Category:npu | Function=there_and_back | Reason="all that moves, in one round of each loop", boundary_bytes=128, bytes_injected=64, bytes_received=64, bytes_relaid=0, ddr_bytes=128, gathered_bytes=0}}
// ORDER-NOT: total
func.func @there_and_back(%x: tensor<8x4xf16, #rows>) -> tensor<8x4xf16, #everywhere> {
  // ORDER: undone | {{.*}}Function=there_and_back
  // expected-remark-re@+1 {{[Analysis] undone | Category:npu | Function=there_and_back | Reason="redistribute: operand #0 is wanted in DDR; it has become one with the move for {{.*}}legalize-remarks.mlir:27:8", bytes=0}}
  %0 = tensor.cast %x : tensor<8x4xf16, #rows> to tensor<8x4xf16>
  // ORDER: redistribute | {{.*}}Function=there_and_back
  // expected-remark@+1 {{[Passed] redistribute | Category:npu | Function=there_and_back | Reason="tiles read parts of operand #0 that they do not hold; it has become one with the move beside it", bytes=64}}
  %1 = tensor.cast %0 : tensor<8x4xf16> to tensor<8x4xf16, #everywhere>
  return %1 : tensor<8x4xf16, #everywhere>
}

// There, and back to what was there: nothing.
// expected-remark-re@+1 {{total | Category:npu | Function=nothing | {{.*}}, boundary_bytes=128, bytes_injected=0, bytes_received=0, bytes_relaid=0, ddr_bytes=128, gathered_bytes=0}}
func.func @nothing(%x: tensor<8x4xf16, #rows>) -> tensor<8x4xf16, #rows> {
  // expected-remark@+1 {{undone | Category:npu | Function=nothing | Reason="redistribute: operand #0 is wanted in DDR; nothing of it is left", bytes=0}}
  %0 = tensor.cast %x : tensor<8x4xf16, #rows> to tensor<8x4xf16>
  // expected-remark-re@+1 {{undone | Category:npu | Function=nothing | Reason="redistribute: {{.*}}; nothing of it is left", bytes=0}}
  %1 = tensor.cast %0 : tensor<8x4xf16> to tensor<8x4xf16, #rows>
  return %1 : tensor<8x4xf16, #rows>
}

// The load by rows was written, the move to columns of 32 bytes was inserted
// after it; a load by columns of 64 bytes is both.
// expected-remark-re@+1 {{total | Category:npu | Function=loaded | {{.*}}, boundary_bytes=128, bytes_injected=0, bytes_received=0, bytes_relaid=0, ddr_bytes=192, gathered_bytes=0}}
func.func @loaded(%x: tensor<8x4xf16>, %e: tensor<8x4xf16, #columns>) -> tensor<8x4xf16, #columns> {
  %0 = npu.redistribute %x : tensor<8x4xf16> to tensor<8x4xf16, #rows>
  // expected-remark-re@+1 {{redistribute | Category:npu | Function=loaded | {{.*}} it has become one with the move beside it", bytes=64}}
  %1 = linalg.softmax dimension(0) ins(%0 : tensor<8x4xf16, #rows>) outs(%e : tensor<8x4xf16, #columns>) -> tensor<8x4xf16, #columns>
  return %1 : tensor<8x4xf16, #columns>
}

// The loop was repaired, then nobody wanted what it makes: a fill over it is made
// again where it is read.
// expected-remark-re@+1 {{total | Category:npu | Function=dead_loop | {{.*}}, boundary_bytes=64, bytes_injected=0, bytes_received=0, bytes_relaid=0, ddr_bytes=64, gathered_bytes=0}}
func.func @dead_loop(%x: tensor<8x4xf16, #columns>) -> tensor<8x4xf16, #rows> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f16
  %sum = scf.for %i = %c0 to %c4 step %c1 iter_args(%acc = %x) -> tensor<8x4xf16, #columns> {
    // expected-remark-re@+1 {{[Analysis] undone | Category:npu | Function=dead_loop | Reason="redistribute: {{.*}}; nothing of it is left", bytes=0}}
    %0 = linalg.softmax dimension(1) ins(%acc : tensor<8x4xf16, #columns>) outs(%acc : tensor<8x4xf16, #columns>) -> tensor<8x4xf16, #columns>
    scf.yield %0 : tensor<8x4xf16, #columns>
  }
  %filled = linalg.fill ins(%zero : f16) outs(%sum : tensor<8x4xf16, #columns>) -> tensor<8x4xf16, #columns>
  %out = tensor.empty() : tensor<8x4xf16, #rows>
  // expected-remark@+1 {{rematerialize | Category:npu | Function=dead_loop | Reason="operand #0 needs no data and is made again", bytes=0}}
  %y = linalg.softmax dimension(1) ins(%filled : tensor<8x4xf16, #columns>) outs(%out : tensor<8x4xf16, #rows>) -> tensor<8x4xf16, #rows>
  return %y : tensor<8x4xf16, #rows>
}

// No layouts, no remarks.
func.func @plain(%x: tensor<8x4xf16>) -> tensor<8x4xf16> {
  return %x : tensor<8x4xf16>
}

// ORDER: total | {{.*}}Function=there_and_back
