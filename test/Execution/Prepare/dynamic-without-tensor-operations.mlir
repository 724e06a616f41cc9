// A function of dynamic extents runs although no operation of the file is one that
// npu-run needs to cut its arguments and results.
//
// RUN: npu-run %s --length=3 --inputs=iota | FileCheck %s
// CHECK: result #0 3xf32: 0 1 2

func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %e = math.absf %x : tensor<?xf32>
  return %e : tensor<?xf32>
}
