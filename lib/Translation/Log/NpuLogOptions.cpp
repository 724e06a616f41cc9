// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "NpuLogOptions.h"

#include "LoggedCast.h"
#include "npu/Dialect/NPU/IR/TensorPlacement.h"
#include "npu/Translation/Log/OutputFormat.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"

#include <fmt/format.h>

#include <set>

using namespace mlir;

namespace npu {
namespace {

/// Parses numbers with `separator` between them; nothing when there is any
/// other text, or too many numbers.
std::optional<Extents> parseNumbers(StringRef text, char separator) {
  Extents numbers;
  for (StringRef part : llvm::split(text, separator)) {
    int64_t value = 0;
    if (numbers.size() == kMaxRank || part.trim().getAsInteger(10, value))
      return std::nullopt;
    numbers.push_back(value);
  }
  return numbers;
}

StringRef withoutBrackets(StringRef text) {
  text = text.trim();
  if (text.size() >= 2 && text.front() == '[' && text.back() == ']')
    text = text.drop_front().drop_back();
  return text;
}

} // namespace

Result<Permutation> parseOrderOption(StringRef text) {
  if (std::optional<Permutation> named =
          parseOrderName(std::string_view(text.trim())))
    return *named;
  std::optional<Extents> numbers = parseNumbers(withoutBrackets(text), ',');
  if (numbers && isPermutation(numbers->span()))
    return *numbers;
  return Error{fmt::format("expected an order such as NHWC or 0,2,3,1, got "
                           "'{}'",
                           text.str())};
}

Result<Extents> parseShapeOption(StringRef text) {
  bool crosses = text.contains('x');
  std::optional<Extents> numbers =
      parseNumbers(withoutBrackets(text), crosses ? 'x' : ',');
  if (numbers &&
      llvm::all_of(*numbers, [](int64_t extent) { return extent > 0; }))
    return *numbers;
  return Error{fmt::format("expected a shape of 1 to {} positive extents such "
                           "as 1x28x336x128, got '{}'",
                           kMaxRank, text.str())};
}

Result<Type> parseElementTypeOption(StringRef text, MLIRContext *context) {
  // Suppress the parser's diagnostics, which name a file that does not exist.
  ScopedDiagnosticHandler silence(context,
                                  [](Diagnostic &) { return success(); });
  Type type = text.empty() ? Type() : parseType(text, context);
  if (type && elementBits(type))
    return type;
  return Error{fmt::format("expected an element type such as f16, bf16, f32 "
                           "or i8, got '{}'",
                           text.str())};
}

Result<std::vector<int64_t>> parseLengthsOption(StringRef text) {
  constexpr int64_t longest = 1 << 20;
  constexpr std::size_t most = 1 << 16;
  auto read = [](StringRef number) -> std::optional<int64_t> {
    int64_t value = 0;
    if (number.trim().getAsInteger(10, value) || value < 1 || value > longest)
      return std::nullopt;
    return value;
  };
  std::set<int64_t> lengths;
  for (StringRef part : llvm::split(text, ',')) {
    auto [begin, end] = part.split("..");
    std::optional<int64_t> first = read(begin);
    std::optional<int64_t> last = part.contains("..") ? read(end) : first;
    if (!first || !last || *first > *last)
      return Error{fmt::format("expected lengths from 1 to {} such as 304,511 "
                               "or 1..1024, got '{}'",
                               longest, text.str())};
    for (int64_t length = *first; length <= *last; ++length) {
      lengths.insert(length);
      if (lengths.size() > most)
        return Error{fmt::format("expected at most {} lengths, got '{}'", most,
                                 text.str())};
    }
  }
  return std::vector<int64_t>(lengths.begin(), lengths.end());
}

Result<int64_t> parseDimensionOption(StringRef text) {
  int64_t dim = 0;
  if (text.trim().getAsInteger(10, dim) || dim < 0 ||
      dim >= static_cast<int64_t>(kMaxRank))
    return Error{fmt::format("expected the number of a dimension from 0 to {}, "
                             "got '{}'",
                             kMaxRank - 1, text.str())};
  return dim;
}

std::string spellLengths(ArrayRef<int64_t> lengths) {
  std::string text;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    std::size_t last = i;
    while (last + 1 < lengths.size() && lengths[last + 1] == lengths[last] + 1)
      ++last;
    text += text.empty() ? "" : ", ";
    text += last == i ? fmt::format("{}", lengths[i])
                      : fmt::format("{}..{}", lengths[i], lengths[last]);
    i = last;
  }
  return text;
}

std::string spellForCommandLine(const NpuLogOptions &options) {
  std::string result;
  auto add = [&](StringRef name, const std::string &value) {
    result += fmt::format(" --npu-log-{}={}", name.str(), value);
  };
  auto order = [](const Permutation &value) {
    std::optional<std::string> name = orderName(value);
    return name ? *name
                : fmt::format("{}", fmt::join(value.begin(), value.end(), ","));
  };
  if (options.elementType) {
    std::string name;
    llvm::raw_string_ostream os(name);
    options.elementType.print(os);
    // Quote complex<f16>, which has characters with a meaning for shells.
    add("element-type",
        name.find('<') == std::string::npos ? name : "'" + name + "'");
  }
  if (options.inOrder)
    add("in-order", order(*options.inOrder));
  if (options.outOrder)
    add("out-order", order(*options.outOrder));
  if (options.memPerm)
    add("mem-perm", order(*options.memPerm));
  if (options.inShape)
    add("in-shape", spellShape(*options.inShape));
  return result;
}

OutputFormat chosenOutputFormat() {
  static llvm::cl::opt<OutputFormat> format{
      "format",
      llvm::cl::desc("The form of what --explain-npu-log and "
                     "--explain-npu-dump answer"),
      llvm::cl::init(OutputFormat::Text),
      llvm::cl::values(clEnumValN(OutputFormat::Text, "text", "for people"),
                       clEnumValN(OutputFormat::Json, "json", "for programs"))};
  return format;
}

} // namespace npu
