// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A value, or the sentence that says why there is none. Floor 0 knows no
// diagnostics: whoever asked puts the sentence where the user can see it.

#ifndef NPU_PLACEMENT_RESULT_H
#define NPU_PLACEMENT_RESULT_H

#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace npu {

/// Why something is refused: lower case, no final period, "expected X, got Y".
struct Error {
  std::string message;
};

/// Nothing wrong, or an `Error`.
using Check = std::optional<Error>;

template <typename T>
class Result {
public:
  Result(T value) : state(std::move(value)) {}
  Result(Error error) : state(std::move(error)) {}

  explicit operator bool() const { return std::holds_alternative<T>(state); }
  T &operator*() { return std::get<T>(state); }
  const T &operator*() const { return std::get<T>(state); }
  T *operator->() { return &std::get<T>(state); }
  const T *operator->() const { return &std::get<T>(state); }
  const std::string &error() const { return std::get<Error>(state).message; }

private:
  std::variant<T, Error> state;
};

} // namespace npu

#endif // NPU_PLACEMENT_RESULT_H
