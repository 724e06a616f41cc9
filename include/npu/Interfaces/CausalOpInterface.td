// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef NPU_INTERFACES_CAUSALOPINTERFACE_TD
#define NPU_INTERFACES_CAUSALOPINTERFACE_TD

include "mlir/IR/OpBase.td"

def NPU_CausalOpInterface : OpInterface<"CausalOpInterface"> {
  let description = [{
    Which rows of an operation's results follow from which rows of its operands,
    so that a prefill function can be run in chunks of the prompt. Nothing here
    changes IR.

    Operations with LinalgOp and elementwise ones get a model by default. An
    operation without a model that reads a value which follows from the prompt
    is refused, and so is one whose answer leaves out a result.

    Example, a tensor read backwards in one dimension, whole in one file:

    ```c++
    struct ReverseRows
        : npu::CausalOpInterface::ExternalModel<ReverseRows, ReverseOp> {
      npu::WhyNotCausal transferRows(Operation *op,
                                     npu::RowTransfer &rows) const {
        auto reverse = cast<ReverseOp>(op);
        npu::Dependence from = rows.of(reverse.getInput());
        if (from.row == reverse.getDim() || from.position == reverse.getDim())
          return "it reverses rows of the prompt or positions of the cache";
        from.cache = std::nullopt; // The cache itself is not reversed.
        rows.set(reverse.getResult(), from);
        return std::nullopt;
      }
      SmallVector<unsigned> getCopied(Operation *) const { return {0}; }
    };

    registry.addExtension(+[](MLIRContext *context, ThirdDialect *) {
      ReverseOp::attachInterface<ReverseRows>(*context);
    });
    ```
  }];
  let cppNamespace = "::npu";
  let methods = [
    InterfaceMethod<[{
        Says of every tensor among the results how it follows from the prompt
        (`rows.set`), or why it is not known. Asked where an operand follows
        from the prompt.
      }],
      "::npu::WhyNotCausal", "transferRows", (ins "::npu::RowTransfer &":$rows)>,
    InterfaceMethod<[{
        The operands that the operation copies entries from: each entry of a
        result is an entry of one of these operands. None where entries are
        computed.
      }],
      "::llvm::SmallVector<unsigned>", "getCopied", (ins), "",
      [{ return {}; }]>,
    InterfaceMethod<[{
        Whether the model handles scalars of the function, such as the begin of
        a slice or a number of entries. Such a model is also asked (1) where no
        tensor that the operation reads follows from the prompt, but a scalar
        that it reads follows from the offset or the length, and (2) where the
        operation makes a tensor of scalars alone. An operation whose model does
        not handle scalars is refused in case 1, and taken to give the same in
        every chunk in case 2.
      }],
      "bool", "takesNumbers", (ins), "", [{ return false; }]>,
    InterfaceMethod<[{
        Whether the operation may put the prompt's entries into a cache. Its
        model is also asked where an operand is a cache without these entries,
        for which all other operations are refused. A result that the model
        calls a cache is that cache after its only update.
      }],
      "bool", "updatesCaches", (ins), "", [{ return false; }]>
  ];
}

#endif // NPU_INTERFACES_CAUSALOPINTERFACE_TD
