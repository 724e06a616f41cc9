// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef NPU_CONVERSION_COMPILE_PASSES_TD
#define NPU_CONVERSION_COMPILE_PASSES_TD

include "npu/Dialect/NPU/Transforms/Verify/HostFallbackOption.td"

include "mlir/Pass/PassBase.td"

def CompileForDevice : Pass<"npu-compile-for-device", "::mlir::ModuleOp"> {
  let summary = "the phases of npu-compile for the device that counts";
  let description = [{
    What `npu-compile` consists of where `device`, `strict-device` or
    `print-device` is given: which device counts is known when the module is
    there, and which passes run depends on the device. `options` are those of
    `npu-compile`.

    The device is that of the option `device`, or else of the module
    (`npu.device`), or else of the environment (`NPU_DEVICE`), or else
    HETERO:NPU,CPU ([device strings](../devices.md#device-strings)):

    * NPU: the phases run, and the first operation that falls back to the host is an
      error;
    * CPU: layouts are taken off, and no tensor is given one;
    * HETERO: the phases run, and the CPU computes what tiles do not;
    * a list, AUTO: the devices are tried one after the other on copies of the
      module, down to the phase `scratchpad`, and the first that takes the whole
      model is taken. Where there is none, that is an error, with what each has
      against it, or for AUTO the same as HETERO. A remark says what was taken.

    A target that the device or `target=` names is written into the module, so
    that whoever runs it knows what it is for.

    Requires: what the phases require. Guarantees: what they guarantee.

    Example: with `options="device=CPU compile-to=legal"`, a `tosa.matmul`
    becomes a `linalg.batch_matmul` on tensors without layouts.
  }];
  let options = [
    Option<"optionsText", "options", "std::string", /*default=*/"\"\"",
           "the options of npu-compile">,
  ];
}

def SetTarget : Pass<"npu-set-target", "::mlir::ModuleOp"> {
  let summary = "write the device that counts into the module";
  let description = [{
    The module gets the description (`dlti.target_system_spec`) of a built-in
    device, by its name, or of one from a file of JSON, with all its figures
    ([targets of one's own](../devices.md#a-file-of-figures)). A module that
    describes the same device stays as it is; the description of another one is
    replaced. npu-compile runs this pass first where it is given a target, so
    that what it leaves after any phase says what it is for.

    Requires: nothing. Guarantees: all else stays as it is.

    Example: `--npu-set-target=target=npu4000` leaves

    ```mlir
    module attributes {dlti.target_system_spec = #dlti.target_system_spec<
        "NPU" = #dlti.target_device_spec<"npu.name" = "npu4000">>} { ... }
    ```
  }];
  let options = [
    Option<"target", "target", "std::string", /*default=*/"\"\"",
           "a built-in device, or the module's own">,
    Option<"targetFile", "target-file", "std::string", /*default=*/"\"\"",
           "file of JSON with a device's figures, instead of a name">,
  ];
  let dependentDialects = ["::npu::NPUDialect", "::mlir::DLTIDialect"];
}

def LowerModel : Pass<"npu-lower-model", "::mlir::ModuleOp"> {
  let summary = "a model as linalg on tensors, without the program around it";
  let description = [{
    The phase `input` of npu-compile. Runs upstream's passes and this project's,
    each only where the module has something for it:

    * a call of a function without a body, or `vector.print`: a program stands
      around the model, and `npu-isolate-computation` takes it off (`function`
      says which function is kept, and asks for it);
    * calls: `inline`; private functions that nobody calls any more go
      (`symbol-dce`). Functions with `no_inline` stay, and so do their calls;
    * TOSA: upstream's passes to linalg, tensor, arith and scf;
    * parts that are written one after the other into an empty tensor, as
      upstream lowers a concatenation: `tensor.concat`;
    * elementwise arith and math on tensors: `convert-elementwise-to-linalg`;
    * a transpose that only moves dimensions of extent 1:
      `npu-raise-permute-casts`.

    `canonicalize` and `cse` run in any case, but where tensors have layouts
    already: then `npu-canonicalize` instead of `canonicalize`, which does not
    know layouts.

    Requires: nothing. Guarantees: results stay the same; constants keep their
    data where it is.

    Example: `tosa.matmul` becomes `linalg.batch_matmul`.
  }];
  let options = [
    Option<"function", "function", "std::string", /*default=*/"\"\"",
           "the function to keep, with what it calls; empty: all, or the only "
           "one where a program stands around it">,
  ];
}

def PadPrompts : Pass<"npu-pad-prompts", "::mlir::ModuleOp"> {
  let summary = "pad prompts where there are some";
  let description = [{
    The phase `padded` of npu-compile: as `npu-pad-to-max-prompt-len` (one
    length) and `npu-legalize-distributions=max-prompt-len=128,512` (several),
    but a module without prompt dimensions stays as it is, with a warning where a
    length is given. A dynamic dimension without a length is an error.

    Requires: as `npu-pad-to-max-prompt-len`. Guarantees: the same.

    Example: with `max-prompt-len=512`, `tensor<1x?x3584xf16>` becomes
    `tensor<1x512x3584xf16>` inside of its function.
  }];
  let options = [
    ListOption<"maxPromptLen", "max-prompt-len", "int64_t",
               "pad prompt dimensions to this length, or to the smallest of "
               "several that fits">,
    Option<"side", "side", "std::string", /*default=*/"\"right\"",
           "where padding goes: right (real part first) or left">,
    Option<"staticSignature", "static-signature", "bool", /*default=*/"false",
           "callers give and take padded tensors, and give the length">,
    Option<"poison", "poison", "bool", /*default=*/"false",
           "fill padding with NaN (integers: 0xAB bytes), for tests">,
  ];
  let dependentDialects = ["::npu::NPUDialect", "::mlir::tensor::TensorDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::affine::AffineDialect",
                           "::mlir::cf::ControlFlowDialect",
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::scf::SCFDialect"];
}

def VerifyPhase : Pass<"npu-verify-phase", "::mlir::ModuleOp"> {
  let summary = "error where a module is not what a phase of npu-compile leaves";
  let description = [{
    Changes nothing. npu-compile runs it after every phase, and on the file that
    it reads where `compile-from` is given. Operations are verified by their own
    verifiers first, as a pass manager does it.

    | phase | what is verified |
    |---|---|
    | `start` | there is a function with a body, and nothing of a later phase than `legal` |
    | `input` | as `start`; no TOSA; a function that returns something |
    | `padded` | as `input`; no operation computes on a tensor of dynamic shape |
    | `assigned`, `streamed` | as `padded`; layouts fit their tensors; every operation has a kernel of the target, or is marked for the host (`npu-select-kernels`) |
    | `legal` | as `assigned`; `npu-verify-distributions=strict` |
    | `tiles` | no layouts; `npu-verify-tile-program`; every operation of a tile has a kernel |
    | `scratchpad` | no tensors; every buffer of a tile has a place (`npu-verify-scratchpad-plan`), and the places fit the target |
    | `llvm` | operations of the LLVM dialect alone |

    In each of them, the target exists.

    Requires: nothing. Guarantees on success: npu-compile goes on from here with
    `compile-from=PHASE`.

    Example of a refusal: `phase 'padded': expected static shapes, got
    'linalg.exp' on tensor<?xf32>`.
  }];
  let options = [
    Option<"phase", "phase", "std::string", /*default=*/"\"\"",
           "the phase by its name">,
    Option<"target", "target", "std::string", /*default=*/"\"\"",
           "the device whose limits count, instead of the module's own">,
    HostFallbackOption,
    Option<"ignoresDevice", "ignores-device", "bool", /*default=*/"false",
           "warn where the module names a device, which then does not count">,
  ];
  let dependentDialects = ["::npu::NPUDialect"];
}

#endif // NPU_CONVERSION_COMPILE_PASSES_TD
