// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Analysis/Ways/MemoryOrders.h"
#include "npu/Analysis/Access/Transposes.h"
#include "npu/Analysis/Choices/ComputeChoices.h"
#include "npu/Dialect/NPU/IR/TensorPlacement.h"
#include "npu/ExternalModels/Tensor/TensorOps.h"
#include "npu/Interfaces/RemakeableOpInterface.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace npu {
namespace {

RankedTensorType withOrder(RankedTensorType type, const Permutation &order) {
  return withLayout(type, makeLayout(type.getContext(), {{}, order}));
}

using Groups = ArrayRef<SmallVector<int64_t, 2>>;

/// The order of the finer shape, where coarser dimensions lie in `order`.
Permutation finerOrder(Groups groups, const Permutation &order) {
  Permutation finer;
  for (int64_t dim : order)
    for (int64_t fine : groups[dim])
      finer.push_back(fine);
  return finer;
}

/// The order of the coarser shape; nothing where the finer dimensions of a
/// group are not beside each other.
std::optional<Permutation> coarserOrder(Groups groups,
                                        const Permutation &order) {
  Permutation coarser;
  size_t at = 0;
  while (at < order.size()) {
    const auto *group = llvm::find_if(groups, [&](const auto &dims) {
      return !dims.empty() && dims.front() == order[at];
    });
    if (group == groups.end())
      return std::nullopt;
    for (int64_t dim : *group)
      if (at == order.size() || order[at++] != dim)
        return std::nullopt;
    coarser.push_back(group - groups.begin());
  }
  return coarser.size() == groups.size() ? std::optional(coarser)
                                         : std::nullopt;
}

/// Operations of arith and math on tensors, and those of linalg that are no
/// loops over maps (softmax), want one order for all their tensors.
bool wantsOneOrder(Operation *op) {
  return wantsOneLayout(op) ||
         (!isa<linalg::LinalgOp>(op) &&
          isa_and_nonnull<linalg::LinalgDialect>(op->getDialect()));
}

/// Whether the entries of every output are written, or made of nothing.
bool writesAnyOrder(Operation *op) {
  auto structured = dyn_cast<linalg::LinalgOp>(op);
  return structured && llvm::all_of(structured.getDpsInits(), isMadeAnywhere);
}

} // namespace

std::optional<Permutation> orderOfReshaped(Operation *reshape,
                                           const Permutation &order) {
  std::optional<Reassociation> shapes = reassociationOf(reshape);
  if (!shapes)
    return std::nullopt;
  return shapes->refines ? std::optional(finerOrder(shapes->groups, order))
                         : coarserOrder(shapes->groups, order);
}

std::optional<Permutation> orderBeforeReshape(Operation *reshape,
                                              const Permutation &order) {
  std::optional<Reassociation> shapes = reassociationOf(reshape);
  if (!shapes)
    return std::nullopt;
  return shapes->refines ? coarserOrder(shapes->groups, order)
                         : std::optional(finerOrder(shapes->groups, order));
}

bool takesLayout(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape() || tensor.getRank() > kMaxRank ||
      tensor.getNumElements() == 0 || tensor.getElementType().isIndex() ||
      (tensor.getEncoding() && !getLayout(tensor)))
    return false;
  auto bits = elementBits(tensor.getElementType());
  int64_t size = bits.value_or(0);
  return bits && llvm::none_of(tensor.getShape(), [&](int64_t extent) {
           return llvm::MulOverflow(size, extent, size);
         });
}

bool readsInPlace(Operation *op, const OperationWay &way) {
  std::optional<LogicalPermutation> transpose = matchTranspose(op);
  if (!transpose || way.results.size() != 1)
    return false;
  RankedTensorType from = way.operands[0], to = way.results[0];
  const Placement *held = from ? getPlacement(from) : nullptr;
  const Placement *made = to ? getPlacement(to) : nullptr;
  if (!held || !made ||
      !sameMemory(permute(*held, transpose->inputDims), *made))
    return false;
  Permutation before = getOrder(from), after = getOrder(to);
  for (size_t i = 0; i < before.size(); ++i)
    if (transpose->inputDims[after[i]] != before[i])
      return false;
  return true;
}

MemoryOrders::MemoryOrders(FunctionOpInterface function) {
  function.getFunctionBody().walk<WalkOrder::PreOrder>([&](Block *block) {
    for (Operation &op : llvm::reverse(*block))
      collectWishes(&op);
  });
  function.walk<WalkOrder::PreOrder>([&](Operation *op) { choose(op); });
}

Permutation MemoryOrders::orderOf(Value value) const {
  auto found = orders.find(value);
  return found != orders.end()
             ? found->second
             : getOrder(cast<RankedTensorType>(value.getType()));
}

void MemoryOrders::wish(Value value, Permutation order) {
  wishes.try_emplace(value, std::move(order));
}

void MemoryOrders::collectWishes(Operation *op) {
  if (op->getNumResults() != 1 || op->getNumOperands() == 0 ||
      !takesLayout(op->getResult(0).getType()) ||
      !takesLayout(op->getOperand(0).getType()))
    return;
  Value result = op->getResult(0);
  if (isa<RedistributeOp>(op))
    return wish(op->getOperand(0),
                getOrder(cast<RankedTensorType>(result.getType())));
  auto wished = wishes.find(result);
  Permutation order = wished != wishes.end()
                          ? wished->second
                          : getOrder(cast<RankedTensorType>(result.getType()));
  if (std::optional<LogicalPermutation> transpose = matchTranspose(op)) {
    // Without anybody's wish, the result takes the order that it gets.
    if (wished == wishes.end() && !isa<PermuteCastOp>(op) &&
        llvm::none_of(result.getUsers(), [](Operation *user) {
          return reassociationOf(user) ||
                 user->hasTrait<OpTrait::IsTerminator>();
        }))
      return;
    Permutation before;
    for (int64_t dim : order)
      before.push_back(transpose->inputDims[dim]);
    wish(transpose->input, std::move(before));
    return;
  }
  if (wished == wishes.end())
    return;
  if (std::optional<Permutation> before = orderBeforeReshape(op, order))
    wish(op->getOperand(0), std::move(*before));
  else if (isSliceOfSameRank(op))
    wish(op->getOperand(0), order);
}

void MemoryOrders::choose(Operation *op) {
  if (op->getNumResults() != 1 || !takesLayout(op->getResult(0).getType()) ||
      getLayout(op->getResult(0).getType()))
    return;
  Value result = op->getResult(0);
  auto set = [&](Permutation order) {
    if (!isIdentity(order))
      orders.try_emplace(result, std::move(order));
  };
  if (std::optional<LogicalPermutation> transpose = matchTranspose(op)) {
    Permutation before = orderOf(transpose->input), after;
    Permutation outputDims = inverse(transpose->inputDims);
    for (int64_t dim : before)
      after.push_back(outputDims[dim]);
    set(std::move(after));
  } else if (op->getNumOperands() > 0 && reassociationOf(op)) {
    if (auto after = orderOfReshaped(op, orderOf(op->getOperand(0))))
      set(std::move(*after));
  } else if (isSliceOfSameRank(op)) {
    set(orderOf(op->getOperand(0)));
  } else if (auto wished = wishes.find(result);
             wished != wishes.end() && writesAnyOrder(op)) {
    set(wished->second);
  }
}

RankedTensorType MemoryOrders::typeOf(Value value) const {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && takesLayout(type) ? withOrder(type, orderOf(value)) : type;
}

OrderedTypes MemoryOrders::typesOf(Operation *op) const {
  OrderedTypes types;
  for (Value result : op->getResults())
    types.results.push_back(typeOf(result));
  for (Value operand : op->getOperands())
    types.operands.push_back(typeOf(operand));
  bool isView = reassociationOf(op) && takesLayout(op->getOperand(0).getType());
  if (isView && !orderOfReshaped(op, orderOf(op->getOperand(0))))
    types.operands[0] = withOrder(types.operands[0], {});
  if (wantsOneOrder(op))
    for (RankedTensorType &type : types.operands)
      if (type && takesLayout(type))
        type = withOrder(type, {});
  return types;
}

} // namespace npu
