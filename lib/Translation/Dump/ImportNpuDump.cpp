// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Imports a dump as a module that passes run on.

#include "DumpText.h"
#include "npu/Dialect/NPU/IR/NPUDialect.h"
#include "npu/Dialect/NPU/IR/TensorPlacement.h"
#include "npu/Support/ParserLimits.h"
#include "npu/Translation/Dump/NpuDumpTranslation.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;

namespace npu {
namespace {

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

/// Bad edges by the place of their operation: the numbers of the values that it
/// reads and makes, and what is said of the edge.
struct FoundEdge {
  std::size_t from = 0, to = 0;
  BadDumpEdge edge;
};
using FoundEdges = llvm::DenseMap<std::size_t, std::vector<FoundEdge>>;

FoundEdges badEdgesOf(std::string_view text, StringRef device) {
  FoundEdges found;
  auto keep = [&](DumpFunction &function) {
    for (const DumpEdge &edge : function.edges)
      if (edge.finding->bad)
        found[edge.at].push_back(
            {edge.from, edge.to,
             BadDumpEdge{nullptr, 0, nameOf(edge.op, edge.callee),
                         edge.finding->reason, edge.finding->bytes,
                         spellRepair(edge, function.values)}});
  };
  DumpAnalysis(keep, askedDevice(device)).run(text);
  return found;
}

class DumpFunctionBuilder {
public:
  DumpFunctionBuilder(ModuleOp module, StringAttr fileName,
                      const LogLines &lines, DumpImportTotals &totals,
                      FoundEdges found)
      : module(module), fileName(fileName), lines(lines), totals(totals),
        symbols(module), builder(module.getContext()), found(std::move(found)) {
  }

  /// The bad edges of all functions, in the order of the dump.
  std::vector<BadDumpEdge> badEdges;

  /// Builds the function. Its operations are in the order of the dump.
  void build(std::string_view name, std::size_t at,
             const std::vector<DumpOperation> &operations,
             const std::vector<DumpValue> &values) {
    built.clear();
    SmallVector<Type> inputs;
    SmallVector<std::size_t> arguments;
    for (auto [number, value] : llvm::enumerate(values))
      if ((value.op == "func.func" || value.op == "undefined") &&
          value.type->isShaped()) {
        inputs.push_back(typeOf(*value.type));
        arguments.push_back(number);
      }
    // The builder stands in the function before.
    OpBuilder outside(module.getContext());
    auto function = func::FuncOp::create(outside, location(at),
                                         name.empty() ? StringRef("outside")
                                                      : StringRef(name),
                                         builder.getFunctionType(inputs, {}));
    symbols.insert(function);
    Block *entry = function.addEntryBlock();
    for (auto [number, argument] :
         llvm::zip(arguments, entry->getArguments())) {
      argument.setLoc(location(values[number].at));
      built[number] = argument;
    }
    builder.setInsertionPointToStart(entry);
    bool returned = false;
    for (const DumpOperation &op : operations) {
      if (op.name != "return" && op.name != "func.return") {
        if (!returned) {
          buildOperation(op, values);
          addBadEdges(op.at);
        }
        continue;
      }
      if (!returned)
        buildReturn(op);
      returned = true;
    }
    // The end of a dump may be missing.
    if (!returned)
      func::ReturnOp::create(builder, location(at));
  }

private:
  Location location(std::size_t at) const {
    LogLines::Position place = lines.position(at);
    return FileLineColLoc::get(fileName, place.line, place.column);
  }

  RankedTensorType typeOf(const DumpType &type) {
    Layout layout{type.distribution, type.order};
    totals.noLayout += type.isDistributed() && !type.distribution;
    return RankedTensorType::get(
        ArrayRef<int64_t>(type.shape.begin(), type.shape.size()),
        elementOf(type), makeLayout(module.getContext(), std::move(layout)));
  }

  /// Floats are what they are; all others become integers of as many bits.
  Type elementOf(const DumpType &type) {
    StringRef element = type.element;
    if (element == "f16" || element == "f32" || element == "f64" ||
        element == "bf16")
      return parseType(element, module.getContext());
    Type integer =
        builder.getIntegerType(static_cast<unsigned>(type.bits.value_or(8)));
    std::string spelled;
    llvm::raw_string_ostream(spelled) << integer;
    totals.integers += spelled != element;
    return integer;
  }

  /// The operation's result as this project's or upstream's operation; null
  /// where there is none.
  Value buildKnown(const DumpOperation &op, RankedTensorType type,
                   const std::vector<DumpValue> &values) {
    Location loc = location(op.at);
    DumpWord word = wordOf(op.name);
    if (word == DumpWord::Buffer)
      return ifValid(tensor::EmptyOp::create(builder, loc, type.getShape(),
                                             type.getElementType(),
                                             type.getEncoding()));
    if (word == DumpWord::Concat)
      return buildConcat(op, type, values);
    Value input = operandOf(op, 0);
    if (!input)
      return {};
    auto from = cast<RankedTensorType>(input.getType());
    bool sameShape = from.getShape() == type.getShape() &&
                     from.getElementType() == type.getElementType();
    switch (word) {
    case DumpWord::PermuteCast: {
      auto perm = op.attribute({"mem_perm"});
      auto map = perm && !findTooDeep(*perm)
                     ? parseAttribute(StringRef(*perm), module.getContext())
                     : Attribute();
      auto affine = dyn_cast_or_null<AffineMapAttr>(map);
      if (!affine || !affine.getValue().isPermutation())
        return {};
      SmallVector<int64_t> memPerm;
      for (AffineExpr result : affine.getValue().getResults())
        memPerm.push_back(cast<AffineDimExpr>(result).getPosition());
      if (static_cast<int64_t>(memPerm.size()) != type.getRank() ||
          from.getRank() != type.getRank() || type.getRank() > kMaxRank)
        return {};
      return ifValid(PermuteCastOp::create(builder, loc, type, input, memPerm));
    }
    case DumpWord::Relabel:
      if (!sameShape)
        return {};
      if (from == type)
        return input;
      if (Value cast =
              ifValid(DistributionCastOp::create(builder, loc, type, input)))
        return cast;
      return ifValid(RedistributeOp::create(builder, loc, type, input));
    case DumpWord::Copy:
      if (!sameShape)
        return {};
      if (from == type)
        return input;
      return ifValid(RedistributeOp::create(builder, loc, type, input));
    case DumpWord::Slice: {
      auto slice = sliceOf(op);
      if (!slice || from.getRank() != type.getRank() ||
          static_cast<int64_t>(slice->offsets.size()) != type.getRank() ||
          !llvm::equal(slice->sizes, type.getShape()))
        return {};
      auto attributes = [&](ArrayRef<int64_t> numbers) {
        return SmallVector<OpFoldResult>(
            getAsIndexOpFoldResult(module.getContext(), numbers));
      };
      return ifValid(tensor::ExtractSliceOp::create(
          builder, loc, type, input,
          attributes({slice->offsets.begin(), slice->offsets.size()}),
          attributes(type.getShape()),
          attributes(SmallVector<int64_t>(type.getRank(), 1))));
    }
    default:
      return {};
    }
  }

  Value buildConcat(const DumpOperation &op, RankedTensorType type,
                    const std::vector<DumpValue> &values) {
    SmallVector<Value> operands;
    for (const DumpOperand &operand : op.operands) {
      Value value = valueOf(operand);
      if (!value)
        return {};
      operands.push_back(value);
    }
    // One dimension grows, and the operands follow each other in it.
    std::vector<Extents> offsets = concatOffsets(op, values);
    if (offsets.size() != operands.size())
      return {};
    int64_t rank = type.getRank();
    for (int64_t dim = 0; dim < rank; ++dim) {
      int64_t begin = 0;
      bool inOrder = true;
      for (auto [offset, operand] : llvm::zip(offsets, operands)) {
        auto part = cast<RankedTensorType>(operand.getType());
        if (static_cast<int64_t>(offset.size()) != rank ||
            part.getRank() != rank)
          return {};
        inOrder = inOrder && offset[dim] == begin;
        begin += part.getDimSize(dim);
      }
      if (inOrder && begin == type.getDimSize(dim))
        return ifValid(tensor::ConcatOp::create(builder, location(op.at), type,
                                                dim, operands));
    }
    return {};
  }

  void buildCall(const DumpOperation &op,
                 const std::vector<DumpValue> &values) {
    SmallVector<Value> operands;
    for (const DumpOperand &operand : op.operands)
      if (Value value = valueOf(operand))
        operands.push_back(value);
    SmallVector<Type> results;
    SmallVector<std::size_t> numbers;
    for (std::size_t result : op.results)
      if (values[result].type->isShaped()) {
        results.push_back(typeOf(*values[result].type));
        numbers.push_back(result);
      }
    auto type =
        builder.getFunctionType(ValueRange(operands).getTypes(), results);
    auto &callee = declared[{builder.getStringAttr(StringRef(op.name)), type}];
    if (!callee) {
      OpBuilder outside(module.getContext());
      callee = func::FuncOp::create(outside, location(op.at),
                                    StringRef(op.name), type);
      callee.setPrivate();
      symbols.insert(callee);
    }
    ++totals.calls[op.name];
    auto call =
        func::CallOp::create(builder, location(op.at), callee, operands);
    for (auto [number, result] : llvm::zip(numbers, call.getResults()))
      built[number] = result;
  }

  void buildOperation(const DumpOperation &op,
                      const std::vector<DumpValue> &values) {
    bool shaped = llvm::any_of(op.results, [&](std::size_t result) {
      return values[result].type->isShaped();
    });
    if (!shaped) {
      ++totals.leftOut[op.name];
      return;
    }
    if (op.results.size() == 1) {
      RankedTensorType type = typeOf(*values[op.results[0]].type);
      if (Value known = buildKnown(op, type, values)) {
        built[op.results[0]] = known;
        return;
      }
    }
    buildCall(op, values);
  }

  void buildReturn(const DumpOperation &op) {
    SmallVector<Value> operands;
    for (const DumpOperand &operand : op.operands)
      if (Value value = valueOf(operand))
        operands.push_back(value);
    auto function = cast<func::FuncOp>(builder.getBlock()->getParentOp());
    func::ReturnOp::create(builder, location(op.at), operands);
    function.setFunctionType(builder.getFunctionType(
        function.getArgumentTypes(), ValueRange(operands).getTypes()));
  }

  /// Notes the bad edges of the operation, where what it reads is an operand of
  /// what was built for it.
  void addBadEdges(std::size_t at) {
    auto edges = found.find(at);
    if (edges == found.end())
      return;
    for (auto &[from, to, edge] : edges->second) {
      Value result = built.lookup(to), operand = built.lookup(from);
      Operation *op = result ? result.getDefiningOp() : nullptr;
      if (!op || !operand)
        continue;
      auto place = llvm::find(op->getOperands(), operand);
      if (place == op->operand_end())
        continue;
      edge.op = op;
      edge.operand = static_cast<unsigned>(place.getIndex());
      badEdges.push_back(std::move(edge));
    }
  }

  /// What was built for the operand; null where nothing was.
  Value valueOf(const DumpOperand &operand) const {
    return operand.value == DumpOperand::kUnknown ? Value()
                                                  : built.lookup(operand.value);
  }

  /// The same for the operation's `number`th operand that it reads.
  Value operandOf(const DumpOperation &op, std::size_t number) const {
    for (const DumpOperand &operand : op.operands) {
      if (operand.group.starts_with("output"))
        continue;
      if (number-- == 0)
        return valueOf(operand);
    }
    return {};
  }

  /// The value if the operation that makes it is valid; erases it otherwise.
  Value ifValid(Value value) {
    Operation *op = value.getDefiningOp();
    // What is not valid becomes a call, which the totals tell.
    ScopedDiagnosticHandler silent(module.getContext(),
                                   [](Diagnostic &) { return success(); });
    if (succeeded(verify(op)))
      return value;
    op->erase();
    return {};
  }

  ModuleOp module;
  StringAttr fileName;
  const LogLines &lines;
  DumpImportTotals &totals;
  SymbolTable symbols;
  OpBuilder builder;
  /// Declared functions by name and type.
  llvm::DenseMap<std::pair<StringAttr, Type>, func::FuncOp> declared;
  llvm::DenseMap<std::size_t, Value> built;
  FoundEdges found;
};

class Importer : public DumpVisitor {
public:
  Importer(ModuleOp module, StringAttr fileName, const LogLines &lines,
           FoundEdges found)
      : module(module), fileName(fileName), lines(lines),
        builder(module, fileName, lines, totals, std::move(found)) {}

  std::vector<BadDumpEdge> takeBadEdges() {
    return std::move(builder.badEdges);
  }

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
                                    MLIRContext *context,
                                    std::vector<BadDumpEdge> *badEdges,
                                    StringRef device) {
  context->loadDialect<NPUDialect, func::FuncDialect, tensor::TensorDialect>();
  LogLines lines(text);
  auto file = StringAttr::get(context, fileName);
  OpBuilder builder(context);
  OwningOpRef<ModuleOp> module =
      ModuleOp::create(builder, FileLineColLoc::get(file, 1, 1));
  Importer importer(*module, file, lines,
                    badEdges ? badEdgesOf(text, device) : FoundEdges());
  readNpuDump(text, importer);
  if (failed(verify(*module)))
    return {};
  importer.remark();
  if (badEdges)
    llvm::append_range(*badEdges, importer.takeBadEdges());
  return module;
}

} // namespace npu
