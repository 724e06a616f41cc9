// What costs least to move between machines need not be the fewest bytes. The
// first operand lies on the first machine, where the result is wanted, and two
// others on the second. Computed there, one operand and the result would move:
// 32 KB, all of it from one machine to the other. Computed where the result is
// wanted, all operands move, 40 KB, of which 24 KB cross. On one machine the
// fewest bytes are cheapest.
//
// RUN: npu-opt %s --npu-legalize-distributions -o %t.two.mlir
// RUN: FileCheck %s --check-prefix=TWO < %t.two.mlir
// RUN: npu-opt %t.two.mlir --npu-print-transfers -o /dev/null | FileCheck %s --check-prefix=TRAFFIC
// RUN: npu-run %t.two.mlir --reference=%s | FileCheck %s --check-prefix=SAME
// RUN: sed 's/"npu.machine[a-z_]*" = [0-9]*,//g' %s | npu-opt --npu-legalize-distributions -o %t.one.mlir
// RUN: FileCheck %s --check-prefix=ONE < %t.one.mlir
// RUN: npu-run %t.one.mlir --reference=%s | FileCheck %s --check-prefix=SAME
// SAME: 0 different
// SAME: {{^}}equal

// ONE-DAG: [[FAR:#[a-z0-9_]+]] = #npu.layout<OVERLAPPED, compute = {{\[\[}}0:0
// ONE: npu.redistribute %arg0
// ONE: linalg.generic{{.*}} outs({{.*}}tensor<64x64xf32, [[FAR]]>)
// ONE: npu.redistribute
// ONE-NEXT: return

// TWO-DAG: [[WANTED:#[a-z0-9_]+]] = #npu.layout<OVERLAPPED, compute = {{\[\[}}32:64
// TWO-COUNT-3: npu.redistribute
// TWO: linalg.generic{{.*}} outs({{.*}}tensor<64x64xf32, [[WANTED]]>)
// TWO-NOT: npu.redistribute
// TWO: return

// TRAFFIC: {{^ *}}received 8192
// TRAFFIC: between machines 8192
// TRAFFIC: {{^ *}}received 16384
// TRAFFIC: between machines 16384
// TRAFFIC: {{^ *}}received 16384
// TRAFFIC: between machines 0
// TRAFFIC: total

#near = #npu.layout<SEGMENTED, tiles = [2, 1]>
#far = #npu.layout<OVERLAPPED, compute = [[0:0, 0:0], [0:0, 0:0], [0:32, 0:64], [32:64, 0:64]]>
#wanted = #npu.layout<OVERLAPPED, compute = [[32:64, 0:64], [0:32, 0:64]]>
#map = affine_map<(d0, d1) -> (d0, d1)>

module attributes {dlti.target_system_spec = #dlti.target_system_spec<
    "NPU" = #dlti.target_device_spec<"npu.name" = "two", "npu.like" = "npu4000", "npu.tiles" = 4,
        "npu.machine_tiles" = 2, "npu.machine_link_latency" = 500, "npu.machine_link_rate" = 400,
        "npu.dma_ports" = 2>>} {

func.func @main(%a: tensor<64x64xf32, #near>, %b: tensor<64x64xf32, #far>, %c: tensor<64x64xf16, #far>)
    -> tensor<64x64xf32, #wanted> {
  %e = tensor.empty() : tensor<64x64xf32, #wanted>
  %0 = linalg.generic {indexing_maps = [#map, #map, #map, #map], iterator_types = ["parallel", "parallel"]}
      ins(%a, %b, %c : tensor<64x64xf32, #near>, tensor<64x64xf32, #far>, tensor<64x64xf16, #far>)
      outs(%e : tensor<64x64xf32, #wanted>) {
  ^bb0(%x: f32, %y: f32, %z: f16, %out: f32):
    %1 = arith.extf %z : f16 to f32
    %2 = arith.addf %x, %y : f32
    %3 = arith.mulf %2, %1 : f32
    linalg.yield %3 : f32
  } -> tensor<64x64xf32, #wanted>
  return %0 : tensor<64x64xf32, #wanted>
}

}
