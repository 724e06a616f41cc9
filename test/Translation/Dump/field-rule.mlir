// The boxes are those of the field compiler's own rule, also where this
// project's rule gives others, and the difference is said.
//
// RUN: npu-translate --explain-npu-dump %s --all | %unfolded | FileCheck %s
// RUN: npu-translate --explain-npu-dump %s --format=json | FileCheck %s --check-prefix=JSON

func.func @rule(
    // Equal parts and a smaller last one.
    %ceil: !VPU.DistributedTensor<1x16x10x4xf16, affine_map<(d0, d1, d2, d3) -> (d0, d2, d3, d1)>, @CMX_NN, {mode = "SEGMENTED", num_tiles = [1, 1, 4, 1], num_clusters = 4}>,
// CHECK-LABEL: %ceil = func.func: 1x16x10x4xf16, #npu.layout<SEGMENTED, tiles = [1, 1, 4, 1], split = ceil, order = NHWC>
// CHECK-NEXT: tile 0 holds [0:1, 0:16, 0:3, 0:4] (384 bytes)
// CHECK-NEXT: tile 1 holds [0:1, 0:16, 3:6, 0:4] (384 bytes)
// CHECK-NEXT: tile 2 holds [0:1, 0:16, 6:9, 0:4] (384 bytes)
// CHECK-NEXT: tile 3 holds [0:1, 0:16, 9:10, 0:4] (128 bytes)

    // Parts that differ by one at most.
    %uniform: !VPU.DistributedTensor<1x16x10x4xf16, #NHWC, @CMX_NN, {mode = <SEGMENTED>, num_tiles = [1, 1, 4, 1], num_clusters = 4 : i64, uniform_distributed_segments}>,
// CHECK-LABEL: %uniform = func.func: 1x16x10x4xf16, #npu.layout<SEGMENTED, tiles = [1, 1, 4, 1], order = NHWC>
// CHECK-NEXT: tile 0 holds [0:1, 0:16, 0:3, 0:4]
// CHECK-NEXT: tile 1 holds [0:1, 0:16, 3:6, 0:4]
// CHECK-NEXT: tile 2 holds [0:1, 0:16, 6:8, 0:4]
// CHECK-NEXT: tile 3 holds [0:1, 0:16, 8:10, 0:4]

    // An alignment of a dimension that is not split rounds it up all the same:
    // the boxes end after the tensor.
    %aligned: !VPU.DistributedTensor<1x30x8x4xf16, #NHWC, @CMX_NN, {mode = "DUPLICATED", num_clusters = 2, alignment = [1, 16, 1, 1]}>,
// CHECK-LABEL: %aligned = func.func: 1x30x8x4xf16, #npu.layout<DUPLICATED, tiles = 2, order = NHWC>
// CHECK-NEXT: the field compiler rounds extent 30 of dimension 1 up to 32
// CHECK-NEXT: tile 0 holds [0:1, 0:32, 0:8, 0:4] (2048 bytes)

    // Or down, and then nobody holds the rest: that is no placement.
    %lost: !VPU.DistributedTensor<1x30x8x4xf16, #NHWC, @CMX_NN, {mode = "SEGMENTED", num_tiles = [1, 1, 2, 1], num_clusters = 2, alignment = [1, 16, 1, 1], uniform_distributed_segments}>,
// CHECK-LABEL: %lost = func.func: 1x30x8x4xf16
// CHECK-NEXT: the field compiler rounds extent 30 of dimension 1 down to 16, so that no tile holds the rest
// CHECK-NEXT: no layout: its boxes are no placement
// CHECK-NEXT: tile 0 holds [0:1, 0:16, 0:4, 0:4]

    // What a window of 3 rows reads, 22 rows in 4 uniform parts.
    %window: !VPU.DistributedTensor<1x64x22x16xf16, #NHWC, @CMX_NN, {mode = "OVERLAPPED", num_tiles = [1, 1, 4, 1], kernel = [3, 3], pads = #VPU.Padding<left = 1 : i64, right = 1 : i64, top = 1 : i64, bottom = 1 : i64>, strides = [1, 1], num_clusters = 4 : i64, uniform_distributed_segments}>,
// CHECK-LABEL: %window = func.func: 1x64x22x16xf16, #npu.layout<OVERLAPPED, tiles = [1, 1, 4, 1], window = {{.*}}[2, 3, 1, 1, 1]{{.*}}, order = NHWC>
// CHECK-NEXT: tile 0 holds [0:1, 0:64, 0:7, 0:16] (14336 bytes), computes [0:1, 0:64, 0:6, 0:16]
// CHECK-NEXT: tile 1 holds [0:1, 0:64, 5:13, 0:16] (16384 bytes), computes [0:1, 0:64, 6:12, 0:16]
// CHECK-NEXT: tile 2 holds [0:1, 0:64, 11:18, 0:16]
// CHECK-NEXT: tile 3 holds [0:1, 0:64, 16:22, 0:16]

    // Without a join with what a tile computes: with stride 2 and a window of
    // one row, nobody holds the last row, which is computed on tile 1.
    %strided: !VPU.DistributedTensor<1x16x8x4xf16, #NHWC, @CMX_NN, {mode = "OVERLAPPED", num_tiles = [1, 1, 2, 1], kernel = [1, 1], pads = #VPU.Padding<left = 0, right = 0, top = 0, bottom = 0>, strides = [2, 2], num_clusters = 2 : i64}>,
// CHECK-LABEL: %strided = func.func: 1x16x8x4xf16
// CHECK-NEXT: the field compiler rounds extent 8 of dimension 2 down to 7
// CHECK-NEXT: no layout:
// CHECK-NEXT: tile 0 holds [0:1, 0:16, 0:3, 0:4] (384 bytes), computes [0:1, 0:16, 0:4, 0:4]
// CHECK-NEXT: tile 1 holds [0:1, 0:16, 4:7, 0:4]

    // A grid, which the field compiler does not have.
    %grid: !VPU.DistributedTensor<1x16x8x4xf16, #NHWC, @CMX_NN, {mode = "SEGMENTED", num_tiles = [1, 1, 2, 2], num_clusters = 4 : i64}>,
// CHECK-LABEL: %grid = func.func: 1x16x8x4xf16, #npu.layout<SEGMENTED, tiles = [1, 1, 2, 2], split = ceil, order = NHWC>
// CHECK-NEXT: the field compiler splits along one dimension only; these boxes follow this project's rule
// CHECK-NEXT: tile 0 holds [0:1, 0:16, 0:4, 0:2]
// CHECK-NEXT: tile 1 holds [0:1, 0:16, 0:4, 2:4]

    // Both words of a mode in either order; every tile holds everything.
    %both: !VPUIP.DistributedBuffer<1x64x4x4xui8, {order = #NHWC, strides = [1024, 1, 256, 64]}, [@CMX_NN, 0], {mode = "DUPLICATED|SEGMENTED", num_tiles = [1, 2, 1, 1], num_clusters = 2 : i64, alignment = [1, 16, 1, 1]}>) {
// CHECK-LABEL: %both = func.func: 1x64x4x4xui8, #npu.layout<SEGMENTED|DUPLICATED, tiles = [1, 2, 1, 1], split = ceil, order = NHWC>
// CHECK-NEXT: tile 0 holds [0:1, 0:64, 0:4, 0:4] (1024 bytes), computes [0:1, 0:32, 0:4, 0:4]
  return
}

// JSON:      "types": 8,
// JSON-NEXT: "types_read": 8,
