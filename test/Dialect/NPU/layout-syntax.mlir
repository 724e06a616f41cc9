// Every spelling of a layout parses, prints in the one canonical spelling, and
// survives the bytecode.
//
// RUN: npu-opt %s | npu-opt | FileCheck %s
// RUN: npu-opt %s -emit-bytecode -o %t.mlirbc
// RUN: npu-opt %t.mlirbc | FileCheck %s

// The aliases, in the order in which they are first used.
// CHECK-DAG: #[[SEG:segmented[0-9]*]] = #npu.layout<SEGMENTED, tiles = [1, 4, 1, 1]>
// CHECK-DAG: #[[OVL:overlapped[0-9]*]] = #npu.layout<OVERLAPPED, tiles = [1, 1, 4, 1], order = NHWC>
// CHECK-DAG: #[[WIN:overlapped[0-9]*]] = #npu.layout<OVERLAPPED, tiles = [1, 1, 4, 1], split = ceil, window = {{\[\[}}2, 3, 1, 1, 1]]>
// CHECK-DAG: #[[DIL:overlapped[0-9]*]] = #npu.layout<OVERLAPPED, tiles = [1, 1, 4, 1], window = {{\[\[}}2, 3, 1, 1, 1], [2, 3, 1, 2, 2, 2]]>
// CHECK-DAG: #[[DUP:duplicated[0-9]*]] = #npu.layout<DUPLICATED, tiles = 4>
// CHECK-DAG: #[[SEGDUP:segmented_duplicated[0-9]*]] = #npu.layout<SEGMENTED|DUPLICATED, tiles = [1, 4, 1, 1], align = [1, 16, 1, 1]>
// CHECK-DAG: #[[MULTI:segmented_multicasted[0-9]*]] = #npu.layout<SEGMENTED|MULTICASTED, tiles = [1, 1, 4, 1]>
// CHECK-DAG: #[[GRID:segmented[0-9]*]] = #npu.layout<SEGMENTED, tiles = [1, 2, 2, 1]>
// CHECK-DAG: #[[MAJOR:segmented[0-9]*]] = #npu.layout<SEGMENTED, tiles = [1, 2, 2, 1], major = [2, 1]>
// CHECK-DAG: #[[COPIES:segmented[0-9]*]] = #npu.layout<SEGMENTED, tiles = [2, 1], copies = 2>
// CHECK-DAG: #[[BOXES:overlapped[0-9]*]] = #npu.layout<OVERLAPPED, compute = {{\[\[}}0:4, 0:4], [4:8, 0:4]], memory = {{\[\[}}0:5, 0:4], [3:8, 0:4]]>
// CHECK-DAG: #[[COMPUTE:overlapped[0-9]*]] = #npu.layout<OVERLAPPED, compute = {{\[\[}}0:5, 0:4], [3:8, 0:4]]>
// CHECK-DAG: #[[NHWC:nhwc[0-9]*]] = #npu.layout<order = NHWC>
// CHECK-DAG: #[[GNHWC:gnhwc[0-9]*]] = #npu.layout<order = GNHWC>
// CHECK-DAG: #[[LIST:ordered[0-9]*]] = #npu.layout<order = [1, 0]>

// CHECK-LABEL: func.func private @field
// CHECK-SAME: (tensor<1x28x336x128xf16, #[[SEG]]>, tensor<1x128x28x336xf16, #[[OVL]]>)
func.func private @field(
    tensor<1x28x336x128xf16, #npu.layout<SEGMENTED, tiles = [1, 4, 1, 1]>>,
    tensor<1x128x28x336xf16, #npu.layout<OVERLAPPED, tiles = [1, 1, 4, 1], order = NHWC>>)

// Items in any order, defaults written out, a list that has a name.
// CHECK-LABEL: func.func private @same_again
// CHECK-SAME: (tensor<1x28x336x128xf16, #[[SEG]]>, tensor<1x128x28x336xf16, #[[OVL]]>)
func.func private @same_again(
    tensor<1x28x336x128xf16, #npu.layout<tiles = [1, 4, 1, 1], SEGMENTED, order = NCHW,
      split = balanced, copies = 1, align = [1, 1, 1, 1], major = [1]>>,
    tensor<1x128x28x336xf16, #npu.layout<order = [0, 2, 3, 1], tiles = [1, 1, 4, 1], OVERLAPPED>>)

// CHECK-LABEL: func.func private @windows
// CHECK-SAME: (tensor<1x64x13x16xf16, #[[WIN]]>, tensor<1x64x13x16xf16, #[[DIL]]>)
func.func private @windows(
    tensor<1x64x13x16xf16, #npu.layout<OVERLAPPED, tiles = [1, 1, 4, 1], window = [[2, 3, 1, 1, 1]], split = ceil>>,
    tensor<1x64x13x16xf16, #npu.layout<OVERLAPPED, tiles = [1, 1, 4, 1],
      window = [[2, 3, 1, 2, 2, 2], [2, 3, 1, 1, 1, 1], [2, 3, 1, 1, 1]]>>)

// CHECK-LABEL: func.func private @broadcasts
// CHECK-SAME: (tensor<1x64x13x16xf16, #[[DUP]]>, tensor<1x64x13x16xf16, #[[SEGDUP]]>, tensor<1x64x13x16xf16, #[[MULTI]]>)
func.func private @broadcasts(
    tensor<1x64x13x16xf16, #npu.layout<DUPLICATED, tiles = 4>>,
    tensor<1x64x13x16xf16, #npu.layout<DUPLICATED|SEGMENTED, tiles = [1, 4, 1, 1], align = [1, 16, 1, 1]>>,
    tensor<1x64x13x16xf16, #npu.layout<MULTICASTED|SEGMENTED, tiles = [1, 1, 4, 1]>>)

// CHECK-LABEL: func.func private @grids
// CHECK-SAME: (tensor<1x8x8x4xf16, #[[GRID]]>, tensor<1x8x8x4xf16, #[[MAJOR]]>, tensor<8x4xf16, #[[COPIES]]>)
func.func private @grids(
    tensor<1x8x8x4xf16, #npu.layout<SEGMENTED, tiles = [1, 2, 2, 1]>>,
    tensor<1x8x8x4xf16, #npu.layout<SEGMENTED, tiles = [1, 2, 2, 1], major = [2, 1]>>,
    tensor<8x4xf16, #npu.layout<SEGMENTED, tiles = [2, 1], copies = 2>>)

// CHECK-LABEL: func.func private @boxes
// CHECK-SAME: (tensor<8x4xf16, #[[BOXES]]>, tensor<8x4xf16, #[[COMPUTE]]>)
func.func private @boxes(
    tensor<8x4xf16, #npu.layout<OVERLAPPED, compute = [[0:4, 0:4], [4:8, 0:4]], memory = [[0:5, 0:4], [3:8, 0:4]]>>,
    tensor<8x4xf16, #npu.layout<OVERLAPPED, compute = [[0:5, 0:4], [3:8, 0:4]]>>)

// CHECK-LABEL: func.func private @orders
// CHECK-SAME: (tensor<1x64x56x56xf16, #[[NHWC]]>, tensor<2x1x64x56x56xf16, #[[GNHWC]]>, tensor<?x8xf16, #[[LIST]]>)
func.func private @orders(
    tensor<1x64x56x56xf16, #npu.layout<order = NHWC>>,
    tensor<2x1x64x56x56xf16, #npu.layout<order = [0, 1, 3, 4, 2]>>,
    tensor<?x8xf16, #npu.layout<order = [1, 0]>>)

// An order-only layout that is the default is not nothing: it is what was
// written.
// CHECK-LABEL: func.func private @explicit_default
// CHECK-SAME: #nchw
func.func private @explicit_default(tensor<1x2x3x4xf16, #npu.layout<order = NCHW>>)

// Boxes of nothing are equal whatever their rank; these two layouts are not one.
// CHECK-LABEL: func.func private @boxes_of_nothing
// CHECK-SAME: (tensor<0x4xf16, #{{[a-z]*[0-9]*}}>, tensor<0x4x2xf16, #{{[a-z]*[0-9]*}}>)
func.func private @boxes_of_nothing(
    tensor<0x4xf16, #npu.layout<SEGMENTED, compute = [[0:0, 0:4]]>>,
    tensor<0x4x2xf16, #npu.layout<SEGMENTED, compute = [[0:0, 0:4, 0:2]]>>)
