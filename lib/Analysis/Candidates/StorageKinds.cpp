// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Analysis/Candidates/StorageKinds.h"

#include "MinimumCut.h"
#include "npu/Analysis/Access/Transposes.h"
#include "npu/Analysis/Candidates/MemoryOrders.h"
#include "npu/Analysis/Choices/ComputeChoices.h"
#include "npu/Analysis/Costs/EngineOrders.h"
#include "npu/Dialect/NPU/IR/KernelsAttr.h"
#include "npu/Dialect/NPU/IR/NPUDialect.h"
#include "npu/Dialect/NPU/IR/TensorPlacement.h"
#include "npu/Dialect/NPU/IR/TensorSizes.h"
#include "npu/Interfaces/LayoutChangeOpInterface.h"
#include "npu/Interfaces/OpAccess.h"
#include "npu/Interfaces/RematerializableOpInterface.h"
#include "npu/Support/Decisions.h"
#include "npu/Support/Naming.h"
#include "npu/Support/SignatureAttributes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

#include <fmt/format.h>

using namespace mlir;

namespace npu {
namespace {

Storage otherThan(Storage kind) {
  return kind == Storage::Linear ? Storage::Tiled2d : Storage::Linear;
}

/// The type of a tensor of rank 4 that tiles can hold; null for others.
RankedTensorType typeOfRank4(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.getRank() == 4 && takesLayout(type) ? type
                                                          : RankedTensorType();
}

std::optional<Storage> kindOf(Attribute attr) {
  auto word = dyn_cast_or_null<StringAttr>(attr);
  return word ? parseStorage(word.getValue()) : std::nullopt;
}

} // namespace

std::optional<Storage> storageAskedFor(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || type.getRank() != 4)
    return std::nullopt;
  if (Operation *maker = value.getDefiningOp())
    return kindOf(maker->getDiscardableAttr(storageAttrName));
  auto argument = cast<BlockArgument>(value);
  auto function =
      dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp());
  if (!function || !argument.getOwner()->isEntryBlock())
    return std::nullopt;
  return kindOf(function.getArgAttr(argument.getArgNumber(), storageAttrName));
}

void dropStorageAsked(Operation *root) {
  root->walk([](Operation *op) {
    if (auto function = dyn_cast<FunctionOpInterface>(op))
      rewriteArgAttrs(function, [](unsigned, NamedAttrList &attributes) {
        attributes.erase(storageAttrName);
      });
    else
      op->removeDiscardableAttr(storageAttrName);
  });
}

/// Whether something asks for images: the device, the option, a kernel that
/// takes nothing else, or an `npu.storage`.
static bool mayHaveImages(FunctionOpInterface function,
                          const KernelTable &kernels,
                          std::optional<Storage> option) {
  const StorageRules &rules = kernels.storageRules();
  if (!rules.has(Storage::Tiled2d))
    return false;
  if (option.value_or(rules.preferred()) == Storage::Tiled2d)
    return true;
  auto takesImagesAlone = [](DictionaryAttr row) {
    auto list = row.getAs<ArrayAttr>(kernelStorage);
    return list && llvm::none_of(list, [](Attribute word) {
             return kindOf(word) == Storage::Linear;
           });
  };
  if (llvm::any_of(kernels.rows(), takesImagesAlone))
    return true;
  for (unsigned number = 0; number < function.getNumArguments(); ++number)
    if (function.getArgAttr(number, storageAttrName))
      return true;
  return function
      ->walk([](Operation *op) {
        return op->hasAttr(storageAttrName) ? WalkResult::interrupt()
                                            : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Makes a problem of the kinds of a function, and reads the answer.
class KindChooser {
public:
  KindChooser(FunctionOpInterface function, const Target &target,
              const KernelTable &kernels, const StorageChoice &choice,
              StorageKinds &made)
      : function(function), target(target), kernels(kernels),
        rules(kernels.storageRules()), choice(choice), made(made) {
    linearNode = addNode(WhyStorage::NoKernel);
    imageNode = addNode(WhyStorage::Kernel);
    cut.fix(linearNode, sideOf(Storage::Linear));
    cut.fix(imageNode, sideOf(Storage::Tiled2d));
  }

  void choose() {
    function.walk([&](Operation *op) {
      if (op != function)
        addOperation(op);
    });
    eachAsked([&](Value value, Storage kind) {
      pin(nodeOf(value), kind, WhyStorage::Attribute);
    });
    // What reads a tensor may have been asked for another kind itself.
    eachAsked([&](Value value, Storage kind) {
      for (OpOperand &use : value.getUses())
        pin(nodeOf(use), kind, WhyStorage::Attribute);
    });
    if (choice.option)
      for (int node : freeNodes)
        pin(node, *choice.option, WhyStorage::Option);
    eachValue([&](Value value) { keepTogether(value); });
    cut.solve();
    for (auto [operand, node] : operandNodes)
      if (kindAt(node) == Storage::Tiled2d)
        made.imagesRead.insert(operand);
    for (auto [result, node] : resultNodes)
      if (kindAt(node) == Storage::Tiled2d)
        made.images.insert(result);
  }

  /// Says why each kind is what it is. Precondition: they are chosen.
  std::vector<StorageDecision> explain() {
    std::vector<StorageDecision> decisions;
    eachTensor([&](Value value) { decisions.push_back(decisionOn(value)); });
    return decisions;
  }

private:
  MinimumCut::Side sideOf(Storage kind) const {
    return kind == preferred() ? MinimumCut::Side::First
                               : MinimumCut::Side::Second;
  }
  Storage kindAt(int node) const {
    return cut.sideOf(node) == MinimumCut::Side::First ? preferred()
                                                       : otherThan(preferred());
  }
  /// The kind that is taken where both are as good.
  Storage preferred() const {
    return choice.avoidsImages ? Storage::Linear : rules.preferred();
  }

  int addNode(WhyStorage why) {
    int node = cut.addNode();
    reasons[node] = why;
    return node;
  }
  int addFreeNode() {
    int node = addNode(WhyStorage::Preferred);
    freeNodes.push_back(node);
    return node;
  }

  bool canBeImage(RankedTensorType type) const {
    return rules.whyNoImage(type).empty();
  }

  void addOperation(Operation *op) {
    bool isConcerned = llvm::any_of(op->getOperands(), typeOfRank4) ||
                       llvm::any_of(op->getResults(), typeOfRank4);
    if (!isConcerned || keepsIndices(op))
      return;
    std::optional<OpAccess> access = OpAccess::get(op);
    if (access)
      for (OpOperand &operand : op->getOpOperands())
        if (!access->reads(operand.getOperandNumber()))
          unread.insert(&operand);
    if (isKeptOnHost(op))
      return;
    KindsTaken kinds = kernels.kindsOf(op);
    bool wantsOrder = target.channelsInnermost && op->getNumResults() == 1 &&
                      engineOrdersOf(op);
    // On linear tensors, a transpose may be a cast.
    if (!kinds.tiled2d || (kinds.linear && (wantsOrder || matchTranspose(op))))
      return;
    std::optional<int> joint;
    if (!kinds.mixed || wantsOneLayout(op)) {
      auto fits = [&](Value value) {
        RankedTensorType type = typeOfRank4(value);
        return !type || canBeImage(type);
      };
      bool fitAll = llvm::all_of(op->getOperands(), fits) &&
                    llvm::all_of(op->getResults(), fits);
      if (kinds.linear && !fitAll)
        return;
      joint = kinds.linear ? addFreeNode() : imageNode;
    }
    auto nodeFor = [&](Value value) {
      RankedTensorType type = typeOfRank4(value);
      return !type || !canBeImage(type) ? linearNode
             : joint                    ? *joint
                                        : addFreeNode();
    };
    for (OpResult result : op->getResults())
      if (int node = nodeFor(result); node != linearNode)
        resultNodes[result] = node;
    SmallVector<OpOperand *> positions = positionsOperands(op);
    for (OpOperand &operand : op->getOpOperands()) {
      if (!typeOfRank4(operand.get()) || unread.contains(&operand) ||
          llvm::is_contained(positions, &operand))
        continue;
      std::optional<unsigned> tied = tiedResult(operand);
      int node = tied ? nodeOf(op->getResult(*tied)) : nodeFor(operand.get());
      if (node != linearNode)
        operandNodes[&operand] = node;
    }
  }

  int nodeOf(Value value) const {
    auto it = resultNodes.find(value);
    return it == resultNodes.end() ? linearNode : it->second;
  }
  int nodeOf(OpOperand &operand) const {
    auto it = operandNodes.find(&operand);
    return it == operandNodes.end() ? linearNode : it->second;
  }

  /// Calls `apply` with every tensor of rank 4 that is brought from where it is
  /// made to where it is read.
  void eachValue(llvm::function_ref<void(Value)> apply) const {
    eachTensor([&](Value value) {
      if (typeOfRank4(value))
        apply(value);
    });
  }

  /// The same for tensors of any rank that tiles can hold.
  void eachTensor(llvm::function_ref<void(Value)> apply) const {
    auto visit = [&](Value value) {
      if (takesLayout(value.getType()) && !isMadeAnywhere(value))
        apply(value);
    };
    FunctionOpInterface walked = function;
    walked.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (op != walked && !keepsIndices(op))
        llvm::for_each(op->getResults(), visit);
      for (Region &region : op->getRegions())
        for (Block &block : region)
          llvm::for_each(block.getArguments(), visit);
    });
  }

  void pin(int node, Storage kind, WhyStorage why) {
    if (reasons[node] != WhyStorage::Preferred)
      return;
    reasons[node] = why;
    cut.fix(node, sideOf(kind));
  }

  /// Calls `apply` with every tensor for which a kind is asked.
  void eachAsked(llvm::function_ref<void(Value, Storage)> apply) const {
    eachValue([&](Value value) {
      if (std::optional<Storage> asked = storageAskedFor(value))
        apply(value, *asked);
    });
  }

  /// The operands by which operations read the value.
  SmallVector<OpOperand *> readersOf(Value value) const {
    SmallVector<OpOperand *> readers;
    for (OpOperand &use : value.getUses())
      if (!unread.contains(&use))
        readers.push_back(&use);
    return readers;
  }

  void keepTogether(Value value) {
    llvm::SmallSetVector<int, 8> nodes;
    nodes.insert(nodeOf(value));
    for (OpOperand *use : readersOf(value))
      nodes.insert(nodeOf(*use));
    auto type = cast<RankedTensorType>(value.getType());
    std::optional<int64_t> bytes =
        bufferBytes(type.getElementType(), type.getShape());
    if (nodes.size() > 1)
      cut.keepTogether({nodes.begin(), nodes.end()},
                       std::max<int64_t>(bytes.value_or(1), 1));
  }

  StorageDecision decisionOn(Value value) const {
    auto type = cast<RankedTensorType>(value.getType());
    StorageDecision decision;
    decision.value = value;
    int node = nodeOf(value);
    decision.kind = kindAt(node);
    for (OpOperand *use : readersOf(value))
      decision.convertedFor += kindAt(nodeOf(*use)) != decision.kind;
    Operation *maker = value.getDefiningOp();
    decision.why = reasons.lookup(node);
    if (!rules.has(Storage::Tiled2d)) {
      decision.why = WhyStorage::NoImage;
      decision.detail = rules.device + " has no images";
    } else if (std::string why = rules.whyNoImage(type); !why.empty()) {
      decision.why = WhyStorage::NoImage;
      decision.detail = std::move(why);
    } else if (node == linearNode && !maker) {
      decision.detail = llvm::is_contained(
                            FunctionOpInterface(function).getArguments(), value)
                            ? "in DDR, where it is given"
                            : "control flow hands on linear tensors";
    } else if (node == linearNode && isKeptOnHost(maker)) {
      decision.detail = "in DDR, where the host makes it";
    } else if (node == linearNode && matchTranspose(maker)) {
      decision.detail = "a transpose may be a cast of linear memory";
    } else if (node == linearNode && needsKernel(maker)) {
      decision.why = WhyStorage::Kernel;
    } else if (node == linearNode) {
      decision.detail =
          fmt::format("'{}' needs no kernel, and works on linear tensors",
                      maker->getName().getStringRef().str());
    }
    if (decision.why == WhyStorage::Kernel)
      decision.detail = fmt::format("the kernels of '{}' take no other",
                                    maker->getName().getStringRef().str());
    if (decision.why == WhyStorage::Preferred && decision.kind != preferred())
      decision.why = WhyStorage::FewerBytes;
    if (decision.why == WhyStorage::Preferred &&
        decision.kind != rules.preferred())
      decision.why = WhyStorage::TooLarge;
    return decision;
  }

  FunctionOpInterface function;
  const Target &target;
  const KernelTable &kernels;
  const StorageRules &rules;
  const StorageChoice &choice;
  StorageKinds &made;
  MinimumCut cut;
  int linearNode = 0, imageNode = 0;
  /// The nodes whose kind nobody has said when the operations are read.
  std::vector<int> freeNodes;
  /// Why a node is on its side; `Preferred` where it is free.
  llvm::DenseMap<int, WhyStorage> reasons;
  llvm::MapVector<Value, int> resultNodes;
  llvm::MapVector<OpOperand *, int> operandNodes;
  /// Operands that are only written over, or of which only the shape is read.
  llvm::DenseSet<OpOperand *> unread;
};

StorageKinds::StorageKinds(FunctionOpInterface function, const Target &target,
                           const KernelTable *kernels,
                           const StorageChoice &choice) {
  KernelTable none;
  const KernelTable &table = kernels ? *kernels : none;
  if (mayHaveImages(function, table, choice.option))
    KindChooser(function, target, table, choice, *this).choose();
}

std::vector<StorageDecision> explainStorage(FunctionOpInterface function,
                                            const Target &target,
                                            const KernelTable *kernels,
                                            const StorageChoice &choice) {
  KernelTable none;
  StorageKinds kinds;
  KindChooser chooser(function, target, kernels ? *kernels : none, choice,
                      kinds);
  chooser.choose();
  return chooser.explain();
}

std::string StorageDecision::text(const StorageRules &rules) const {
  std::string text = fmt::format("{}: ", toString(kind));
  switch (why) {
  case WhyStorage::Attribute:
    text += fmt::format("{} says so", storageAttrName.str());
    break;
  case WhyStorage::Option:
    text += fmt::format("storage={} says so", toString(kind));
    break;
  case WhyStorage::NoImage:
  case WhyStorage::Kernel:
  case WhyStorage::NoKernel:
    text += detail;
    break;
  case WhyStorage::FewerBytes:
    text += "fewer bytes are converted than with " +
            std::string(toString(otherThan(kind)));
    break;
  case WhyStorage::TooLarge:
    text += fmt::format("with the images that {} prefers, nothing fits",
                        rules.device);
    break;
  case WhyStorage::Preferred:
    text += fmt::format("{} prefers it, and no more bytes are converted",
                        rules.device);
    break;
  }
  if (convertedFor > 0)
    text += fmt::format("; converted to {} for {} reader{}",
                        toString(otherThan(kind)), convertedFor,
                        convertedFor == 1 ? "" : "s");
  return text;
}

/// Whether the operation has kernels that take images.
static bool takesImages(Operation *op, const KernelTable &kernels) {
  return !keepsIndices(op) && !isKeptOnHost(op) && kernels.kindsOf(op).tiled2d;
}

LogicalResult verifyStorage(ModuleOp module, StringRef whoAsks,
                            const KernelTable &kernels,
                            std::optional<Storage> option) {
  const StorageRules &rules = kernels.storageRules();
  if (option && !rules.has(*option))
    return mlir::emitError(module.getLoc())
           << whoAsks << ": expected storage=auto or a storage kind of "
           << rules.device << " (" << rules.namesOfKinds()
           << "), got storage=" << toString(*option);
  LogicalResult fine = success();
  auto check = [&](Value value, Operation *at) {
    RankedTensorType type = typeOfRank4(value);
    std::optional<Storage> asked = storageAskedFor(value);
    if (asked && !type)
      at->emitWarning() << "'" << storageAttrName << "' says nothing of "
                        << nameOf(value)
                        << ", which can have no layout: " << value.getType();
    if (!type || isMadeAnywhere(value))
      return;
    if (asked && !rules.has(*asked)) {
      fine = at->emitError()
             << "expected '" << storageAttrName << "' of " << nameOf(value)
             << " to be a storage kind of " << rules.device << " ("
             << rules.namesOfKinds() << "), got \"" << toString(*asked) << "\"";
      return;
    }
    if (asked && option && *asked != *option)
      remarkDone("storage", at, 0, [&] {
        return fmt::format("{} is \"{}\", and counts instead of storage={}",
                           storageAttrName.str(), toString(*asked),
                           toString(*option));
      });
    if (asked.value_or(option.value_or(Storage::Linear)) == Storage::Linear)
      return;
    Operation *maker = value.getDefiningOp();
    bool isConcerned = asked || (maker && takesImages(maker, kernels)) ||
                       llvm::any_of(value.getUsers(), [&](Operation *user) {
                         return takesImages(user, kernels);
                       });
    if (!isConcerned)
      return;
    if (std::string why = rules.whyNoImage(type); !why.empty())
      fine = at->emitError()
             << "expected " << nameOf(value) << " to fit an image, which "
             << (asked ? "its '" + storageAttrName.str() + "' asks for"
                       : std::string("storage=tiled2d asks for"))
             << ", got " << why;
  };
  module.walk([&](func::FuncOp function) {
    if (function.isExternal())
      return;
    for (Value argument : function.getArguments())
      check(argument, function);
    function.getBody().walk([&](Operation *op) {
      if (!keepsIndices(op))
        for (Value result : op->getResults())
          check(result, op);
    });
  });
  return fine;
}

} // namespace npu
