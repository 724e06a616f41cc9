// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The view as a graph of Graphviz.

#include "ProgramView.h"
#include "npu/Support/TerminalCommands.h"

#include "llvm/Support/raw_ostream.h"

#include <fmt/format.h>

using namespace mlir;

namespace npu {
namespace {

/// A quoted string of DOT. A backslash would begin an escape.
std::string quoted(StringRef text) {
  std::string result = "\"";
  for (char character : plainText(text)) {
    if (character == '"' || character == '\\')
      result += '\\';
    if (character == '\n')
      result += "\\n";
    else
      // What would move a terminal's cursor is blank.
      result += commandsTerminal(character) ? ' ' : character;
  }
  return result + "\"";
}

class Writer {
public:
  Writer(llvm::raw_ostream &os, const ProgramView &view) : os(os), view(view) {}

  void write() {
    os << "digraph " << quoted(view.file)
       << " {\n"
          "  node [shape=box, fontname=\"sans-serif\", fontsize=10]\n"
          "  edge [fontname=\"sans-serif\", fontsize=9]\n";
    for (auto [stage, each] : llvm::enumerate(view.stages))
      for (auto [number, function] : llvm::enumerate(each.functions)) {
        std::string prefix = fmt::format("s{}f{}", stage, number);
        os << "  subgraph cluster_" << prefix
           << " {\n    label=" << quoted(each.title + ": " + function.name)
           << "\n";
        write(function, prefix);
        os << "  }\n";
      }
    os << "}\n";
  }

private:
  void write(const ViewFunction &function, const std::string &prefix) {
    std::vector<bool> isRead(function.values.size());
    for (const ViewOperation &op : function.operations)
      if (!op.isSource)
        for (size_t value : op.operands)
          isRead[value] = true;
    for (auto [number, value] : llvm::enumerate(function.values))
      if (!value.producer && isRead[number])
        os << "    " << prefix << "v" << number
           << " [shape=ellipse, label=" << quoted(value.name) << "]\n";
    for (auto [number, op] : llvm::enumerate(function.operations)) {
      if (op.isSource)
        continue;
      os << "    " << prefix << "o" << number
         << " [label=" << quoted(labelOf(op)) << styleOf(op) << "]\n";
      for (size_t value : op.operands)
        writeEdge(function, prefix, value, number);
    }
  }

  static std::string labelOf(const ViewOperation &op) {
    std::string label = op.kind;
    if (!op.place.names.empty())
      label += "\n" + op.place.names.front();
    if (op.movement && op.movement->hasPlan)
      label += fmt::format("\n{} bytes",
                           op.movement->received.value + op.movement->ddrBytes);
    return label;
  }

  /// Lines differ as well as colours.
  static std::string styleOf(const ViewOperation &op) {
    if (isWrong(op))
      return ", peripheries=2, color=\"#b3261e\"";
    if (op.movement && op.movement->moves)
      return ", style=dashed, color=\"#8a5200\"";
    return "";
  }

  void writeEdge(const ViewFunction &function, const std::string &prefix,
                 size_t value, size_t reader) {
    const ViewValue &seen = function.values[value];
    if (seen.producer && function.operations[*seen.producer].isSource)
      return;
    Type type = function.types[seen.type];
    std::string label = shortType(type);
    if (std::string layout = shortLayout(type); !layout.empty())
      label += "\n" + layout;
    os << "    " << prefix;
    if (seen.producer)
      os << "o" << *seen.producer;
    else
      os << "v" << value;
    const ViewOperation &op = function.operations[reader];
    bool isWrongOperand =
        llvm::any_of(op.wrong, [&](const ViewWrongOperand &each) {
          return each.value == value;
        });
    os << " -> " << prefix << "o" << reader << " [label=" << quoted(label)
       << (isWrongOperand ? ", penwidth=3, color=\"#b3261e\"" : "") << "]\n";
  }

  llvm::raw_ostream &os;
  const ProgramView &view;
};

} // namespace

std::string toDot(const ProgramView &view) {
  std::string text;
  llvm::raw_string_ostream os(text);
  Writer(os, view).write();
  return text;
}

} // namespace npu
