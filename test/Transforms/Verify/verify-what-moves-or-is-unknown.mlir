// Operations that say themselves what moves are accepted, a tensor.cast between
// layouts among them; what is not understood is left out, and a warning and a
// remark say so.
//
// RUN: npu-opt %s --npu-verify-distributions --verify-diagnostics --remarks-filter=npu --remark-format=emitRemark

#rows = #npu.layout<SEGMENTED, tiles = [2, 1]>
#columns = #npu.layout<SEGMENTED, tiles = [1, 2]>
#everywhere = #npu.layout<DUPLICATED, tiles = 2>
#pair = #npu.layout<SEGMENTED, tiles = [2]>

func.func @moves(%x: tensor<8x4xf16, #everywhere>) -> tensor<8x4xf16> {
  %0 = npu.distribution_cast %x : tensor<8x4xf16, #everywhere> to tensor<8x4xf16, #rows>
  %1 = npu.redistribute %0 : tensor<8x4xf16, #rows> to tensor<8x4xf16, #columns>
  %2 = tensor.cast %1 : tensor<8x4xf16, #columns> to tensor<8x4xf16, #rows>
  %3 = npu.redistribute %2 : tensor<8x4xf16, #rows> to tensor<8x4xf16>
  return %3 : tensor<8x4xf16>
}

func.func private @callee(tensor<8x4xf16, #rows>) -> tensor<8x4xf16, #columns>

// A call is right when its types are its callee's, which its verifier knows.
func.func @call(%x: tensor<8x4xf16, #rows>) -> tensor<8x4xf16, #columns> {
  // expected-remark@+4 {{left-alone | Category:npu | Function=call | Reason="a call takes and gives what its callee declares"}}
  // expected-warning@+3 {{'func.call' falls back to the host: what it calls takes and gives whole tensors; it moves 128 bytes through DDR}}
  // expected-note@+2 {{npu-opt --inline puts what is called in the call's place}}
  // expected-note@+1 {{npu-print-transfers lists each of them}}
  %0 = call @callee(%x) : (tensor<8x4xf16, #rows>) -> tensor<8x4xf16, #columns>
  return %0 : tensor<8x4xf16, #columns>
}

func.func @gather(%x: tensor<8x4xf16, #rows>, %indices: tensor<3x1xindex>) -> tensor<3x4xf16, #rows> {
  // expected-remark@+3 {{left-alone | Category:npu | Function=gather | Reason="cannot tell what 'tensor.gather' reads of its operands"}}
  // expected-warning@+2 {{'tensor.gather' falls back to the host: it is not known which part of its operands it reads; it moves 88 bytes through DDR}}
  // expected-note@+1 {{docs/adding-an-op.md}}
  %0 = tensor.gather %x[%indices] gather_dims([0]) : (tensor<8x4xf16, #rows>, tensor<3x1xindex>) -> tensor<3x4xf16, #rows>
  return %0 : tensor<3x4xf16, #rows>
}

// Where only the result is on tiles, too.
func.func @result_only(%a: f16, %b: f16) -> tensor<2xf16, #pair> {
  // expected-remark@+2 {{left-alone | Category:npu | Function=result_only | Reason="cannot tell what 'tensor.from_elements' reads of its operands"}}
  // expected-warning@+1 {{'tensor.from_elements' falls back to the host: it is not known which part of its operands it reads; it moves 4 bytes through DDR}}
  %0 = tensor.from_elements %a, %b : tensor<2xf16, #pair>
  return %0 : tensor<2xf16, #pair>
}

// What needs no data is made where it is wanted.
func.func @no_data(%a: f16) -> (tensor<8x4xf16, #rows>, tensor<8x4xf16, #rows>) {
  %0 = tensor.splat %a : tensor<8x4xf16, #rows>
  %1 = arith.constant dense<1.0> : tensor<8x4xf16, #rows>
  return %0, %1 : tensor<8x4xf16, #rows>, tensor<8x4xf16, #rows>
}

// An operation of which nothing is on tiles is not even mentioned.
func.func @in_ddr(%x: tensor<8x4xf16>, %indices: tensor<3x1xindex>) -> tensor<3x4xf16> {
  %0 = tensor.gather %x[%indices] gather_dims([0]) : (tensor<8x4xf16>, tensor<3x1xindex>) -> tensor<3x4xf16>
  return %0 : tensor<3x4xf16>
}
