// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef NPU_INTERFACES_PARTWISEOPINTERFACE_TD
#define NPU_INTERFACES_PARTWISEOPINTERFACE_TD

include "mlir/IR/OpBase.td"

def NPU_PartwiseOpInterface : OpInterface<"PartwiseOpInterface"> {
  let description = [{
    What an operation on ranked tensors reads to produce a part of its results,
    and how a tile makes that part. Boxes are in elements, logical dimensions and
    whole-tensor coordinates.

    Operations with LinalgOp and elementwise ones get a model by default. Those
    that have upstream's IndexingMapOpInterface and DestinationStyleOpInterface
    get one that says what they read, and not how a tile makes its part. An
    operation without a model, and one that no tile can do a part of, falls back
    to the host; users are told the operation, the reason and the bytes.
  }];
  let cppNamespace = "::npu";
  let methods = [
    InterfaceMethod<[{
        The loops of the operation, and one affine map from loops to each operand
        and result. Made with OpAccessBuilder. Nothing where there are no such
        maps: of a dynamic shape, say, or with offsets known at run time only.
        The maps may give more of an operand than the operation reads, and never
        less.
      }],
      "std::optional<::npu::OpAccess>", "getAccess">,
    InterfaceMethod<[{
        The operands that the entries of the only result are copied from, where
        the operation computes nothing; no operands where it computes. An output
        operand that is overwritten in part is one of them.
      }],
      "::llvm::SmallVector<unsigned>", "copiedOperands", (ins), "", [{
        return {};
      }]>,
    InterfaceMethod<[{
        Whether a tile's part of the result begins at the same index of its
        tensor as the tile's parts of the operands, dimension by dimension.
      }],
      "bool", "partsBeginTogether", (ins), "", [{ return false; }]>,
    InterfaceMethod<[{
        Why tiles cannot make their parts of this operation, as the end of the
        sentence "'x' falls back to the host: ..."; nothing where they can.
        Asked only of operations that have an access and whose results are on
        tiles, after npu-verify-distributions has accepted them.
      }],
      "std::optional<std::string>", "whyNotCut", (ins), "", [{
        return "nobody says how a tile does a part of it";
      }]>,
    InterfaceMethod<[{
        Makes one tile's part of every result of which the tile holds a part,
        and gives it to `part`. Asked where `whyNotCut` has no reason. A failure
        is an error of the model.
      }],
      "::llvm::LogicalResult", "cutForTile", (ins "::npu::TilePart &":$part), "", [{
        return ::llvm::failure();
      }]>
  ];
}

#endif // NPU_INTERFACES_PARTWISEOPINTERFACE_TD
