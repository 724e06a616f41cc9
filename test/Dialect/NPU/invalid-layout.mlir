// Every constraint of the layout attribute (the numbers are those of
// NPUAttributes.td) is an error where the layout is written.
//
// RUN: npu-opt %s --split-input-file --verify-diagnostics

// Constraint 1: it says something.
// expected-error@+1 {{expected a layout that says something: a mode}}
func.func private @nothing(tensor<8x4xf16, #npu.layout<>>)

// -----

// expected-error@+1 {{expected a mode (SEGMENTED, OVERLAPPED, DUPLICATED, SEGMENTED|DUPLICATED, SEGMENTED|MULTICASTED) beside it}}
func.func private @no_mode(tensor<8x4xf16, #npu.layout<tiles = [2, 1]>>)

// -----

// expected-error@+1 {{unknown mode or item 'SHUFFLED', expected SEGMENTED, OVERLAPPED, DUPLICATED, MULTICASTED, tiles, major}}
func.func private @unknown_mode(tensor<8x4xf16, #npu.layout<SHUFFLED, tiles = [2, 1]>>)

// -----

// expected-error@+1 {{unknown mode 'OVERLAPPED|DUPLICATED', expected SEGMENTED}}
func.func private @unknown_pair(tensor<8x4xf16, #npu.layout<OVERLAPPED|DUPLICATED, tiles = [2, 1]>>)

// -----

// expected-error@+1 {{unknown mode 'MULTICASTED'}}
func.func private @half_mode(tensor<8x4xf16, #npu.layout<MULTICASTED, tiles = [2, 1]>>)

// -----

// expected-error@+1 {{a second mode; two words of one mode are joined by '|'}}
func.func private @two_modes(tensor<8x4xf16, #npu.layout<SEGMENTED, OVERLAPPED, tiles = [2, 1]>>)

// -----

// expected-error@+1 {{'tiles' is given twice}}
func.func private @twice(tensor<8x4xf16, #npu.layout<SEGMENTED, tiles = [2, 1], tiles = [2, 1]>>)

// -----

// expected-error@+1 {{unknown split 'even', expected balanced or ceil}}
func.func private @split(tensor<8x4xf16, #npu.layout<SEGMENTED, tiles = [2, 1], split = even>>)

// -----

// Constraint 2: tile counts.
// expected-error@+1 {{0}}
func.func private @no_tiles(tensor<8x4xf16, #npu.layout<SEGMENTED, tiles = [0, 1]>>)

// -----

// expected-error@+1 {{4097}}
func.func private @many_tiles(tensor<8x4xf16, #npu.layout<DUPLICATED, tiles = 4097>>)

// -----

// expected-error@+1 {{4096}}
func.func private @many_tiles_together(tensor<128x128xf16, #npu.layout<SEGMENTED, tiles = [128, 64]>>)

// -----

// expected-error@+1 {{4096}}
func.func private @overflowing_tiles(tensor<8x4xf16, #npu.layout<SEGMENTED, tiles = [4294967296, 4294967296]>>)

// -----

// expected-error@+1 {{copies}}
func.func private @no_copies(tensor<8x4xf16, #npu.layout<SEGMENTED, tiles = [2, 1], copies = 0>>)

// -----

// expected-error@+1 {{expected tile counts per dimension under SEGMENTED, got the single count 2}}
func.func private @scalar_tiles(tensor<8x4xf16, #npu.layout<SEGMENTED, tiles = 2>>)

// -----

// Constraint 3: alignments and windows.
// expected-error@+1 {{align}}
func.func private @align(tensor<8x4xf16, #npu.layout<SEGMENTED, tiles = [2, 1], align = [0, 1]>>)

// -----

// expected-error@+1 {{kernel}}
func.func private @kernel(tensor<8x4xf16, #npu.layout<OVERLAPPED, tiles = [2, 1], window = [[0, 0, 1, 0, 0]]>>)

// -----

// expected-error@+1 {{stride}}
func.func private @stride(tensor<8x4xf16, #npu.layout<OVERLAPPED, tiles = [2, 1], window = [[0, 3, 0, 1, 1]]>>)

// -----

// expected-error@+1 {{pad}}
func.func private @negative_pad(tensor<8x4xf16, #npu.layout<OVERLAPPED, tiles = [2, 1], window = [[0, 3, 1, -1, 1]]>>)

// -----

// expected-error@+1 {{dilation}}
func.func private @dilation(tensor<8x4xf16, #npu.layout<OVERLAPPED, tiles = [2, 1], window = [[0, 3, 1, 1, 1, 0]]>>)

// -----

// expected-error@+1 {{expected [dim, kernel, stride, pad_lo, pad_hi] or a sixth number for the dilation, got 4 numbers}}
func.func private @short_window(tensor<8x4xf16, #npu.layout<OVERLAPPED, tiles = [2, 1], window = [[0, 3, 1, 1]]>>)

// -----

// Constraint 4: major.
// expected-error@+1 {{major}}
func.func private @major(tensor<8x4xf16, #npu.layout<SEGMENTED, tiles = [2, 2], major = [1, 1]>>)

// -----

// Constraint 5: windows.
// expected-error@+1 {{window}}
func.func private @window_mode(tensor<8x4xf16, #npu.layout<SEGMENTED, tiles = [2, 1], window = [[0, 3, 1, 1, 1]]>>)

// -----

// expected-error@+1 {{window}}
func.func private @window_dim(tensor<8x4xf16, #npu.layout<OVERLAPPED, tiles = [2, 1], window = [[2, 3, 1, 1, 1]]>>)

// -----

// expected-error@+1 {{window}}
func.func private @window_and_memory(tensor<8x4xf16, #npu.layout<OVERLAPPED, tiles = [2, 1], window = [[0, 3, 1, 1, 1]], memory = [[0:5, 0:4], [3:8, 0:4]]>>)

// -----

// Constraint 6: boxes.
// expected-error@+1 {{memory}}
func.func private @memory_lacks_compute(tensor<8x4xf16, #npu.layout<OVERLAPPED, compute = [[0:4, 0:4], [4:8, 0:4]], memory = [[0:3, 0:4], [4:8, 0:4]]>>)

// -----

// expected-error@+1 {{boxes}}
func.func private @box_counts(tensor<8x4xf16, #npu.layout<OVERLAPPED, compute = [[0:4, 0:4], [4:8, 0:4]], memory = [[0:8, 0:4]]>>)

// -----

// expected-error@+1 {{expected}}
func.func private @backwards(tensor<8x4xf16, #npu.layout<OVERLAPPED, compute = [[4:0, 0:4], [4:8, 0:4]]>>)

// -----

// expected-error@+1 {{expected at most 8 numbers, got 9}}
func.func private @rank9(tensor<8x4xf16, #npu.layout<SEGMENTED, tiles = [1,1,1,1,1,1,1,1,2]>>)

// -----

// Constraint 7: order.
// expected-error@+1 {{expected order to be a permutation of 0..1, got [0, 0]}}
func.func private @order(tensor<8x4xf16, #npu.layout<order = [0, 0]>>)

// -----

// expected-error@+1 {{unknown order 'NCHX', expected a permutation of NCHW, one that begins with G of GNCHW, or a list of dimensions}}
func.func private @order_name(tensor<8x4xf16, #npu.layout<order = NCHX>>)

// -----

// Constraint 8: the tensor.
// expected-error@+1 {{expected an order of rank 2 for a tensor of rank 2, got [0, 2, 3, 1]}}
func.func private @order_rank(tensor<8x4xf16, #npu.layout<order = NHWC>>)

// -----

// expected-error@+1 {{expected 2 dimensions as shape [8, 4] has, got `tiles` [1, 2, 1, 1]}}
func.func private @tiles_rank(tensor<8x4xf16, #npu.layout<SEGMENTED, tiles = [1, 2, 1, 1]>>)

// -----

// expected-error@+1 {{expected a static shape under a distribution, but dimension 0 is dynamic}}
func.func private @dynamic(tensor<?x4xf16, #npu.layout<SEGMENTED, tiles = [2, 1]>>)

// -----

// expected-error@+1 {{expected a tensor whose size in bits fits in 63 bits}}
func.func private @overflow(tensor<4611686018427387904x4xf16, #npu.layout<SEGMENTED, tiles = [2, 1]>>)

// -----

// Everything everywhere: 2^50 elements of 16 bits would be 2^66 bits on 4096 tiles.
// expected-error@+1 {{expected a tensor whose size in bits fits in 63 bits for all 4096 tiles together, got shape [1125899906842624] of 16-bit elements}}
func.func private @overflow_together(tensor<1125899906842624xf16, #npu.layout<DUPLICATED, tiles = 4096>>)

// -----

// expected-error@+1 {{expected a distributed tensor of rank at most 8, got rank 9}}
func.func private @tensor_rank(tensor<1x1x1x1x1x1x1x1x8xf16, #npu.layout<DUPLICATED, tiles = 2>>)

// -----

// Constraint 9: boxes and the tensor.
// expected-error@+1 {{tile 1}}
func.func private @outside(tensor<8x4xf16, #npu.layout<OVERLAPPED, compute = [[0:4, 0:4], [4:9, 0:4]]>>)

// -----

// expected-error@+1 {{cover}}
func.func private @not_covering(tensor<8x4xf16, #npu.layout<OVERLAPPED, compute = [[0:4, 0:4], [5:8, 0:4]]>>)

// -----

// Constraint 10: SEGMENTED boxes are disjoint or equal.
// expected-error@+1 {{expected compute boxes that are disjoint or equal under SEGMENTED, got [0:5, 0:4] and [4:8, 0:4]}}
func.func private @overlapping(tensor<8x4xf16, #npu.layout<SEGMENTED, compute = [[0:5, 0:4], [4:8, 0:4]]>>)

// -----

// An element type that does not parse is told once, and nothing is verified
// with it.
// expected-error@+1 {{type created with unregistered dialect}}
func.func private @element_type(tensor<4x4x!foo.bar, #npu.layout<SEGMENTED, tiles = [2, 1]>>)

// -----

// A window that is written otherwise is told what a window is, with an example.
// expected-error@+1 {{expected windows as [[dim, kernel, stride, pad_lo, pad_hi], ...]: which entries of a dimension the operation with that kernel reads for each tile, for example window = [[2, 3, 1, 1, 1]] for a kernel of 3 along dimension 2 in steps of 1, padded by 1 on both sides}}
func.func private @window_as_number(tensor<8x4xf16, #npu.layout<OVERLAPPED, tiles = [2, 1], window = 3>>)

// -----

// expected-error@+1 {{expected windows as [[dim, kernel, stride, pad_lo, pad_hi], ...]}}
func.func private @one_list(tensor<8x4xf16, #npu.layout<OVERLAPPED, tiles = [2, 1], window = [0, 3, 1, 1, 1]>>)

// -----

// expected-error@+1 {{expected [dim, kernel, stride, pad_lo, pad_hi] or a sixth number for the dilation, got no numbers}}
func.func private @empty_window(tensor<8x4xf16, #npu.layout<OVERLAPPED, tiles = [2, 1], window = [[]]>>)

// -----

// A layout is of a tensor. On a memref it is neither a layout map nor a memory
// space.
// expected-error@+1 {{expected #npu.layout on a tensor, got it on a memref, which is one buffer in one memory; npu-to-buffers makes a buffer of every tile's part of a tensor}}
func.func private @memref(memref<8x4xf16, #npu.layout<SEGMENTED, tiles = [2, 1]>>)

// -----

#rows = #npu.layout<SEGMENTED, tiles = [2, 1]>
// expected-error@+1 {{expected #npu.layout on a tensor, got it on a memref}}
func.func private @memory_space(memref<8x4xf16, strided<[4, 1]>, #rows>)

// -----

// expected-error@+1 {{cannot have affine map for unranked memref type}}
func.func private @unranked(memref<*xf16, #npu.layout<SEGMENTED, tiles = [2, 1]>>)

// -----

// Two elements of i4 share a byte, which no box cuts.
// expected-error@+1 {{expected boxes of whole bytes of [5, 7] 'i4', but [0:3, 0:7] of tile 0 cuts a byte, which 2 elements share: dimension 0 may be cut at multiples of 2; the nearest box of whole bytes is [0:2, 0:7]}}
func.func private @half_bytes(tensor<5x7xi4, #npu.layout<SEGMENTED, compute = [[0:3, 0:7], [3:5, 0:7]]>>)

// -----

// A slice of columns at an odd offset.
// expected-error@+1 {{but [0:32, 0:33] of tile 0 cuts a byte, which 2 elements share: dimension 1 may be cut at multiples of 2; the nearest box of whole bytes is [0:32, 0:32]}}
func.func private @odd_offset(tensor<32x64xi4, #npu.layout<SEGMENTED, compute = [[0:32, 0:33], [0:32, 33:64]]>>)

// -----

// Rows of 33 elements begin inside of bytes, so that columns cannot be cut.
// expected-error@+1 {{dimension 1 cannot be cut, because its rows begin inside of bytes; the nearest box of whole bytes is [0:32, 0:33]}}
func.func private @odd_rows(tensor<32x33xi4, #npu.layout<SEGMENTED, tiles = [1, 2]>>)

// -----

// Bytes are whole in the order of memory and in that of the shape, in which the
// tensor lies in DDR.
// expected-error@+1 {{dimension 0 may be cut at multiples of 4}}
func.func private @in_memory_order(tensor<12x8xi2, #npu.layout<SEGMENTED, tiles = [2, 1], order = [1, 0]>>)
