// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A value, or a message that says why there is none. Floor 0 does not know
// MLIR's diagnostics: callers put the message into one.

#ifndef NPU_PLACEMENT_RESULT_H
#define NPU_PLACEMENT_RESULT_H

#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace npu {

/// The message of a refusal: lower case, no final period, "expected X, got Y".
struct Error {
  std::string message;
};

/// The outcome of a check: nothing, or the error that it found.
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
