// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Models for operations of arith.

#include "Models.h"
#include "npu/Interfaces/RematerializableOpInterface.h"
#include "npu/Interfaces/ScalarOpInterface.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/DialectResourceBlobManager.h"

using namespace mlir;

namespace npu {
namespace {

/// The same elements under another type of the same shape; null for kinds of
/// attributes that cannot be retyped.
ElementsAttr retyped(ElementsAttr elements, RankedTensorType type) {
  if (auto dense = dyn_cast<DenseElementsAttr>(elements)) {
    if (dense.isSplat())
      return dense.resizeSplat(type);
    return dense.reshape(type);
  }
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(elements))
    return DenseResourceElementsAttr::get(type, resource.getRawHandle());
  if (auto sparse = dyn_cast<SparseElementsAttr>(elements))
    return DenseElementsAttr::get(
        type, llvm::to_vector(sparse.getValues<Attribute>()));
  return {};
}

struct ConstantRematerialization
    : RematerializableOpInterface::ExternalModel<ConstantRematerialization,
                                                 arith::ConstantOp> {
  DataNeed getDataNeed(Operation *op) const {
    Attribute value = cast<arith::ConstantOp>(op).getValue();
    if (isa<SplatElementsAttr>(value))
      return DataNeed::Uniform;
    return isa<DenseElementsAttr, DenseResourceElementsAttr,
               SparseElementsAttr>(value)
               ? DataNeed::Stored
               : DataNeed::Computed;
  }

  FailureOr<Value> rematerializeAs(Operation *op, OpBuilder &builder,
                                   RankedTensorType type) const {
    if (getDataNeed(op) == DataNeed::Computed)
      return failure();
    auto elements = cast<ElementsAttr>(cast<arith::ConstantOp>(op).getValue());
    return arith::ConstantOp::create(builder, op->getLoc(), type,
                                     retyped(elements, type))
        .getResult();
  }
};

/// The harmless divisor of a division whose divisor may be 0, or -1 in a signed
/// division: the quotient of the smallest number and -1 does not fit in the
/// type.
std::optional<int64_t> harmlessDivisor(Operation *op, unsigned number,
                                       bool isSigned) {
  std::optional<int64_t> divisor = getConstantIntValue(op->getOperand(1));
  bool overflows = isSigned && divisor == -1;
  bool harmless = number == 0 || (divisor && *divisor != 0 && !overflows);
  return harmless ? std::nullopt : std::optional<int64_t>(1);
}

/// The model of divisions and remainders.
template <typename Op, bool IsSigned>
struct DivisorFacts
    : ScalarOpInterface::ExternalModel<DivisorFacts<Op, IsSigned>, Op> {
  std::optional<int64_t> getHarmlessOperand(Operation *op,
                                            unsigned number) const {
    return harmlessDivisor(op, number, IsSigned);
  }
};

/// The model of signed divisions. Where there is no remainder, all ways of
/// rounding give the same.
template <typename Op>
struct DivisionFacts : ScalarOpInterface::ExternalModel<DivisionFacts<Op>, Op> {
  std::optional<int64_t> getHarmlessOperand(Operation *op,
                                            unsigned number) const {
    return harmlessDivisor(op, number, /*isSigned=*/true);
  }

  AffineExpr getIndexExpr(Operation *, ArrayRef<AffineExpr> operands) const {
    auto by = dyn_cast_if_present<AffineConstantExpr>(operands[1]);
    bool exact = operands[0] && by && by.getValue() > 0 &&
                 operands[0].isMultipleOf(by.getValue());
    return exact ? operands[0].floorDiv(by) : AffineExpr();
  }
};

/// The model of casts of signed integers, which keep the number.
template <typename Op>
struct CastFacts : ScalarOpInterface::ExternalModel<CastFacts<Op>, Op> {
  AffineExpr getIndexExpr(Operation *, ArrayRef<AffineExpr> operands) const {
    return operands[0];
  }
};

/// The model of maxima and minima of integers.
template <typename Op>
struct ExtremumFacts : ScalarOpInterface::ExternalModel<ExtremumFacts<Op>, Op> {
  AffineExpr getIndexExpr(Operation *, ArrayRef<AffineExpr> operands) const {
    return operands[0] == operands[1] ? operands[0] : AffineExpr();
  }
};

struct AddFacts : ScalarOpInterface::ExternalModel<AddFacts, arith::AddIOp> {
  AffineExpr getIndexExpr(Operation *, ArrayRef<AffineExpr> operands) const {
    return operands[0] && operands[1] ? operands[0] + operands[1]
                                      : AffineExpr();
  }
};

struct SubFacts : ScalarOpInterface::ExternalModel<SubFacts, arith::SubIOp> {
  AffineExpr getIndexExpr(Operation *, ArrayRef<AffineExpr> operands) const {
    return operands[0] && operands[1] ? operands[0] - operands[1]
                                      : AffineExpr();
  }
};

struct MulFacts : ScalarOpInterface::ExternalModel<MulFacts, arith::MulIOp> {
  AffineExpr getIndexExpr(Operation *, ArrayRef<AffineExpr> operands) const {
    AffineExpr a = operands[0], b = operands[1];
    if (isa_and_present<AffineConstantExpr>(a))
      std::swap(a, b);
    return a && isa_and_present<AffineConstantExpr>(b) ? a * b : AffineExpr();
  }
};

/// The model of operations that hand the sign of a zero on: products, quotients
/// and changes of precision. Sums do not: they make +0 of zeros of different
/// signs.
template <typename Op>
struct SignFacts : ScalarOpInterface::ExternalModel<SignFacts<Op>, Op> {
  bool passesSignOfZeroOn(Operation *) const { return true; }
};

template <template <typename> class Facts, typename... Ops>
void attach(MLIRContext *context) {
  (Ops::template attachInterface<Facts<Ops>>(*context), ...);
}

} // namespace

void registerArithModels(DialectRegistry &registry) {
  using namespace arith;
  registry.addExtension(+[](MLIRContext *context, ArithDialect *) {
    attach<CastFacts, IndexCastOp, ExtSIOp>(context);
    attach<DivisionFacts, DivSIOp, FloorDivSIOp, CeilDivSIOp>(context);
    attach<ExtremumFacts, MaxSIOp, MaxUIOp, MinSIOp, MinUIOp>(context);
    attach<SignFacts, MulFOp, DivFOp, NegFOp, ExtFOp, TruncFOp>(context);
    RemSIOp::attachInterface<DivisorFacts<RemSIOp, true>>(*context);
    RemUIOp::attachInterface<DivisorFacts<RemUIOp, false>>(*context);
    DivUIOp::attachInterface<DivisorFacts<DivUIOp, false>>(*context);
    CeilDivUIOp::attachInterface<DivisorFacts<CeilDivUIOp, false>>(*context);
    AddIOp::attachInterface<AddFacts>(*context);
    SubIOp::attachInterface<SubFacts>(*context);
    MulIOp::attachInterface<MulFacts>(*context);
    arith::ConstantOp::attachInterface<ConstantRematerialization>(*context);
  });
}

} // namespace npu
