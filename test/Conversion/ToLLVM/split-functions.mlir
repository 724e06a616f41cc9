// A long block becomes calls of parts, which are not inlined. What one part makes and
// another uses is handed over: scalars as arguments and results, buffers of static shape
// as two pointers in an array, which is freed in the end. What has no effects, and what
// is loaded from the list of arguments, is made again. A short block stays as it is.
//
// RUN: npu-opt %s --npu-split-functions=operations=3 --split-input-file | FileCheck %s
// RUN: npu-opt %s --npu-split-functions=operations=99 --split-input-file | FileCheck %s --check-prefix=SHORT
// RUN: not npu-opt %s --npu-split-functions=operations=0 --split-input-file 2>&1 | FileCheck %s --check-prefix=WRONG

// SHORT-NOT: npu_part
// WRONG: error: npu-split-functions: expected operations=N of at least 1, got 0

func.func private @use(memref<4xf32>)
func.func private @number() -> i64
func.func private @take(i64)

// CHECK-LABEL: func.func @buffers(%arg0: !llvm.ptr) {
// CHECK:         %[[COUNT:.*]] = arith.constant 2 : index
// CHECK:         %[[ARRAY:.*]] = memref.alloc(%[[COUNT]]) : memref<?xi64>
// CHECK:         %[[FRAME:.*]] = llvm.extractvalue
// CHECK:         %[[N:.*]] = call @npu_part.2(%[[FRAME]]) : (!llvm.ptr) -> i64
// CHECK:         call @npu_part.1(%[[FRAME]]) : (!llvm.ptr) -> ()
// CHECK:         call @npu_part.0(%[[N]], %{{.*}})
// CHECK:         memref.dealloc %[[ARRAY]]
// CHECK-NEXT:    return
// CHECK:       func.func private @npu_part.0(
// CHECK-SAME:      attributes {passthrough = ["noinline"]}
// The last part loads the argument and the buffer again.
// CHECK:         llvm.load %{{.*}} invariant
// CHECK:         memref.dealloc
// CHECK:       func.func private @npu_part.2(%[[ADDRESS:.*]]: !llvm.ptr) -> i64
// CHECK:         %[[BUFFER:.*]] = memref.alloc() : memref<4xf32>
// CHECK:         call @use(%[[BUFFER]])
// CHECK:         %[[WORDS:.*]] = builtin.unrealized_conversion_cast %[[BUFFER]]
// CHECK:         %[[ALLOCATED:.*]] = llvm.extractvalue %[[WORDS]][0]
// CHECK:         llvm.store %[[ALLOCATED]], %{{.*}}
// CHECK:         %[[ALIGNED:.*]] = llvm.extractvalue %[[WORDS]][1]
// CHECK:         llvm.store %[[ALIGNED]], %{{.*}}
// CHECK:         return %{{.*}} : i64
func.func @buffers(%list: !llvm.ptr) {
  %made = memref.alloc() : memref<4xf32>
  %n = call @number() : () -> i64
  call @use(%made) : (memref<4xf32>) -> ()
  %given = llvm.load %list invariant : !llvm.ptr -> !llvm.ptr
  call @use(%made) : (memref<4xf32>) -> ()
  %again = llvm.ptrtoint %given : !llvm.ptr to i64
  call @take(%again) : (i64) -> ()
  call @take(%n) : (i64) -> ()
  memref.dealloc %made : memref<4xf32>
  return
}

// -----

// Memory on the stack stays in its function, and so does what returns use.
func.func private @fill(memref<4xf32>)
// CHECK-LABEL: func.func @stack() -> memref<?xf32> {
// CHECK:         memref.alloca
// CHECK:         %[[LAST:.*]] = call @npu_part.0(
// CHECK:         return %[[LAST]]
func.func @stack() -> memref<?xf32> {
  %m = memref.alloca() : memref<4xf32>
  call @fill(%m) : (memref<4xf32>) -> ()
  call @fill(%m) : (memref<4xf32>) -> ()
  call @fill(%m) : (memref<4xf32>) -> ()
  call @fill(%m) : (memref<4xf32>) -> ()
  call @fill(%m) : (memref<4xf32>) -> ()
  %n = arith.constant 4 : index
  %last = memref.alloc(%n) : memref<?xf32>
  return %last : memref<?xf32>
}

// -----

// Vectors of i1 are handed over as bytes.
func.func private @mask() -> vector<8xi1>
func.func private @choose(vector<8xi1>, vector<8xi1>)
// CHECK-LABEL: func.func @masks() {
// CHECK:         call @npu_part.1() : () -> (vector<8xi8>, vector<8xi8>, vector<8xi8>)
// CHECK:         call @npu_part.0({{.*}}) : (vector<8xi8>, vector<8xi8>, vector<8xi8>) -> ()
// CHECK:       func.func private @npu_part.0(%[[MASK:.*]]: vector<8xi8>, %{{.*}}: vector<8xi8>, %{{.*}}: vector<8xi8>)
// CHECK:         arith.trunci %[[MASK]] : vector<8xi8> to vector<8xi1>
func.func @masks() {
  %a = call @mask() : () -> vector<8xi1>
  %b = call @mask() : () -> vector<8xi1>
  %c = call @mask() : () -> vector<8xi1>
  call @choose(%c, %b) : (vector<8xi1>, vector<8xi1>) -> ()
  call @choose(%a, %b) : (vector<8xi1>, vector<8xi1>) -> ()
  call @choose(%a, %a) : (vector<8xi1>, vector<8xi1>) -> ()
  call @choose(%b, %c) : (vector<8xi1>, vector<8xi1>) -> ()
  return
}
