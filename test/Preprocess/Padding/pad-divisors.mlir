// A divisor is another one in padding only where it may trap: -1 does with signed
// numbers, whose smallest has no opposite, and not with unsigned ones.
// RUN: sed 's/DIVISION/remsi/' %s | npu-opt --npu-pad-to-max-prompt-len=max-prompt-len=8 | FileCheck %s --check-prefix=SIGNED
// RUN: sed 's/DIVISION/divsi/' %s | npu-opt --npu-pad-to-max-prompt-len=max-prompt-len=8 | FileCheck %s --check-prefix=SIGNED
// RUN: sed 's/DIVISION/remui/' %s | npu-opt --npu-pad-to-max-prompt-len=max-prompt-len=8 | FileCheck %s --check-prefix=UNSIGNED
// RUN: sed 's/DIVISION/divui/' %s | npu-opt --npu-pad-to-max-prompt-len=max-prompt-len=8 | FileCheck %s --check-prefix=UNSIGNED

// SIGNED: arith.select %{{.*}}, %c-1_i32, %{{.*}} : i32
// UNSIGNED-NOT: arith.select
// UNSIGNED: arith.{{rem|div}}ui %{{.*}}, %c-1_i32 : i32
#id = affine_map<(i) -> (i)>
func.func @f(%x: tensor<?xi32>) -> tensor<?xi32> {
  %c0 = arith.constant 0 : index
  %least = arith.constant -1 : i32
  %n = tensor.dim %x, %c0 : tensor<?xi32>
  %e = tensor.empty(%n) : tensor<?xi32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<?xi32>) outs(%e : tensor<?xi32>) {
  ^bb0(%a: i32, %o: i32):
    %d = arith.DIVISION %a, %least : i32
    linalg.yield %d : i32
  } -> tensor<?xi32>
  return %y : tensor<?xi32>
}
