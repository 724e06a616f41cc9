// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/LanguageServer/LanguageServer.h"

#include "Complete.h"
#include "Document.h"
#include "Hover.h"
#include "Places.h"
#include "Repair.h"
#include "npu/Support/BundleNotes.h"

#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/Support/thread.h"

#include <condition_variable>
#include <deque>
#include <map>

using namespace llvm::lsp;
using llvm::StringRef;

namespace npu {
namespace {

/// Does tasks one after the other, on a thread of their own unless it is
/// sequential: messages are read while a text is parsed.
class Worker {
public:
  using Task = llvm::unique_function<void()>;

  explicit Worker(bool isSequential) : isSequential(isSequential) {
    if (!isSequential)
      // Parsing is as deep as on the main thread.
      thread.emplace(std::optional<unsigned>(8 << 20), [this] { run(); });
  }

  /// Does all tasks that are left.
  ~Worker() {
    if (isSequential)
      return;
    {
      std::lock_guard<std::mutex> lock(mutex);
      isOver = true;
    }
    wake.notify_one();
    thread->join();
  }

  void add(Task task) {
    if (isSequential)
      return task();
    {
      std::lock_guard<std::mutex> lock(mutex);
      tasks.push_back(std::move(task));
    }
    wake.notify_one();
  }

  /// Does the task when there is no other one, in place of an earlier one of
  /// this name.
  void addForLater(const std::string &name, Task task) {
    if (isSequential)
      return task();
    {
      std::lock_guard<std::mutex> lock(mutex);
      later.insert_or_assign(name, std::move(task));
    }
    wake.notify_one();
  }

private:
  void run() {
    while (std::optional<Task> task = next())
      (*task)();
  }

  std::optional<Task> next() {
    std::unique_lock<std::mutex> lock(mutex);
    wake.wait(lock, [&] { return isOver || !tasks.empty() || !later.empty(); });
    std::optional<Task> task;
    if (!tasks.empty()) {
      task = std::move(tasks.front());
      tasks.pop_front();
    } else if (!later.empty()) {
      task = std::move(later.begin()->second);
      later.erase(later.begin());
    }
    return task;
  }

  bool isSequential, isOver = false;
  std::mutex mutex;
  std::condition_variable wake;
  std::deque<Task> tasks;
  std::map<std::string, Task> later;
  std::optional<llvm::thread> thread;
};

/// What the server has to know of its client, beside what upstream's structure
/// has.
struct ClientParams {
  /// Whether an action may get its edit when it is chosen.
  bool resolvesActions = false;
};

bool fromJSON(const llvm::json::Value &value, ClientParams &params,
              llvm::json::Path) {
  const llvm::json::Value *member = &value;
  for (StringRef name : {"capabilities", "textDocument", "codeAction",
                         "resolveSupport", "properties"}) {
    const llvm::json::Object *object = member->getAsObject();
    member = object ? object->get(name) : nullptr;
    if (!member)
      return true;
  }
  if (const llvm::json::Array *properties = member->getAsArray())
    params.resolvesActions = llvm::is_contained(*properties, "edit");
  return true;
}

/// An action that was offered without its edit, as the client sends it back.
struct UnresolvedAction {
  llvm::json::Object action;
  URIForFile uri;
  int64_t version = 0;
  Position position;
};

bool fromJSON(const llvm::json::Value &value, UnresolvedAction &action,
              llvm::json::Path path) {
  const llvm::json::Object *object = value.getAsObject();
  if (!object) {
    path.report("expected an object");
    return false;
  }
  action.action = *object;
  const llvm::json::Value *data = object->get("data");
  if (!data) {
    path.report("expected data");
    return false;
  }
  llvm::json::ObjectMapper mapper(*data, path.field("data"));
  return mapper && mapper.map("uri", action.uri) &&
         mapper.map("version", action.version) &&
         mapper.map("position", action.position);
}

class Server {
public:
  Server(const mlir::DialectRegistry &registry, MessageHandler &handler,
         const LanguageServerOptions &options)
      : registry(registry), options(options),
        publish(handler.outgoingNotification<PublishDiagnosticsParams>(
            "textDocument/publishDiagnostics")),
        worker(options.isSequential) {
    handler.method("initialize", this, &Server::initialize);
    handler.notification("initialized", this, &Server::initialized);
    handler.method("shutdown", this, &Server::shutdown);
    handler.notification("textDocument/didOpen", this, &Server::open);
    handler.notification("textDocument/didChange", this, &Server::change);
    handler.notification("textDocument/didClose", this, &Server::close);
    handler.method("textDocument/hover", this, &Server::hover);
    handler.method("textDocument/completion", this, &Server::complete);
    handler.method("textDocument/codeAction", this, &Server::actions);
    handler.method("codeAction/resolve", this, &Server::resolve);
    handler.method("textDocument/definition", this, &Server::define);
    handler.method("textDocument/references", this, &Server::refer);
    handler.method("textDocument/documentSymbol", this, &Server::symbols);
  }

  bool hasShutDown() const { return sawShutdown; }

private:
  void initialize(const ClientParams &params,
                  Callback<llvm::json::Value> reply) {
    resolvesActions = params.resolvesActions;
    llvm::json::Object capabilities{
        {"textDocumentSync",
         llvm::json::Object{
             {"openClose", true},
             {"change", (int)TextDocumentSyncKind::Incremental}}},
        {"hoverProvider", true},
        {"definitionProvider", true},
        {"referencesProvider", true},
        {"documentSymbolProvider", true},
        {"codeActionProvider",
         llvm::json::Object{{"codeActionKinds", {CodeAction::kQuickFix}},
                            {"resolveProvider", true}}},
        {"completionProvider",
         llvm::json::Object{
             {"triggerCharacters",
              {".", "%", "^", "!", "#", "<", ",", "=", "|", "@", " "}},
             {"resolveProvider", false}}}};
    reply(llvm::json::Object{
        {"serverInfo", llvm::json::Object{{"name", "npu-lsp-server"},
                                          {"version", options.version}}},
        {"capabilities", std::move(capabilities)}});
  }
  void initialized(const InitializedParams &) {}
  void shutdown(const NoParams &, Callback<std::nullptr_t> reply) {
    sawShutdown = true;
    worker.add([reply = std::move(reply)]() mutable { reply(nullptr); });
  }

  void open(const DidOpenTextDocumentParams &params) {
    const TextDocumentItem &item = params.textDocument;
    worker.add([this, item] {
      documents.erase(item.uri.uri().str());
      Document &document = documents
                               .try_emplace(item.uri.uri().str(),
                                            item.uri.file().str(), registry)
                               .first->second;
      keepDocumentForBundle(numberOf(item.uri), item.uri.uri(), item.text);
      document.setText(item.text, item.version);
    });
    check(item.uri);
  }

  void change(const DidChangeTextDocumentParams &params) {
    URIForFile uri = params.textDocument.uri;
    int64_t version = params.textDocument.version;
    worker.add([this, uri, version, changes = params.contentChanges] {
      if (Document *document = find(uri)) {
        std::string text = document->getText();
        makeChanges(changes, text);
        keepDocumentForBundle(numberOf(uri), uri.uri(), text);
        document->setText(std::move(text), version);
      }
    });
    check(uri);
  }

  void close(const DidCloseTextDocumentParams &params) {
    worker.add([this, uri = params.textDocument.uri] {
      documents.erase(uri.uri().str());
      forgetDocumentForBundle(numberOf(uri), uri.uri());
      publish(PublishDiagnosticsParams(uri, 0));
    });
  }

  /// Documents are counted from 1 in the order in which they were first opened.
  unsigned numberOf(const URIForFile &uri) {
    return numbers.try_emplace(uri.uri().str(), numbers.size() + 1)
        .first->second;
  }

  /// Publishes what is wrong with the newest text, once nobody waits for an
  /// answer: requests come first, and of many edits the last one is checked.
  void check(const URIForFile &uri) {
    worker.addForLater(uri.uri().str(), [this, uri] {
      Document *document = find(uri);
      if (!document)
        return;
      PublishDiagnosticsParams params(uri, document->getVersion());
      llvm::ArrayRef<Document::Place> parts = document->parts();
      Lines lines(document->getText());
      for (const Document::Place &place : parts)
        for (const Message &message : place.part->getMessages())
          params.diagnostics.push_back(
              diagnosticOf(message, uri, lines, place.begin));
      publish(params);
    });
  }

  static Diagnostic diagnosticOf(const Message &message, const URIForFile &uri,
                                 const Lines &lines, size_t begin) {
    Diagnostic diagnostic;
    diagnostic.range = lines.rangeOf(message.span + begin);
    diagnostic.severity = message.severity;
    diagnostic.source = "npu";
    diagnostic.message = message.text;
    std::vector<DiagnosticRelatedInformation> notes;
    for (const auto &[span, text] : message.notes) {
      Location location;
      location.uri = uri;
      location.range = lines.rangeOf(span + begin);
      notes.emplace_back(location, text);
    }
    if (!notes.empty())
      diagnostic.relatedInformation = std::move(notes);
    return diagnostic;
  }

  Document *find(const URIForFile &uri) {
    auto found = documents.find(uri.uri().str());
    return found == documents.end() ? nullptr : &found->second;
  }

  /// Answers with what `answer` makes of the document and the place in it; with
  /// null where there is neither.
  template <typename Answer>
  void answerAt(const TextDocumentIdentifier &document, Position position,
                Callback<llvm::json::Value> reply, Answer answer) {
    worker.add([this, uri = document.uri, position, answer,
                reply = std::move(reply)]() mutable {
      Document *found = find(uri);
      auto target = found ? found->at(position) : std::nullopt;
      if (!target)
        return reply(nullptr);
      reply(answer(uri, Lines(found->getText()), *target));
    });
  }

  static Range rangeOf(const Lines &lines, const Document::Target &target,
                       Span span) {
    return lines.rangeOf(span + target.toText);
  }

  void hover(const TextDocumentPositionParams &params,
             Callback<llvm::json::Value> reply) {
    answerAt(params.textDocument, params.position, std::move(reply),
             [](const URIForFile &, const Lines &lines,
                const Document::Target &target) -> llvm::json::Value {
               auto text = hoverAt(*target.part, target.offset);
               if (!text)
                 return nullptr;
               Hover hover(rangeOf(lines, target, text->at));
               hover.contents.value = text->markdown;
               return toJSON(hover);
             });
  }

  void define(const TextDocumentPositionParams &params,
              Callback<llvm::json::Value> reply) {
    answerNamed(params, std::move(reply), /*withUses=*/false);
  }
  void refer(const ReferenceParams &params, Callback<llvm::json::Value> reply) {
    answerNamed(params, std::move(reply), /*withUses=*/true);
  }
  void answerNamed(const TextDocumentPositionParams &params,
                   Callback<llvm::json::Value> reply, bool withUses) {
    answerAt(params.textDocument, params.position, std::move(reply),
             [withUses](const URIForFile &uri, const Lines &lines,
                        const Document::Target &target) -> llvm::json::Value {
               auto named = namedAt(*target.part, target.offset);
               if (!named)
                 return nullptr;
               llvm::json::Array places;
               auto add = [&](Span span) {
                 places.push_back(llvm::json::Object{
                     {"uri", uri.uri().str()},
                     {"range", toJSON(rangeOf(lines, target, span))}});
               };
               add(named->definition);
               if (withUses)
                 llvm::for_each(named->uses, add);
               return places;
             });
  }

  void actions(const CodeActionParams &params,
               Callback<llvm::json::Value> reply) {
    answerAt(params.textDocument, params.range.start, std::move(reply),
             [this, position = params.range.start](
                 const URIForFile &uri, const Lines &lines,
                 const Document::Target &target) -> llvm::json::Value {
               llvm::json::Array actions;
               // Edits of an earlier text would not fit this one.
               if (!target.isOfNewestText)
                 return actions;
               if (auto repair = castRepairAt(*target.part, target.offset))
                 actions.push_back(actionOf(*repair, uri, lines, target));
               std::optional<std::string> function =
                   wrongFunctionAt(*target.part, target.offset);
               if (!function)
                 return actions;
               if (resolvesActions) {
                 // The pass takes its time: not before the action is chosen.
                 actions.push_back(llvm::json::Object{
                     {"title", titleOfLegalization(*function)},
                     {"kind", CodeAction::kQuickFix},
                     {"data",
                      llvm::json::Object{{"uri", uri.uri().str()},
                                         {"version", find(uri)->getVersion()},
                                         {"position", toJSON(position)}}}});
               } else if (auto repair =
                              legalizationAt(*target.part, target.offset))
                 actions.push_back(actionOf(*repair, uri, lines, target));
               return actions;
             });
  }

  void resolve(const UnresolvedAction &params,
               Callback<llvm::json::Value> reply) {
    worker.add([this, params, reply = std::move(reply)]() mutable {
      Document *document = find(params.uri);
      auto target = document && document->getVersion() == params.version
                        ? document->at(params.position)
                        : std::nullopt;
      if (!target || !target->isOfNewestText)
        return reply(llvm::make_error<LSPError>("the text has changed since",
                                                ErrorCode::InvalidRequest));
      auto repair = legalizationAt(*target->part, target->offset);
      if (!repair)
        return reply(llvm::make_error<LSPError>(
            "npu-legalize-distributions refuses this module",
            ErrorCode::InvalidRequest));
      reply(actionOf(*repair, params.uri, Lines(document->getText()), *target));
    });
  }

  static llvm::json::Value actionOf(const Repair &repair, const URIForFile &uri,
                                    const Lines &lines,
                                    const Document::Target &target) {
    CodeAction action;
    action.title = repair.title;
    action.kind = CodeAction::kQuickFix.str();
    action.isPreferred = repair.isPreferred;
    std::vector<TextEdit> edits;
    for (const Edit &edit : repair.edits)
      edits.push_back({rangeOf(lines, target, edit.span), edit.text});
    action.edit.emplace();
    action.edit->changes[uri.uri().str()] = std::move(edits);
    return toJSON(action);
  }

  void complete(const CompletionParams &params,
                Callback<llvm::json::Value> reply) {
    worker.add([this, uri = params.textDocument.uri, position = params.position,
                reply = std::move(reply)]() mutable {
      CompletionList list;
      if (Document *document = find(uri)) {
        StringRef text = document->getText();
        size_t offset = Lines(text).offsetOf(position);
        if (auto items = completeLayout(text, offset))
          list.items = std::move(*items);
        else
          list.items = completeByParser(text, offset, registry);
      }
      reply(toJSON(list));
    });
  }

  void symbols(const DocumentSymbolParams &params,
               Callback<llvm::json::Value> reply) {
    worker.add([this, uri = params.textDocument.uri,
                reply = std::move(reply)]() mutable {
      llvm::json::Array symbols;
      if (Document *document = find(uri)) {
        llvm::ArrayRef<Document::Place> parts = document->parts();
        Lines lines(document->getText());
        for (const Document::Place &place : parts)
          for (const OperationPlace &op : place.part->getState().getOpDefs())
            if (auto symbol = dyn_cast<mlir::SymbolOpInterface>(op.op))
              if (symbol.getNameAttr())
                symbols.push_back(toJSON(DocumentSymbol(
                    "@" + symbol.getName(),
                    isa<mlir::FunctionOpInterface>(op.op) ? SymbolKind::Function
                                                          : SymbolKind::Object,
                    lines.rangeOf(place.part->spanOf(op.scopeLoc) +
                                  place.begin),
                    lines.rangeOf(place.part->spanOf(op.loc) + place.begin))));
      }
      reply(std::move(symbols));
    });
  }

  const mlir::DialectRegistry &registry;
  const LanguageServerOptions &options;
  OutgoingNotification<PublishDiagnosticsParams> publish;
  bool sawShutdown = false, resolvesActions = false;
  /// The worker's alone.
  std::map<std::string, Document> documents;
  std::map<std::string, unsigned> numbers;
  /// The last member: its thread uses the others until it is joined.
  Worker worker;
};

} // namespace

llvm::LogicalResult runLanguageServer(const mlir::DialectRegistry &registry,
                                      JSONTransport &transport,
                                      const LanguageServerOptions &options) {
  // Files that are not saved yet, and those of tests.
  for (StringRef scheme : {"untitled", "test"})
    URIForFile::registerSupportedScheme(scheme);
  MessageHandler handler(transport);
  Server server(registry, handler, options);
  if (llvm::Error error = transport.run(handler)) {
    Logger::error("{0}", llvm::toString(std::move(error)));
    return llvm::failure();
  }
  return llvm::success(server.hasShutDown());
}

} // namespace npu
