// What the output stage of a matrix engine does costs nothing: biases, scales and
// bounds of what it makes, for as many as the figures have. On a device whose
// figures are easy to count with: 100 cycles before matrix work, 1000 before vector
// work, and 32 elements of each tile.
//
// RUN: npu-opt %s --npu-print-costs -o /dev/null 2>&1 | FileCheck %s
//
// Without an output stage, everything is work of the vector engine.
// RUN: sed 's/"npu.vector_overhead"/"npu.output_sums_f16" = 0, "npu.output_products_f16" = 0, "npu.output_bounds_f16" = 0, "npu.vector_overhead"/' %s | npu-opt --npu-print-costs -o /dev/null 2>&1 | FileCheck %s --check-prefix=NONE
// NONE-LABEL: function @biased
// NONE: {{^}}    1064  operation  linalg.generic

#map = affine_map<(d0, d1) -> (d0, d1)>
#channel = affine_map<(d0, d1) -> (d1)>
#row = affine_map<(d0, d1) -> (d0)>

#rows = #npu.layout<SEGMENTED, tiles = [2, 1]>
#columns = #npu.layout<SEGMENTED, tiles = [1, 2]>
#all = #npu.layout<DUPLICATED, tiles = 2>
#each = #npu.layout<SEGMENTED, tiles = [2]>

module attributes {dlti.target_system_spec = #dlti.target_system_spec<
    "NPU" = #dlti.target_device_spec<"npu.name" = "plain", "npu.like" = "npu4000", "npu.tiles" = 2, "npu.scratchpad_bytes" = 4096,
        "npu.macs_per_cycle_f16" = 16, "npu.input_granule_f16" = 1,
        "npu.row_granule" = 1, "npu.output_granule" = 1, "npu.contraction_overhead_f16" = 100,
        "npu.contraction_read_f16" = 1000000, "npu.contraction_write_f16" = 1000,
        "npu.elementwise_overhead_f16" = 100, "npu.elementwise_rate_f16" = 1000, "npu.elementwise_least_pixels_f16" = 1,
        "npu.vector_overhead" = 1000,
        "npu.vector_simple_rate" = 1000, "npu.vector_special_rate" = 1000>>} {

// A bias and the maximum with 0.
// CHECK-LABEL: function @biased
// CHECK: operation  linalg.matmul
// CHECK-NOT: linalg.generic
// CHECK: 3 more of 0 cycles
func.func @biased(%x: tensor<8x8xf16, #rows>, %w: tensor<8x8xf16, #all>, %b: tensor<8xf16, #all>) -> tensor<8x8xf16, #rows> {
  %zero = arith.constant 0.0 : f16
  %e = tensor.empty() : tensor<8x8xf16, #rows>
  %f = linalg.fill ins(%zero : f16) outs(%e : tensor<8x8xf16, #rows>) -> tensor<8x8xf16, #rows>
  %m = linalg.matmul ins(%x, %w : tensor<8x8xf16, #rows>, tensor<8x8xf16, #all>) outs(%f : tensor<8x8xf16, #rows>) -> tensor<8x8xf16, #rows>
  %r = linalg.generic {indexing_maps = [#map, #channel, #map], iterator_types = ["parallel", "parallel"]}
      ins(%m, %b : tensor<8x8xf16, #rows>, tensor<8xf16, #all>) outs(%e : tensor<8x8xf16, #rows>) {
  ^bb0(%a0: f16, %a1: f16, %out: f16):
    %s = arith.addf %a0, %a1 : f16
    %r = arith.maximumf %s, %zero : f16
    linalg.yield %r : f16
  } -> tensor<8x8xf16, #rows>
  return %r : tensor<8x8xf16, #rows>
}

// A distribution_cast moves nothing.
// CHECK-LABEL: function @through_a_cast
// CHECK-NOT: linalg.generic
// CHECK: more of 0 cycles
func.func @through_a_cast(%x: tensor<8x8xf16, #rows>, %w: tensor<8x8xf16, #all>, %b: tensor<8xf16, #all>) -> tensor<8x8xf16, #rows> {
  %zero = arith.constant 0.0 : f16
  %e = tensor.empty() : tensor<8x8xf16, #rows>
  %f = linalg.fill ins(%zero : f16) outs(%e : tensor<8x8xf16, #rows>) -> tensor<8x8xf16, #rows>
  %m = linalg.matmul ins(%x, %w : tensor<8x8xf16, #rows>, tensor<8x8xf16, #all>) outs(%f : tensor<8x8xf16, #rows>) -> tensor<8x8xf16, #rows>
  %c = npu.distribution_cast %m : tensor<8x8xf16, #rows> to tensor<8x8xf16, #npu.layout<OVERLAPPED, compute = [[0:4, 0:8], [4:8, 0:8]], memory = [[0:4, 0:8], [4:8, 0:8]]>>
  %r = linalg.generic {indexing_maps = [#map, #channel, #map], iterator_types = ["parallel", "parallel"]}
      ins(%c, %b : tensor<8x8xf16, #npu.layout<OVERLAPPED, compute = [[0:4, 0:8], [4:8, 0:8]], memory = [[0:4, 0:8], [4:8, 0:8]]>>, tensor<8xf16, #all>) outs(%e : tensor<8x8xf16, #rows>) {
  ^bb0(%a0: f16, %a1: f16, %out: f16):
    %s = arith.addf %a0, %a1 : f16
    %r = arith.maximumf %s, %zero : f16
    linalg.yield %r : f16
  } -> tensor<8x8xf16, #rows>
  return %r : tensor<8x8xf16, #rows>
}

// After a move it is a kernel: 1000 and 32 elements, twice.
// CHECK-LABEL: function @after_a_move
// CHECK: movement   npu.redistribute
// CHECK: {{^}}    1064  operation  linalg.generic
func.func @after_a_move(%x: tensor<8x8xf16, #rows>, %w: tensor<8x8xf16, #all>, %b: tensor<8xf16, #all>) -> tensor<8x8xf16, #rows> {
  %zero = arith.constant 0.0 : f16
  %e = tensor.empty() : tensor<8x8xf16, #rows>
  %f = linalg.fill ins(%zero : f16) outs(%e : tensor<8x8xf16, #rows>) -> tensor<8x8xf16, #rows>
  %m = linalg.matmul ins(%x, %w : tensor<8x8xf16, #rows>, tensor<8x8xf16, #all>) outs(%f : tensor<8x8xf16, #rows>) -> tensor<8x8xf16, #rows>
  %c = npu.redistribute %m : tensor<8x8xf16, #rows> to tensor<8x8xf16, #columns>
  %d = npu.redistribute %c : tensor<8x8xf16, #columns> to tensor<8x8xf16, #rows>
  %r = linalg.generic {indexing_maps = [#map, #channel, #map], iterator_types = ["parallel", "parallel"]}
      ins(%d, %b : tensor<8x8xf16, #rows>, tensor<8xf16, #all>) outs(%e : tensor<8x8xf16, #rows>) {
  ^bb0(%a0: f16, %a1: f16, %out: f16):
    %s = arith.addf %a0, %a1 : f16
    %r = arith.maximumf %s, %zero : f16
    linalg.yield %r : f16
  } -> tensor<8x8xf16, #rows>
  return %r : tensor<8x8xf16, #rows>
}

// Somebody else reads what the engine makes.
// CHECK-LABEL: function @read_twice
// CHECK: {{^}}    1064  operation  linalg.generic
func.func @read_twice(%x: tensor<8x8xf16, #rows>, %w: tensor<8x8xf16, #all>, %b: tensor<8xf16, #all>) -> (tensor<8x8xf16, #rows>, tensor<8x8xf16, #rows>) {
  %zero = arith.constant 0.0 : f16
  %e = tensor.empty() : tensor<8x8xf16, #rows>
  %f = linalg.fill ins(%zero : f16) outs(%e : tensor<8x8xf16, #rows>) -> tensor<8x8xf16, #rows>
  %m = linalg.matmul ins(%x, %w : tensor<8x8xf16, #rows>, tensor<8x8xf16, #all>) outs(%f : tensor<8x8xf16, #rows>) -> tensor<8x8xf16, #rows>
  %r = linalg.generic {indexing_maps = [#map, #channel, #map], iterator_types = ["parallel", "parallel"]}
      ins(%m, %b : tensor<8x8xf16, #rows>, tensor<8xf16, #all>) outs(%e : tensor<8x8xf16, #rows>) {
  ^bb0(%a0: f16, %a1: f16, %out: f16):
    %s = arith.addf %a0, %a1 : f16
    %r = arith.maximumf %s, %zero : f16
    linalg.yield %r : f16
  } -> tensor<8x8xf16, #rows>
  return %r, %m : tensor<8x8xf16, #rows>, tensor<8x8xf16, #rows>
}

// A number for each row is none for each channel.
// CHECK-LABEL: function @each_row
// CHECK: {{^}}    1032  operation  linalg.generic
func.func @each_row(%x: tensor<8x8xf16, #rows>, %w: tensor<8x8xf16, #all>, %b: tensor<8xf16, #all>, %y: tensor<8xf16, #each>) -> tensor<8x8xf16, #rows> {
  %zero = arith.constant 0.0 : f16
  %e = tensor.empty() : tensor<8x8xf16, #rows>
  %f = linalg.fill ins(%zero : f16) outs(%e : tensor<8x8xf16, #rows>) -> tensor<8x8xf16, #rows>
  %m = linalg.matmul ins(%x, %w : tensor<8x8xf16, #rows>, tensor<8x8xf16, #all>) outs(%f : tensor<8x8xf16, #rows>) -> tensor<8x8xf16, #rows>
  %r = linalg.generic {indexing_maps = [#map, #row, #map], iterator_types = ["parallel", "parallel"]}
      ins(%m, %y : tensor<8x8xf16, #rows>, tensor<8xf16, #each>) outs(%e : tensor<8x8xf16, #rows>) {
  ^bb0(%a0: f16, %a1: f16, %out: f16):
    %s = arith.addf %a0, %a1 : f16
    linalg.yield %s : f16
  } -> tensor<8x8xf16, #rows>
  return %r : tensor<8x8xf16, #rows>
}

// There is one sum; the other one is work, 32 elements.
// CHECK-LABEL: function @two_sums
// CHECK: {{^}}    1032  operation  linalg.generic
func.func @two_sums(%x: tensor<8x8xf16, #rows>, %w: tensor<8x8xf16, #all>, %b: tensor<8xf16, #all>) -> tensor<8x8xf16, #rows> {
  %zero = arith.constant 0.0 : f16
  %e = tensor.empty() : tensor<8x8xf16, #rows>
  %f = linalg.fill ins(%zero : f16) outs(%e : tensor<8x8xf16, #rows>) -> tensor<8x8xf16, #rows>
  %m = linalg.matmul ins(%x, %w : tensor<8x8xf16, #rows>, tensor<8x8xf16, #all>) outs(%f : tensor<8x8xf16, #rows>) -> tensor<8x8xf16, #rows>
  %r = linalg.generic {indexing_maps = [#map, #channel, #map], iterator_types = ["parallel", "parallel"]}
      ins(%m, %b : tensor<8x8xf16, #rows>, tensor<8xf16, #all>) outs(%e : tensor<8x8xf16, #rows>) {
  ^bb0(%a0: f16, %a1: f16, %out: f16):
    %s = arith.addf %a0, %a1 : f16
    %t = arith.addf %s, %a1 : f16
    linalg.yield %t : f16
  } -> tensor<8x8xf16, #rows>
  return %r : tensor<8x8xf16, #rows>
}

// The bias is done when the kernel begins, which has exp alone.
// CHECK-LABEL: function @before_a_kernel
// CHECK: {{^}}    1032  operation  linalg.generic
func.func @before_a_kernel(%x: tensor<8x8xf16, #rows>, %w: tensor<8x8xf16, #all>, %b: tensor<8xf16, #all>) -> tensor<8x8xf16, #rows> {
  %zero = arith.constant 0.0 : f16
  %e = tensor.empty() : tensor<8x8xf16, #rows>
  %f = linalg.fill ins(%zero : f16) outs(%e : tensor<8x8xf16, #rows>) -> tensor<8x8xf16, #rows>
  %m = linalg.matmul ins(%x, %w : tensor<8x8xf16, #rows>, tensor<8x8xf16, #all>) outs(%f : tensor<8x8xf16, #rows>) -> tensor<8x8xf16, #rows>
  %r = linalg.generic {indexing_maps = [#map, #channel, #map], iterator_types = ["parallel", "parallel"]}
      ins(%m, %b : tensor<8x8xf16, #rows>, tensor<8xf16, #all>) outs(%e : tensor<8x8xf16, #rows>) {
  ^bb0(%a0: f16, %a1: f16, %out: f16):
    %s = arith.addf %a0, %a1 : f16
    %t = math.exp %s : f16
    linalg.yield %t : f16
  } -> tensor<8x8xf16, #rows>
  return %r : tensor<8x8xf16, #rows>
}

// The engine does the sum of two tensors, and bounds that: 100 and 32 elements.
// CHECK-LABEL: function @before_a_sum_of_tensors
// CHECK: {{^}}     132  operation  linalg.generic
func.func @before_a_sum_of_tensors(%x: tensor<8x8xf16, #rows>, %w: tensor<8x8xf16, #all>, %b: tensor<8xf16, #all>, %y: tensor<8x8xf16, #rows>) -> tensor<8x8xf16, #rows> {
  %zero = arith.constant 0.0 : f16
  %e = tensor.empty() : tensor<8x8xf16, #rows>
  %f = linalg.fill ins(%zero : f16) outs(%e : tensor<8x8xf16, #rows>) -> tensor<8x8xf16, #rows>
  %m = linalg.matmul ins(%x, %w : tensor<8x8xf16, #rows>, tensor<8x8xf16, #all>) outs(%f : tensor<8x8xf16, #rows>) -> tensor<8x8xf16, #rows>
  %r = linalg.generic {indexing_maps = [#map, #channel, #map, #map], iterator_types = ["parallel", "parallel"]}
      ins(%m, %b, %y : tensor<8x8xf16, #rows>, tensor<8xf16, #all>, tensor<8x8xf16, #rows>) outs(%e : tensor<8x8xf16, #rows>) {
  ^bb0(%a0: f16, %a1: f16, %a2: f16, %out: f16):
    %s = arith.addf %a0, %a1 : f16
    %t = arith.addf %a2, %s : f16
    %r = arith.maximumf %t, %zero : f16
    linalg.yield %r : f16
  } -> tensor<8x8xf16, #rows>
  return %r : tensor<8x8xf16, #rows>
}
}
