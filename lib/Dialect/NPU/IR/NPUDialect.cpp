// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The dialect: what it registers, how its attributes are parsed, and their
// aliases.

#include "npu/Dialect/NPU/IR/NPUDialect.h"
#include "ParsedLayouts.h"
#include "PlacementCache.h"
#include "npu/Dialect/NPU/IR/ReportedOnce.h"

#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Transforms/InliningUtils.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

#include "npu/Dialect/NPU/IR/NPUDialect.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "npu/Dialect/NPU/IR/NPUAttributes.cpp.inc"

namespace npu {
namespace {

/// Layouts print as #segmented, #overlapped, ... so that the dump of a whole
/// model stays readable; MLIR numbers them.
struct LayoutAliases : OpAsmDialectInterface {
  using OpAsmDialectInterface::OpAsmDialectInterface;

  AliasResult getAlias(Attribute attr, raw_ostream &os) const override {
    auto layout = dyn_cast<LayoutAttr>(attr);
    if (!layout)
      return AliasResult::NoAlias;
    if (layout.isDistributed()) {
      for (char c : toString(layout.getDistribution().mode))
        os << (c == '|' ? '_' : llvm::toLower(c));
    } else if (auto name = orderName(layout.getOrder())) {
      os << StringRef(*name).lower();
    } else {
      os << "ordered";
    }
    return AliasResult::OverridableAlias;
  }
};

/// Allows inlining everywhere: no operation of the dialect depends on the
/// function that it is in.
struct InlineAnywhere : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;

  bool isLegalToInline(Operation *, Region *, bool,
                       IRMapping &) const override {
    return true;
  }
};

} // namespace

void NPUDialect::initialize() {
  placements = std::make_shared<PlacementCache>();
  parsedLayouts = std::make_shared<ParsedLayouts>();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "npu/Dialect/NPU/IR/NPUAttributes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "npu/Dialect/NPU/IR/NPUOps.cpp.inc"
      >();
  declarePromisedInterface<bufferization::BufferizableOpInterface,
                           TransferOp>();
  addInterfaces<LayoutAliases, InlineAnywhere, ReportedOnce>();
}

Attribute NPUDialect::parseAttribute(DialectAsmParser &parser,
                                     Type type) const {
  // The parser continues after this text, whether or not it is parsed here.
  StringRef text = parser.getFullSymbolSpec();
  if (Attribute parsed = parsedLayouts->lookup(text))
    return parsed;
  SMLoc loc = parser.getCurrentLocation();
  StringRef mnemonic;
  Attribute attr;
  if (!generatedAttributeParser(parser, &mnemonic, type, attr).has_value()) {
    parser.emitError(loc) << "unknown attribute `" << mnemonic
                          << "` in dialect `" << getNamespace() << "`";
    return {};
  }
  // The text of a layout names no other attribute, and no type follows it.
  if (isa_and_nonnull<LayoutAttr>(attr))
    parsedLayouts->remember(text, attr);
  return attr;
}

void NPUDialect::printAttribute(Attribute attr,
                                DialectAsmPrinter &printer) const {
  (void)generatedAttributePrinter(attr, printer);
}

} // namespace npu
