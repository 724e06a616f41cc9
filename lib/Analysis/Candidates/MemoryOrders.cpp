// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Analysis/Candidates/MemoryOrders.h"
#include "npu/Analysis/Access/Transposes.h"
#include "npu/Analysis/Choices/ComputeChoices.h"
#include "npu/Dialect/NPU/IR/TensorPlacement.h"
#include "npu/ExternalModels/Tensor/TensorOps.h"
#include "npu/Interfaces/RematerializableOpInterface.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace npu {
namespace {

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

/// Whether the value is there without being made on tiles, so that it is loaded
/// in any order.
bool liesInDdr(Value value) {
  if (!takesLayout(value.getType()) || getLayout(value.getType()))
    return false;
  Operation *op = value.getDefiningOp();
  return !op || op->hasTrait<OpTrait::ConstantLike>() ||
         isa<RegionBranchOpInterface, CallOpInterface>(op);
}

/// The order of a transpose's input in which its result has `order`.
Permutation orderBeforeTranspose(const LogicalPermutation &transpose,
                                 const Permutation &order) {
  Permutation before;
  for (int64_t dim : order)
    before.push_back(transpose.inputDims[dim]);
  return before;
}

} // namespace

RankedTensorType withOrder(RankedTensorType type, const Permutation &order) {
  return withLayout(type, makeLayout(type.getContext(), {{}, order}));
}

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

bool readsInPlace(Operation *op, const OperationCandidate &candidate) {
  std::optional<LogicalPermutation> transpose = matchTranspose(op);
  if (!transpose || candidate.results.size() != 1)
    return false;
  RankedTensorType from = candidate.operands[0], to = candidate.results[0];
  const Placement *held = from ? getPlacement(from) : nullptr;
  const Placement *made = to ? getPlacement(to) : nullptr;
  // An image is no memory that could be read in another order.
  if (!held || !made || getStorage(from) != Storage::Linear ||
      getStorage(to) != Storage::Linear ||
      !sameMemory(permute(*held, transpose->inputDims), *made))
    return false;
  Permutation before = getOrder(from), after = getOrder(to);
  for (size_t i = 0; i < before.size(); ++i)
    if (transpose->inputDims[after[i]] != before[i])
      return false;
  return true;
}

MemoryOrders::MemoryOrders(FunctionOpInterface function, const Target &target,
                           const KernelTable *kernels) {
  if (kernels)
    function.walk([&](linalg::LinalgOp op) {
      if (auto wanted = kernels->ordersOf(op))
        engines.try_emplace(op, std::move(*wanted));
    });
  if (target.channelsInnermost)
    function.walk([&](Operation *op) {
      if (op->getNumResults() == 1 && takesLayout(op->getResult(0).getType()))
        if (auto engine = engineOrdersOf(op))
          engines.try_emplace(op, std::move(*engine));
    });
  function.getFunctionBody().walk<WalkOrder::PreOrder>([&](Block *block) {
    for (Operation &op : llvm::reverse(*block))
      collectWishes(&op);
  });
  if (!engines.empty())
    for (auto &[value, order] : wishes)
      if (liesInDdr(value) && !isIdentity(order))
        orders.try_emplace(value, order);
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
  if (auto engine = engines.find(op); engine != engines.end())
    return wishOperandsOf(op, engine->second);
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
    wish(transpose->input, orderBeforeTranspose(*transpose, order));
    return;
  }
  if (wished == wishes.end())
    return;
  if (std::optional<Permutation> before = orderBeforeReshape(op, order))
    wish(op->getOperand(0), std::move(*before));
  else if (isSliceOfSameRank(op))
    wish(op->getOperand(0), order);
  else if (!engines.empty() && putsBesideOthers(op))
    for (OpOperand &operand : op->getOpOperands())
      if (tiedResult(operand))
        wish(operand.get(), order);
}

void MemoryOrders::wishOperandsOf(Operation *op, const EngineOrders &engine) {
  for (auto [operand, channels] :
       llvm::zip_equal(op->getOperands(), engine.operands))
    if (!channels.empty() && takesLayout(operand.getType())) {
      auto type = cast<RankedTensorType>(operand.getType());
      wish(operand, withChannelsInnermost(type, getOrder(type), channels));
    }
  // What the products are added to is written over.
  for (Value output : cast<linalg::LinalgOp>(op).getDpsInits())
    if (!isMadeAnywhere(output))
      wish(output, orderMadeBy(op, engine));
}

/// What a contraction is added to is brought to its result's order: best it
/// lies there already.
Permutation MemoryOrders::orderMadeBy(Operation *op,
                                      const EngineOrders &engine) {
  Value result = op->getResult(0);
  auto type = cast<RankedTensorType>(result.getType());
  Permutation order = getOrder(type);
  auto wished = wishes.find(result);
  if (!writesAnyOrder(op))
    order = orderOf(cast<linalg::LinalgOp>(op).getDpsInits()[0]);
  else if (wished != wishes.end())
    order = wished->second;
  return withChannelsInnermost(type, order, engine.result);
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
  if (auto engine = engines.find(op); engine != engines.end()) {
    set(orderMadeBy(op, engine->second));
  } else if (std::optional<LogicalPermutation> transpose = matchTranspose(op)) {
    auto wished = wishes.find(result);
    if (!engines.empty() && wished != wishes.end() &&
        liesInDdr(transpose->input))
      return set(wished->second);
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
             wished != wishes.end() &&
             (writesAnyOrder(op) ||
              (!engines.empty() && putsBesideOthers(op)))) {
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
  if (auto engine = engines.find(op); engine != engines.end())
    for (auto [operand, type, channels] : llvm::zip_equal(
             op->getOperands(), types.operands, engine->second.operands))
      if (type && !channels.empty() && takesLayout(type))
        type = withOrder(
            type, withChannelsInnermost(type, orderOf(operand), channels));
  // What lies in DDR is loaded in the order that each transpose wants.
  if (auto transpose = matchTranspose(op); transpose && !engines.empty())
    for (auto [operand, type] :
         llvm::zip_equal(op->getOperands(), types.operands))
      if (operand == transpose->input && liesInDdr(operand))
        type = withOrder(
            type, orderBeforeTranspose(*transpose, orderOf(op->getResult(0))));
  types.anyOrder = !engines.empty() && !engines.contains(op) &&
                   op->getNumResults() == 1 && writesAnyOrder(op) &&
                   !matchTranspose(op);
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
