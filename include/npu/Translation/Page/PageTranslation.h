// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Translation of whatever holds a program with distributions to files that show
// it: one page for a browser, the JSON of Model Explorer, and DOT.

#ifndef NPU_TRANSLATION_PAGE_PAGETRANSLATION_H
#define NPU_TRANSLATION_PAGE_PAGETRANSLATION_H

namespace npu {

/// Registers --npu-to-html, --npu-to-model-explorer, --npu-to-dot and their
/// options with mlirTranslateMain. They take IR of any phase as text or
/// bytecode, a log or a dump of the field compiler, or an artefact.
void registerPageTranslations();

} // namespace npu

#endif // NPU_TRANSLATION_PAGE_PAGETRANSLATION_H
