// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The form of what explanations of logs and of dumps print: --format of
// npu-translate.

#ifndef NPU_TRANSLATION_LOG_OUTPUTFORMAT_H
#define NPU_TRANSLATION_LOG_OUTPUTFORMAT_H

namespace npu {

enum class OutputFormat {
  /// For people.
  Text,
  /// For programs.
  Json,
};

/// Registers --format, once however often it is called, and returns what the
/// command line chose. Before the command line is parsed that is `Text`.
OutputFormat chosenOutputFormat();

} // namespace npu

#endif // NPU_TRANSLATION_LOG_OUTPUTFORMAT_H
