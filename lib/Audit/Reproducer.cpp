// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Reproducer.h"
#include "Known.h"
#include "npu/Dialect/NPU/IR/TensorPlacement.h"
#include "npu/Execution/Compare/RunSides.h"
#include "npu/Host/Npy.h"
#include "npu/Support/Report.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

using namespace mlir;

namespace npu {

namespace {

/// The part of a tensor at one place of some dimensions; -1: all of a
/// dimension.
struct Part {
  SmallVector<int64_t> places;

  SmallVector<int64_t> shapeOf(ArrayRef<int64_t> whole) const {
    SmallVector<int64_t> shape;
    for (auto [place, extent] : llvm::zip(places, whole))
      shape.push_back(place < 0 ? extent : 1);
    return shape;
  }
};

SharedTensor cut(const SharedTensor &tensor, const Part &part) {
  if (!tensor)
    return nullptr;
  TensorSpec spec = tensor->spec;
  SmallVector<int64_t> shape = part.shapeOf(spec.shape);
  spec.shape.assign(shape.begin(), shape.end());
  HostTensor result(spec);
  for (int64_t i = 0, end = spec.elements(); i < end; ++i) {
    int64_t from = 0;
    std::vector<int64_t> at = coordinatesOf(spec, i);
    for (size_t dim = 0; dim < at.size(); ++dim)
      from = from * tensor->spec.shape[dim] +
             (part.places[dim] < 0 ? at[dim] : part.places[dim]);
    setBitsAt(result, i, bitsAt(*tensor, from));
  }
  return std::make_shared<const HostTensor>(std::move(result));
}

/// Where each loop stands for the element; nothing where that is not known.
std::optional<SmallVector<int64_t>> loopsFor(linalg::LinalgOp op,
                                             const std::vector<int64_t> &at) {
  if (op.getNumDpsInits() != 1 || op.hasIndexSemantics() ||
      !op.hasPureTensorSemantics())
    return std::nullopt;
  for (AffineMap map : op.getIndexingMapsArray())
    if (!map.isProjectedPermutation())
      return std::nullopt;
  for (Value operand : op->getOperands())
    if (hasLayout(operand.getType()))
      return std::nullopt;
  AffineMap map = op.getMatchingIndexingMap(&op.getDpsInitsMutable()[0]);
  SmallVector<int64_t> loops(op.getNumLoops(), -1);
  for (unsigned i = 0; i < map.getNumResults(); ++i)
    loops[map.getDimPosition(i)] = at[i];
  return loops;
}

} // namespace

/// Rewrites a function around one structured operation, whose result it
/// returns, to compute the element at `at` alone, and takes the same parts of
/// `operands`. Changes nothing where a map is more than a choice of loops, or
/// the body asks for positions. Returns whether it has. Example: of a matmul,
/// one row of the left and one column of the right operand are left.
static bool shrinkTo(func::FuncOp function, const std::vector<int64_t> &at,
                     std::vector<Known> &operands) {
  Operation *terminator = function.front().getTerminator();
  if (terminator->getNumOperands() != 1)
    return false;
  auto op = terminator->getOperand(0).getDefiningOp<linalg::LinalgOp>();
  std::optional<SmallVector<int64_t>> loops =
      op ? loopsFor(op, at) : std::nullopt;
  if (!loops)
    return false;
  // An argument that is read in two ways would need two parts.
  for (BlockArgument argument : function.getArguments())
    if (!argument.hasOneUse() || *argument.user_begin() != op)
      return false;
  OpBuilder builder(op);
  for (OpOperand &operand : op->getOpOperands()) {
    auto type = dyn_cast<RankedTensorType>(operand.get().getType());
    if (!type)
      continue;
    AffineMap map = op.getMatchingIndexingMap(&operand);
    Part part;
    SmallVector<OpFoldResult> offsets, sizes;
    SmallVector<int64_t> shape;
    for (unsigned i = 0; i < map.getNumResults(); ++i)
      part.places.push_back((*loops)[map.getDimPosition(i)]);
    shape = part.shapeOf(type.getShape());
    auto small = RankedTensorType::get(shape, type.getElementType());
    if (auto argument = dyn_cast<BlockArgument>(operand.get())) {
      Known &known = operands[argument.getArgNumber()];
      known = {cut(known.device, part), cut(known.reference, part),
               cut(known.error, part)};
      argument.setType(small);
      continue;
    }
    for (auto [place, extent] : llvm::zip(part.places, shape)) {
      offsets.push_back(builder.getIndexAttr(std::max<int64_t>(place, 0)));
      sizes.push_back(builder.getIndexAttr(extent));
    }
    SmallVector<OpFoldResult> strides(shape.size(), builder.getIndexAttr(1));
    operand.set(tensor::ExtractSliceOp::create(
        builder, op.getLoc(), small, operand.get(), offsets, sizes, strides));
  }
  op->getResult(0).setType(op.getDpsInits()[0].getType());
  function.setType(builder.getFunctionType(function.front().getArgumentTypes(),
                                           terminator->getOperandTypes()));
  return true;
}

namespace {

/// Operands of more bytes than this are files, with all others.
constexpr int64_t kMostBytes = 64 << 10;

int64_t bytesOf(ArrayRef<Known> operands) {
  ByteSum sum;
  for (const Known &operand : operands)
    sum.add(operand.device->spec.bytes());
  return sum.total();
}

/// Makes constants of the function's arguments.
void foldOperands(func::FuncOp function, ArrayRef<Known> operands) {
  Block &body = function.front();
  OpBuilder builder = OpBuilder::atBlockBegin(&body);
  for (auto [argument, operand] :
       llvm::zip(function.getArguments(), operands)) {
    Type type = argument.getType();
    auto tensor = dyn_cast<RankedTensorType>(type);
    auto values = toAttribute(
        *operand.device, tensor ? tensor : RankedTensorType::get({}, type));
    Value constant;
    if (tensor)
      constant = arith::ConstantOp::create(builder, function.getLoc(), values);
    else
      constant = arith::ConstantOp::create(
          builder, function.getLoc(),
          cast<TypedAttr>(*values.getValues<Attribute>().begin()));
    argument.replaceAllUsesWith(constant);
  }
  body.eraseArguments([](BlockArgument) { return true; });
  function.setType(
      builder.getFunctionType({}, function.getFunctionType().getResults()));
}

/// One side as the function @main.
OwningOpRef<ModuleOp> sideOf(const Slice &slice) {
  OwningOpRef<ModuleOp> module = cutOut(slice);
  module->lookupSymbol<func::FuncOp>("unit").setName("main");
  return module;
}

func::FuncOp mainOf(ModuleOp module) {
  return module.lookupSymbol<func::FuncOp>("main");
}

LogicalResult writeSide(ModuleOp module, ArrayRef<Known> operands, bool fold,
                        const std::string &path) {
  if (fold)
    foldOperands(mainOf(module), operands);
  std::string text;
  llvm::raw_string_ostream os(text);
  module->print(os, OpPrintingFlags().useLocalScope());
  return writeReport(module, "--emit-reproducer", path, text + "\n");
}

} // namespace

/// A word of a shell's command.
static std::string quoted(const std::string &word) {
  if (StringRef(word).find_first_of(" \t\n'\"\\$&|;<>()*?[]#~`!{}") ==
      StringRef::npos)
    return word;
  std::string text = "'";
  for (char c : word)
    text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

static std::string beside(StringRef path, const std::string &ending) {
  path.consume_back(".mlir");
  return path.str() + ending;
}

std::vector<std::string> filesOfReproducer(const std::string &path) {
  std::vector<std::string> files{path, beside(path, ".reference.mlir")};
  // More operands than operations have.
  constexpr int most = 64;
  for (int i = 0; i < most; ++i)
    files.push_back(beside(path, fmt::format(".{}.npy", i)));
  return files;
}

FailureOr<std::string> writeReproducer(const Engine::Kept &kept,
                                       const std::string &path) {
  OwningOpRef<ModuleOp> device = sideOf(kept.deviceSlice);
  std::vector<Known> operands = kept.deviceOperands;
  bool isChanged = kept.slice.ops != kept.deviceSlice.ops;
  if (!isChanged && !kept.worst.empty())
    (void)shrinkTo(mainOf(*device), kept.worst, operands);
  bool fold = bytesOf(operands) <= kMostBytes;
  if (failed(writeSide(*device, operands, fold, path)))
    return failure();
  std::string command = "npu-run " + quoted(path) + " --audit";
  if (isChanged) {
    std::string reference = beside(path, ".reference.mlir");
    if (failed(writeSide(*sideOf(kept.slice), kept.operands, fold, reference)))
      return failure();
    command += " --reference=" + quoted(reference);
  }
  if (fold)
    return command;
  std::vector<std::string> files;
  for (auto [i, operand] : llvm::enumerate(operands)) {
    files.push_back(beside(path, fmt::format(".{}.npy", i)));
    if (Result<> error = writeNpy(files.back(), *operand.device); !error)
      return failRun(error.error().message);
  }
  return command +
         " --inputs=" + quoted(fmt::format("{}", fmt::join(files, ",")));
}

} // namespace npu
