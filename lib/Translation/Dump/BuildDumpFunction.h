// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds one function of a dump in this project's IR.

#ifndef NPU_LIB_TRANSLATION_DUMP_BUILDDUMPFUNCTION_H
#define NPU_LIB_TRANSLATION_DUMP_BUILDDUMPFUNCTION_H

#include "DumpEdges.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"

namespace npu {

/// What was built otherwise than the dump has it, for remarks.
struct DumpImportTotals {
  /// Operations that are calls, by their names.
  llvm::StringMap<int64_t> calls;
  /// Operations that are left out, because no tensor is their result.
  llvm::StringMap<int64_t> leftOut;
  /// Distributed types whose boxes have no layout, and element types that have
  /// become signless integers.
  int64_t noLayout = 0, integers = 0;
};

class DumpFunctionBuilder {
public:
  DumpFunctionBuilder(mlir::ModuleOp module, mlir::StringAttr fileName,
                      const LogLines &lines, DumpImportTotals &totals);

  /// Builds the function. Its operations are in the order of the dump.
  void build(std::string_view name, std::size_t at,
             const std::vector<DumpOperation> &operations,
             const std::vector<DumpValue> &values);

private:
  mlir::Location location(std::size_t at) const;
  mlir::RankedTensorType typeOf(const DumpType &type);
  mlir::Type elementOf(const DumpType &type);
  /// The operation's result as this project's or upstream's operation; null
  /// where there is none.
  mlir::Value buildKnown(const DumpOperation &op, mlir::RankedTensorType type,
                         const std::vector<DumpValue> &values);
  mlir::Value buildConcat(const DumpOperation &op, mlir::RankedTensorType type,
                          const std::vector<DumpValue> &values);
  void buildCall(const DumpOperation &op, const std::vector<DumpValue> &values);
  void buildOperation(const DumpOperation &op,
                      const std::vector<DumpValue> &values);
  void buildReturn(const DumpOperation &op);
  /// What was built for the operand; null where nothing was.
  mlir::Value valueOf(const DumpOperand &operand) const;
  /// The same for the operation's `number`th operand that it reads.
  mlir::Value operandOf(const DumpOperation &op, std::size_t number) const;
  /// The value if the operation that makes it is valid; erases it otherwise.
  mlir::Value ifValid(mlir::Value value);

  mlir::ModuleOp module;
  mlir::StringAttr fileName;
  const LogLines &lines;
  DumpImportTotals &totals;
  mlir::SymbolTable symbols;
  mlir::OpBuilder builder;
  /// Declared functions by name and type.
  llvm::DenseMap<std::pair<mlir::StringAttr, mlir::Type>, mlir::func::FuncOp>
      declared;
  llvm::DenseMap<std::size_t, mlir::Value> built;
};

} // namespace npu

#endif // NPU_LIB_TRANSLATION_DUMP_BUILDDUMPFUNCTION_H
