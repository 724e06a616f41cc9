// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Placement/Scratchpad/PackBuffers.h"
#include "npu/Placement/Scratchpad/PackingTable.h"
#include "npu/Translation/Packing/PackingTranslation.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/WithColor.h"

#include <array>
#include <limits>
#include <string>

using namespace mlir;

namespace npu {
namespace {

struct BufferTable {
  std::vector<std::string> ids;
  std::vector<Buffer> buffers;
};

enum Column { Id, Lower, Upper, Size, Alignment, Columns, Last, Unknown };

constexpr std::array<StringRef, Columns> kNames{"id", "lower", "upper", "size",
                                                "alignment"};

/// The column of a name. Older tables begin at `start` or `begin` and have the
/// last step, `end`, in place of `upper`.
Column columnOf(StringRef name) {
  return llvm::StringSwitch<Column>(name)
      .Cases({"id", "buffer", "buffer_id"}, Id)
      .Cases({"lower", "begin", "start"}, Lower)
      .Case("upper", Upper)
      .Case("end", Last)
      .Case("size", Size)
      .Case("alignment", Alignment)
      .Default(Unknown);
}

class Reader {
public:
  Reader(StringRef text, StringRef fileName, MLIRContext *context)
      : rest(text), fileName(StringAttr::get(context, fileName)) {}

  FailureOr<BufferTable> read() {
    if (!nextLine())
      return errorAt(0) << "expected a line with the names of columns, got an "
                           "empty table";
    if (failed(readHeader()))
      return failure();
    while (nextLine())
      if (failed(readBuffer()))
        return failure();
    if (Result<> error = checkBuffers(table.buffers); !error)
      return emitError(FileLineColLoc::get(fileName, 0, 0))
             << error.error().message;
    return std::move(table);
  }

private:
  /// Splits the next line that is not empty.
  bool nextLine() {
    while (!rest.empty()) {
      auto [line, after] = rest.split('\n');
      rest = after;
      ++lineNumber;
      if (line.trim().empty())
        continue;
      fields.clear();
      begin = line.begin();
      line.split(fields, ',');
      for (StringRef &field : fields)
        field = field.trim();
      return true;
    }
    return false;
  }

  /// An error at a field of the line.
  InFlightDiagnostic errorAt(size_t field) {
    unsigned column =
        field < fields.size() ? fields[field].begin() - begin + 1 : 1;
    return emitError(
        FileLineColLoc::get(fileName, std::max(lineNumber, 1U), column));
  }

  LogicalResult readHeader() {
    place.fill(-1);
    for (auto [i, name] : llvm::enumerate(fields)) {
      Column column = columnOf(name);
      if (column == Unknown) {
        InFlightDiagnostic error =
            errorAt(i) << "expected columns 'id', 'lower', 'upper', 'size' and "
                          "perhaps 'alignment', got '"
                       << name << "'";
        if (name == "gaps" || name == "offset")
          error.attachNote()
              << (name == "gaps"
                      ? "a buffer is packed as in use throughout; remove the "
                        "column to pack it so"
                      : "offsets are what is searched; remove the column");
        return error;
      }
      hasLast |= column == Last;
      int &at = place[column == Last ? Upper : column];
      if (at >= 0)
        return errorAt(i) << "expected one column for '"
                          << kNames[column == Last ? Upper : column]
                          << "', got '" << fields[at] << "' and '" << name
                          << "'";
      at = static_cast<int>(i);
    }
    for (Column column : {Id, Lower, Upper, Size})
      if (place[column] < 0)
        return errorAt(0) << "expected a column '" << kNames[column]
                          << "', got none";
    columns = fields.size();
    return success();
  }

  FailureOr<int64_t> readNumber(Column column, int64_t least, int64_t most) {
    int64_t value = 0;
    StringRef field = fields[place[column]];
    if (field.getAsInteger(10, value) || value < least || value > most)
      return errorAt(place[column])
             << "expected '" << kNames[column] << "' from " << least << " to "
             << most << ", got '" << field << "'";
    return value;
  }

  LogicalResult readBuffer() {
    if (fields.size() != columns)
      return errorAt(0) << "expected " << columns
                        << " fields, one for each column, got "
                        << fields.size();
    StringRef id = fields[place[Id]];
    if (id.empty())
      return errorAt(place[Id]) << "expected an id, got none";
    auto [earlier, isNew] = lineOfId.try_emplace(id, lineNumber);
    if (!isNew)
      return errorAt(place[Id])
             << "expected one buffer with id '" << id << "', got another in "
             << "line " << earlier->second;
    constexpr int64_t most = std::numeric_limits<int64_t>::max();
    FailureOr<int64_t> lower = readNumber(Lower, 0, most - 1);
    FailureOr<int64_t> upper = failure();
    if (succeeded(lower))
      upper = readNumber(Upper, 0, hasLast ? most - 1 : most);
    if (failed(upper))
      return failure();
    int64_t last = hasLast ? *upper : *upper - 1;
    if (last < *lower)
      return errorAt(place[Upper])
             << "expected '" << (hasLast ? "end" : "upper")
             << (hasLast ? "' of at least " : "' above ") << *lower << ", got "
             << *upper;
    FailureOr<int64_t> size = readNumber(Size, 0, most);
    FailureOr<int64_t> alignment = 1;
    if (succeeded(size) && place[Alignment] >= 0)
      alignment = readNumber(Alignment, 1, most);
    if (failed(size) || failed(alignment))
      return failure();
    if (!llvm::has_single_bit(static_cast<uint64_t>(*alignment)))
      return errorAt(place[Alignment])
             << "expected a power of two as 'alignment', got " << *alignment;
    table.ids.push_back(id.str());
    table.buffers.push_back({*size, *alignment, *lower, last, {}});
    return success();
  }

  StringRef rest;
  StringAttr fileName;
  unsigned lineNumber = 0;
  /// The current line.
  const char *begin = nullptr;
  llvm::SmallVector<StringRef> fields;
  /// Where each column is, or -1; `hasLast` says that the upper bound is the
  /// last step instead.
  std::array<int, Columns> place{};
  bool hasLast = false;
  size_t columns = 0;
  llvm::StringMap<unsigned> lineOfId;
  BufferTable table;
};

/// Reads a table: a line with the names of columns, then a line for each
/// buffer. Empty lines are skipped. An error at the line and column that
/// cannot be read; `checkBuffers` finds none in the result.
FailureOr<BufferTable> readTable(StringRef text, StringRef fileName,
                                 MLIRContext *context) {
  return Reader(text, fileName, context).read();
}

} // namespace

LogicalResult packTable(StringRef text, StringRef fileName,
                        std::optional<int64_t> capacity,
                        llvm::raw_ostream &output, MLIRContext *context) {
  FailureOr<BufferTable> table = readTable(text, fileName, context);
  if (failed(table))
    return failure();
  BufferPlan plan = packBuffers(
      table->buffers, {.capacity = capacity.value_or(0), .work = kPatientWork});
  auto loc = FileLineColLoc::get(StringAttr::get(context, fileName), 1, 1);
  if (Result<> error = checkPlan(table->buffers, plan); !error)
    return mlir::emitError(loc) << "the packing is wrong, which is an error of "
                                   "this tool: "
                                << error.error().message;
  if (capacity && plan.peak > *capacity) {
    InFlightDiagnostic error =
        mlir::emitError(loc) << "expected a packing within " << *capacity
                             << " bytes, got one with a peak of " << plan.peak;
    if (plan.least > *capacity)
      error.attachNote() << "proved that none fits: every packing has a peak "
                            "of at least "
                         << plan.least << " bytes";
    else
      error.attachNote() << "not proved: the search has reached its limit of "
                            "work, and every packing has a peak of at least "
                         << plan.least << " bytes";
    return error;
  }
  mlir::emitRemark(loc) << "a peak of " << plan.peak
                        << " bytes, where every packing has a peak of at least "
                        << plan.least;
  output << packingTable(table->buffers, table->ids, &plan);
  return success();
}

void registerPackingTranslation() {
  static llvm::cl::opt<int64_t> capacity(
      "capacity", llvm::cl::value_desc("bytes"),
      llvm::cl::desc("Let --pack-buffers search a packing within so many bytes "
                     "and fail where there is none; when absent, the smallest "
                     "that it finds"));
  static TranslateRegistration pack(
      "pack-buffers",
      "From a table of buffers (CSV: id,lower,upper,size) to their offsets",
      [](const std::shared_ptr<llvm::SourceMgr> &sourceMgr,
         llvm::raw_ostream &output, MLIRContext *context) -> LogicalResult {
        std::optional<int64_t> limit;
        if (capacity.getNumOccurrences() > 0) {
          limit = capacity.getValue();
          if (*limit < 0) {
            llvm::WithColor::error(llvm::errs(), "npu-translate")
                << "--capacity: expected no negative bytes, got " << *limit
                << '\n';
            return failure();
          }
        }
        const llvm::MemoryBuffer *buffer =
            sourceMgr->getMemoryBuffer(sourceMgr->getMainFileID());
        return packTable(buffer->getBuffer(), buffer->getBufferIdentifier(),
                         limit, output, context);
      });
}

} // namespace npu
