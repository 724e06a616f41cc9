// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What stands at a place of a part: a value, an operation, a symbol, a layout.

#ifndef NPU_LIB_LANGUAGESERVER_PLACES_H
#define NPU_LIB_LANGUAGESERVER_PLACES_H

#include "ParsedPart.h"

#include "mlir/IR/BuiltinTypes.h"

#include <optional>

namespace npu {

/// Where something is defined and used, and the name that the cursor is at.
struct Named {
  Span at, definition;
  std::vector<Span> uses;
};

struct NamedValue : Named {
  mlir::Value value;
};

/// The value whose name stands there.
std::optional<NamedValue> valueAt(const ParsedPart &part, size_t offset);

/// What has a name there: a value, a block, a symbol or an alias.
std::optional<Named> namedAt(const ParsedPart &part, size_t offset);

using OperationPlace = mlir::AsmParserState::OperationDefinition;

/// The operation whose name stands there, or, with `around`, the innermost one
/// whose text has the place.
const OperationPlace *operationAt(const ParsedPart &part, size_t offset,
                                  bool around);

/// A layout that is written there, with the tensor type that it belongs to as
/// far as that can be read.
struct WrittenLayout {
  Span at;
  mlir::Attribute layout;
  mlir::RankedTensorType type;
};
std::optional<WrittenLayout> layoutAt(ParsedPart &part, size_t offset);

} // namespace npu

#endif // NPU_LIB_LANGUAGESERVER_PLACES_H
