// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Imports a dump as a module that passes run on.

#include "BuildDumpFunction.h"

#include "npu/Dialect/NPU/IR/NPUDialect.h"
#include "npu/Translation/Dump/NpuDumpTranslation.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;

namespace npu {
namespace {

class Importer : public DumpVisitor {
public:
  Importer(ModuleOp module, StringAttr fileName, const LogLines &lines)
      : module(module), fileName(fileName), lines(lines),
        builder(module, fileName, lines, totals) {}

  /// Says what was built otherwise than the dump has it.
  void remark() {
    auto each = [&](const llvm::StringMap<int64_t> &counts, StringRef text) {
      SmallVector<StringRef> names(counts.keys());
      llvm::sort(names);
      for (StringRef name : names)
        mlir::emitRemark(module.getLoc()) << "'" << name << "' " << text << ", "
                                          << counts.lookup(name) << " times";
    };
    each(totals.calls, "is a call of a function that is only declared");
    each(totals.leftOut, "has no tensor as its result and is left out");
    if (totals.noLayout)
      mlir::emitRemark(module.getLoc())
          << totals.noLayout
          << " values have boxes that no layout spells, and are in DDR here";
    if (totals.integers)
      mlir::emitRemark(module.getLoc())
          << totals.integers
          << " values have elements that are signless integers of as many bits "
             "here";
    for (const DumpSkip &skip : skipped) {
      LogLines::Position place = lines.position(skip.at);
      mlir::emitRemark(FileLineColLoc::get(fileName, place.line, place.column))
          << "skipped " << skip.what << ": " << skip.why;
    }
  }

private:
  void beginModule(const DumpOperation &) override {}
  void beginFunction(std::string_view function, std::size_t place) override {
    name = function;
    at = place;
  }
  void visit(const DumpOperation &op, const std::vector<DumpValue> &,
             const DumpTypes &) override {
    operations.push_back(op);
  }
  void endFunction(const std::vector<DumpValue> &values) override {
    bool declares = operations.empty();
    bool hasTensors = llvm::any_of(
        values, [](const DumpValue &value) { return value.type->isShaped(); });
    if (!declares || hasTensors)
      builder.build(name, at, operations, values);
    operations.clear();
  }
  void skip(std::size_t place, std::string what, std::string why) override {
    constexpr std::size_t kMostRemarks = 20;
    if (skipped.size() < kMostRemarks)
      skipped.push_back({place, std::move(what), std::move(why)});
  }
  void countTypes(unsigned, unsigned) override {}

  ModuleOp module;
  StringAttr fileName;
  const LogLines &lines;
  DumpImportTotals totals;
  DumpFunctionBuilder builder;
  std::string_view name;
  std::size_t at = 0;
  std::vector<DumpOperation> operations;
  std::vector<DumpSkip> skipped;
};

} // namespace

OwningOpRef<ModuleOp> importNpuDump(StringRef text, StringRef fileName,
                                    MLIRContext *context) {
  context->loadDialect<NPUDialect, func::FuncDialect, tensor::TensorDialect>();
  LogLines lines(text);
  auto file = StringAttr::get(context, fileName);
  OpBuilder builder(context);
  OwningOpRef<ModuleOp> module =
      ModuleOp::create(builder, FileLineColLoc::get(file, 1, 1));
  Importer importer(*module, file, lines);
  readNpuDump(text, importer);
  if (failed(verify(*module)))
    return {};
  importer.remark();
  return module;
}

} // namespace npu
