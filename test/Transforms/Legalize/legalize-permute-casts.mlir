// The main job: a permute_cast keeps what memory has, and what was declared
// follows as a relabel, a narrowing or a redistribution of the fewest bytes. Each
// decision is a remark with its reason and its bytes. The tensor has 2,408,448
// bytes, and goes through DDR as an argument and as a result.
//
// RUN: npu-opt %s --npu-legalize-distributions --npu-verify-distributions=strict \
// RUN:   --verify-diagnostics --remarks-filter=npu --remark-format=emitRemark | FileCheck %s
// The half of it that inserts redistributions does the same by itself.
// RUN: npu-opt %s --npu-insert-redistributions --npu-verify-distributions=strict | FileCheck %s
// As it was, strict verification refuses it.
// RUN: not npu-opt %s --npu-verify-distributions=strict -o /dev/null 2>&1 | FileCheck %s --check-prefix=BEFORE

// BEFORE: error: PermuteCast input and output distributions are incompatible: in = #npu.layout<SEGMENTED, tiles = [1, 4, 1, 1]>

// CHECK-DAG: #[[HEADS:.+]] = #npu.layout<SEGMENTED, tiles = [1, 4, 1, 1]>
// CHECK-DAG: #[[ROWS:.+]] = #npu.layout<SEGMENTED, tiles = [1, 1, 4, 1], order = NHWC>
// CHECK-DAG: #[[OVERLAPPED:.+]] = #npu.layout<OVERLAPPED, tiles = [1, 1, 4, 1], order = NHWC>
// CHECK-DAG: #[[ALL:.+]] = #npu.layout<DUPLICATED, tiles = 4, order = NHWC>
// CHECK-DAG: #[[SHIFTED:.+]] = #npu.layout<OVERLAPPED, compute = {{.*}}0:8{{.*}}22:28
#heads = #npu.layout<SEGMENTED, tiles = [1, 4, 1, 1]>
#everywhere = #npu.layout<DUPLICATED, tiles = 4>
#rows = #npu.layout<SEGMENTED, tiles = [1, 1, 4, 1], order = NHWC>
#rows_overlapped = #npu.layout<OVERLAPPED, tiles = [1, 1, 4, 1], order = NHWC>
#everywhere_nhwc = #npu.layout<DUPLICATED, tiles = 4, order = NHWC>
#one_head_off = #npu.layout<OVERLAPPED, order = NHWC,
    compute = [[0:1, 0:128, 0:8, 0:336], [0:1, 0:128, 8:15, 0:336],
               [0:1, 0:128, 15:22, 0:336], [0:1, 0:128, 22:28, 0:336]]>
#nhwc = #npu.layout<order = NHWC>

// The field's failure: one word differs.
// CHECK-LABEL: func.func @label
// expected-remark-re@+1 {{total | {{.*}}Function=label | {{.*}}, boundary_bytes=4816896, bytes_injected=0, bytes_received=0, bytes_relaid=0, ddr_bytes=4816896, gathered_bytes=0}}
func.func @label(%x: tensor<1x28x336x128xf16, #heads>) -> tensor<1x128x28x336xf16, #rows_overlapped> {
  // CHECK-NEXT: %[[CAST:.+]] = npu.permute_cast %arg0 mem_perm = [0, 1, 2, 3] : tensor<1x28x336x128xf16, #[[HEADS]]> to tensor<1x128x28x336xf16, #[[ROWS]]>
  // CHECK-NEXT: %[[LABEL:.+]] = npu.distribution_cast %[[CAST]] : tensor<1x128x28x336xf16, #[[ROWS]]> to tensor<1x128x28x336xf16, #[[OVERLAPPED]]>
  // CHECK-NEXT: return %[[LABEL]]
  // expected-remark@+1 {{[Passed] relabel | Category:npu | Function=label | Reason="every tile holds the same boxes on both sides of the permute_cast, only the label differs: #npu.layout<SEGMENTED, tiles = [1, 1, 4, 1], order = NHWC> becomes #npu.layout<OVERLAPPED, tiles = [1, 1, 4, 1], order = NHWC>", bytes=0}}
  %0 = npu.permute_cast %x mem_perm = [0, 1, 2, 3]
      : tensor<1x28x336x128xf16, #heads> to tensor<1x128x28x336xf16, #rows_overlapped>
  return %0 : tensor<1x128x28x336xf16, #rows_overlapped>
}

// Tiles 0, 1 and 2 each want a row of 128 x 336 f16 more than they have.
// CHECK-LABEL: func.func @one_head_off
// expected-remark-re@+1 {{total | {{.*}}Function=one_head_off | {{.*}}, boundary_bytes=4816896, bytes_injected=258048, bytes_received=258048, bytes_relaid=0, ddr_bytes=4816896, gathered_bytes=0}}
func.func @one_head_off(%x: tensor<1x28x336x128xf16, #heads>) -> tensor<1x128x28x336xf16, #one_head_off> {
  // CHECK-NEXT: %[[CAST:.+]] = npu.permute_cast %arg0 {{.*}} to tensor<1x128x28x336xf16, #[[ROWS]]>
  // CHECK-NEXT: %[[MOVED:.+]] = npu.redistribute %[[CAST]] : tensor<1x128x28x336xf16, #[[ROWS]]> to tensor<1x128x28x336xf16, #[[SHIFTED]]>
  // CHECK-NEXT: return %[[MOVED]]
  // expected-remark-re@+1 {{redistribute | Category:npu | Function=one_head_off | Reason="tiles do not hold what the result of the permute_cast declares: {{.*}}", bytes=258048}}
  %0 = npu.permute_cast %x mem_perm = [0, 1, 2, 3]
      : tensor<1x28x336x128xf16, #heads> to tensor<1x128x28x336xf16, #one_head_off>
  return %0 : tensor<1x128x28x336xf16, #one_head_off>
}

// Every tile has everything and is to keep a part.
// CHECK-LABEL: func.func @narrowing
// expected-remark-re@+1 {{total | {{.*}}Function=narrowing | {{.*}}, boundary_bytes=4816896, bytes_injected=0, bytes_received=0, bytes_relaid=0, ddr_bytes=4816896, gathered_bytes=0}}
func.func @narrowing(%x: tensor<1x28x336x128xf16, #everywhere>) -> tensor<1x128x28x336xf16, #rows> {
  // CHECK-NEXT: %[[CAST:.+]] = npu.permute_cast %arg0 {{.*}} to tensor<1x128x28x336xf16, #[[ALL]]>
  // CHECK-NEXT: npu.distribution_cast %[[CAST]] : tensor<1x128x28x336xf16, #[[ALL]]> to tensor<1x128x28x336xf16, #[[ROWS]]>
  // expected-remark@+1 {{narrow | Category:npu | Function=narrowing | Reason="every tile holds what the result of the permute_cast declares, and more", bytes=0}}
  %0 = npu.permute_cast %x mem_perm = [0, 1, 2, 3]
      : tensor<1x28x336x128xf16, #everywhere> to tensor<1x128x28x336xf16, #rows>
  return %0 : tensor<1x128x28x336xf16, #rows>
}

// Every tile has a quarter and is to have everything: three quarters each, of
// 2,408,448 bytes.
// CHECK-LABEL: func.func @widening
// expected-remark-re@+1 {{total | {{.*}}Function=widening | {{.*}}, boundary_bytes=4816896, bytes_injected=2408448, bytes_received=7225344, bytes_relaid=0, ddr_bytes=4816896, gathered_bytes=0}}
func.func @widening(%x: tensor<1x28x336x128xf16, #heads>) -> tensor<1x128x28x336xf16, #everywhere_nhwc> {
  // CHECK-NEXT: %[[CAST:.+]] = npu.permute_cast %arg0 {{.*}} to tensor<1x128x28x336xf16, #[[ROWS]]>
  // CHECK-NEXT: npu.redistribute %[[CAST]] : tensor<1x128x28x336xf16, #[[ROWS]]> to tensor<1x128x28x336xf16, #[[ALL]]>
  // expected-remark-re@+1 {{redistribute | Category:npu | Function=widening | {{.*}}, bytes=7225344}}
  %0 = npu.permute_cast %x mem_perm = [0, 1, 2, 3]
      : tensor<1x28x336x128xf16, #heads> to tensor<1x128x28x336xf16, #everywhere_nhwc>
  return %0 : tensor<1x128x28x336xf16, #everywhere_nhwc>
}

// CHECK-LABEL: func.func @store
// expected-remark-re@+1 {{total | {{.*}}Function=store | {{.*}}, boundary_bytes=2408448, bytes_injected=0, bytes_received=0, bytes_relaid=0, ddr_bytes=4816896, gathered_bytes=0}}
func.func @store(%x: tensor<1x28x336x128xf16, #heads>) -> tensor<1x128x28x336xf16, #nhwc> {
  // CHECK-NEXT: %[[CAST:.+]] = npu.permute_cast %arg0 {{.*}} to tensor<1x128x28x336xf16, #[[ROWS]]>
  // CHECK-NEXT: npu.redistribute %[[CAST]] : tensor<1x128x28x336xf16, #[[ROWS]]> to tensor<1x128x28x336xf16, #nhwc>
  // expected-remark-re@+1 {{redistribute | Category:npu | Function=store | {{.*}}, bytes=2408448}}
  %0 = npu.permute_cast %x mem_perm = [0, 1, 2, 3]
      : tensor<1x28x336x128xf16, #heads> to tensor<1x128x28x336xf16, #nhwc>
  return %0 : tensor<1x128x28x336xf16, #nhwc>
}

// CHECK-LABEL: func.func @load
// expected-remark-re@+1 {{total | {{.*}}Function=load | {{.*}}, boundary_bytes=2408448, bytes_injected=0, bytes_received=0, bytes_relaid=0, ddr_bytes=4816896, gathered_bytes=0}}
func.func @load(%x: tensor<1x28x336x128xf16>) -> tensor<1x128x28x336xf16, #rows> {
  // CHECK-NEXT: %[[CAST:.+]] = npu.permute_cast %arg0 {{.*}} to tensor<1x128x28x336xf16, #nhwc>
  // CHECK-NEXT: npu.redistribute %[[CAST]] : tensor<1x128x28x336xf16, #nhwc> to tensor<1x128x28x336xf16, #[[ROWS]]>
  // expected-remark-re@+1 {{redistribute | Category:npu | Function=load | {{.*}}, bytes=2408448}}
  %0 = npu.permute_cast %x mem_perm = [0, 1, 2, 3]
      : tensor<1x28x336x128xf16> to tensor<1x128x28x336xf16, #rows>
  return %0 : tensor<1x128x28x336xf16, #rows>
}

// What is right stays as it is.
// CHECK-LABEL: func.func @fine
// expected-remark-re@+1 {{total | {{.*}}Function=fine | {{.*}}, boundary_bytes=4816896, bytes_injected=0, bytes_received=0, bytes_relaid=0, ddr_bytes=4816896, gathered_bytes=0}}
func.func @fine(%x: tensor<1x28x336x128xf16, #heads>) -> tensor<1x128x28x336xf16, #rows> {
  // CHECK-NEXT: %[[CAST:.+]] = npu.permute_cast %arg0 {{.*}} to tensor<1x128x28x336xf16, #[[ROWS]]>
  // CHECK-NEXT: return %[[CAST]]
  // expected-remark@+1 {{[Analysis] left-alone | Category:npu | Function=fine | Reason="both sides of the permute_cast describe the same boxes in the same words", bytes=0}}
  %0 = npu.permute_cast %x mem_perm = [0, 1, 2, 3]
      : tensor<1x28x336x128xf16, #heads> to tensor<1x128x28x336xf16, #rows>
  return %0 : tensor<1x128x28x336xf16, #rows>
}

// A mismatch nobody looks at is not repaired with dead code; the cast says what
// memory has.
// CHECK-LABEL: func.func @unused
// expected-remark-re@+1 {{total | {{.*}}Function=unused | {{.*}}, boundary_bytes=2408448, bytes_injected=0, bytes_received=0, bytes_relaid=0, ddr_bytes=2408448, gathered_bytes=0}}
func.func @unused(%x: tensor<1x28x336x128xf16, #heads>) {
  // CHECK-NEXT: npu.permute_cast %arg0 {{.*}} to tensor<1x128x28x336xf16, #[[ROWS]]>
  // CHECK-NEXT: return
  // expected-remark@+1 {{relabel | Category:npu | Function=unused | Reason="nobody uses result #0, and it is declared as #npu.layout<SEGMENTED, tiles = [1, 1, 4, 1], order = NHWC>", bytes=0}}
  %0 = npu.permute_cast %x mem_perm = [0, 1, 2, 3]
      : tensor<1x28x336x128xf16, #heads> to tensor<1x128x28x336xf16, #rows_overlapped>
  return
}
