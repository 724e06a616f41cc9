// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Translation of the field compiler's IR dumps to explanations of every
// distributed value and edge, and to this project's IR.

#ifndef NPU_TRANSLATION_DUMP_NPUDUMPTRANSLATION_H
#define NPU_TRANSLATION_DUMP_NPUDUMPTRANSLATION_H

#include "npu/Translation/Log/OutputFormat.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/raw_ostream.h"

#include <string>
#include <vector>

namespace npu {

struct DumpOptions {
  OutputFormat format = OutputFormat::Text;
  /// The text lists every value and edge, not only bad ones.
  bool all = false;
  /// The device that the dump is for, as "NPU37XX"; empty: the one that it
  /// names, or NPU40XX. On devices of before NPU40XX the engines read from the
  /// scratchpads of other tiles.
  std::string device;
};

/// Whether a text names a device that DumpOptions understand.
bool isDumpDevice(llvm::StringRef text);

/// Explains a dump: first a summary, then the bad edges, worst first, with
/// their repair in the field compiler's spelling. Any text can be read; what is
/// no dump is skipped and listed. Returns the number of bad edges. Time is
/// linear in the text. Example: a VPU.PermuteCast from SEGMENTED to OVERLAPPED
/// with equal boxes is one bad edge, "label only", 0 bytes.
int64_t explainNpuDump(llvm::StringRef text, llvm::StringRef fileName,
                       const DumpOptions &options, llvm::raw_ostream &output,
                       mlir::MLIRContext *context);

/// An edge of a dump that is bad, in the module that was made of it.
struct BadDumpEdge {
  /// The operation that reads, which stands for that of the dump, and the
  /// number of its operand.
  mlir::Operation *op = nullptr;
  unsigned operand = 0;
  /// The operation as the dump spells it, and why the edge is bad: "VPU.Slice",
  /// "tile 0 holds nothing, and the slice declares [0:8, 0:62]".
  std::string name, reason;
  /// The bytes that would move.
  int64_t bytes = 0;
  /// In the field compiler's spelling, line by line.
  std::vector<std::string> repair;
};

/// A module with one function for each function of the dump. Casts, copies,
/// slices and concatenations become this project's and upstream's operations;
/// all others are calls of functions that are declared by name. Remarks say
/// what has no counterpart; an error where a function cannot be built. Bad
/// edges of operations that the module has are added to `badEdges`; `device` is
/// that of DumpOptions.
mlir::OwningOpRef<mlir::ModuleOp> importNpuDump(
    llvm::StringRef text, llvm::StringRef fileName, mlir::MLIRContext *context,
    std::vector<BadDumpEdge> *badEdges = nullptr, llvm::StringRef device = "");

/// What --npu-dump-device says, empty without it; failure, after an error,
/// where that is no device.
mlir::FailureOr<std::string> chosenDumpDevice();

/// Registers --explain-npu-dump and --import-npu-dump with mlirTranslateMain.
/// `foundBadEdges` is set where a dump that is explained has bad edges: its
/// text is written all the same, and the tool ends with exit code 1.
void registerNpuDumpTranslations(bool &foundBadEdges);

} // namespace npu

#endif // NPU_TRANSLATION_DUMP_NPUDUMPTRANSLATION_H
