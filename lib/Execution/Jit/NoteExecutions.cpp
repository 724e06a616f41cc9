// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Execution/Jit/NoteExecutions.h"

#include "npu/Analysis/Devices/TileOfBuffers.h"
#include "npu/Dialect/NPU/IR/NPUDialect.h"
#include "npu/Support/Naming.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Async/IR/Async.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"

using namespace mlir;

namespace npu {
namespace {

/// The number in the location of an operation that is no row.
constexpr int64_t noRow = -1;

void writeNumber(Operation *op, int64_t number) {
  Location loc = op->getLoc();
  auto metadata = Builder(op->getContext()).getI64IntegerAttr(number);
  op->setLoc(FusedLoc::get({loc}, metadata, op->getContext()));
}

/// The number that writeRowsIntoLocations has written; nothing where an
/// operation was made without the location of another one.
std::optional<int64_t> numberIn(Location loc) {
  auto fused = loc->findInstanceOf<FusedLocWith<IntegerAttr>>();
  return fused ? std::optional(fused.getMetadata().getInt()) : std::nullopt;
}

/// Whether `op` does work of the row that it comes from: it reads or writes
/// buffers, or calls. Views, allocations and transfers do none.
bool works(Operation *op) {
  if (isa<linalg::LinalgOp, CallOpInterface>(op))
    return true;
  // The tasks of tiles have the location of their first operation.
  if (isa<async::ExecuteOp, TransferOp>(op))
    return false;
  // What is made in DDR is brought to a tile by a copy.
  if (isa<memref::CopyOp>(op) && tilesOfBuffers(op).size() > 1)
    return false;
  if (isa<RegionBranchOpInterface>(op))
    return true;
  return hasEffect<MemoryEffects::Read>(op) ||
         hasEffect<MemoryEffects::Write>(op);
}

class Notes {
public:
  Notes(ModuleOp module, ExecutionRecord &record)
      : module(module), record(record), builder(module.getContext()) {}

  void add() {
    SmallVector<std::pair<Operation *, std::optional<size_t>>> found;
    module.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isa<ModuleOp, FunctionOpInterface>(op) ||
          op->hasTrait<OpTrait::IsTerminator>())
        return WalkResult::advance();
      std::optional<int64_t> number = numberIn(op->getLoc());
      if (number && *number != noRow && works(op)) {
        found.emplace_back(op, static_cast<size_t>(*number));
        return WalkResult::skip();
      }
      if (!number && isa<linalg::LinalgOp>(op))
        found.emplace_back(op, std::nullopt);
      return isa<linalg::LinalgOp>(op) ? WalkResult::skip()
                                       : WalkResult::advance();
    });
    for (auto [op, row] : found)
      note(op, row);
  }

private:
  void note(Operation *op, std::optional<size_t> row) {
    ExecutionSite &site = record.sites.emplace_back();
    site.row = row;
    site.devices = tilesOfBuffers(op);
    site.name = op->getName().getStringRef().str();
    site.location = nameOfLocation(op->getLoc());
    if (!function)
      declare();
    builder.setInsertionPoint(op);
    Location loc = op->getLoc();
    Value where =
        memref::GetGlobalOp::create(builder, loc, recordType(), recordName);
    Value address = memref::LoadOp::create(builder, loc, where, ValueRange());
    Value number = arith::ConstantOp::create(
        builder, loc,
        builder.getI64IntegerAttr(
            static_cast<int64_t>(record.sites.size() - 1)));
    func::CallOp::create(builder, loc, function, ValueRange{address, number});
  }

  MemRefType recordType() { return MemRefType::get({}, builder.getI64Type()); }

  void declare() {
    builder.setInsertionPointToStart(module.getBody());
    Type number = builder.getI64Type();
    function = func::FuncOp::create(
        builder, module.getLoc(), noteExecutionName,
        builder.getFunctionType({number, number}, TypeRange()));
    function.setPrivate();
    auto none = DenseElementsAttr::get(RankedTensorType::get({}, number),
                                       builder.getI64IntegerAttr(0));
    memref::GlobalOp::create(builder, module.getLoc(), recordName,
                             /*sym_visibility=*/nullptr, recordType(), none,
                             /*constant=*/false, /*alignment=*/nullptr);
  }

  ModuleOp module;
  ExecutionRecord &record;
  OpBuilder builder;
  func::FuncOp function;
};

} // namespace

void writeRowsIntoLocations(ModuleOp module, const DeviceTable &table) {
  llvm::DenseMap<Operation *, int64_t> numbers;
  for (auto [number, op] : llvm::enumerate(table.ops))
    numbers[op] = static_cast<int64_t>(number);
  module.walk([&](Operation *op) {
    auto row = numbers.find(op);
    writeNumber(op, row == numbers.end() ? noRow : row->second);
  });
}

void noteExecutions(ModuleOp module, ExecutionRecord &record) {
  Notes(module, record).add();
}

} // namespace npu
