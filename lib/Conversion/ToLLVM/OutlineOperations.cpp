// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// npu-outline-operations: moves structured operations to functions, one for
// all that are equal.

#include "BufferPointers.h"
#include "Divisions.h"
#include "npu/Conversion/ToLLVM/Passes.h"

#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Utils/MemRefUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"

#include <fmt/format.h>

#include <unordered_map>

using namespace mlir;

namespace npu {

#define GEN_PASS_DEF_OUTLINEOPERATIONS
#include "npu/Conversion/ToLLVM/Passes.h.inc"

namespace {

/// Whether loops are made of the operation later: it is structured, or a copy
/// that is more than one memcpy.
bool becomesLoops(Operation *op) {
  if (auto structured = dyn_cast<linalg::LinalgOp>(op))
    return structured.hasPureBufferSemantics() && op->getNumResults() == 0;
  auto copy = dyn_cast<memref::CopyOp>(op);
  if (!copy)
    return false;
  auto source = dyn_cast<MemRefType>(copy.getSource().getType());
  auto target = dyn_cast<MemRefType>(copy.getTarget().getType());
  return source && target &&
         !(memref::isStaticShapeAndContiguousRowMajor(source) &&
           memref::isStaticShapeAndContiguousRowMajor(target));
}

/// Whether something in the operation's regions may fail an assertion, whose
/// message names its place: an assertion that is there, or an operation that
/// gets one because it is not defined for every operand.
bool mayFail(Operation *op) {
  auto isDefined = [&](Operation *inner) {
    return inner == op || (isPure(inner) && !isDivision(inner));
  };
  return op
      ->walk([&](Operation *inner) {
        return isDefined(inner) ? WalkResult::advance()
                                : WalkResult::interrupt();
      })
      .wasInterrupted();
}

/// The buffer's type as a pointer to its first element shows it: without an
/// offset, and with the stride of a dense buffer where an extent of 1 makes
/// strides meaningless. Null where extents or strides are not known, and where
/// the buffer is in the memory of a tile.
MemRefType typeOfPointer(Type type) {
  auto buffer = dyn_cast<MemRefType>(type);
  SmallVector<int64_t> strides;
  int64_t offset = 0;
  if (!buffer || !buffer.hasStaticShape() || buffer.getMemorySpace() ||
      failed(buffer.getStridesAndOffset(strides, offset)) ||
      llvm::any_of(strides, ShapedType::isDynamic))
    return nullptr;
  int64_t dense = 1;
  bool isDense = true;
  for (int64_t dim = buffer.getRank() - 1; dim >= 0; --dim) {
    int64_t extent = buffer.getDimSize(dim);
    if (extent == 1)
      strides[dim] = dense;
    isDense &= strides[dim] == dense;
    dense = strides[dim] * extent;
  }
  MemRefLayoutAttrInterface layout;
  if (!isDense)
    layout = StridedLayoutAttr::get(type.getContext(), 0, strides);
  return MemRefType::get(buffer.getShape(), buffer.getElementType(), layout);
}

/// An input of a function: a value of the program, and the type of the buffer
/// where a pointer to its first element is handed over in its place.
struct Input {
  Value value;
  MemRefType pointed;
};

/// What a structured operation uses from outside of it.
struct Uses {
  SmallVector<Input> inputs;
  SmallVector<Operation *> constants;
};

/// Whether a pointer can say where a buffer begins.
bool beginsByte(Value value) {
  return !isa<MemRefType>(value.getType()) || BufferPointers::beginsByte(value);
}

Uses usesOf(Operation *op) {
  // Regions keep the types of what they use.
  llvm::SetVector<Value> inRegions;
  getUsedValuesDefinedAbove(op->getRegions(), inRegions);
  llvm::SetVector<Value> values(op->operand_begin(), op->operand_end());
  values.insert(inRegions.begin(), inRegions.end());
  Uses uses;
  for (Value value : values) {
    Operation *made = value.getDefiningOp();
    if (made && matchPattern(made, m_Constant()))
      uses.constants.push_back(made);
    else
      uses.inputs.push_back(
          {value, inRegions.contains(value) || !beginsByte(value)
                      ? nullptr
                      : typeOfPointer(value.getType())});
  }
  return uses;
}

class Outliner {
public:
  explicit Outliner(ModuleOp module)
      : symbols(module), converter(module.getContext()),
        pointers(module.getContext()) {}

  void outline(Operation *op) {
    Uses uses = usesOf(op);
    func::FuncOp function = functionFor(op, uses);
    OpBuilder builder(op);
    SmallVector<Value> arguments;
    for (const Input &input : uses.inputs)
      arguments.push_back(
          input.pointed ? pointers.pointerTo(builder, op->getLoc(), input.value)
                        : input.value);
    func::CallOp::create(builder, op->getLoc(), function, arguments);
    op->erase();
  }

private:
  /// The function that does what `op` does: a new one, or one that there is.
  func::FuncOp functionFor(Operation *op, const Uses &uses) {
    func::FuncOp made = makeFunction(op, uses);
    // Without places an operation is another one's equal, unless a message
    // could name its place.
    auto flags = mayFail(op) ? OperationEquivalence::None
                             : OperationEquivalence::IgnoreLocations;
    SmallVector<func::FuncOp, 1> &alike = functions[hashOf(made, flags)];
    for (func::FuncOp known : alike)
      if (known.getFunctionType() == made.getFunctionType() &&
          OperationEquivalence::isRegionEquivalentTo(&known.getBody(),
                                                     &made.getBody(), flags)) {
        made.erase();
        return known;
      }
    alike.push_back(made);
    made.setName(fmt::format("npu_operation.{}.{}", number++,
                             op->getName().getStringRef().str()));
    symbols.insert(made);
    return made;
  }

  func::FuncOp makeFunction(Operation *op, const Uses &uses) {
    MLIRContext *context = op->getContext();
    Location loc = placeOf(op);
    SmallVector<Type> types;
    for (const Input &input : uses.inputs)
      types.push_back(input.pointed ? Type(LLVM::LLVMPointerType::get(context))
                                    : input.value.getType());
    auto function = func::FuncOp::create(loc, "operation",
                                         FunctionType::get(context, types, {}));
    function.setPrivate();
    // Inlined, every use would be compiled anew, and the function around it
    // would be as large as before.
    function->setAttr("passthrough",
                      Builder(context).getStrArrayAttr({"noinline"}));
    Block *body = function.addEntryBlock();
    OpBuilder builder(body, body->begin());
    IRMapping mapping;
    for (auto [input, argument] :
         llvm::zip_equal(uses.inputs, body->getArguments())) {
      Value value = argument;
      if (input.pointed) {
        Value buffer = MemRefDescriptor::fromStaticShape(
            builder, loc, converter, input.pointed, argument);
        value = UnrealizedConversionCastOp::create(builder, loc, input.pointed,
                                                   buffer)
                    .getResult(0);
      }
      mapping.map(input.value, value);
    }
    for (Operation *constant : uses.constants)
      builder.clone(*constant, mapping)->setLoc(loc);
    Operation *copy = builder.clone(*op, mapping);
    // Named operations keep here what their maps are, once it is asked for.
    copy->removeDiscardableAttr(
        linalg::LinalgDialect::kMemoizedIndexingMapsAttrName);
    copy->walk(keepPlaces);
    func::ReturnOp::create(builder, loc);
    return function;
  }

  /// The place in a file that an operation has; its whole location otherwise.
  /// Operations of several tiles have it in common.
  static Location placeOf(Operation *op) {
    if (auto place = op->getLoc()->findInstanceOf<FileLineColLoc>())
      return place;
    return op->getLoc();
  }

  /// Keeps of locations what messages say.
  static void keepPlaces(Operation *op) {
    op->setLoc(placeOf(op));
    for (Region &region : op->getRegions())
      for (BlockArgument argument : region.getArguments())
        argument.setLoc(op->getLoc());
  }

  static llvm::hash_code hashOf(func::FuncOp function,
                                OperationEquivalence::Flags flags) {
    llvm::hash_code hash = hash_value(function.getFunctionType());
    function.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
      hash = llvm::hash_combine(
          hash, OperationEquivalence::computeHash(
                    op, OperationEquivalence::ignoreHashValue,
                    OperationEquivalence::ignoreHashValue, flags));
    });
    return hash;
  }

  SymbolTable symbols;
  LLVMTypeConverter converter;
  BufferPointers pointers;
  /// The functions by their hashes.
  std::unordered_map<size_t, SmallVector<func::FuncOp, 1>> functions;
  unsigned number = 0;
};

struct OutlineOperationsPass
    : impl::OutlineOperationsBase<OutlineOperationsPass> {
  using OutlineOperationsBase::OutlineOperationsBase;

  void runOnOperation() override {
    SmallVector<Operation *> operations;
    getOperation()->walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (!becomesLoops(op))
        return WalkResult::advance();
      operations.push_back(op);
      return WalkResult::skip();
    });
    Outliner outliner(getOperation());
    for (Operation *op : operations)
      outliner.outline(op);
  }
};

} // namespace
} // namespace npu
