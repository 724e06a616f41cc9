// An assertion that fails is an error at its place, with its message, on standard error,
// and exit code 1, in the function itself, in one that it calls and in the reference;
// nothing says that the function ran.
//
// RUN: not npu-run %s --inputs=iota > %t.out 2> %t.err
// RUN: FileCheck %s --input-file=%t.err
// RUN: count 0 < %t.out
// RUN: not npu-run %s --inputs=iota --reference=%s -O0 2>&1 | FileCheck %s
// RUN: not npu-run %s --inputs=iota --tiles=parallel 2>&1 | FileCheck %s
// RUN: not npu-run %s --inputs=iota --entry=of_caller 2>&1 | FileCheck %s
// RUN: npu-run %s --inputs=iota --entry=holds | FileCheck %s --check-prefix=HOLDS
// RUN: npu-opt %s --npu-report-assertions | FileCheck %s --check-prefix=LOWERED

// LOWERED-LABEL: func.func @main(
// LOWERED: cf.cond_br %{{.*}}, ^bb[[AFTER:.*]], ^bb[[FAILS:.*]]
// LOWERED: ^bb[[FAILS]]:
// LOWERED: %[[TEXT:.*]] = llvm.mlir.addressof @[[GLOBAL:.*]] : !llvm.ptr
// LOWERED: llvm.call @npu_assertion_failed(%[[TEXT]])
// LOWERED: llvm.unreachable
// LOWERED-NOT: cf.assert
func.func @main(%x: i32) -> i32 {
  %c7 = arith.constant 7 : i32
  %c = arith.cmpi sge, %x, %c7 : i32
  // CHECK: {{^.*}}failed-assertions.mlir:[[@LINE+1]]:3: error: assertion failed: expected at least "7"
  cf.assert %c, "expected at least \"7\""
  return %x : i32
}

func.func @of_caller(%x: i32) -> i32 {
  %r = call @main(%x) : (i32) -> i32
  return %r : i32
}

// HOLDS: 'holds' ran
func.func @holds(%x: i32) -> i32 {
  %c7 = arith.constant 7 : i32
  %c = arith.cmpi slt, %x, %c7 : i32
  cf.assert %c, "expected less"
  cf.assert %c, "expected less than that"
  return %x : i32
}
