// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Signatures of functions: from types of MLIR to types of host tensors.

#include "npu/Execution/Jit/Signature.h"

#include "npu/Conversion/BufferProgram.h"
#include "npu/Dialect/NPU/IR/NPUDialect.h"
#include "npu/Dialect/NPU/IR/TensorPlacement.h"
#include "npu/Host/MemoryBudget.h"
#include "npu/Support/SignatureAttributes.h"

#include "mlir/Dialect/Async/IR/Async.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;

namespace npu {
namespace {

std::optional<TensorSpec> specOf(Type type) {
  auto shaped = dyn_cast<ShapedType>(type);
  if (!shaped || !shaped.hasStaticShape())
    return std::nullopt;
  auto element = elementTypeOf(shaped.getElementType());
  if (!element)
    return std::nullopt;
  return TensorSpec{*element,
                    {shaped.getShape().begin(), shaped.getShape().end()}};
}

bool isScalar(Type type) { return elementTypeOf(type).has_value(); }

} // namespace

std::optional<ElementType> elementTypeOf(Type type) {
  if (type.isF16())
    return ElementType::F16;
  if (type.isBF16())
    return ElementType::BF16;
  if (type.isF32())
    return ElementType::F32;
  if (type.isF64())
    return ElementType::F64;
  if (type.isIndex())
    return ElementType::I64;
  auto integer = dyn_cast<IntegerType>(type);
  if (!integer)
    return std::nullopt;
  bool isUnsigned = integer.isUnsigned();
  switch (integer.getWidth()) {
  case 1:
    return ElementType::Bool;
  case 2:
    return isUnsigned ? ElementType::U2 : ElementType::I2;
  case 4:
    return isUnsigned ? ElementType::U4 : ElementType::I4;
  case 8:
    return isUnsigned ? ElementType::U8 : ElementType::I8;
  case 16:
    return isUnsigned ? ElementType::U16 : ElementType::I16;
  case 32:
    return isUnsigned ? ElementType::U32 : ElementType::I32;
  case 64:
    return isUnsigned ? ElementType::U64 : ElementType::I64;
  default:
    return std::nullopt;
  }
}

/// Makes a function that has the name of `function` and calls it; `function`
/// gets another name, which its callers use.
static func::FuncOp callerOf(func::FuncOp function) {
  SymbolTable symbols(function->getParentOp());
  StringAttr name = function.getNameAttr();
  OpBuilder builder(function);
  auto caller = func::FuncOp::create(builder, function.getLoc(), name,
                                     function.getFunctionType());
  caller.setArgAttrsAttr(function.getArgAttrsAttr());
  caller.setResAttrsAttr(function.getResAttrsAttr());
  if (failed(symbols.renameToUnique(function, {})))
    return function;
  function.setPrivate();
  Block *body = caller.addEntryBlock();
  builder.setInsertionPointToStart(body);
  auto call = func::CallOp::create(builder, function.getLoc(), function,
                                   body->getArguments());
  func::ReturnOp::create(builder, function.getLoc(), call.getResults());
  return caller;
}

func::FuncOp notCalled(func::FuncOp function) {
  return SymbolTable::symbolKnownUseEmpty(function, function->getParentOp())
             ? function
             : callerOf(function);
}

/// Removes the marks that only scalars have from arguments that are going to be
/// tensors or buffers.
static void dropMarks(func::FuncOp function) {
  rewriteArgAttrs(function, [&](unsigned i, NamedAttrList &attributes) {
    if (!isScalar(function.getArgumentTypes()[i]))
      return;
    attributes.erase(NPUDialect::PromptLengthAttrHelper::getNameStr());
    attributes.erase(NPUDialect::CacheOffsetAttrHelper::getNameStr());
  });
}

func::FuncOp wrapScalars(func::FuncOp function) {
  if (llvm::none_of(function.getArgumentTypes(), isScalar) &&
      llvm::none_of(function.getResultTypes(), isScalar))
    return function;
  // The module may have no operation of the tensor dialect yet.
  function.getContext()->loadDialect<tensor::TensorDialect>();
  // Other functions keep calling it with scalars.
  function = notCalled(function);
  dropMarks(function);
  Block &body = function.front();
  OpBuilder builder = OpBuilder::atBlockBegin(&body);
  Location loc = function.getLoc();
  for (BlockArgument argument : body.getArguments()) {
    Type type = argument.getType();
    if (!isScalar(type))
      continue;
    argument.setType(RankedTensorType::get({}, type));
    auto value =
        tensor::ExtractOp::create(builder, loc, argument, ValueRange());
    argument.replaceAllUsesExcept(value, value);
  }
  function.walk([&](func::ReturnOp op) {
    builder.setInsertionPoint(op);
    for (OpOperand &operand : op->getOpOperands())
      if (isScalar(operand.get().getType()))
        operand.set(tensor::FromElementsOp::create(
            builder, op.getLoc(),
            RankedTensorType::get({}, operand.get().getType()), operand.get()));
  });
  SmallVector<Type> results;
  for (Type type : function.getResultTypes())
    results.push_back(isScalar(type) ? RankedTensorType::get({}, type) : type);
  function.setType(builder.getFunctionType(body.getArgumentTypes(), results));
  return function;
}

/// Adds a buffer argument after the function's inputs and the first `before`
/// of its results.
static BlockArgument addResult(func::FuncOp function, Type type,
                               size_t before) {
  unsigned at = 0;
  for (size_t seen = 0; at < function.getNumArguments(); ++at) {
    if (function.getArgAttr(at, arenaAttrName))
      break;
    if (function.getArgAttr(at, resultAttrName) && seen++ == before)
      break;
  }
  Builder builder(function.getContext());
  (void)function.insertArgument(at, MemRefType::get({}, type),
                                builder.getDictionaryAttr(builder.getNamedAttr(
                                    resultAttrName, builder.getUnitAttr())),
                                function.getLoc());
  return function.getArgument(at);
}

func::FuncOp wrapScalarsOfBuffers(func::FuncOp function) {
  if (llvm::none_of(function.getArgumentTypes(), isScalar) &&
      !llvm::any_of(function.getResultTypes(), isScalar))
    return function;
  function.getContext()->loadDialect<memref::MemRefDialect>();
  function = notCalled(function);
  dropMarks(function);
  Location loc = function.getLoc();
  OpBuilder builder = OpBuilder::atBlockBegin(&function.front());
  for (BlockArgument argument : function.getArguments()) {
    Type type = argument.getType();
    if (!isScalar(type))
      continue;
    argument.setType(MemRefType::get({}, type));
    auto value = memref::LoadOp::create(builder, loc, argument, ValueRange());
    argument.replaceAllUsesExcept(value, value);
  }
  function.setType(builder.getFunctionType(function.front().getArgumentTypes(),
                                           function.getResultTypes()));
  llvm::BitVector returned(function.getNumResults());
  for (unsigned i = 0; i < function.getNumResults(); ++i) {
    Type type = function.getResultTypes()[i];
    if (!isScalar(type))
      continue;
    returned.set(i);
    auto number =
        function.getResultAttrOfType<IntegerAttr>(i, resultNumberAttrName);
    BlockArgument buffer =
        addResult(function, type,
                  number && number.getType().isInteger(64)
                      ? static_cast<size_t>(number.getInt())
                      : function.getNumArguments() + function.getNumResults());
    function.walk([&](func::ReturnOp op) {
      builder.setInsertionPoint(op);
      memref::StoreOp::create(builder, op.getLoc(), op.getOperand(i), buffer,
                              ValueRange());
    });
  }
  function.walk([&](func::ReturnOp op) { op->eraseOperands(returned); });
  (void)function.eraseResults(returned);
  return function;
}

LogicalResult readSpecs(func::FuncOp function, std::vector<TensorSpec> &inputs,
                        std::vector<TensorSpec> &results) {
  auto read = [&](TypeRange types, StringRef what,
                  std::vector<TensorSpec> &specs) -> LogicalResult {
    for (auto [i, type] : llvm::enumerate(types)) {
      auto spec = specOf(type);
      if (!spec)
        return function.emitError()
               << "expected tensors of static shape whose elements are f16, "
                  "bf16, f32, f64, index or integers of 1, 2, 4, 8, 16, 32 or "
                  "64 bits, got "
               << type << " as " << what << " #" << i << " of '"
               << function.getName() << "'";
      specs.push_back(std::move(*spec));
    }
    return success();
  };
  if (failed(read(function.getArgumentTypes(), "argument", inputs)))
    return failure();
  return read(function.getResultTypes(), "result", results);
}

LogicalResult readBufferSpecs(func::FuncOp function,
                              std::vector<TensorSpec> &inputs,
                              std::vector<TensorSpec> &results) {
  bool inputsEnded = false, resultsEnded = false;
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    bool isResult = function.getArgAttr(i, resultAttrName) != nullptr;
    bool isArena = function.getArgAttr(i, arenaAttrName) != nullptr;
    inputsEnded |= isResult || isArena;
    resultsEnded |= isArena;
    if (isResult ? resultsEnded : !isArena && inputsEnded)
      return function.emitError()
             << "expected inputs, then results ('" << resultAttrName
             << "'), then arenas ('" << arenaAttrName << "'), got "
             << (isResult ? "a result" : "an input") << " as argument #" << i
             << " of '" << function.getName() << "'";
    if (isArena)
      continue;
    Type type = function.getArgumentTypes()[i];
    auto memref = dyn_cast<MemRefType>(type);
    auto spec = specOf(type);
    if (!memref || !memref.getLayout().isIdentity() || !spec)
      return function.emitError()
             << "expected buffers of static shape and identity layout whose "
                "elements are f16, bf16, f32, f64, index or integers of 1, 8, "
                "16, 32 or 64 bits, got "
             << type << " as argument #" << i << " of '" << function.getName()
             << "'";
    (isResult ? results : inputs).push_back(std::move(*spec));
  }
  return success();
}

bool isBufferOnlyRead(Value buffer) {
  return llvm::all_of(buffer.getUsers(), [&](Operation *user) {
    if (isa<memref::DimOp>(user))
      return true;
    if (isa<ViewLikeOpInterface>(user) && isMemoryEffectFree(user))
      return llvm::all_of(user->getResults(), isBufferOnlyRead);
    auto interface = dyn_cast<MemoryEffectOpInterface>(user);
    if (!interface)
      return false;
    SmallVector<MemoryEffects::EffectInstance> effects;
    interface.getEffects(effects);
    bool isRead = false;
    for (const MemoryEffects::EffectInstance &effect : effects) {
      bool isOther = effect.getValue() && effect.getValue() != buffer;
      if (!isOther && !isa<MemoryEffects::Read>(effect.getEffect()))
        return false;
      isRead |= effect.getValue() == buffer;
    }
    // A terminator without effects hands it on.
    return isRead;
  });
}

int64_t temporaryBytes(Operation *root) {
  // Once the sum has saturated, it stays at the largest number, and
  // deallocations do not reduce it.
  ByteSum live;
  int64_t freed = 0, peak = 0, running = 0;
  auto bytesOf = [](Value buffer) -> std::optional<int64_t> {
    auto type = cast<BaseMemRefType>(buffer.getType());
    if (!type.hasStaticShape() || !bufferBytes(type.getElementType()))
      return 0;
    return bufferBytes(type.getElementType(), type.getShape());
  };
  root->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<memref::AllocOp>(op)) {
      live.add(bytesOf(op->getResult(0)));
      peak = std::max(peak, live.total() - freed);
    } else if (isa<memref::DeallocOp>(op)) {
      freed += bytesOf(op->getOperand(0)).value_or(0);
    } else if (auto task = dyn_cast<async::ExecuteOp>(op); task && op != root) {
      // All tasks of a phase can reach their peaks at the same time.
      int64_t most = temporaryBytes(task);
      live.add(most);
      running += most;
      peak = std::max(peak, live.total() - freed);
      return WalkResult::skip();
    } else if (isa<async::AwaitOp>(op)) {
      freed += std::exchange(running, 0);
    }
    return WalkResult::advance();
  });
  return peak;
}

} // namespace npu
