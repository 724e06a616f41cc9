// Storage kinds that no tensor can have, and conversions that are none.

// RUN: npu-opt %s --split-input-file --verify-diagnostics

// expected-error@+1 {{unknown storage 'image', expected linear or tiled2d}}
func.func private @kind(tensor<1x3x5x6xf16, #npu.layout<SEGMENTED, tiles = [1, 1, 2, 1], storage = image>>)

// -----

// expected-error@+1 {{expected a tensor of rank 4 under storage = tiled2d, got rank 3}}
func.func private @rank(tensor<3x5x6xf16, #npu.layout<SEGMENTED, tiles = [1, 2, 1], storage = tiled2d>>)

// -----

// expected-error@+1 {{beside storage = tiled2d: a tensor in DDR is stored linearly}}
func.func private @ddr(tensor<1x3x5x6xf16, #npu.layout<storage = tiled2d>>)

// -----

// expected-error@+1 {{expected no order beside storage = tiled2d}}
func.func private @order(tensor<1x3x5x6xf16, #npu.layout<SEGMENTED, tiles = [1, 1, 2, 1], order = NHWC, storage = tiled2d>>)

// -----

#a = #npu.layout<SEGMENTED, tiles = [1, 1, 2, 1]>
#b = #npu.layout<SEGMENTED, tiles = [1, 2, 1, 1], storage = tiled2d>
func.func @distribution(%x: tensor<1x3x5x6xf16, #a>) {
  // expected-error@+1 {{expected one distribution on both sides}}
  %0 = npu.convert_storage %x : tensor<1x3x5x6xf16, #a> to tensor<1x3x5x6xf16, #b>
  return
}

// -----

#a = #npu.layout<SEGMENTED, tiles = [1, 1, 2, 1]>
func.func @same(%x: tensor<1x3x5x6xf16, #a>) {
  // expected-error@+1 {{expected another storage kind, got linear twice}}
  %0 = npu.convert_storage %x : tensor<1x3x5x6xf16, #a> to tensor<1x3x5x6xf16, #a>
  return
}

// -----

func.func @image(%x: tensor<1x3x5x6xf16>) {
  // expected-error@+1 {{expected a tensor of rank 4 and static shape, and its image}}
  %0 = npu.convert_storage %x {npu.tile = 0 : i64} : tensor<1x3x5x6xf16> to tensor<1x5x2x6x4xf16>
  return
}

// -----

#image = #npu.layout<OVERLAPPED, tiles = [1, 1, 2, 1], window = [[2, 3, 1, 1, 1]], storage = tiled2d>
#part = #npu.layout<SEGMENTED, tiles = [1, 1, 2, 1], storage = tiled2d>
func.func @part(%x: tensor<1x3x6x6xf16, #image>) {
  // expected-error@+1 {{because a part of an image is no image}}
  %0 = npu.distribution_cast %x : tensor<1x3x6x6xf16, #image> to tensor<1x3x6x6xf16, #part>
  return
}

// -----

#linear = #npu.layout<SEGMENTED, tiles = [1, 1, 2, 1]>
#image = #npu.layout<SEGMENTED, tiles = [1, 1, 2, 1], storage = tiled2d>
func.func @cast(%x: tensor<1x3x6x6xf16, #image>) {
  // expected-error@+1 {{expected one storage kind on both sides, got tiled2d and linear; npu.convert_storage changes it}}
  %0 = npu.distribution_cast %x : tensor<1x3x6x6xf16, #image> to tensor<1x3x6x6xf16, #linear>
  return
}

// -----

#image = #npu.layout<SEGMENTED, tiles = [1, 1, 2, 1], storage = tiled2d>
func.func @permute(%x: tensor<1x3x6x6xf16, #image>) {
  // expected-error@+1 {{expected linear tensors on both sides}}
  %0 = npu.permute_cast %x mem_perm = [0, 1, 2, 3] : tensor<1x3x6x6xf16, #image> to tensor<1x3x6x6xf16, #image>
  return
}

// -----

func.func @no_tile(%x: tensor<1x3x5x6xf16>) -> tensor<1x5x1x6x4xf16> {
  // expected-error@+1 {{expected layouts on both sides or, in a tile program, 'npu.tile', got neither}}
  %0 = npu.convert_storage %x : tensor<1x3x5x6xf16> to tensor<1x5x1x6x4xf16>
  return %0 : tensor<1x5x1x6x4xf16>
}

// -----

// An image takes the bytes of whole groups of channels.
// expected-error@+1 {{expected a tensor whose size in bits fits in 63 bits for all 2 tiles together, got shape [1, 1, 1073741824, 67108864] of 32-bit elements}}
func.func private @large(tensor<1x1x1073741824x67108864xf32, #npu.layout<DUPLICATED, tiles = 2, storage = tiled2d>>)
