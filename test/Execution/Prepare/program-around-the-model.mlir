// A program that prints and takes the time stands around the model: npu-run and
// npu-compile find the same function in it on every device, and both take the
// program off.
//
// RUN: npu-run %s 2>&1 | FileCheck %s
// RUN: npu-run %s --device=CPU --target=npu4000 2>&1 | FileCheck %s
// RUN: npu-run %s --device=AUTO --target=npu4000 2>&1 | FileCheck %s
// RUN: npu-run %s --entry=kernel --reference=%s 2>&1 | FileCheck %s --check-prefixes=CHECK-REMARK,EQUAL
// RUN: npu-run %s --audit 2>&1 | FileCheck %s --check-prefixes=CHECK-REMARK,AUDIT
// RUN: npu-compile %s --target=npu4000 --device=NPU -o %t.npub 2>&1 | FileCheck %s --check-prefix=CHECK-REMARK
// RUN: npu-run %t.npub --reference=%s 2>&1 | FileCheck %s --check-prefixes=CHECK-REMARK,EQUAL
// RUN: npu-compile %s --target=npu4000 --device=CPU -o %t.cpu.npub 2>&1 | FileCheck %s --check-prefix=CHECK-REMARK
// RUN: npu-compile %s --target=npu4000 --device=AUTO -o %t.auto.npub 2>&1 | FileCheck %s --check-prefix=CHECK-REMARK
// RUN: npu-inspect %t.auto.npub | FileCheck %s --check-prefix=INSPECT
//
// The time of a run is one on this machine, and no time of the device that it simulates.
// RUN: npu-run %t.npub --repeat=2 2>&1 | FileCheck %s --check-prefix=SIMULATED
// RUN: npu-run %s --repeat=2 2>&1 | FileCheck %s --check-prefix=TIME
// RUN: npu-run %s --repeat=2 --reference=%s 2>&1 | FileCheck %s --check-prefix=TIMES

// CHECK: remark: 'kernel': took off 1 of 'rtclock', 1 of 'printMemrefF32'; returns 1 tensor that was printed
// CHECK: 'kernel' ran: (4x8xf32) -> (4x8xf32, 4x8xf32)
// CHECK-REMARK: remark: 'kernel': took off 1 of 'rtclock', 1 of 'printMemrefF32'; returns 1 tensor that was printed
// EQUAL: equal
// AUDIT: audit of 'kernel'
// INSPECT: kernel
// TIME: time: {{[0-9.]+}} ms on this CPU{{$}}
// SIMULATED: time: {{[0-9.]+}} ms on this CPU, which simulates the device{{$}}
// TIMES: time: {{[0-9.]+}} ms on this CPU, reference {{[0-9.]+}} ms, ratio {{[0-9.]+}}

func.func private @rtclock() -> f64
func.func private @printMemrefF32(tensor<*xf32>)

func.func @kernel(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %begin = call @rtclock() : () -> f64
  %0 = arith.addf %x, %x : tensor<4x8xf32>
  %1 = tensor.cast %0 : tensor<4x8xf32> to tensor<*xf32>
  call @printMemrefF32(%1) : (tensor<*xf32>) -> ()
  return %0 : tensor<4x8xf32>
}

func.func @main() {
  %x = arith.constant dense<1.0> : tensor<4x8xf32>
  %0 = call @kernel(%x) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}
