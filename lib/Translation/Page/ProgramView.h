// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a reader is shown of a program: its functions as graphs of values and
// operations, where every tile has what, what moves, when it runs, and why. One
// view serves the page, Model Explorer and DOT.

#ifndef NPU_LIB_TRANSLATION_PAGE_PROGRAMVIEW_H
#define NPU_LIB_TRANSLATION_PAGE_PROGRAMVIEW_H

#include "npu/Analysis/Choices/Movement.h"
#include "npu/Conversion/Schedule/ModelledRun.h"

#include "mlir/IR/BuiltinOps.h"

#include <optional>
#include <string>
#include <vector>

namespace npu {

/// The names that a location holds, and its first place in a file, "log:3:85".
/// Files are named without their folders: what is shown is for sending.
struct ViewPlace {
  std::vector<std::string> names;
  std::string place;
};

struct ViewValue {
  std::string name;
  /// The number of its type among those of the function.
  size_t type = 0;
  /// The number of the operation that makes it; nothing for arguments.
  std::optional<size_t> producer;
  /// The tile that has it, in a tile program.
  std::optional<int64_t> tile;
  Padding padding;
};

/// What it takes to get from the layout that a tensor has to the one that is
/// declared for it.
struct ViewMovement {
  /// The types by their numbers: what tiles hold, and what is declared. Of a
  /// permute_cast, the first is its operand's seen through the cast.
  size_t have = 0, want = 0;
  Relation relation = Relation::Identical;
  /// Whether the operation is there to move data, or to give a tensor another
  /// name where its boxes allow it.
  bool moves = false, renames = false;
  /// Figures in bytes; without a plan there are none but the relation.
  bool hasPlan = false;
  Bounded received, maxTileReceived, maxTileSent;
  int64_t ddrBytes = 0, relaidBytes = 0, bytesThroughDdr = 0;
  struct Row {
    int from = 0;
    std::vector<int> to;
    Box box;
    int64_t bytes = 0;
  };
  std::vector<Row> transfers;
  int64_t transfersLeftOut = 0;
};

/// An operand of an operation that is not what the operation needs, and that
/// only the explanation of a dump knows to be wrong.
struct ViewWrongOperand {
  size_t value = 0;
  std::string reason;
  int64_t bytes = 0;
};

struct ViewOperation {
  std::string kind;
  /// What the body of a structured operation computes: "mulf, addf".
  std::string body;
  ViewPlace place;
  std::vector<size_t> operands, results;
  /// Whether it only makes a value that no other goes into: a constant, room,
  /// or a fill.
  bool isSource = false;
  std::optional<ViewMovement> movement;
  std::vector<ViewWrongOperand> wrong;
  /// The cycles that the target's costs count for it.
  std::optional<int64_t> cycles;
  /// The tile of a tile program that it runs on.
  std::optional<int64_t> tile;
  /// The number of its layer among those of the function.
  std::optional<size_t> layer;
};

struct ViewFunction {
  std::string name;
  ViewPlace place;
  std::vector<mlir::Type> types;
  std::vector<ViewValue> values;
  std::vector<ViewOperation> operations;
  /// The names of layers: "model/layers.3", or "part 3 of 28 alike".
  std::vector<std::string> layers;
  /// Operations that are not among them, and why.
  int64_t operationsLeftOut = 0;
  std::string whyLeftOut;
  std::optional<RowsOfRun> run;
  /// The bytes that a scratchpad has.
  int64_t scratchpadBytes = 0;
  std::string target;
};

/// A diagnostic.
struct ViewProblem {
  std::string severity, text;
  ViewPlace place;
  std::vector<std::string> notes;
};

/// A remark of a pass that decided something.
struct ViewDecision {
  std::string name, function, reason;
  ViewPlace place;
  std::vector<std::pair<std::string, std::string>> figures;
};

/// The program at one time.
struct ViewStage {
  std::string title, explanation;
  std::vector<ViewFunction> functions;
  std::vector<ViewProblem> problems;
  std::vector<ViewDecision> decisions;
  /// Things that a reader would look for and does not find.
  std::vector<std::string> missing;
};

struct ProgramView {
  /// The name of the file without its folder, and what it is: "log", "dump",
  /// "artefact", "ir".
  std::string file, kind;
  /// What --explain-npu-log and --explain-npu-dump say of the file, with the
  /// repair in the field compiler's own spelling.
  std::string words;
  std::vector<ViewStage> stages;
};

ViewPlace placeOf(mlir::Location location);

/// An operand that is wrong, as an operation may have it in several stages: the
/// operation is one at this place of this kind, from and to these types.
struct WrongOperand {
  mlir::Location at;
  mlir::OperationName kind;
  unsigned operand;
  mlir::Type read;
  llvm::SmallVector<mlir::Type> made;
  std::string reason;
  int64_t bytes;

  bool isOf(mlir::Operation *op) const;
};

/// The functions of a module. With a target, operations have their costs:
/// then npu-verify-distributions has to accept the module.
std::vector<ViewFunction> functionsOf(mlir::ModuleOp module,
                                      const std::optional<Target> &target,
                                      llvm::ArrayRef<WrongOperand> wrong = {});

/// Says of operations to which layer they belong, by their names, or, where no
/// name does, by what repeats.
void setLayers(ViewFunction &function);

struct ViewOptions {
  /// The options of npu-compile where the program is to be compiled first.
  std::optional<std::string> compile;
  /// Files with later stages of the program.
  std::vector<std::string> later;
  /// The device that dumps are for, instead of the one that they name.
  std::string dumpDevice;
};

/// A view, and the modules whose types and operations it refers to.
struct ViewedProgram {
  std::vector<mlir::OwningOpRef<mlir::ModuleOp>> modules;
  ProgramView view;
};

/// Reads a file of any kind, by what is in it. An error where it is of no such
/// kind, or does not parse.
mlir::FailureOr<ViewedProgram> readProgram(llvm::StringRef bytes,
                                           llvm::StringRef fileName,
                                           const ViewOptions &options,
                                           mlir::MLIRContext *context);

/// The view as JSON, which the page reads (web/src/view.ts has its types). It
/// is valid UTF-8, and no character in it can end a script.
std::string toJson(const ProgramView &view);

/// The files of Model Explorer.
enum class ModelExplorerPart {
  /// A graph for each function of each stage.
  Graph,
  /// What colours their nodes.
  Cycles,
  Bytes,
  /// The edges of the last stage along which data moves.
  Overlays,
};
std::string toModelExplorer(const ProgramView &view, ModelExplorerPart part);

/// A graph of Graphviz, with a cluster for each function of each stage.
std::string toDot(const ProgramView &view);

/// Text as it may stand in JSON: files may have any bytes.
std::string plainText(llvm::StringRef text);

/// Whether the sides of a cast differ where they may not, by the rules of the
/// field compiler.
bool sidesDiffer(const ViewMovement &movement);

/// Whether the sides of an operation differ, or it reads what is not there.
bool isWrong(const ViewOperation &op);

/// The type as it is printed, and a short form for labels: "1x28x336x128xf16".
std::string spellType(mlir::Type type);
std::string shortType(mlir::Type type);

/// "SEGMENTED [1, 4, 1, 1]", "DUPLICATED on 4", "" in DDR.
std::string shortLayout(mlir::Type type);

/// "label", and so on: the words for relations in all outputs.
llvm::StringRef wordOf(Relation relation);

} // namespace npu

#endif // NPU_LIB_TRANSLATION_PAGE_PROGRAMVIEW_H
