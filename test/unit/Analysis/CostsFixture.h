// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Costs of operations that tests write as text.

#ifndef NPU_TEST_UNIT_ANALYSIS_COSTSFIXTURE_H
#define NPU_TEST_UNIT_ANALYSIS_COSTSFIXTURE_H

#include "npu/Analysis/Costs/ModelledCost.h"
#include "npu/Dialect/NPU/IR/TensorPlacement.h"
#include "npu/ExternalModels/RegisterAll.h"
#include "npu/Target/Costs.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

#include <ostream>
#include <vector>

namespace npu {

/// How GoogleTest shows a cost.
inline void PrintTo(const ModelledCost &cost, std::ostream *os) {
  *os << cost.cycles << " cycles, tile " << cost.tile << ", " << cost.bytes
      << " bytes, " << cost.ddrBytes << " of DDR";
}

class CostsFixture : public ::testing::Test {
protected:
  CostsFixture() : context(makeRegistry()) {
    context.allowUnregisteredDialects();
  }

  /// The last operation of a function that has these arguments and `body`; null
  /// where that does not parse.
  mlir::Operation *lastOf(const std::string &arguments,
                          const std::string &body) {
    module = mlir::parseSourceString<mlir::ModuleOp>(
        maps + "func.func @f(" + arguments + ") {\n" + body +
            "\nreturn\n}\n"
            "func.func private @given() -> tensor<64x48xf16>",
        &context);
    if (!module) {
      ADD_FAILURE() << "does not parse: " << body;
      return nullptr;
    }
    mlir::func::FuncOp function = *module->getOps<mlir::func::FuncOp>().begin();
    return function.front().getTerminator()->getPrevNode();
  }

  /// Of the last operation of a function that has these arguments and `body`.
  ModelledCost costOf(const std::string &arguments, const std::string &body) {
    mlir::Operation *op = lastOf(arguments, body);
    if (!op)
      return {};
    std::optional<OpAccess> access = OpAccess::get(op);
    return operationCost(op, access ? &*access : nullptr, op->getResultTypes(),
                         target);
  }

  mlir::RankedTensorType type(const std::string &text) {
    return mlir::cast<mlir::RankedTensorType>(mlir::parseType(text, &context));
  }

  /// Cycles of a body on the vector engine, which loads and stores each element
  /// where it is not said what it moves.
  int64_t vector(const VectorBody &body, int64_t elements, int64_t bits = 16,
                 std::vector<VectorMove> moves = {}) const {
    if (moves.empty())
      moves.assign(2, {elements, bits});
    return inParts({{body, elements, bits}}, moves);
  }
  int64_t inParts(const std::vector<VectorPart> &parts,
                  const std::vector<VectorMove> &moves) const {
    return vectorCycles(figures, parts, moves);
  }

  static mlir::DialectRegistry makeRegistry() {
    mlir::DialectRegistry registry;
    registerDialects(registry);
    return registry;
  }

  /// Names for layouts: everything on one tile, or on two; the first, the
  /// second or the last dimension over two tiles.
  const std::string maps =
      "#one = #npu.layout<DUPLICATED, tiles = 1>\n"
      "#two = #npu.layout<DUPLICATED, tiles = 2>\n"
      "#d0of1 = #npu.layout<SEGMENTED, tiles = [2]>\n"
      "#d0of2 = #npu.layout<SEGMENTED, tiles = [2, 1]>\n"
      "#d1of2 = #npu.layout<SEGMENTED, tiles = [1, 2]>\n"
      "#d0of3 = #npu.layout<SEGMENTED, tiles = [2, 1, 1]>\n"
      "#d1of4 = #npu.layout<SEGMENTED, tiles = [1, 2, 1, 1]>\n"
      "#d2of4 = #npu.layout<SEGMENTED, tiles = [1, 1, 2, 1]>\n";

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  Target target = *findBuiltinTarget("npu4000");
  const CostFigures &figures = target.costs;
};

} // namespace npu

#endif // NPU_TEST_UNIT_ANALYSIS_COSTSFIXTURE_H
