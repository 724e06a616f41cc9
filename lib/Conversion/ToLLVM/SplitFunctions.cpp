// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// npu-split-functions: moves parts of long blocks to functions of their own.

#include "npu/Conversion/ToLLVM/Passes.h"

#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Async/IR/Async.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

#include <fmt/format.h>

using namespace mlir;

namespace npu {

#define GEN_PASS_DEF_SPLITFUNCTIONS
#include "npu/Conversion/ToLLVM/Passes.h.inc"

namespace {

/// A value that more operations than this would make again becomes an argument.
constexpr size_t kMostRematerialized = 64;

/// Whether the operation may move to another function. Memory on the stack
/// lives as long as its function does, and upstream's lowering of tasks follows
/// their handles within one function.
bool mayMove(Operation *op) {
  return !op->walk([](Operation *inner) {
              bool stays =
                  isa<memref::AllocaOp, LLVM::AllocaOp>(inner) ||
                  isa_and_nonnull<async::AsyncDialect>(inner->getDialect());
              return stays ? WalkResult::interrupt() : WalkResult::advance();
            }).wasInterrupted();
}

/// Whether LLVM will make a state machine of the function, which has to see all
/// of it.
bool isCoroutine(func::FuncOp function) {
  return function->walk([](LLVM::CoroIdOp) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

/// Whether the operation has equal results in any place, so that it is made
/// again where another function needs them.
bool isRematerialized(Operation *op) {
  auto load = dyn_cast_if_present<LLVM::LoadOp>(op);
  return op && op->getNumRegions() == 0 &&
         (isPure(op) || (load && load.getInvariant()));
}

/// Adds the operations that make a value, operands first, up to those that
/// cannot be made again; false where there are too many.
bool addRematerialized(Value value,
                       llvm::SetVector<Operation *> &rematerialized) {
  Operation *op = value.getDefiningOp();
  if (!isRematerialized(op) || rematerialized.contains(op))
    return true;
  for (Value operand : op->getOperands())
    if (!addRematerialized(operand, rematerialized))
      return false;
  rematerialized.insert(op);
  return rematerialized.size() <= kMostRematerialized;
}

int64_t sizeOf(Operation *op) {
  int64_t size = 0;
  op->walk([&](Operation *) { ++size; });
  return size;
}

/// Operations of one block, one after the other, and how many they are with
/// those in their regions.
struct Run {
  SmallVector<Operation *> operations;
  int64_t size = 0;
};

/// The type in which parts hand on values of a type. Vectors of i1 become
/// bytes: without optimization, LLVM cannot emit a call with several as
/// results.
Type handedOnAs(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return vector && vector.getElementType().isInteger(1)
             ? vector.clone(IntegerType::get(type.getContext(), 8))
             : type;
}

/// The value before it is handed on.
Value handedOn(OpBuilder &builder, Value value) {
  Type type = handedOnAs(value.getType());
  return type == value.getType()
             ? value
             : arith::ExtUIOp::create(builder, value.getLoc(), type, value);
}

/// The value of this type that was handed on.
Value received(OpBuilder &builder, Type type, Value value) {
  return type == value.getType()
             ? value
             : arith::TruncIOp::create(builder, value.getLoc(), type, value);
}

/// The buffers that parts of one function hand to each other: an array of
/// pointers in memory, two for each buffer. As arguments and results, buffers
/// would be five and more values each.
class Frame {
public:
  explicit Frame(func::FuncOp function) : function(function) {}

  /// Whether two pointers say all of the value that its type does not.
  static bool takes(Value value) {
    auto type = dyn_cast<MemRefType>(value.getType());
    SmallVector<int64_t> strides;
    int64_t offset = 0;
    return type && type.hasStaticShape() && !type.getMemorySpace() &&
           succeeded(type.getStridesAndOffset(strides, offset)) &&
           !ShapedType::isDynamic(offset) &&
           llvm::none_of(strides, ShapedType::isDynamic);
  }

  bool has(Value buffer) const { return places.contains(buffer); }

  /// The address of the array, in the function itself.
  Value address() {
    if (pointer)
      return pointer;
    OpBuilder builder(function.getBody());
    Location loc = function.getLoc();
    count = arith::ConstantIndexOp::create(builder, loc, 0);
    auto array = MemRefType::get({ShapedType::kDynamic}, builder.getI64Type());
    memory = memref::AllocOp::create(builder, loc, array, count.getResult());
    Value words = UnrealizedConversionCastOp::create(
                      builder, loc, converter().convertType(array), memory)
                      .getResult(0);
    pointer = MemRefDescriptor(words).alignedPtr(builder, loc);
    return pointer;
  }

  void store(OpBuilder &builder, Value address, Value buffer) {
    Location loc = buffer.getLoc();
    Value words =
        UnrealizedConversionCastOp::create(
            builder, loc, converter().convertType(buffer.getType()), buffer)
            .getResult(0);
    MemRefDescriptor descriptor(words);
    int32_t place = placeOf(buffer);
    LLVM::StoreOp::create(builder, loc, descriptor.allocatedPtr(builder, loc),
                          at(builder, loc, address, place));
    LLVM::StoreOp::create(builder, loc, descriptor.alignedPtr(builder, loc),
                          at(builder, loc, address, place + 1));
  }

  Value load(OpBuilder &builder, Value address, Value buffer) {
    Location loc = buffer.getLoc();
    auto type = cast<MemRefType>(buffer.getType());
    int32_t place = placeOf(buffer);
    auto word = [&](int32_t number) -> Value {
      return LLVM::LoadOp::create(builder, loc, address.getType(),
                                  at(builder, loc, address, number));
    };
    MemRefDescriptor descriptor =
        MemRefDescriptor::poison(builder, loc, converter().convertType(type));
    descriptor.setAllocatedPtr(builder, loc, word(place));
    descriptor.setAlignedPtr(builder, loc, word(place + 1));
    auto [strides, offset] = type.getStridesAndOffset();
    descriptor.setConstantOffset(builder, loc, offset);
    for (auto [dim, extent] : llvm::enumerate(type.getShape())) {
      descriptor.setConstantSize(builder, loc, dim, extent);
      descriptor.setConstantStride(builder, loc, dim, strides[dim]);
    }
    return UnrealizedConversionCastOp::create(builder, loc, type,
                                              Value(descriptor))
        .getResult(0);
  }

  /// Makes the array as long as it has to be, and frees it in the end.
  void finish() {
    if (!pointer)
      return;
    Builder attributes(function.getContext());
    count.setValueAttr(
        attributes.getIndexAttr(2 * static_cast<int64_t>(places.size())));
    function.walk([&](func::ReturnOp end) {
      OpBuilder builder(end);
      memref::DeallocOp::create(builder, end.getLoc(), memory);
    });
  }

private:
  const LLVMTypeConverter &converter() {
    if (!types)
      types.emplace(function.getContext());
    return *types;
  }

  int32_t placeOf(Value buffer) {
    auto number = static_cast<int32_t>(places.size());
    return 2 * places.try_emplace(buffer, number).first->second;
  }

  static Value at(OpBuilder &builder, Location loc, Value address,
                  int32_t place) {
    return LLVM::GEPOp::create(builder, loc, address.getType(),
                               address.getType(), address,
                               ArrayRef<LLVM::GEPArg>{place});
  }

  func::FuncOp function;
  std::optional<LLVMTypeConverter> types;
  arith::ConstantIndexOp count;
  Value memory, pointer;
  llvm::DenseMap<Value, int32_t> places;
};

/// What a part uses from outside of it.
struct Inputs {
  llvm::SetVector<Value> arguments;
  /// Buffers that another part leaves in the frame.
  llvm::SetVector<Value> framed;
  /// Operations that are made again, each after those that it uses.
  llvm::SetVector<Operation *> rematerialized;
};

class Splitter {
public:
  Splitter(func::FuncOp function, SymbolTable &symbols, unsigned &number,
           int64_t size)
      : function(function), symbols(symbols), number(number), size(size),
        frame(function) {}

  /// Splits each block of the function that is longer than two parts.
  void split() {
    for (Block &block : function.getBody())
      addRuns(block);
    for (const Run &run : runs)
      moving.insert(run.operations.begin(), run.operations.end());
    // The last first: what it makes again, those before it need not hand on.
    for (Run &run : llvm::reverse(runs))
      move(run.operations);
    frame.finish();
  }

private:
  void addRuns(Block &block) {
    std::vector<Run> here(1);
    int64_t whole = 0;
    auto begin = [&] {
      if (!here.back().operations.empty())
        here.emplace_back();
    };
    for (Operation &op : block) {
      if (op.hasTrait<OpTrait::IsTerminator>() || !mayMove(&op)) {
        begin();
        continue;
      }
      int64_t more = sizeOf(&op);
      whole += more;
      here.back().operations.push_back(&op);
      here.back().size += more;
      if (here.back().size >= size)
        begin();
    }
    if (whole <= 2 * size)
      return;
    // A short rest belongs to the part before it.
    Run *last = nullptr;
    for (Run &run : here) {
      if (run.operations.empty())
        continue;
      bool isShort = 2 * run.size < size;
      if (isShort && last &&
          last->operations.back()->getNextNode() == run.operations.front()) {
        llvm::append_range(last->operations, run.operations);
        last->size += run.size;
      } else if (!isShort) {
        runs.push_back(std::move(run));
        last = &runs.back();
      }
    }
  }

  Inputs inputsOf(ArrayRef<Operation *> operations,
                  const llvm::DenseSet<Operation *> &here) const {
    llvm::SetVector<Value> used;
    for (Operation *op : operations) {
      used.insert(op->operand_begin(), op->operand_end());
      getUsedValuesDefinedAbove(op->getRegions(), used);
    }
    Inputs inputs;
    llvm::SetVector<Value> others;
    for (Value value : used) {
      Operation *op = value.getDefiningOp();
      llvm::SetVector<Operation *> makers;
      if (op && here.contains(op))
        continue;
      if (isRematerialized(op) && addRematerialized(value, makers))
        inputs.rematerialized.insert(makers.begin(), makers.end());
      else
        others.insert(value);
    }
    for (Operation *op : inputs.rematerialized)
      for (Value operand : op->getOperands())
        if (!inputs.rematerialized.contains(operand.getDefiningOp()))
          others.insert(operand);
    for (Value value : others)
      (moving.contains(value.getDefiningOp()) && Frame::takes(value)
           ? inputs.framed
           : inputs.arguments)
          .insert(value);
    return inputs;
  }

  void move(SmallVector<Operation *> &operations) {
    for (Operation *&op : llvm::reverse(operations))
      if (isOpTriviallyDead(op) &&
          llvm::none_of(op->getResults(),
                        [&](Value result) { return frame.has(result); })) {
        moving.erase(op);
        op->erase();
        op = nullptr;
      }
    llvm::erase(operations, nullptr);
    if (operations.empty())
      return;
    llvm::DenseSet<Operation *> here(operations.begin(), operations.end());
    Block *block = operations.front()->getBlock();
    Operation *next = operations.back()->getNextNode();
    Location loc = operations.front()->getLoc();
    Inputs inputs = inputsOf(operations, here);
    SmallVector<Value> outputs, constants, left;
    for (Operation *op : operations)
      for (Value result : op->getResults()) {
        if (frame.has(result))
          left.push_back(result);
        if (llvm::any_of(result.getUsers(), [&](Operation *user) {
              return !here.contains(block->findAncestorOpInBlock(*user));
            }))
          (matchPattern(op, m_Constant()) ? constants : outputs)
              .push_back(result);
      }

    SmallVector<Value> arguments = inputs.arguments.takeVector();
    bool usesFrame = !inputs.framed.empty() || !left.empty();
    if (usesFrame)
      arguments.push_back(frame.address());
    func::FuncOp part = makeFunction(loc, arguments, outputs);
    Block *body = &part.front();
    Value address = usesFrame ? body->getArguments().back() : Value();
    IRMapping mapping;
    auto builder = OpBuilder::atBlockEnd(body);
    for (auto [argument, given] :
         llvm::zip_equal(arguments, body->getArguments()))
      mapping.map(argument, received(builder, argument.getType(), given));
    for (Value buffer : inputs.framed)
      mapping.map(buffer, frame.load(builder, address, buffer));
    for (Operation *op : inputs.rematerialized)
      builder.clone(*op, mapping);
    body->getOperations().splice(body->end(), block->getOperations(),
                                 operations.front()->getIterator(),
                                 next->getIterator());
    for (Operation *op : operations)
      op->walk([&](Operation *inner) {
        for (OpOperand &operand : inner->getOpOperands())
          if (Value mapped = mapping.lookupOrNull(operand.get()))
            operand.set(mapped);
      });
    for (Value buffer : left)
      frame.store(builder, address, buffer);
    auto handOn = [&](Value value) { return handedOn(builder, value); };
    func::ReturnOp::create(builder, loc, llvm::map_to_vector(outputs, handOn));
    builder.setInsertionPoint(next);
    auto call = func::CallOp::create(builder, loc, part,
                                     llvm::map_to_vector(arguments, handOn));
    auto replaceOutside = [&](Value value, Value replacement) {
      value.replaceUsesWithIf(replacement, [&](OpOperand &use) {
        return !part->isAncestor(use.getOwner());
      });
    };
    for (auto [output, result] : llvm::zip_equal(outputs, call.getResults()))
      replaceOutside(output, received(builder, output.getType(), result));
    for (Value constant : constants)
      replaceOutside(constant,
                     builder.clone(*constant.getDefiningOp())->getResult(0));
  }

  func::FuncOp makeFunction(Location loc, ArrayRef<Value> inputs,
                            ArrayRef<Value> outputs) {
    MLIRContext *context = loc.getContext();
    auto handedOnTypes = [](ArrayRef<Value> values) {
      return llvm::map_to_vector(
          values, [](Value value) { return handedOnAs(value.getType()); });
    };
    auto part =
        func::FuncOp::create(loc, fmt::format("npu_part.{}", number++),
                             FunctionType::get(context, handedOnTypes(inputs),
                                               handedOnTypes(outputs)));
    part.setPrivate();
    // Inlined, the function around it would be as large as before.
    part->setAttr("passthrough",
                  Builder(context).getStrArrayAttr({"noinline"}));
    symbols.insert(part);
    part.addEntryBlock();
    return part;
  }

  func::FuncOp function;
  SymbolTable &symbols;
  unsigned &number;
  int64_t size;
  Frame frame;
  std::vector<Run> runs;
  /// The operations that move to some part.
  llvm::DenseSet<Operation *> moving;
};

struct SplitFunctionsPass : impl::SplitFunctionsBase<SplitFunctionsPass> {
  using SplitFunctionsBase::SplitFunctionsBase;

  void runOnOperation() override {
    if (operations < 1) {
      getOperation().emitError()
          << getArgument() << ": expected operations=N of at least 1, got "
          << operations.getValue();
      return signalPassFailure();
    }
    SymbolTable symbols(getOperation());
    unsigned number = 0;
    for (func::FuncOp function :
         llvm::to_vector(getOperation().getOps<func::FuncOp>()))
      if (!function.isExternal() && !isCoroutine(function))
        Splitter(function, symbols, number, operations).split();
  }
};

} // namespace
} // namespace npu
