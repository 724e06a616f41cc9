// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Support/SignatureAttributes.h"

using namespace mlir;

namespace npu {

/// The attributes of `count` arguments or results after the change; nothing
/// where none of them has changed.
static std::optional<SmallVector<Attribute>>
rewritten(MLIRContext *context, unsigned count,
          llvm::function_ref<DictionaryAttr(unsigned)> attributesOf,
          RewriteAttributes rewrite) {
  SmallVector<Attribute> all;
  bool isChanged = false;
  for (unsigned i = 0; i < count; ++i) {
    DictionaryAttr before = attributesOf(i);
    NamedAttrList attributes(before);
    rewrite(i, attributes);
    DictionaryAttr after = attributes.getDictionary(context);
    isChanged |= before ? before != after : !after.empty();
    all.push_back(after);
  }
  return isChanged ? std::optional(std::move(all)) : std::nullopt;
}

void rewriteArgAttrs(FunctionOpInterface function, RewriteAttributes rewrite) {
  if (auto all = rewritten(
          function.getContext(), function.getNumArguments(),
          [&](unsigned i) { return function.getArgAttrDict(i); }, rewrite))
    function.setAllArgAttrs(*all);
}

void rewriteResultAttrs(FunctionOpInterface function,
                        RewriteAttributes rewrite) {
  if (auto all = rewritten(
          function.getContext(), function.getNumResults(),
          [&](unsigned i) { return function.getResultAttrDict(i); }, rewrite))
    function.setAllResultAttrs(*all);
}

} // namespace npu
