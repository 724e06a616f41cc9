// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which fault is meant, and where.

#include "npu/Audit/Faults/InjectFault.h"

#include "npu/Audit/Faults/Passes.h"
#include "npu/Interfaces/PartwiseOpInterface.h"
#include "npu/Interfaces/RematerializableOpInterface.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

#include <fmt/format.h>

#include <array>
#include <random>

using namespace mlir;

namespace npu {
namespace {

// Which faults an operation can have, and the operation with one of them.

/// One way to spoil one operation.
struct PossibleFault {
  FaultKind kind;
  linalg::LinalgOp op;
  /// Wrong scale: nothing. Dropped row: the dimension of the result. Swapped
  /// operands: which operation of the body, or `matrixOperands`. Window and
  /// broadcast: the operand and the dimension of it.
  unsigned first = 0, second = 0;
  /// Wrong broadcast: the loop that is read instead.
  unsigned loop = 0;

  static constexpr unsigned matrixOperands = ~0u;
};

RankedTensorType resultOf(linalg::LinalgOp op) {
  return dyn_cast<RankedTensorType>(op->getResult(0).getType());
}

bool computes(linalg::LinalgOp op) {
  return op.getBlock()->getOperations().size() > 1;
}

/// Whether the last thing that the body does is to add something to the output.
bool addsUp(linalg::LinalgOp op) {
  Operation *last =
      op.getBlock()->getTerminator()->getOperand(0).getDefiningOp();
  Value output = op.getRegionOutputArgs()[0];
  return isa_and_nonnull<arith::AddFOp, arith::AddIOp>(last) &&
         llvm::is_contained(last->getOperands(), output) &&
         last->getOperand(0) != last->getOperand(1);
}

/// The operation whose result `value` has, after reshapes and broadcasts.
Operation *madeBy(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    auto structured = dyn_cast<linalg::LinalgOp>(op);
    bool moves = structured && !computes(structured) && !needsNoData(op) &&
                 structured.getNumDpsInputs() == 1;
    Value before = moves ? op->getOperand(0) : viewedTensor(op);
    if (!before)
      return op;
    value = before;
  }
  return nullptr;
}

/// Whether a scale of the result cancels: it is divided by its own sum, and
/// nobody else reads it, as the exponentials of a softmax.
bool isDividedBySum(linalg::LinalgOp op) {
  Operation *sum = nullptr;
  for (Operation *user : op->getUsers())
    if (auto each = dyn_cast<linalg::LinalgOp>(user);
        each && each.getNumReductionLoops() > 0 &&
        each.getNumDpsInputs() == 1 && addsUp(each))
      sum = user;
  return sum && llvm::all_of(op->getUses(), [&](OpOperand &use) {
           auto user = dyn_cast<linalg::LinalgOp>(use.getOwner());
           if (use.getOwner() == sum || !user)
             return use.getOwner() == sum;
           Value entry = user.getMatchingBlockArgument(&use);
           return llvm::all_of(entry.getUsers(), [&](Operation *each) {
             auto quotient = dyn_cast<arith::DivFOp>(each);
             auto by = quotient ? dyn_cast<BlockArgument>(quotient.getRhs())
                                : BlockArgument();
             return by && quotient.getLhs() == entry &&
                    madeBy(user.getMatchingOpOperand(by)->get()) == sum;
           });
         });
}

void addScales(linalg::LinalgOp op, SmallVectorImpl<PossibleFault> &faults) {
  bool isFloat = isa<FloatType>(resultOf(op).getElementType());
  bool reads = !op.getRegionOutputArgs()[0].use_empty();
  // A maximum of scaled numbers is another function as well, but begins with
  // what is not scaled.
  if (computes(op) && isFloat && (!reads || addsUp(op)) && !isDividedBySum(op))
    faults.push_back({FaultKind::WrongScale, op});
}

void addRows(linalg::LinalgOp op, SmallVectorImpl<PossibleFault> &faults) {
  AffineMap made = op.getIndexingMapMatchingResult(op->getResult(0));
  if (!computes(op) || !made.isProjectedPermutation())
    return;
  // Of several dimensions the ones of which less than all is dropped.
  for (auto [dim, extent] : llvm::enumerate(resultOf(op).getShape()))
    if (extent > 1)
      faults.push_back({FaultKind::DroppedRow, op, static_cast<unsigned>(dim)});
}

bool isOrdered(Operation *op) {
  return isa<arith::SubFOp, arith::SubIOp, arith::DivFOp, arith::DivSIOp,
             math::PowFOp>(op);
}

/// Whether nobody sees the sign of `value`: it is squared, or its absolute
/// value is taken, perhaps by the operations that read the result.
bool losesItsSign(Value value, unsigned depth = 0) {
  return llvm::all_of(value.getUses(), [&](OpOperand &use) {
    Operation *user = use.getOwner();
    if (isa<arith::MulFOp, arith::MulIOp>(user))
      return user->getOperand(0) == user->getOperand(1);
    if (isa<math::AbsFOp, math::AbsIOp>(user))
      return true;
    auto structured = dyn_cast<linalg::LinalgOp>(user);
    if (structured && depth < 4 && structured.isDpsInput(&use))
      return losesItsSign(structured.getMatchingBlockArgument(&use), depth + 1);
    bool yields = isa<linalg::YieldOp>(user) && depth < 4;
    return yields &&
           losesItsSign(user->getParentOp()->getResult(use.getOperandNumber()),
                        depth + 1);
  });
}

/// Whether a product of two matrices depends on their order: a loop of the
/// result goes along one of them alone.
bool dependsOnOrder(linalg::LinalgOp op) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
    if (maps[2].isFunctionOfDim(loop) &&
        maps[0].isFunctionOfDim(loop) != maps[1].isFunctionOfDim(loop))
      return true;
  return false;
}

void addSwaps(linalg::LinalgOp op, SmallVectorImpl<PossibleFault> &faults) {
  for (auto [place, each] :
       llvm::enumerate(op.getBlock()->without_terminator())) {
    bool swaps = isOrdered(&each) && each.getOperand(0) != each.getOperand(1);
    if (isa<arith::SubFOp, arith::SubIOp>(each))
      swaps &= !losesItsSign(each.getResult(0));
    if (auto select = dyn_cast<arith::SelectOp>(each))
      swaps = select.getTrueValue() != select.getFalseValue();
    if (swaps)
      faults.push_back(
          {FaultKind::SwappedOperands, op, static_cast<unsigned>(place)});
  }
  if (!linalg::isaContractionOpInterface(op) || op.getNumDpsInputs() != 2)
    return;
  // Only a product of two matrices depends on their order.
  Value one = op->getOperand(0), two = op->getOperand(1);
  if (one != two && one.getType() == two.getType() && dependsOnOrder(op))
    faults.push_back(
        {FaultKind::SwappedOperands, op, PossibleFault::matrixOperands});
}

/// Whether an operand's values depend on where it is read.
bool varies(Value operand) {
  return isa<RankedTensorType>(operand.getType()) && !uniformValueOf(operand) &&
         !isUnwritten(operand);
}

void addWindows(linalg::LinalgOp op, SmallVectorImpl<PossibleFault> &faults) {
  for (OpOperand *input : op.getDpsInputOperands()) {
    if (!varies(input->get()) || op.getMatchingBlockArgument(input).use_empty())
      continue;
    auto type = cast<RankedTensorType>(input->get().getType());
    AffineMap map = op.getMatchingIndexingMap(input);
    for (auto [dim, index] : llvm::enumerate(map.getResults())) {
      auto sum = dyn_cast<AffineBinaryOpExpr>(index);
      if (sum && sum.getKind() == AffineExprKind::Add &&
          !isa<AffineConstantExpr>(sum.getRHS()) && type.getDimSize(dim) > 1)
        faults.push_back({FaultKind::OffByOneWindow, op,
                          input->getOperandNumber(),
                          static_cast<unsigned>(dim)});
    }
  }
}

void addBroadcasts(linalg::LinalgOp op,
                   SmallVectorImpl<PossibleFault> &faults) {
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  SmallVector<utils::IteratorType> kinds = op.getIteratorTypesArray();
  for (OpOperand *input : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(input);
    if (!varies(input->get()) ||
        op.getMatchingBlockArgument(input).use_empty() ||
        !map.isProjectedPermutation(/*allowZeroInResults=*/true))
      continue;
    for (auto [dim, index] : llvm::enumerate(map.getResults())) {
      auto read = dyn_cast<AffineDimExpr>(index);
      if (!read || extents[read.getPosition()] <= 1 ||
          kinds[read.getPosition()] != utils::IteratorType::parallel)
        continue;
      for (unsigned loop = 0; loop < extents.size(); ++loop)
        if (kinds[loop] == utils::IteratorType::parallel && extents[loop] > 1 &&
            !map.isFunctionOfDim(loop))
          faults.push_back({FaultKind::WrongBroadcast, op,
                            input->getOperandNumber(),
                            static_cast<unsigned>(dim), loop});
    }
  }
}

/// The ways to spoil `op`, which is on tensors and has one result.
SmallVector<PossibleFault> faultsOf(linalg::LinalgOp op) {
  SmallVector<PossibleFault> faults;
  // What one value fills has neither rows nor an order.
  if (!resultOf(op) || needsNoData(op))
    return faults;
  addScales(op, faults);
  addRows(op, faults);
  addSwaps(op, faults);
  addWindows(op, faults);
  addBroadcasts(op, faults);
  return faults;
}

// An operation with a fault in it, in one place: its body, a map, or the order
// of its operands.

/// The same operation as a linalg.generic, whose body and maps are its own.
linalg::GenericOp generalized(linalg::LinalgOp op) {
  if (auto generic = dyn_cast<linalg::GenericOp>(op.getOperation()))
    return generic;
  IRRewriter rewriter(op.getContext());
  rewriter.setInsertionPoint(op);
  DictionaryAttr attributes = op->getDiscardableAttrDictionary();
  // Fails for operations alone that are general already.
  linalg::GenericOp generic = *linalg::generalizeNamedOp(rewriter, op);
  generic->setDiscardableAttrs(attributes);
  return generic;
}

template <typename T>
T choose(ArrayRef<T> from, std::mt19937_64 &dice) {
  return from[dice() % from.size()];
}

std::string scale(linalg::GenericOp op, std::mt19937_64 &dice) {
  // Not near 1: the sum of many short floats may be that far off by rounding.
  double factor = choose<double>(
      {0.5, 0.70710678118654752, 1.25, 1.41421356237309505, 1.5, 2}, dice);
  Operation *end = op.getBody()->getTerminator();
  OpOperand *scaled = &end->getOpOperand(0);
  Value output = op.getRegionOutputArgs()[0];
  OpBuilder builder(end);
  if (!output.use_empty()) {
    // Of a sum, what is added.
    Operation *sum = scaled->get().getDefiningOp();
    scaled = &sum->getOpOperand(sum->getOperand(0) == output ? 1 : 0);
    builder.setInsertionPoint(sum);
  }
  Value value = scaled->get();
  Location loc = op.getLoc();
  Value by = arith::ConstantOp::create(
      builder, loc, builder.getFloatAttr(value.getType(), factor));
  scaled->set(arith::MulFOp::create(builder, loc, value, by));
  return fmt::format("{} is multiplied by {}",
                     output.use_empty() ? "the result" : "each term", factor);
}

std::string dropRow(linalg::GenericOp op, unsigned dim, std::mt19937_64 &dice) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  auto row = static_cast<int64_t>(dice() %
                                  static_cast<uint64_t>(type.getDimSize(dim)));
  unsigned loop =
      op.getIndexingMapMatchingResult(op->getResult(0)).getDimPosition(dim);
  Operation *end = op.getBody()->getTerminator();
  OpBuilder builder(end);
  Location loc = op.getLoc();
  Value output = op.getRegionOutputArgs()[0];
  bool sums = !output.use_empty();
  Value kept = output;
  if (!sums)
    kept = arith::ConstantOp::create(
        builder, loc, builder.getZeroAttr(type.getElementType()));
  Value index = linalg::IndexOp::create(builder, loc, loop);
  Value place = arith::ConstantIndexOp::create(builder, loc, row);
  Value isRow = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                      index, place);
  end->setOperand(0, arith::SelectOp::create(builder, loc, isRow, kept,
                                             end->getOperand(0)));
  return fmt::format("row {} of dimension {} is {}", row, dim,
                     sums ? "what it began with" : "0");
}

std::string swapInBody(linalg::GenericOp op, unsigned place) {
  Operation &each = *std::next(op.getBody()->begin(), place);
  unsigned first = isa<arith::SelectOp>(each) ? 1 : 0;
  Value one = each.getOperand(first);
  each.setOperand(first, each.getOperand(first + 1));
  each.setOperand(first + 1, one);
  return fmt::format("the operands of {} are swapped",
                     each.getName().getStringRef().str());
}

void setIndex(linalg::GenericOp op, unsigned operand, unsigned dim,
              AffineExpr index) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  SmallVector<AffineExpr> indices(maps[operand].getResults());
  indices[dim] = index;
  maps[operand] = AffineMap::get(op.getNumLoops(), 0, indices, op.getContext());
  op.setIndexingMapsAttr(Builder(op.getContext()).getAffineMapArrayAttr(maps));
}

int64_t extentOf(linalg::GenericOp op, unsigned operand, unsigned dim) {
  return cast<RankedTensorType>(op->getOperand(operand).getType())
      .getDimSize(dim);
}

/// One beside the last column there is nothing, as after a padding of zeros.
/// The index begins again there, so that it stays inside; wrapping around alone
/// would be no fault where all columns are added up afterwards.
std::string shiftWindow(linalg::GenericOp op, unsigned operand, unsigned dim) {
  AffineExpr index = op.getIndexingMapsArray()[operand].getResult(dim);
  int64_t extent = extentOf(op, operand, dim);
  Value entry = op.getBody()->getArgument(operand);
  OpBuilder builder = OpBuilder::atBlockBegin(op.getBody());
  Location loc = op.getLoc();
  SmallVector<Value> loops;
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
    loops.push_back(linalg::IndexOp::create(builder, loc, loop));
  Value column = affine::AffineApplyOp::create(
      builder, loc, AffineMap::get(op.getNumLoops(), 0, index), loops);
  Value last = arith::ConstantIndexOp::create(builder, loc, extent - 1);
  Value isLast = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                       column, last);
  Value zero = arith::ConstantOp::create(builder, loc,
                                         builder.getZeroAttr(entry.getType()));
  auto read = arith::SelectOp::create(builder, loc, isLast, zero, entry);
  entry.replaceAllUsesExcept(read, read);
  setIndex(op, operand, dim, (index + 1) % extent);
  return fmt::format("the window over dimension {} of operand #{} is one "
                     "beside",
                     dim, operand);
}

std::string broadcastAlong(linalg::GenericOp op, unsigned operand, unsigned dim,
                           unsigned loop) {
  auto was =
      cast<AffineDimExpr>(op.getIndexingMapsArray()[operand].getResult(dim));
  int64_t extent = extentOf(op, operand, dim);
  AffineExpr index = getAffineDimExpr(loop, op.getContext());
  // A loop of another extent reads what it finds, and begins again.
  if (op.getStaticLoopRanges()[loop] != extent)
    index = index % extent;
  setIndex(op, operand, dim, index);
  return fmt::format("dimension {} of operand #{} is read along loop {} "
                     "instead of loop {}",
                     dim, operand, loop, was.getPosition());
}

/// Carries it out, with `dice` for numbers; returns what is wrong now.
std::string spoil(const PossibleFault &fault, std::mt19937_64 &dice) {
  linalg::LinalgOp op = fault.op;
  if (fault.kind == FaultKind::SwappedOperands &&
      fault.first == PossibleFault::matrixOperands) {
    Value one = op->getOperand(0);
    op->setOperand(0, op->getOperand(1));
    op->setOperand(1, one);
    return "its two matrices are swapped";
  }
  linalg::GenericOp generic = generalized(op);
  switch (fault.kind) {
  case FaultKind::WrongScale:
    return scale(generic, dice);
  case FaultKind::DroppedRow:
    return dropRow(generic, fault.first, dice);
  case FaultKind::SwappedOperands:
    return swapInBody(generic, fault.first);
  case FaultKind::OffByOneWindow:
    return shiftWindow(generic, fault.first, fault.second);
  case FaultKind::WrongBroadcast:
    return broadcastAlong(generic, fault.first, fault.second, fault.loop);
  }
  llvm_unreachable("every kind is handled");
}

constexpr std::array kinds = {
    FaultKind::WrongScale, FaultKind::DroppedRow, FaultKind::SwappedOperands,
    FaultKind::OffByOneWindow, FaultKind::WrongBroadcast};

std::string listKinds() {
  std::string text;
  for (FaultKind kind : kinds)
    text += nameOf(kind).str() + ", ";
  return text + "random:SEED";
}

/// Whether one of the names or places of `loc` is `text`; a place may leave out
/// the folders of its file.
bool isAt(Location loc, StringRef text) {
  bool found = false;
  loc->walk([&](Location each) {
    if (auto name = dyn_cast<NameLoc>(each))
      found |= name.getName().getValue() == text;
    if (auto place = dyn_cast<FileLineColRange>(each)) {
      std::string where = ":" + std::to_string(place.getStartLine()) + ":" +
                          std::to_string(place.getStartColumn());
      StringRef file = place.getFilename().getValue();
      found |= (file + where).str() == text ||
               (llvm::sys::path::filename(file) + where).str() == text;
    }
    return found ? WalkResult::interrupt() : WalkResult::advance();
  });
  return found;
}

/// A fault, and the number of its operation.
struct Place {
  PossibleFault fault;
  unsigned number;
};

SmallVector<Place> placesIn(func::FuncOp function, const FaultSpec &spec) {
  SmallVector<Place> places;
  unsigned number = 0;
  function.walk<WalkOrder::PreOrder>([&](linalg::LinalgOp op) {
    unsigned mine = number++;
    if ((spec.number && *spec.number != mine) ||
        (!spec.location.empty() && !isAt(op.getLoc(), spec.location)) ||
        !op.hasPureTensorSemantics() || op->getNumResults() != 1 ||
        op->use_empty() || op.hasDynamicShape())
      return;
    for (const PossibleFault &fault : faultsOf(op))
      if (!spec.kind || fault.kind == *spec.kind)
        places.push_back({fault, mine});
  });
  return places;
}

/// One of the places. Kinds are as likely as each other, and so are the
/// operations of a kind, however many ways there are to spoil one of them.
Place choose(ArrayRef<Place> places, std::mt19937_64 &dice) {
  auto narrowed = [&](ArrayRef<Place> from, auto keyOf) {
    SmallVector<unsigned> keys;
    for (const Place &each : from)
      if (!llvm::is_contained(keys, keyOf(each)))
        keys.push_back(keyOf(each));
    unsigned key = keys[dice() % keys.size()];
    SmallVector<Place> left;
    llvm::copy_if(from, std::back_inserter(left),
                  [&](const Place &each) { return keyOf(each) == key; });
    return left;
  };
  SmallVector<Place> left = narrowed(places, [](const Place &each) {
    return static_cast<unsigned>(each.fault.kind);
  });
  left = narrowed(left, [](const Place &each) { return each.number; });
  return left[dice() % left.size()];
}

} // namespace

StringRef nameOf(FaultKind kind) {
  static constexpr llvm::StringLiteral names[] = {
      "wrong-scale", "dropped-row", "swapped-operands", "off-by-one-window",
      "wrong-broadcast"};
  return names[static_cast<size_t>(kind)];
}

Result<FaultSpec> parseFault(StringRef text) {
  FaultSpec spec;
  StringRef rest = text;
  if (rest.consume_front("random:")) {
    if (rest.getAsInteger(10, spec.seed))
      return Error{"expected a number after random:, got '" + rest.str() + "'"};
    return spec;
  }
  StringRef name = rest.take_until([](char c) { return c == '@' || c == '#'; });
  rest = rest.drop_front(name.size());
  for (FaultKind kind : kinds)
    if (nameOf(kind) == name)
      spec.kind = kind;
  if (!spec.kind)
    return Error{"expected a fault (" + listKinds() + "), got '" + name.str() +
                 "'"};
  if (size_t hash = rest.rfind('#'); hash != StringRef::npos) {
    StringRef seed = rest.drop_front(hash + 1);
    if (seed.getAsInteger(10, spec.seed))
      return Error{"expected a number after #, got '" + seed.str() + "'"};
    rest = rest.take_front(hash);
  }
  if (!rest.consume_front("@"))
    return spec;
  unsigned number = 0;
  if (rest.empty())
    return Error{"expected a number, a place or a name after @"};
  if (rest.getAsInteger(10, number))
    spec.location = rest.str();
  else
    spec.number = number;
  return spec;
}

LogicalResult injectFault(func::FuncOp function, const FaultSpec &spec,
                          InjectedFault *injected) {
  SmallVector<Place> places = placesIn(function, spec);
  if (places.empty()) {
    InFlightDiagnostic error = mlir::emitError(function.getLoc())
                               << "'" << function.getName()
                               << "' has no structured operation ";
    if (spec.number)
      error << "#" << *spec.number << " ";
    if (!spec.location.empty())
      error << "at '" << spec.location << "' ";
    return error << "that can have the fault '"
                 << (spec.kind ? nameOf(*spec.kind) : "any") << "'";
  }
  std::mt19937_64 dice(spec.seed);
  Place place = choose(places, dice);
  InjectedFault done{place.fault.kind, place.fault.op->getLoc(),
                     place.fault.op->getName().getStringRef().str(),
                     place.number, ""};
  done.what = spoil(place.fault, dice);
  if (injected)
    *injected = std::move(done);
  return success();
}

#define GEN_PASS_DEF_INJECTFAULT
#include "npu/Audit/Faults/Passes.h.inc"

namespace {

struct InjectFaultPass : impl::InjectFaultBase<InjectFaultPass> {
  using InjectFaultBase::InjectFaultBase;

  void runOnOperation() override {
    Result<FaultSpec> spec = parseFault(fault);
    if (!spec) {
      mlir::emitError(getOperation().getLoc())
          << "npu-inject-fault: " << spec.error().message;
      return signalPassFailure();
    }
    func::FuncOp chosen = functionAsked();
    if (!chosen)
      return signalPassFailure();
    InjectedFault done{FaultKind::WrongScale, chosen.getLoc(), "", 0, ""};
    if (failed(injectFault(chosen, *spec, &done)))
      return signalPassFailure();
    mlir::emitRemark(done.loc) << nameOf(done.kind) << " in '" << done.name
                               << "' #" << done.number << ": " << done.what;
  }

private:
  /// The function that is spoilt; null, after an error, where there is none.
  func::FuncOp functionAsked() {
    SmallVector<func::FuncOp> bodies;
    for (auto each : getOperation().getOps<func::FuncOp>())
      if (!each.isExternal())
        bodies.push_back(each);
    StringRef name = function.empty() ? StringRef("main") : StringRef(function);
    for (func::FuncOp each : bodies)
      if (each.getName() == name)
        return each;
    if (function.empty() && bodies.size() == 1)
      return bodies.front();
    mlir::emitError(getOperation().getLoc())
        << "npu-inject-fault: expected a function '" << name
        << "' with a body, got " << bodies.size() << " others";
    return {};
  }
};

} // namespace

} // namespace npu
