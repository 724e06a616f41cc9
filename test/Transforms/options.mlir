// What is not there yet, or not known, is refused with a message and exit 1
// before anything is done.
//
// RUN: not npu-opt %s --npu-legalize-distributions=max-prompt-len=512 2>&1 | FileCheck %s --check-prefix=PAD
// RUN: not npu-opt %s --npu-legalize-distributions=max-prompt-len=0 2>&1 | FileCheck %s --check-prefix=PAD0
// RUN: not npu-opt %s --pass-pipeline='builtin.module(func.func(npu-legalize-distributions{max-prompt-len=512}))' 2>&1 | FileCheck %s --check-prefix=PAD
// RUN: not npu-opt %s --npu-legalize-distributions=max-prompt-len=many 2>&1 | FileCheck %s --check-prefix=MANY
// RUN: not npu-opt %s --npu-legalize-distributions=max-prompt-length=512 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not npu-opt %s --npu-verify-distributions=strictly 2>&1 | FileCheck %s --check-prefix=STRICTLY
// RUN: not npu-opt %s --npu-verify-distributions=strict=maybe 2>&1 | FileCheck %s --check-prefix=MAYBE
// RUN: not npu-opt %s --npu-print-transfers=format=xml 2>&1 | FileCheck %s --check-prefix=TRANSFERS --implicit-check-not=func.func
// RUN: not npu-opt %s --npu-print-costs="format=xml target=npu4000" 2>&1 | FileCheck %s --check-prefix=COSTS --implicit-check-not=func.func
// RUN: not npu-opt %s --npu-print-distributions=format= 2>&1 | FileCheck %s --check-prefix=DISTRIBUTIONS --implicit-check-not=func.func
// RUN: not npu-opt %s --npu-legalise-distributions 2>&1 | FileCheck %s --check-prefix=PASS

// PAD: error: expected a prompt dimension to pad to 512: mark arguments with npu.prompt_dim, or make the dimension dynamic
// PAD0: error: expected max-prompt-len of at least 1, got 0
// MANY: for the --max-prompt-len option: 'many' value invalid
// UNKNOWN: no such option max-prompt-length
// STRICTLY: no such option strictly
// MAYBE: 'maybe' is invalid value for boolean argument!
// TRANSFERS: error: npu-print-transfers: unknown format 'xml', expected text, json or picture
// COSTS: error: npu-print-costs: unknown format 'xml', expected text or json
// DISTRIBUTIONS: error: npu-print-distributions: unknown format '', expected text, json or picture
// PASS: Unknown command line argument '--npu-legalise-distributions'
// PASS: --npu-legalize-distributions

// Given bare, a boolean option is true; given in words, what the words say.
// RUN: not npu-opt %s --npu-verify-distributions=strict -o /dev/null 2>&1 | FileCheck %s --check-prefix=STRICT
// RUN: not npu-opt %s --npu-verify-distributions=strict=true -o /dev/null 2>&1 | FileCheck %s --check-prefix=STRICT
// RUN: not npu-opt %s --npu-verify-distributions="strict" -o /dev/null 2>&1 | FileCheck %s --check-prefix=STRICT
// RUN: npu-opt %s --npu-verify-distributions=strict=false -o /dev/null
// RUN: npu-opt %s --npu-verify-distributions -o /dev/null
// STRICT: PermuteCast input and output distributions are incompatible

func.func @f(%x: tensor<8x4xf16, #npu.layout<SEGMENTED, tiles = [2, 1]>>) {
  %0 = npu.permute_cast %x mem_perm = [0, 1]
      : tensor<8x4xf16, #npu.layout<SEGMENTED, tiles = [2, 1]>>
     to tensor<8x4xf16, #npu.layout<OVERLAPPED, tiles = [2, 1]>>
  return
}
