// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The fields of a structure in JSON, said once for writing and for reading:
//
//   template <typename Fields>
//   static bool mapFields(Fields &fields, Arena &arena) {
//     return fields.map("tile", arena.tile) && fields.count("bytes",
//     arena.bytes);
//   }
//
// llvm::json reads and writes an Arena then, and a vector of them.

#ifndef NPU_ARTEFACT_JSONFIELDS_H
#define NPU_ARTEFACT_JSONFIELDS_H

#include "llvm/Support/JSON.h"

#include <map>
#include <optional>
#include <string>

namespace npu {

/// Writes fields. All functions of both classes return whether to go on.
class JsonWriter {
public:
  template <typename T>
  bool map(llvm::StringLiteral name, const T &value) {
    object[name] = llvm::json::Value(value);
    return true;
  }
  template <typename T>
  bool map(llvm::StringLiteral name, const std::map<std::string, T> &values) {
    llvm::json::Object named;
    for (const auto &[key, value] : values)
      named[key] = value;
    return map(name, llvm::json::Value(std::move(named)));
  }
  bool count(llvm::StringLiteral name, int64_t value) {
    return map(name, value);
  }
  /// A field that is there only where it has a value.
  template <typename T>
  bool mapIfKnown(llvm::StringLiteral name, const std::optional<T> &value) {
    return !value || map(name, *value);
  }
  bool expect(bool, llvm::StringLiteral, llvm::StringLiteral) { return true; }

  llvm::json::Object object;
};

/// Reads fields, all of which have to be there, and reports what is wrong.
class JsonReader {
public:
  JsonReader(const llvm::json::Value &value, llvm::json::Path path)
      : mapper(value, path), path(path) {}

  template <typename T>
  bool map(llvm::StringLiteral name, T &value) {
    return mapper && mapper.map(name, value);
  }
  template <typename T>
  bool mapIfKnown(llvm::StringLiteral name, std::optional<T> &value) {
    return map(name, value);
  }
  /// A number that is not negative.
  bool count(llvm::StringLiteral name, int64_t &value) {
    return map(name, value) &&
           expect(value >= 0, name, "expected a number from 0 on");
  }
  /// Reports `message` at a field unless `fine`.
  bool expect(bool fine, llvm::StringLiteral name,
              llvm::StringLiteral message) {
    if (!fine)
      path.field(name).report(message);
    return fine;
  }

private:
  llvm::json::ObjectMapper mapper;
  llvm::json::Path path;
};

// llvm::json finds these by the namespace of their arguments.

template <typename T>
  requires requires(JsonWriter &fields, T &value) { mapFields(fields, value); }
llvm::json::Value toJSON(const T &value) {
  JsonWriter fields;
  T copy = value;
  (void)mapFields(fields, copy);
  return std::move(fields.object);
}

template <typename T>
  requires requires(JsonReader &fields, T &value) { mapFields(fields, value); }
bool fromJSON(const llvm::json::Value &value, T &read, llvm::json::Path path) {
  JsonReader fields(value, path);
  return mapFields(fields, read);
}

} // namespace npu

#endif // NPU_ARTEFACT_JSONFIELDS_H
