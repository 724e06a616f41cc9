// Which storage kinds tensors get: by the kernels of the device, by what it
// prefers, by the option and by npu.storage.

// A convolution that takes images alone reads and writes them. A reduction that
// takes none reads a linear tensor, which what is between makes of an image: its
// kernel takes both, and nothing is converted.
// RUN: npu-opt %S/Inputs/images.mlir --npu-assign-distributions="tiles=2" | FileCheck %s --check-prefix=AUTO
// AUTO-DAG: #[[ROWS:.*]] = #npu.layout<SEGMENTED, tiles = [1, 1, 2, 1]>
// AUTO-DAG: #[[IMAGE:.*]] = #npu.layout<SEGMENTED, tiles = [1, 1, 2, 1], storage = tiled2d>
// AUTO-LABEL: func.func @main
// AUTO: %[[L:.*]] = npu.redistribute %arg0 : tensor<1x8x16x16xf32> to tensor<1x8x16x16xf32, #[[ROWS]]>
// AUTO: npu.convert_storage %[[L]] : tensor<1x8x16x16xf32, #[[ROWS]]> to tensor<1x8x16x16xf32, #[[IMAGE]]>
// AUTO: linalg.conv_2d_nchw_fchw {{.*}} -> tensor<1x8x16x16xf32, #[[IMAGE]]>
// AUTO-NOT: npu.convert_storage
// AUTO: %[[EXP:.*]] = linalg.exp ins({{.*}}, #[[IMAGE]]>) {{.*}} -> tensor<1x8x16x16xf32, #[[ROWS]]>
// AUTO: linalg.reduce {{.*}}ins(%[[EXP]]

// RUN: npu-opt %S/Inputs/images.mlir --npu-assign-distributions="tiles=2" --remarks-filter=npu --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=WHY
// WHY-DAG: Reason="linear: in DDR, where it is given; converted to tiled2d for 1 reader"
// WHY-DAG: Reason="tiled2d: the kernels of 'linalg.conv_2d_nchw_fchw' take no other"
// WHY-DAG: Reason="linear: fewer bytes are converted than with tiled2d"

// The report has the same.
// RUN: npu-opt %S/Inputs/images.mlir --npu-assign-distributions="tiles=2 report=-" -o /dev/null | FileCheck %s --check-prefix=REPORT
// REPORT: "storage":"linear: 3 dimensions, an image has 4"

// The device has both kinds, and kernels for both: nothing is an image.
// RUN: npu-opt %s --split-input-file --npu-assign-distributions="target=npu4000 tiles=2" | FileCheck %s --check-prefix=PLAIN
// PLAIN-NOT: tiled2d
// RUN: npu-opt %s --split-input-file --npu-assign-distributions="target=npu4000 tiles=2 storage=tiled2d" --remarks-filter=npu --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=ASKED
// ASKED-DAG: Reason="npu.storage is "linear", and counts instead of storage=tiled2d"
// ASKED-DAG: Reason="linear: npu.storage says so"
// ASKED-DAG: Reason="tiled2d: storage=tiled2d says so"
// ASKED-NOT: npu.storage =

func.func @asked(%x: tensor<1x8x16x16xf32>) -> tensor<1x8x16x16xf32> {
  %e = tensor.empty() : tensor<1x8x16x16xf32>
  %0 = linalg.exp {npu.storage = "linear"} ins(%x : tensor<1x8x16x16xf32>) outs(%e : tensor<1x8x16x16xf32>) -> tensor<1x8x16x16xf32>
  %1 = linalg.tanh ins(%0 : tensor<1x8x16x16xf32>) outs(%e : tensor<1x8x16x16xf32>) -> tensor<1x8x16x16xf32>
  %2 = linalg.exp ins(%1 : tensor<1x8x16x16xf32>) outs(%e : tensor<1x8x16x16xf32>) -> tensor<1x8x16x16xf32>
  return %2 : tensor<1x8x16x16xf32>
}
