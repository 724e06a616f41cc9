// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Complete.h"
#include "SurviveParser.h"

#include "npu/Support/ParserLimits.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/AsmParser/AsmParserState.h"
#include "mlir/AsmParser/CodeComplete.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using llvm::lsp::CompletionItem;
using llvm::lsp::CompletionItemKind;

namespace npu {
namespace {

/// Collects what the parser says that it would take where it stops.
class Collector : public AsmParserCodeCompleteContext {
public:
  Collector(SMLoc at, MLIRContext &context)
      : AsmParserCodeCompleteContext(at), context(context) {}

  std::vector<CompletionItem> found;

private:
  void add(const llvm::Twine &label, CompletionItemKind kind,
           StringRef detail = "") {
    CompletionItem item(label, kind);
    item.detail = detail.str();
    found.push_back(std::move(item));
  }

  void completeDialectName(StringRef prefix) override {
    for (StringRef dialect : context.getAvailableDialects())
      if (!dialect.empty())
        add(prefix + dialect, CompletionItemKind::Module, "dialect");
  }

  void completeOperationName(StringRef dialect) override {
    Dialect *loaded = context.getOrLoadDialect(dialect);
    if (!loaded)
      return;
    for (const RegisteredOperationName &op : context.getRegisteredOperations())
      if (&op.getDialect() == loaded)
        add(op.getStringRef().drop_front(dialect.size() + 1),
            CompletionItemKind::Field, "operation");
  }

  void appendSSAValueCompletion(StringRef name, std::string type) override {
    // The parser has taken the "%".
    name.consume_front("%");
    add(name, CompletionItemKind::Variable, type);
  }

  void appendBlockCompletion(StringRef name) override {
    name.consume_front("^");
    add(name, CompletionItemKind::Field, "block");
  }

  void completeExpectedTokens(ArrayRef<StringRef> tokens,
                              bool optional) override {
    for (StringRef token : tokens)
      add(token, CompletionItemKind::Keyword, optional ? "optional" : "");
  }

  void completeAttribute(const llvm::StringMap<Attribute> &aliases) override {
    completeWords({"affine_set", "affine_map", "dense", "dense_resource",
                   "false", "loc", "sparse", "true", "unit"});
    completeDialectName("#");
    for (const auto &alias : aliases)
      add("#" + alias.getKey(), CompletionItemKind::Field, "alias");
  }

  void completeDialectAttributeOrAlias(
      const llvm::StringMap<Attribute> &aliases) override {
    completeDialectName("");
    for (const auto &alias : aliases)
      add(alias.getKey(), CompletionItemKind::Field, "alias");
  }

  void completeType(const llvm::StringMap<Type> &aliases) override {
    completeWords({"memref", "tensor", "complex", "tuple", "vector", "bf16",
                   "f16", "f32", "f64", "i1", "i4", "i8", "i16", "i32", "i64",
                   "index", "none"});
    completeDialectName("!");
    for (const auto &alias : aliases)
      add("!" + alias.getKey(), CompletionItemKind::Field, "alias");
  }

  void
  completeDialectTypeOrAlias(const llvm::StringMap<Type> &aliases) override {
    completeDialectName("");
    for (const auto &alias : aliases)
      add(alias.getKey(), CompletionItemKind::Field, "alias");
  }

  void completeWords(std::initializer_list<const char *> words) {
    for (const char *word : words)
      add(word, CompletionItemKind::Keyword);
  }

  MLIRContext &context;
};

} // namespace

std::vector<CompletionItem> completeByParser(StringRef text, size_t offset,
                                             const DialectRegistry &registry) {
  auto context =
      std::make_unique<MLIRContext>(registry, MLIRContext::Threading::DISABLED);
  context->allowUnregisteredDialects();
  std::vector<CompletionItem> found;
  bool survived = surviveParser([&] {
    ScopedDiagnosticHandler handler(context.get(), [](Diagnostic &) {});
    llvm::SourceMgr sources;
    sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(text),
                               SMLoc());
    const llvm::MemoryBuffer *buffer =
        sources.getMemoryBuffer(sources.getMainFileID());
    if (failed(checkText(*buffer, context.get())))
      return;
    Collector collector(
        SMLoc::getFromPointer(buffer->getBufferStart() + offset), *context);
    OwningOpRef<ModuleOp> module =
        ModuleOp::create(UnknownLoc::get(context.get()));
    AsmParserState state;
    FallbackAsmResourceMap resources;
    ParserConfig config(context.get(), /*verifyAfterParse=*/false, &resources);
    (void)parseAsmSourceFile(sources, module->getBody(), config, &state,
                             &collector);
    found = std::move(collector.found);
  });
  if (!survived)
    (void)context.release();
  return found;
}

} // namespace npu
