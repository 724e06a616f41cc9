// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// npu-print-kernels: which row of a device's table of kernels takes each
// operation, and what the others have against it.

#include "npu/Analysis/Choices/HostFallback.h"
#include "npu/Analysis/Kernels/KernelTable.h"
#include "npu/Analysis/Kernels/NameOfKernel.h"
#include "npu/Analysis/TargetOf.h"
#include "npu/Dialect/NPU/IR/KernelsAttr.h"
#include "npu/Dialect/NPU/Transforms/Reports/Passes.h"
#include "npu/Support/Naming.h"
#include "npu/Support/Report.h"

#include "mlir/Dialect/DLTI/DLTI.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/JSON.h"

#include <fmt/format.h>

#include <map>

using namespace mlir;

namespace npu {

#define GEN_PASS_DEF_PRINTKERNELS
#include "npu/Dialect/NPU/Transforms/Reports/Passes.h.inc"

namespace {

struct Asked {
  Operation *op;
  KernelAnswer answer;
  /// Why there is no kernel; empty where there is one.
  std::string reason;
};

struct FunctionKernels {
  FunctionOpInterface function;
  std::vector<Asked> operations;
};

FunctionKernels kernelsOf(FunctionOpInterface function,
                          const KernelTable &table) {
  FunctionKernels found{function, {}};
  function->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (needsKernel(op)) {
      KernelAnswer answer = table.find(op);
      std::string reason = answer.isTaken ? "" : answer.reason(op);
      found.operations.push_back({op, std::move(answer), std::move(reason)});
    } else if (auto why = whyNoModel(op)) {
      found.operations.push_back({op, {}, std::move(*why)});
    }
  });
  return found;
}

std::string kindOf(const Asked &asked) {
  if (!asked.answer.isTaken)
    return "none";
  return asked.answer.row ? fmt::format("row {}", asked.answer.row) : "any";
}

std::string plural(size_t count, std::string_view one) {
  return fmt::format("{} {}{}", count, one, count == 1 ? "" : "s");
}

/// Equal operations with the same answer share a line.
std::string textOf(FunctionKernels &function) {
  struct Line {
    const Asked *first = nullptr;
    size_t count = 0;
  };
  using Key = std::tuple<std::string, std::string, std::string>;
  llvm::MapVector<Key, Line, std::map<Key, unsigned>> lines;
  size_t without = 0, kind = 0, kernel = 0, structure = 0;
  for (const Asked &asked : function.operations) {
    Key key{kindOf(asked), nameOfKernel(asked.op), asked.reason};
    Line &line = lines[key];
    if (!line.first)
      line.first = &asked;
    ++line.count;
    without += !asked.answer.isTaken;
    kind = std::max(kind, std::get<0>(key).size());
    kernel = std::max(kernel, std::get<1>(key).size());
    structure = std::max(structure, asked.answer.structure.size());
  }
  std::string text = fmt::format(
      "function @{}: {} with a kernel, {} without\n",
      function.function.getName().str(),
      plural(function.operations.size() - without, "operation"), without);
  for (const auto &[key, line] : lines) {
    const Asked &asked = *line.first;
    text += fmt::format(
        "  {:<{}}  {:<{}}  {:<{}}  {}{}\n", std::get<0>(key), kind,
        std::get<1>(key), kernel, asked.answer.structure.str(), structure,
        nameOfLocation(asked.op->getLoc()),
        line.count == 1 ? "" : fmt::format(" and {} more", line.count - 1));
    if (asked.answer.isTaken)
      continue;
    if (asked.answer.refusals.empty())
      text += fmt::format("    {}\n", asked.reason);
    for (const KernelRefusal &refusal : asked.answer.refusals)
      text += fmt::format("    row {}: {}\n", refusal.row, refusal.reason());
  }
  return text;
}

void writeJson(llvm::json::OStream &json, const Asked &asked) {
  json.attribute("op", asked.op->getName().getStringRef());
  json.attribute("kernel", nameOfKernel(asked.op));
  json.attribute("location", nameOfLocation(asked.op->getLoc()));
  const KernelAnswer &answer = asked.answer;
  json.attribute("structure", answer.structure.empty()
                                  ? llvm::json::Value(nullptr)
                                  : llvm::json::Value(answer.structure));
  json.attribute("taken", answer.isTaken);
  json.attribute("row", answer.row ? llvm::json::Value(int64_t(answer.row))
                                   : llvm::json::Value(nullptr));
  if (!answer.isTaken)
    json.attribute("reason", asked.reason);
  json.attributeArray("refusals", [&] {
    for (const KernelRefusal &refusal : answer.refusals)
      json.object([&] {
        json.attribute("row", int64_t(refusal.row));
        json.attribute("item", refusal.item);
        json.attribute("found", refusal.found);
        json.attribute("instead", refusal.instead);
      });
  });
}

std::string jsonOf(MutableArrayRef<FunctionKernels> functions,
                   const KernelTable &table) {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::json::OStream json(os, /*IndentSize=*/2);
  json.object([&] {
    json.attribute("target", table.nameOfDevice());
    json.attributeArray("rows", [&] {
      for (auto [number, row] : llvm::enumerate(table.rows()))
        json.object([&, &row = row, number = number] {
          json.attribute("row", int64_t(number + 1));
          json.attribute("kernel", textOfKernel(row));
        });
    });
    json.attributeArray("functions", [&] {
      for (FunctionKernels &function : functions)
        json.object([&] {
          json.attribute("name", function.function.getName());
          json.attributeArray("operations", [&] {
            for (const Asked &asked : function.operations)
              json.object([&] { writeJson(json, asked); });
          });
        });
    });
  });
  os << "\n";
  return text;
}

struct PrintKernelsPass : impl::PrintKernelsBase<PrintKernelsPass> {
  using PrintKernelsBase::PrintKernelsBase;

  LogicalResult initializeOptions(
      StringRef text,
      llvm::function_ref<LogicalResult(const llvm::Twine &)> fail) override {
    if (failed(PrintKernelsBase::initializeOptions(text, fail)))
      return failure();
    return verifyTargetOption(target.hasValue(), target, fail);
  }

  LogicalResult initialize(MLIRContext *context) override {
    return verifyFormat(UnknownLoc::get(context), getArgument(), format);
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    FailureOr<KernelTable> table = findTable(module);
    if (failed(table))
      return signalPassFailure();
    std::vector<FunctionKernels> functions;
    module.walk([&](FunctionOpInterface function) {
      if (!function.isExternal())
        functions.push_back(kernelsOf(function, *table));
    });
    std::string text;
    if (format == "json") {
      text = jsonOf(functions, *table);
    } else {
      text =
          table->isEmpty()
              ? fmt::format("{} has no table of kernels: it takes all that "
                            "passes know\n",
                            table->nameOfDevice().str())
              : fmt::format("kernels of {}: {}\n", table->nameOfDevice().str(),
                            plural(table->rows().size(), "row"));
      for (FunctionKernels &function : functions)
        text += textOf(function);
    }
    if (failed(writeReport(module, getArgument(), outputFile, text)))
      return signalPassFailure();
    markAllAnalysesPreserved();
  }

private:
  FailureOr<KernelTable> findTable(ModuleOp module) {
    FailureOr<std::optional<Target>> device = targetOf(module, target);
    if (failed(device))
      return failure();
    if (!kernels.empty()) {
      FailureOr<KernelsAttr> read =
          KernelTable::read(module.getLoc(), getArgument(), kernels);
      FailureOr<StorageRules> storage = StorageRules::of(module, target);
      if (failed(read) || failed(storage))
        return failure();
      return KernelTable(*read, *device ? (*device)->name : kernels,
                         std::move(*storage));
    }
    if (!*device)
      return module->emitError() << "expected a target whose kernels count "
                                    "(target=, or in the module), got none";
    return KernelTable::of(module, target);
  }
};

} // namespace
} // namespace npu
