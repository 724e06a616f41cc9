// What the pass refuses, at the function.
//
// RUN: npu-opt %s --npu-track-rounding-errors --split-input-file --verify-diagnostics

// expected-error@+1 {{expected tensors of static shape, got tensor<?xf32>}}
func.func @dynamic(%x: tensor<?xf32>) -> tensor<?xf32> {
  return %x : tensor<?xf32>
}

// -----

func.func private @callee(%x: f32) -> f32
// expected-error@+1 {{expected no calls, got one of 'callee'}}
func.func @calls(%x: f32) -> f32 {
  %0 = call @callee(%x) : (f32) -> f32
  return %0 : f32
}

// -----

// expected-error@+1 {{expected one block, got 2}}
func.func @blocks(%x: f32) -> f32 {
  cf.br ^next
^next:
  return %x : f32
}
