// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Support/Report.h"

#include "npu/Support/InputFiles.h"
#include "npu/Support/TerminalCommands.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace mlir;

namespace npu {

LogicalResult verifyFormat(Location loc, StringRef pass, StringRef format,
                           ArrayRef<StringRef> known) {
  if (llvm::is_contained(known, format))
    return success();
  return mlir::emitError(loc)
         << pass << ": unknown format '" << format << "', expected "
         << llvm::join(known.drop_back(), ", ") << " or " << known.back();
}

/// The colour of a character in a picture; the characters differ as well, so
/// that nothing is said by colour alone.
static std::optional<raw_ostream::Colors> colourOf(char character) {
  switch (character) {
  case '#':
    return raw_ostream::GREEN;
  case '*':
    return raw_ostream::YELLOW;
  case '+':
    return raw_ostream::CYAN;
  case '.':
    return raw_ostream::MAGENTA;
  default:
    return std::nullopt;
  }
}

static void writeColoured(raw_ostream &os, StringRef text) {
  while (!text.empty()) {
    auto [line, rest] = text.split('\n');
    size_t picture = line.ends_with("|") ? line.find('|') : line.size();
    os << line.take_front(picture);
    line = line.drop_front(picture);
    while (!line.empty()) {
      StringRef equal = line.take_while(
          [&](char character) { return character == line.front(); });
      if (auto colour = colourOf(line.front())) {
        os.changeColor(*colour) << equal;
        os.resetColor();
      } else {
        os << equal;
      }
      line = line.drop_front(equal.size());
    }
    os << "\n";
    text = rest;
  }
}

/// Names come from files; what would command a terminal is blank.
static std::string withoutCommands(StringRef text) {
  std::string result = text.str();
  for (char &character : result)
    if (commandsTerminal(character) && character != '\n' && character != '\t')
      character = ' ';
  return result;
}

LogicalResult writeReport(Operation *op, StringRef writer, StringRef file,
                          StringRef text, bool hasPictures) {
  if (Result<> error = checkOutputs({{writer.str(), file.str()}}); !error)
    return op->emitError() << error.error().message;
  std::string printed = withoutCommands(text), error;
  std::unique_ptr<llvm::ToolOutputFile> output = openOutputFile(file, &error);
  if (!output)
    return op->emitError() << error;
  if (hasPictures && output->os().has_colors())
    writeColoured(output->os(), printed);
  else
    output->os() << printed;
  output->os().flush();
  // A stream that still has an error when it ends ends the process.
  if (output->os().has_error()) {
    std::string why = output->os().error().message();
    output->os().clear_error();
    return op->emitError() << file << ": " << why;
  }
  output->keep();
  return success();
}

template <typename Print>
static void lineArray(llvm::json::OStream &json, StringRef name,
                      ArrayRef<int64_t> numbers, Print print) {
  std::string text = "[";
  llvm::raw_string_ostream os(text);
  llvm::interleaveComma(numbers, os,
                        [&](int64_t number) { print(os, number); });
  os << "]";
  json.attributeBegin(name);
  json.rawValue(text);
  json.attributeEnd();
}

void numberArray(llvm::json::OStream &json, StringRef name,
                 ArrayRef<int64_t> numbers) {
  lineArray(json, name, numbers,
            [](raw_ostream &os, int64_t number) { os << number; });
}

void shapeArray(llvm::json::OStream &json, ArrayRef<int64_t> shape) {
  lineArray(json, "shape", shape, [](raw_ostream &os, int64_t extent) {
    if (ShapedType::isDynamic(extent))
      os << "null";
    else
      os << extent;
  });
}

static void addTensors(ValueRange range, SmallVector<Value> &values) {
  for (Value value : range)
    if (isa<RankedTensorType>(value.getType()))
      values.push_back(value);
}

/// Appends the tensors of a region in the order of its text: the arguments of a
/// block, then its operations, each with its results before its regions.
static void addTensors(Region &region, SmallVector<Value> &values) {
  for (Block &block : region) {
    addTensors(block.getArguments(), values);
    for (Operation &op : block) {
      addTensors(op.getResults(), values);
      for (Region &inner : op.getRegions())
        addTensors(inner, values);
    }
  }
}

SmallVector<Value> tensorValues(FunctionOpInterface function) {
  SmallVector<Value> values;
  addTensors(function.getFunctionBody(), values);
  return values;
}

} // namespace npu
