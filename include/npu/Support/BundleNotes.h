// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a process that runs for a bundle (--emit-bundle) notes for whoever packs
// it: the files that it reads and writes, the case that fails, what it is asked
// on standard input, and the IR before a pass that fails. Who packs says in the
// environment where; other processes note nothing, also those that this one
// starts.

#ifndef NPU_SUPPORT_BUNDLENOTES_H
#define NPU_SUPPORT_BUNDLENOTES_H

#include "llvm/ADT/StringRef.h"

#include <string>

namespace mlir {
class PassManager;
} // namespace mlir

namespace npu {

/// Names the file that takes the lines of `noteForBundle`.
inline constexpr llvm::StringLiteral kBundleFiles = "NPU_BUNDLE_FILES";
/// Names the file for the IR before the pass that fails.
inline constexpr llvm::StringLiteral kBundleIr = "NPU_BUNDLE_IR";
/// Names the file for what a server reads from standard input.
inline constexpr llvm::StringLiteral kBundleConversation =
    "NPU_BUNDLE_CONVERSATION";
/// Names the folder for the documents that are open in a server.
inline constexpr llvm::StringLiteral kBundleDocuments = "NPU_BUNDLE_DOCUMENTS";

/// Notes a line of one of these kinds:
///
///   in PATH       a file that is read, as the user spelled it
///   program PATH  a program that is run
///   out PATH      a file that is written
///   again WORD    one argument of the command that shows what went wrong,
///   where
///                 it is not the user's own
void noteForBundle(llvm::StringRef kind, llvm::StringRef text);

/// Where what is read from standard input goes as well; empty: nowhere.
llvm::StringRef conversationForBundle();

/// Keeps the text of an open document, and forgets that of a closed one. The
/// number tells documents of one name apart.
void keepDocumentForBundle(unsigned number, llvm::StringRef name,
                           llvm::StringRef text);
void forgetDocumentForBundle(unsigned number, llvm::StringRef name);

/// Under this variable tools print no times, so that what a bundle prints is
/// the same every time.
inline constexpr llvm::StringLiteral kWithoutTimes = "NPU_WITHOUT_TIMES";

/// A time that was measured, as it is printed: "0.117", or "-" under
/// NPU_WITHOUT_TIMES.
std::string spellTime(double time, int digits = 3);

/// Lets the passes write the IR before the one of them that fails, by
/// upstream's reproducer, where that is asked for.
void keepIrForBundle(mlir::PassManager &passes);

} // namespace npu

#endif // NPU_SUPPORT_BUNDLENOTES_H
