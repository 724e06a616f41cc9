// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Analysis/Candidates/FunctionProblem.h"
#include "FixedCandidates.h"
#include "StepCandidates.h"
#include "npu/Analysis/Access/Transposes.h"
#include "npu/Analysis/Access/WrittenParts.h"
#include "npu/Analysis/Candidates/MemoryOrders.h"
#include "npu/Analysis/Candidates/StorageKinds.h"
#include "npu/Analysis/Choices/ComputeChoices.h"
#include "npu/Analysis/Choices/Movement.h"
#include "npu/ExternalModels/Tensor/ConstantPad.h"
#include "npu/Interfaces/RematerializableOpInterface.h"
#include "npu/Support/Naming.h"
#include "npu/Target/Count.h"

#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

#include <fmt/format.h>

#include <set>

using namespace mlir;

namespace npu {
namespace {

/// How often the layouts of one operation are proposed to its neighbours as
/// candidates.
constexpr int offerRounds = 2;
/// The maximum number of candidates added for neighbours.
constexpr size_t manyAdded = 18;
/// A value may be spilled where at least so many operations run between one
/// that makes or reads it and the next one that reads it.
constexpr int manyBetween = 3;
/// The most operands of an operation that may have loads of their own: each
/// doubles its candidates.
constexpr size_t manyOwnLoads = 3;

RankedTensorType tensorType(Value value) {
  return dyn_cast<RankedTensorType>(value.getType());
}

/// Tensors from outside that regions of `op` use.
SetVector<Value> capturedTensors(Operation *op) {
  SetVector<Value> captured, tensors;
  if (op->getNumRegions() > 0)
    getUsedValuesDefinedAbove(op->getRegions(), captured);
  for (Value value : captured)
    if (tensorType(value))
      tensors.insert(value);
  return tensors;
}

/// Whether the value is no operation's of the problem: it is there from the
/// beginning, or made wherever it is wanted, and so is what it is written over.
bool isGiven(Operation *op) {
  bool readsGiven = llvm::all_of(op->getOperands(), [](Value operand) {
    return !tensorType(operand) || isMadeAnywhere(operand);
  });
  return op->getNumResults() == 1 && readsGiven &&
         (isMadeAnywhere(op->getResult(0)) ||
          dataNeedOf(op->getResult(0)) == DataNeed::Stored);
}

/// Whether the value of the problem is there from the beginning, in DDR.
bool isInDdrFromBeginning(const FunctionProblem &function, size_t value) {
  return function.problem.values[value].madeBy < 0 &&
         !isDistributed(tensorType(function.values[value]));
}

/// The first reader of a value after the longest time in which no operation
/// needs it; nothing where that is short. `readers` are in program order.
std::optional<int> firstLateReader(int maker, ArrayRef<int> readers) {
  std::optional<int> first;
  int longest = manyBetween, before = maker;
  for (int reader : readers) {
    if (reader - before > longest) {
      longest = reader - before;
      first = reader;
    }
    before = reader;
  }
  return first;
}

/// Whether the value can be stored and loaded again: views lie as what they are
/// views of, and what is in a loop keeps its place during all rounds.
bool canBeSpilled(FunctionOpInterface function, Operation *maker,
                  RankedTensorType type) {
  return maker->getBlock()->getParentOp() == function.getOperation() &&
         !isDistributed(type) && !isFixed(maker) && !isViewInDdr(maker) &&
         !keepsIndices(maker) && !matchTranspose(maker);
}

/// The name of a layout in which nobody has a value as a whole.
constexpr llvm::StringLiteral inStepsName = "in the steps of its reader";

/// The type of a result that nobody has as a whole: steps of its reader make
/// slices of it.
RankedTensorType inStepsOfReader(RankedTensorType type) {
  return RankedTensorType::get(type.getShape(), type.getElementType(),
                               StringAttr::get(type.getContext(), inStepsName));
}

bool isInStepsOfReader(RankedTensorType type) {
  auto name = dyn_cast_if_present<StringAttr>(type.getEncoding());
  return name && name.getValue() == inStepsName;
}

/// The type under which a region reads a tensor from outside: whole, in DDR.
RankedTensorType readByBody(RankedTensorType type) {
  return isDistributed(type) ? withLayout(type, {}) : type;
}

class ProblemBuilder {
public:
  ProblemBuilder(FunctionOpInterface function, const Target &target,
                 const ProblemOptions &options)
      : function(function), target(target), options(options),
        orders(function, target, options.kernels.get()),
        storage(function, target, options.kernels.get(), options.storage) {
    made.function = function;
    made.storage = options.storage;
    made.runsInSteps = options.runsInSteps;
  }

  FunctionProblem build() {
    collect(function.getFunctionBody());
    for (int round = 0; round < offerRounds; ++round)
      offerToNeighbours();
    // After all others, so that none of these is less than without.
    if (options.splitReductions) {
      for (const auto &[key, alike] : kinds)
        for (const Kind &kind : alike)
          if (!kind.staging.stages && !kind.staging.pads)
            kind.candidates->addReductionSplits();
      for (int round = 0; round < offerRounds; ++round)
        offerToNeighbours();
    }
    if (options.runsInSteps)
      for (const auto &[key, alike] : kinds)
        for (const Kind &kind : alike) {
          kind.candidates->addInSteps(kind.staging.stages, kind.staging.pads,
                                      options.bytePrice);
          made.considered += kind.candidates->consideredSteps();
        }
    made.groups.resize(made.operations.size());
    inGroups.resize(made.operations.size());
    if (options.runsInSteps)
      findGroups();
    if (options.mayUseHost)
      for (OperationCandidates *candidates : candidatesOf)
        if (candidates)
          candidates->addOnHost();
    if (options.loadsAgain)
      for (size_t value = 0, count = made.values.size(); value < count;
           ++value) {
        addOwnLoads(static_cast<int>(value));
        addSpills(static_cast<int>(value));
      }
    for (size_t number = 0; number < made.operations.size(); ++number)
      writeCandidates(number);
    for (size_t value = 0; value < made.values.size(); ++value)
      writeMoves(value);
    return std::move(made);
  }

private:
  struct Operand {
    unsigned number;
    int value;
  };

  /// What an engine does of an operation, and whether the one that does the
  /// operation does the first steps of its reader or the zeros around an
  /// operand.
  struct Staging {
    DoneByEngine done;
    bool stages = false;
    bool pads = false;

    friend bool operator==(const Staging &, const Staging &) = default;
  };

  /// The candidates of equal groups, and the first of these.
  struct GroupKind {
    StepGroup like;
    std::vector<OperationCandidate> *candidates;
  };

  /// Candidates, and the first of the operations that have them.
  struct Kind {
    Operation *like;
    Staging staging;
    OperationCandidates *candidates;
  };

  int addValue(Value value) {
    auto [it, isNew] =
        made.numberOf.try_emplace(value, static_cast<int>(made.values.size()));
    if (isNew)
      appendValue(value, /*loadedFor=*/-1);
    return it->second;
  }

  int appendValue(Value value, int loadedFor) {
    made.values.push_back(value);
    made.layouts.push_back({tensorType(value)});
    made.loadedFor.push_back(loadedFor);
    made.holds.push_back(-1);
    AssignedValue assigned;
    assigned.layouts = {"ddr"};
    made.problem.values.push_back(std::move(assigned));
    readers.emplace_back();
    return static_cast<int>(made.values.size() - 1);
  }

  /// Gives each operation that can compute on tiles a value of its own beside
  /// one that others read as well. An output that is written over is no such
  /// value: its layout becomes the result's.
  void addOwnLoads(int value) {
    std::vector<int> users = readers[value];
    users.erase(std::unique(users.begin(), users.end()), users.end());
    if (!isInDdrAnyway(value) || users.size() < 2)
      return;
    for (int user : users)
      if (candidatesOf[user] && !isWrittenOver(made.values[value], user) &&
          ownLoads[user].size() < manyOwnLoads)
        ownLoads[user].push_back(
            {value, appendValue(made.values[value], user), /*held=*/-1});
  }

  /// Whether the tensor, or what it is a view of, is in DDR from the beginning.
  bool isInDdrAnyway(int value) {
    int maker = made.problem.values[value].madeBy;
    if (maker < 0)
      return isInDdrFromBeginning(made, value);
    Operation *op = made.operations[maker];
    if (!isViewInDdr(op) || op->getNumOperands() != 1 ||
        op->getBlock()->getParentOp() != function.getOperation())
      return false;
    auto viewed = made.numberOf.find(op->getOperand(0));
    return viewed != made.numberOf.end() && isInDdrAnyway(viewed->second);
  }

  /// Lets the late readers of a value load it from DDR, where what makes it
  /// stores it. What holds it on tiles for them is a value of its own, so that
  /// capacity rows tell holding it from storing it: late readers take one of
  /// its layouts, or the value in DDR and a load of their own.
  void addSpills(int value) {
    int maker = made.problem.values[value].madeBy;
    if (maker < 0 || !candidatesOf[maker] ||
        !canBeSpilled(function, made.operations[maker],
                      tensorType(made.values[value])) ||
        !isWrittenWhole(made.values[value]))
      return;
    std::vector<int> users = readers[value];
    users.erase(std::unique(users.begin(), users.end()), users.end());
    std::optional<int> late = firstLateReader(maker, users);
    if (!late)
      return;
    int held = -1;
    for (int user : users) {
      bool isConcerned = user >= *late && candidatesOf[user] &&
                         made.operations[user]->getBlock() ==
                             made.operations[maker]->getBlock() &&
                         !isWrittenOver(made.values[value], user) &&
                         ownLoads[user].size() < manyOwnLoads;
      if (!isConcerned)
        continue;
      if (held < 0)
        held = addHeld(value);
      ownLoads[user].push_back(
          {value, appendValue(made.values[value], user), held});
    }
  }

  int addHeld(int value) {
    int held = appendValue(made.values[value], /*loadedFor=*/-1);
    made.holds[held] = value;
    made.problem.values[held].madeBy = made.problem.values[value].madeBy;
    made.layouts[held].clear();
    made.problem.values[held].layouts.clear();
    heldBy[made.problem.values[value].madeBy].push_back(held);
    return held;
  }

  bool isWrittenOver(Value value, int user) const {
    return llvm::any_of(made.operations[user]->getOpOperands(),
                        [&](OpOperand &operand) {
                          return operand.get() == value && tiedResult(operand);
                        });
  }

  void collect(Region &region) {
    for (Block &block : region) {
      for (Value argument : block.getArguments())
        if (tensorType(argument))
          addValue(argument);
      for (Operation &op : block) {
        bool goesIn = isGoneInto(&op);
        if (goesIn)
          for (Region &inner : op.getRegions())
            collect(inner);
        SetVector<Value> reads;
        if (!goesIn)
          reads = capturedTensors(&op);
        auto isTensor = [](Type type) { return isa<RankedTensorType>(type); };
        bool concerned = llvm::any_of(op.getOperandTypes(), isTensor) ||
                         llvm::any_of(op.getResultTypes(), isTensor) ||
                         !reads.empty() || op.hasTrait<OpTrait::IsTerminator>();
        if (concerned && !isGiven(&op))
          addOperation(&op, reads);
      }
    }
  }

  /// A value of the problem, and the one that an operation may read in its
  /// place, which is loaded for it. Of what may be spilled, the value that
  /// holds it on tiles; otherwise -1.
  struct OwnLoad {
    int shared;
    int own;
    int held;
  };

  /// The layout of a value that holds another one which was made under `type`:
  /// on tiles, where it is held, and of no bytes where it may not be.
  int heldLayout(int held, RankedTensorType type, bool isHeld) {
    std::vector<std::pair<RankedTensorType, bool>> &known = heldLayouts[held];
    auto it = llvm::find(known, std::pair(type, isHeld));
    if (it != known.end())
      return static_cast<int>(it - known.begin());
    known.emplace_back(type, isHeld);
    made.layouts[held].push_back(isHeld ? type : withLayout(type, {}));
    made.problem.values[held].layouts.push_back(isHeld ? "" : "not held");
    return static_cast<int>(known.size() - 1);
  }

  /// `reads` are the tensors from outside that its regions read whole.
  void addOperation(Operation *op, const SetVector<Value> &reads) {
    int number = static_cast<int>(made.operations.size());
    made.operations.push_back(op);
    operands.emplace_back();
    captured.emplace_back();
    ownLoads.emplace_back();
    for (OpOperand &operand : op->getOpOperands())
      if (tensorType(operand.get()) && isMoved(operand)) {
        operands.back().push_back(
            {operand.getOperandNumber(), addValue(operand.get())});
        readers[operands.back().back().value].push_back(number);
      }
    for (Value value : reads)
      captured.back().push_back(addValue(value));
    for (Value result : op->getResults())
      if (tensorType(result)) {
        int value = addValue(result);
        made.problem.values[value].madeBy = number;
        made.layouts[value].clear();
        made.problem.values[value].layouts.clear();
      }
    candidatesOf.push_back(
        keepsIndices(op) || isFixed(op) ? nullptr : findCandidates(op));
    if (!candidatesOf.back())
      written.push_back(&made.written.emplace_back(fixedCandidates.of(op)));
    else
      written.push_back(nullptr);
  }

  /// Whether the operand has to be brought: outputs that nobody has written, or
  /// that have one value everywhere, are made where they are.
  static bool isMoved(OpOperand &operand) {
    DataNeed need = dataNeedOf(operand.get());
    return need != DataNeed::Unwritten &&
           !(need == DataNeed::Uniform && tiedResult(operand));
  }

  void addKinds(OrderedTypes &types, Operation *op) const {
    if (!storage.hasImages())
      return;
    for (Value result : op->getResults())
      types.resultKinds.push_back(storage.ofResult(result));
    for (OpOperand &operand : op->getOpOperands())
      types.operandKinds.push_back(storage.ofOperand(operand));
  }

  static void appendTypes(ComputeChoices::Key &key, const OrderedTypes &types) {
    for (const auto *list : {&types.results, &types.operands})
      for (RankedTensorType type : *list)
        key.push_back(type ? type.getAsOpaquePointer() : nullptr);
  }

  OperationCandidates *findCandidates(Operation *op) {
    OrderedTypes types = orders.typesOf(op);
    addKinds(types, op);
    ComputeChoices::Key key = ComputeChoices::keyOf(op);
    appendTypes(key, types);
    key.push_back(types.anyOrder ? op->getContext() : nullptr);
    for (const auto *kinds : {&types.resultKinds, &types.operandKinds})
      for (Storage kind : *kinds)
        key.push_back(kind == Storage::Linear ? nullptr : op->getContext());
    // Steps make what has one value everywhere on tiles, and load what two
    // operands are once.
    if (options.runsInSteps)
      for (OpOperand &operand : op->getOpOperands()) {
        key.push_back(isMadeAnywhere(operand.get()) ? op->getContext()
                                                    : nullptr);
        auto first = llvm::find(op->getOperands(), operand.get()).getIndex();
        key.push_back(reinterpret_cast<const void *>(first));
      }
    // An operation whose engine does something of others is not made in parts:
    // an output stage makes whole results, and what parts cost would depend on
    // how others run.
    Staging staging{doneByEngine(op, target.costs)};
    if (options.splitReductions || options.runsInSteps) {
      staging.stages = isStagedByReader(op, target.costs);
      staging.pads = padsWhileReading(op, target.costs);
    }
    for (const Kind &kind : kinds[key])
      if (kind.staging == staging && haveSameBodies(kind.like, op))
        return kind.candidates;
    made.found.push_back(std::make_unique<OperationCandidates>(
        op, std::move(types), target, options.tiles, staging.done,
        options.kernels.get()));
    kinds[key].push_back({op, staging, made.found.back().get()});
    return made.found.back().get();
  }

  static bool haveSameBodies(Operation *a, Operation *b) {
    if (a->getNumRegions() != b->getNumRegions())
      return false;
    for (auto [left, right] : llvm::zip(a->getRegions(), b->getRegions()))
      if (!OperationEquivalence::isRegionEquivalentTo(
              &left, &right, OperationEquivalence::IgnoreLocations))
        return false;
    return true;
  }

  /// Calls `apply` with the types of each candidate of operation `number`.
  template <typename Apply>
  void forEachCandidate(size_t number, Apply apply) const {
    if (candidatesOf[number])
      for (const OperationCandidate &candidate :
           candidatesOf[number]->candidates())
        apply(candidate);
    else
      apply(*written[number]);
    if (number < inGroups.size())
      for (const OperationCandidate *candidate : inGroups[number])
        apply(*candidate);
  }

  void findGroups() {
    shares.assign(made.operations.size(), Count::most);
    for (size_t number = 0; number < made.operations.size(); ++number)
      findGroup(number);
    for (size_t number = 0; number < made.operations.size(); ++number)
      if (shares[number] != Count::most)
        addInStepsOfReader(number);
  }

  /// Distributes the least that the group costs over its operations as they
  /// cost by themselves. A search that goes forwards would otherwise take the
  /// others to cost nothing, and all of it to come with the last one.
  void shareCost(const StepGroup &group,
                 ArrayRef<OperationCandidate> candidates) {
    int64_t least = Count::most;
    for (const OperationCandidate &candidate : candidates)
      least = std::min(least, candidate.cost);
    SmallVector<double> alone;
    double sum = 0;
    for (const StepMember &member : group.members()) {
      int64_t cost = Count::most;
      for (const OperationCandidate &each :
           candidatesOf[*operationNumber(member.op)]->candidates())
        cost = std::min(cost, each.cost);
      alone.push_back(static_cast<double>(cost));
      sum += alone.back();
    }
    for (auto [member, cost] : llvm::zip_equal(group.members(), alone)) {
      int64_t &share = shares[*operationNumber(member.op)];
      if (&member != &group.last())
        share =
            std::min(share, static_cast<int64_t>(static_cast<double>(least) *
                                                 cost / std::max(sum, 1.0)));
    }
    // A pad of what is loaded costs little.
    for (Operation *pad : group.pads())
      shares[*operationNumber(pad)] = 0;
  }

  /// Candidates of a group that ends with the operation. Equal groups have the
  /// same.
  void findGroup(size_t number) {
    auto last = dyn_cast<linalg::LinalgOp>(made.operations[number]);
    if (!last || !candidatesOf[number] || storage.hasImages())
      return;
    StepGroup group = StepGroup::before(last);
    if (group.size() < 2 && group.pads().empty())
      return;
    std::vector<OrderedTypes> types;
    ComputeChoices::Key key;
    for (auto [place, member] : llvm::enumerate(group.members())) {
      Operation *op = member.op;
      if (!operationNumber(op))
        return;
      types.push_back(orders.typesOf(op));
      llvm::append_range(key, ComputeChoices::keyOf(op));
      appendTypes(key, types.back());
      for (OpOperand &operand : op->getOpOperands()) {
        StepUse use{place, operand.getOperandNumber()};
        key.push_back(isMadeAnywhere(operand.get()) ? op->getContext()
                                                    : nullptr);
        std::optional<size_t> maker = group.makerOf(use);
        key.push_back(reinterpret_cast<const void *>(
            static_cast<uintptr_t>(maker ? *maker + 1 : 0)));
        // The first input that is the same tensor.
        uintptr_t same = 1;
        for (StepUse other : group.inputs()) {
          if (group.operandOf(other).get() == operand.get())
            break;
          ++same;
        }
        key.push_back(reinterpret_cast<const void *>(same));
        if (Operation *pad = group.padOf(use)) {
          llvm::append_range(key, ComputeChoices::keyOf(pad));
          Attribute added;
          matchPattern(asConstantPad(pad)->added, m_Constant(&added));
          key.push_back(added ? added.getAsOpaquePointer() : pad);
        }
      }
    }
    if (!llvm::all_of(group.pads(), [&](Operation *pad) {
          return operationNumber(pad).has_value();
        }))
      return;
    Staging staging;
    staging.stages = isStagedByReader(last, target.costs);
    key.push_back(staging.stages ? last->getContext() : nullptr);
    const GroupKind *kind = nullptr;
    for (const GroupKind &known : groupKinds[key])
      if (haveSameBodies(known.like, group))
        kind = &known;
    if (!kind) {
      made.inGroups.push_back(stepCandidates(
          group, types, target, options.tiles, options.kernels.get(),
          {staging.stages, loadsOperands(group), options.bytePrice},
          made.considered));
      kind = &groupKinds[key].emplace_back(
          GroupKind{group, &made.inGroups.back()});
    }
    if (kind->candidates->empty())
      return;
    for (OperationCandidate &candidate : *kind->candidates)
      inGroups[number].push_back(&candidate);
    shareCost(group, *kind->candidates);
    made.groups[number] = std::move(group);
  }

  /// Whether steps of the last operation load its operands though they are not
  /// cut: its engine adds zeros to what another operation makes as a whole.
  bool loadsOperands(const StepGroup &group) const {
    return padsWhileReading(group.last().op, target.costs) &&
           llvm::none_of(group.inputs(), [&](StepUse use) {
             return use.member + 1 == group.size() && group.padOf(use);
           });
  }

  std::optional<size_t> operationNumber(Operation *op) const {
    auto found = made.numberOf.find(op->getResult(0));
    if (found == made.numberOf.end())
      return std::nullopt;
    int maker = made.problem.values[found->second].madeBy;
    if (maker < 0 || !candidatesOf[maker])
      return std::nullopt;
    return static_cast<size_t>(maker);
  }

  void addInStepsOfReader(size_t number) {
    Operation *op = made.operations[number];
    OperationCandidate candidate;
    candidate.what = inStepsName.str();
    candidate.cost = shares[number];
    candidate.isInStepsOfReader = true;
    candidate.results = {inStepsOfReader(tensorType(op->getResult(0)))};
    candidate.operands.resize(op->getNumOperands());
    inGroups[number].push_back(&made.written.emplace_back(candidate));
  }

  static bool haveSameBodies(const StepGroup &a, const StepGroup &b) {
    return llvm::all_of(
        llvm::zip_equal(a.members(), b.members()), [](const auto &pair) {
          linalg::LinalgOp one = std::get<0>(pair).op,
                           other = std::get<1>(pair).op;
          return haveSameBodies(one.getOperation(), other.getOperation());
        });
  }

  /// Adds candidates to readers for the layouts that producers make, going
  /// forwards, and to producers for those that readers take, going backwards.
  /// So a layout gets through a chain of views in one round.
  void offerToNeighbours() {
    for (size_t number = 0; number < made.operations.size(); ++number)
      if (OperationCandidates *candidates = candidatesOf[number])
        for (Operand operand : operands[number])
          for (RankedTensorType type : layoutsGiven(operand.value))
            if (candidates->added() < manyAdded &&
                !candidates->addReading(operand.number, type))
              candidates->addReadingParts(operand.number, type);
    for (size_t number = made.operations.size(); number-- > 0;)
      if (OperationCandidates *candidates = candidatesOf[number])
        for (OpResult result : made.operations[number]->getResults())
          if (tensorType(result))
            for (RankedTensorType type :
                 layoutsWanted(made.numberOf.lookup(result)))
              if (candidates->added() < manyAdded)
                candidates->addMaking(result.getResultNumber(), type);
  }

  using Types = llvm::SmallSetVector<RankedTensorType, 8>;

  static void addLayout(Types &types, RankedTensorType type) {
    if (type && isDistributed(type))
      types.insert(type);
  }

  Types layoutsGiven(int value) const {
    Types types;
    if (auto result = dyn_cast<OpResult>(made.values[value]);
        result && made.problem.values[value].madeBy >= 0)
      forEachCandidate(made.problem.values[value].madeBy,
                       [&](const OperationCandidate &candidate) {
                         addLayout(types,
                                   candidate.results[result.getResultNumber()]);
                       });
    else
      addLayout(types, tensorType(made.values[value]));
    return types;
  }

  Types layoutsWanted(int value) const {
    Types types;
    for (int reader : readers[value])
      forEachCandidate(reader, [&](const OperationCandidate &candidate) {
        for (Operand operand : operands[reader])
          if (operand.value == value)
            addLayout(types, candidate.operands[operand.number]);
      });
    return types;
  }

  int layoutOf(int value, RankedTensorType type) {
    std::vector<RankedTensorType> &layouts = made.layouts[value];
    auto it = llvm::find(layouts, type);
    if (it != layouts.end())
      return static_cast<int>(it - layouts.begin());
    layouts.push_back(type);
    made.problem.values[value].layouts.push_back(isDistributed(type) ? ""
                                                 : isInStepsOfReader(type)
                                                     ? inStepsName.str()
                                                     : "ddr");
    return static_cast<int>(layouts.size() - 1);
  }

  void writeCandidates(size_t number) {
    Operation *op = made.operations[number];
    AssignedOperation assigned;
    assigned.name = op->getName().getStringRef().str();
    int64_t rounds = knownRounds(op->getBlock());
    made.candidates.emplace_back();
    made.ownLoads.emplace_back();
    made.whyInDdr.push_back(
        candidatesOf[number] ? candidatesOf[number]->whyInDdr() : "");
    std::vector<int64_t> moved;
    forEachCandidate(number, [&](const OperationCandidate &candidate) {
      Candidate entry;
      entry.what = candidate.what;
      entry.cost =
          (Count{candidate.cost - ofOthers(number, candidate)} * Count{rounds})
              .value;
      for (OpResult result : op->getResults())
        if (tensorType(result))
          entry.resultLayouts.push_back(
              layoutOf(made.numberOf.lookup(result),
                       candidate.results[result.getResultNumber()]));
      for (int held : heldBy[static_cast<int>(number)]) {
        auto result = cast<OpResult>(made.values[held]);
        entry.resultLayouts.push_back(
            heldLayout(held, candidate.results[result.getResultNumber()],
                       /*isHeld=*/false));
      }
      for (Operand operand : operands[number])
        if (RankedTensorType type = candidate.operands[operand.number])
          entry.operandLayouts.push_back(
              {operand.value, layoutOf(operand.value, type)});
      if (candidate.isOfGroup)
        addReadInSteps(entry, *made.groups[number], candidate);
      for (int value : captured[number])
        entry.operandLayouts.push_back(
            {value,
             layoutOf(value, readByBody(tensorType(made.values[value])))});
      llvm::sort(entry.operandLayouts);
      entry.operandLayouts.erase(llvm::unique(entry.operandLayouts),
                                 entry.operandLayouts.end());
      appendCandidates(candidate, std::move(entry), number,
                       assigned.candidates);
      made.candidates.back().resize(assigned.candidates.size(), &candidate);
      moved.resize(assigned.candidates.size(),
                   (Count{candidate.movedBytes} * Count{rounds}).value);
    });
    if (options.bytePrice > 0)
      made.movedByCandidates.push_back(std::move(moved));
    made.problem.operations.push_back(std::move(assigned));
  }

  /// Of a group's cost, what its other operations have.
  int64_t ofOthers(size_t number, const OperationCandidate &candidate) const {
    int64_t sum = 0;
    if (candidate.steps && !candidate.steps->before.empty())
      for (const StepMember &member :
           made.groups[number]->members().drop_back())
        sum += shares[*operationNumber(member.op)];
    return sum;
  }

  /// Adds what the operations before the last one of a group read, and that
  /// their results are made in its steps.
  void addReadInSteps(Candidate &entry, const StepGroup &group,
                      const OperationCandidate &candidate) {
    for (const auto &[use, type] : candidate.readBefore) {
      int value = made.numberOf.lookup(group.operandOf(use).get());
      entry.operandLayouts.push_back({value, layoutOf(value, type)});
    }
    auto makeInSteps = [&](Value result) {
      int value = made.numberOf.lookup(result);
      entry.operandLayouts.push_back(
          {value, layoutOf(value, inStepsOfReader(tensorType(result)))});
    };
    for (const StepMember &member : group.members().drop_back()) {
      linalg::LinalgOp op = member.op;
      makeInSteps(op->getResult(0));
    }
    for (Operation *op : group.pads()) {
      makeInSteps(op->getResult(0));
      ConstantPad pad = *asConstantPad(op);
      int source = made.numberOf.lookup(pad.source->get());
      entry.operandLayouts.push_back(
          {source, layoutOf(source, withLayout(pad.sourceType(), {}))});
    }
  }

  /// Appends the candidate, and after it the same with loads of its own in
  /// place of shared ones, in every combination.
  void appendCandidates(const OperationCandidate &candidate, Candidate entry,
                        size_t number, std::vector<Candidate> &candidates) {
    auto &loads = made.ownLoads[number];
    size_t first = candidates.size();
    for (OwnLoad load : ownLoads[number])
      if (load.held >= 0)
        holdOperands(entry, load);
    candidates.push_back(std::move(entry));
    loads.emplace_back();
    for (OwnLoad load : ownLoads[number])
      for (size_t each = first, end = candidates.size(); each < end; ++each) {
        Candidate other = candidates[each];
        auto operand =
            llvm::find_if(other.operandLayouts, [&](ValueLayout layout) {
              return layout.value ==
                         (load.held >= 0 ? load.held : load.shared) &&
                     isDistributed(made.layouts[layout.value][layout.layout]);
            });
        if (operand == other.operandLayouts.end())
          continue;
        RankedTensorType type = made.layouts[operand->value][operand->layout];
        *operand = {load.own, layoutOf(load.own, type)};
        if (made.problem.values[load.shared].madeBy >= 0)
          other.operandLayouts.push_back(
              {load.shared, layoutOf(load.shared, withLayout(type, {}))});
        llvm::sort(other.operandLayouts);
        other.operandLayouts.erase(llvm::unique(other.operandLayouts),
                                   other.operandLayouts.end());
        loads.push_back(loads[each]);
        for (Operand operand : operands[number])
          if (operand.value == load.shared &&
              candidate.operands[operand.number] == type) {
            loads.back().push_back(operand.number);
            other.what +=
                fmt::format(", loads operand {} for itself", operand.number);
          }
        candidates.push_back(std::move(other));
      }
  }

  /// Lets the candidate read what holds the value on tiles.
  void holdOperands(Candidate &entry, OwnLoad load) {
    for (ValueLayout &operand : entry.operandLayouts)
      if (operand.value == load.shared) {
        RankedTensorType type = made.layouts[operand.value][operand.layout];
        if (isDistributed(type))
          operand = {load.held, heldLayout(load.held, type, /*isHeld=*/true)};
      }
    llvm::sort(entry.operandLayouts);
  }

  /// A value is held as it was made, or as a part of that. Other moves would be
  /// shared with early readers, which are no readers of what is held.
  void writeMovesOfHeld(size_t number) {
    const auto &known = heldLayouts[static_cast<int>(number)];
    std::vector<std::vector<int64_t>> cycles(
        known.size(), std::vector<int64_t>(known.size(), kImpossible));
    for (size_t from = 0; from < known.size(); ++from)
      for (size_t to = 0; to < known.size(); ++to) {
        auto [madeAs, isHeld] = known[from];
        bool isFree =
            from == to ||
            (!isHeld && known[to].second &&
             (madeAs == known[to].first ||
              (isDistributed(madeAs) &&
               movements.of(made.values[number], madeAs, known[to].first)
                       .cycles == 0)));
        if (isFree)
          cycles[from][to] = 0;
      }
    made.problem.values[number].moves = std::move(cycles);
    if (options.bytePrice > 0)
      made.movedBytes.emplace_back(known.size(),
                                   std::vector<int64_t>(known.size(), 0));
  }

  void writeMoves(size_t number) {
    if (made.holds[number] >= 0)
      return writeMovesOfHeld(number);
    AssignedValue &value = made.problem.values[number];
    if (options.everywhereInDdr)
      layoutOf(static_cast<int>(number),
               withLayout(tensorType(made.values[number]), {}));
    const std::vector<RankedTensorType> &layouts = made.layouts[number];
    std::vector<bool> isMade(layouts.size(), options.everywhereInDdr);
    if (value.madeBy < 0)
      isMade[0] = true;
    else
      for (const Candidate &candidate :
           made.problem.operations[value.madeBy].candidates)
        isMade[candidate.resultLayouts[resultIndex(number)]] = true;
    int64_t rounds = knownRounds(made.values[number].getParentBlock());
    // A move reads all entries, also those that nobody has written.
    if (!isWrittenWhole(made.values[number]))
      isMade.assign(layouts.size(), false);
    const MoveTable &moves =
        movements.between(made.values[number], layouts, isMade, rounds);
    value.moves = moves.cycles;
    // Nobody has as a whole what is made in steps.
    for (size_t from = 0; from < layouts.size(); ++from)
      for (size_t to = 0; to < layouts.size(); ++to)
        if (from != to && (isInStepsOfReader(layouts[from]) ||
                           isInStepsOfReader(layouts[to])))
          value.moves[from][to] = kImpossible;
    if (options.bytePrice > 0)
      made.movedBytes.push_back(moves.bytes);
    addCostApart(number, rounds);
  }

  /// A move costs as well what an engine would otherwise do at no cost: steps
  /// of the value's reader, or all that makes the value.
  void addCostApart(size_t number, int64_t rounds) {
    const std::vector<RankedTensorType> &layouts = made.layouts[number];
    std::vector<int64_t> ofReader = readersApart(number, rounds);
    std::vector<int64_t> ofMaker = makerApart(number, rounds);
    for (auto [from, costs] :
         llvm::enumerate(made.problem.values[number].moves))
      for (auto [to, cost] : llvm::enumerate(costs)) {
        Count apart = Count{ofMaker[from]} + Count{ofReader[to]};
        if (apart > Count{0} && from != to && cost != kImpossible &&
            relate(layouts[from], layouts[to]) == Relation::DataMoves)
          cost = (Count{cost} + apart).value;
      }
  }

  /// For each layout of a value, what steps of its reader cost where an output
  /// stage does not do them.
  std::vector<int64_t> readersApart(size_t number, int64_t rounds) const {
    const std::vector<RankedTensorType> &layouts = made.layouts[number];
    std::vector<int64_t> apart(layouts.size(), 0);
    for (int reader : readers[number]) {
      if (!candidatesOf[reader] || !candidatesOf[reader]->doneByEngine().staged)
        continue;
      unsigned staged = candidatesOf[reader]->doneByEngine().staged->number;
      for (Operand operand : operands[reader])
        if (operand.value == static_cast<int>(number) &&
            operand.number == staged)
          forEachCandidate(reader, [&](const OperationCandidate &candidate) {
            raiseApart(apart, layouts, candidate.operands[staged],
                       candidate.costApart, rounds);
          });
    }
    return apart;
  }

  /// For each layout of a value, what making it costs where its reader does not
  /// do that.
  std::vector<int64_t> makerApart(size_t number, int64_t rounds) const {
    const std::vector<RankedTensorType> &layouts = made.layouts[number];
    std::vector<int64_t> apart(layouts.size(), 0);
    int maker = made.problem.values[number].madeBy;
    if (maker >= 0 && candidatesOf[maker] &&
        candidatesOf[maker]->doneByEngine().byReader)
      forEachCandidate(maker, [&](const OperationCandidate &candidate) {
        raiseApart(apart, layouts, candidate.results[0], candidate.costApart,
                   rounds);
      });
    return apart;
  }

  static void raiseApart(std::vector<int64_t> &apart,
                         ArrayRef<RankedTensorType> layouts,
                         RankedTensorType layout, int64_t cost,
                         int64_t rounds) {
    const auto *found = llvm::find(layouts, layout);
    if (found == layouts.end())
      return;
    int64_t &most = apart[found - layouts.begin()];
    most = std::max(most, (Count{cost} * Count{rounds}).value);
  }

  bool isWrittenWhole(Value value) {
    auto type = cast<RankedTensorType>(value.getType());
    for (const WrittenBoxes &boxes : writtenParts.waysWritten(value)) {
      bool gaveUp = false;
      if (findUncovered(Box::whole(toExtents(type.getShape())),
                        {boxes.data(), boxes.size()}, gaveUp) ||
          gaveUp)
        return false;
    }
    return true;
  }

  /// Which of the tensors that its operation makes the value is.
  size_t resultIndex(size_t number) const {
    auto result = cast<OpResult>(made.values[number]);
    size_t index = 0;
    for (OpResult other : result.getOwner()->getResults()) {
      if (other == result)
        break;
      index += isa<RankedTensorType>(other.getType());
    }
    return index;
  }

  FunctionOpInterface function;
  const Target &target;
  const ProblemOptions &options;
  MemoryOrders orders;
  StorageKinds storage;
  EmptyOrigins origins;
  Movements movements{target, options.runsInSteps};
  FixedCandidates fixedCandidates{target, movements, origins};
  FunctionProblem made;
  std::vector<std::vector<Operand>> operands;
  std::vector<std::vector<int>> captured;
  std::vector<SmallVector<OwnLoad, manyOwnLoads>> ownLoads;
  /// By maker, the values that hold others on tiles, and by these their
  /// layouts: of which type, and whether it is held.
  std::map<int, std::vector<int>> heldBy;
  std::map<int, std::vector<std::pair<RankedTensorType, bool>>> heldLayouts;
  std::vector<std::vector<int>> readers;
  std::vector<OperationCandidates *> candidatesOf;
  std::vector<const OperationCandidate *> written;
  std::map<ComputeChoices::Key, SmallVector<Kind, 1>> kinds;
  std::map<ComputeChoices::Key, std::vector<GroupKind>> groupKinds;
  /// For each operation, what it has of the cost of the groups in whose steps
  /// it may run before the last operation; Count::most where there is none.
  std::vector<int64_t> shares;
  /// For each operation, the candidates that it has in groups.
  std::vector<SmallVector<const OperationCandidate *, 0>> inGroups;
  WrittenParts writtenParts{origins};
};

} // namespace

FunctionProblem problemOf(FunctionOpInterface function, const Target &target,
                          const ProblemOptions &options) {
  return ProblemBuilder(function, target, options).build();
}

bool mayLoadAgain(const FunctionProblem &function) {
  std::vector<std::vector<int>> users(function.values.size());
  for (auto [number, operation] :
       llvm::enumerate(function.problem.operations)) {
    std::set<int> read;
    for (const Candidate &candidate : operation.candidates)
      for (ValueLayout operand : candidate.operandLayouts)
        if (isDistributed(function.layouts[operand.value][operand.layout]))
          read.insert(operand.value);
    for (int value : read) {
      users[value].push_back(static_cast<int>(number));
      if (users[value].size() > 1 && isInDdrFromBeginning(function, value))
        return true;
    }
  }
  for (auto [number, value] : llvm::enumerate(function.values)) {
    int maker = function.problem.values[number].madeBy;
    if (maker >= 0 &&
        canBeSpilled(function.function, function.operations[maker],
                     tensorType(value)) &&
        firstLateReader(maker, users[number]))
      return true;
  }
  return false;
}

void nameLayouts(FunctionProblem &function) {
  AssignmentProblem &problem = function.problem;
  ValueNames valueNames(function.function);
  llvm::DenseMap<Type, std::string> names;
  for (auto [value, loadedFor, holds, types, assigned] :
       llvm::zip_equal(function.values, function.loadedFor, function.holds,
                       function.layouts, problem.values)) {
    assigned.name = valueNames.of(value);
    if (holds >= 0)
      assigned.name += " for late readers";
    if (loadedFor >= 0)
      assigned.name += fmt::format(" for operation {}", loadedFor);
    for (auto [type, name] : llvm::zip_equal(types, assigned.layouts)) {
      if (!isDistributed(type))
        continue;
      std::string &known = names[type];
      if (known.empty())
        llvm::raw_string_ostream(known) << type;
      name = known;
    }
  }
  for (auto [op, assigned] :
       llvm::zip_equal(function.operations, problem.operations))
    assigned.location = nameOfLocation(op->getLoc());
}

} // namespace npu
