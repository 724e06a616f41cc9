// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef NPU_INTERFACES_CAUSALOPINTERFACE_TD
#define NPU_INTERFACES_CAUSALOPINTERFACE_TD

include "mlir/IR/OpBase.td"

def NPU_CausalOpInterface : OpInterface<"CausalOpInterface"> {
  let description = [{
    Which rows of an operation's results follow from which rows of its operands,
    so that a prefill function can be run in chunks of the prompt. Nothing here
    changes IR.

    Operations with LinalgOp and elementwise ones get a model by default. What
    reads something of the prompt and has none is refused, and so is an answer
    that leaves out a result.

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
        Operands of which the results are made without computing: each entry of
        a result is an entry of one of these. None where entries are computed.
      }],
      "::llvm::SmallVector<unsigned>", "getCopied", (ins), "",
      [{ return {}; }]>,
    InterfaceMethod<[{
        Knows what to do with numbers of the function: where a slice begins, how
        many entries there are. It is asked as well where no tensor that it
        reads follows from the prompt but one of its numbers follows from the
        offset or the length, and where it makes a tensor of numbers alone.
        Others are refused the first and are taken to be the same in every
        chunk in the second case.
      }],
      "bool", "takesNumbers", (ins), "", [{ return false; }]>,
    InterfaceMethod<[{
        May put the prompt's entries into a cache. It is asked as well where an
        operand is a cache without them, which all others are refused, and a
        result that it calls a cache is that cache after the one update that it
        gets.
      }],
      "bool", "updatesCaches", (ins), "", [{ return false; }]>
  ];
}

#endif // NPU_INTERFACES_CAUSALOPINTERFACE_TD
