// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lowers TOSA operations one by one: each is moved to a function of its own,
// which is lowered and inlined again.

#include "LowerTosa.h"

#include "npu/Conversion/Tosa/Passes.h"
#include "npu/Conversion/Tosa/Pipeline.h"
#include "npu/Support/RefusalKind.h"
#include "npu/TileProgram/TileProgram.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/Dialect/Tosa/Transforms/Passes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace npu {
namespace {

/// Adds the passes that run on all TOSA operations together and change nothing
/// else: shapes are inferred from one operation to the next, and branches and
/// loops contain others.
void buildTogether(OpPassManager &passes) {
  passes.addPass(createPrepareTosa());
  passes.addPass(tosa::createTosaInferShapesPass());
  passes.addPass(createLowerTosaControlFlow());
}

/// Adds the passes from TOSA to linalg, and one that takes away what is unused
/// after them.
void buildTosa(OpPassManager &passes) {
  buildTosaToLinalg(passes, /*control=*/false);
  passes.addPass(createCanonicalizerPass());
}

bool isTosa(Operation *op) {
  return isa_and_nonnull<tosa::TosaDialect>(op->getDialect());
}

bool givesShape(Operation *op) {
  return llvm::any_of(op->getResultTypes(), llvm::IsaPred<tosa::shapeType>);
}

/// Whether the definition of an operand moves to the new function with the
/// operation: upstream has to see constants, and shapes, which are no values
/// after lowering.
bool isSeenThrough(Value value) {
  Operation *op = value.getDefiningOp();
  return op && (op->hasTrait<OpTrait::ConstantLike>() || givesShape(op));
}

void cloneSeen(OpBuilder &builder, Value value, IRMapping &mapping) {
  if (mapping.contains(value) || !isSeenThrough(value))
    return;
  Operation *op = value.getDefiningOp();
  for (Value operand : op->getOperands())
    cloneSeen(builder, operand, mapping);
  builder.clone(*op, mapping)->removeAttr(tileAttrName);
}

/// An operation in a function of its own.
struct IsolatedOp {
  Operation *op;
  func::FuncOp function;
  /// The operands that are arguments of the function, by number, because their
  /// values change while other operations are replaced.
  SmallVector<unsigned> taken;
};

IsolatedOp isolate(OpBuilder &builder, Operation *op, StringRef name) {
  IsolatedOp isolated{op, func::FuncOp(), {}};
  SmallVector<Value> values;
  for (auto [number, operand] : llvm::enumerate(op->getOperands()))
    if (!isSeenThrough(operand) && !llvm::is_contained(values, operand)) {
      isolated.taken.push_back(number);
      values.push_back(operand);
    }
  isolated.function = func::FuncOp::create(
      builder, op->getLoc(), name,
      builder.getFunctionType(ValueRange(values).getTypes(),
                              op->getResultTypes()));
  Block *body = isolated.function.addEntryBlock();
  OpBuilder inside = OpBuilder::atBlockBegin(body);
  IRMapping mapping;
  mapping.map(ValueRange(values), body->getArguments());
  for (Value operand : op->getOperands())
    cloneSeen(inside, operand, mapping);
  Operation *clone = inside.clone(*op, mapping);
  clone->removeAttr(tileAttrName);
  func::ReturnOp::create(inside, op->getLoc(), clone->getResults());
  return isolated;
}

/// Refuses an operation that the passes left, or made another one of TOSA of.
LogicalResult verifyLowered(IsolatedOp &isolated) {
  WalkResult walk = isolated.function.walk([](Operation *op) {
    return isTosa(op) ? WalkResult::interrupt() : WalkResult::advance();
  });
  if (!walk.wasInterrupted())
    return success();
  InFlightDiagnostic error = mlir::emitError(isolated.op->getLoc());
  error << "'" << isolated.op->getName() << "' is TOSA, which was not lowered";
  mark(error, RefusalKind::TosaNotLowered);
  if (std::string help = whatHelpsInsteadOf(isolated.op); !help.empty())
    error.attachNote() << help;
  return error;
}

/// Inlines the lowered function in the place of the operation.
void replace(RewriterBase &rewriter, IsolatedOp &isolated) {
  Block &body = isolated.function.front();
  Operation *yield = body.getTerminator();
  SmallVector<Value> taken;
  for (unsigned number : isolated.taken)
    taken.push_back(isolated.op->getOperand(number));
  rewriter.inlineBlockBefore(&body, isolated.op, taken);
  SmallVector<Value> results(yield->getOperands());
  rewriter.eraseOp(yield);
  rewriter.replaceOp(isolated.op, results);
}

/// Whether the operation is a constant that moves to all of its users.
bool movesToUsers(Operation *op) {
  return op->hasTrait<OpTrait::ConstantLike>() && !op->use_empty() &&
         llvm::all_of(op->getUsers(), isTosa);
}

/// Finds the TOSA operations except those of variables, which belong to their
/// declaration, and which upstream lowers by other passes.
SmallVector<Operation *> findTosa(Operation *root) {
  SmallVector<Operation *> found;
  root->walk([&](Operation *op) {
    if (isTosa(op) && !givesShape(op) && !movesToUsers(op) &&
        !isa<SymbolOpInterface, SymbolUserOpInterface>(op))
      found.push_back(op);
  });
  return found;
}

/// Erases constants and shapes that are not used any more.
void eraseUnusedConstants(Operation *root) {
  SmallVector<Operation *> unused;
  root->walk([&](Operation *op) {
    if (isTosa(op) && (givesShape(op) || op->hasTrait<OpTrait::ConstantLike>()))
      unused.push_back(op);
  });
  for (Operation *op : llvm::reverse(unused))
    if (isOpTriviallyDead(op))
      op->erase();
}

} // namespace

void registerTosaDependencies(DialectRegistry &registry) {
  OpPassManager passes(func::FuncOp::getOperationName());
  buildTogether(passes);
  buildTosa(passes);
  passes.getDependentDialects(registry);
}

LogicalResult
lowerTosa(Operation *root, RewriterBase &rewriter,
          llvm::function_ref<LogicalResult(OpPassManager &, Operation *)> run,
          llvm::function_ref<void(Operation *)> lowered) {
  if (findTosa(root).empty())
    return success();
  OpPassManager together(func::FuncOp::getOperationName());
  buildTogether(together);
  WalkResult walk = root->walk([&](func::FuncOp function) {
    return failed(run(together, function)) ? WalkResult::interrupt()
                                           : WalkResult::advance();
  });
  if (walk.wasInterrupted())
    return failure();

  SmallVector<Operation *> found = findTosa(root);
  OpBuilder builder = OpBuilder::atBlockBegin(&root->getRegion(0).front());
  ModuleOp scratch = ModuleOp::create(builder, root->getLoc());
  builder.setInsertionPointToStart(scratch.getBody());
  SmallVector<IsolatedOp> all;
  for (auto [i, op] : llvm::enumerate(found))
    all.push_back(isolate(builder, op, "op" + std::to_string(i)));
  OpPassManager passes(ModuleOp::getOperationName());
  buildTosa(passes.nest<func::FuncOp>());
  LogicalResult result = run(passes, scratch);
  for (IsolatedOp &isolated : all) {
    if (succeeded(result))
      result = verifyLowered(isolated);
    if (failed(result))
      break;
    lowered(isolated.op);
    replace(rewriter, isolated);
  }
  scratch.erase();
  eraseUnusedConstants(root);
  return result;
}

} // namespace npu
