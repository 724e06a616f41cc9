// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parser and the printer of npu.transfer. They are written by hand because
// a generated printer builds a dictionary of all attributes of an operation to
// find out which it has printed: half of the time of printing a tile program.

#include "npu/Dialect/NPU/IR/NPUDialect.h"

#include "mlir/IR/OpImplementation.h"

using namespace mlir;

namespace npu {
namespace {

/// Parses `tile 3` or `ddr`.
ParseResult parseEndpoint(OpAsmParser &parser, int64_t &tile) {
  if (succeeded(parser.parseOptionalKeyword("ddr"))) {
    tile = TransferOp::ddr;
    return success();
  }
  SMLoc loc;
  if (parser.parseKeyword("tile") || parser.getCurrentLocation(&loc) ||
      parser.parseInteger(tile))
    return failure();
  if (tile < 0 || tile >= kMaxTiles)
    return parser.emitError(loc) << "expected a tile number of 0 to "
                                 << kMaxTiles - 1 << ", got " << tile;
  return success();
}

ParseResult parseSender(OpAsmParser &parser, IntegerAttr &from) {
  int64_t tile = 0;
  if (parseEndpoint(parser, tile))
    return failure();
  from = parser.getBuilder().getI64IntegerAttr(tile);
  return success();
}

/// Parses `tile 1, tile 2`.
ParseResult parseReceivers(OpAsmParser &parser, DenseI64ArrayAttr &to) {
  SmallVector<int64_t> tiles;
  if (parser.parseCommaSeparatedList(
          [&] { return parseEndpoint(parser, tiles.emplace_back()); }))
    return failure();
  to = parser.getBuilder().getDenseI64ArrayAttr(tiles);
  return success();
}

/// Parses `%a[0, 0], %b[4, 0]`.
ParseResult
parseDestinations(OpAsmParser &parser,
                  SmallVectorImpl<OpAsmParser::UnresolvedOperand> &dests,
                  DenseI64ArrayAttr &offsets) {
  SmallVector<int64_t> values;
  if (parser.parseCommaSeparatedList([&]() -> ParseResult {
        if (parser.parseOperand(dests.emplace_back()))
          return failure();
        return parser.parseCommaSeparatedList(
            OpAsmParser::Delimiter::Square,
            [&] { return parser.parseInteger(values.emplace_back()); });
      }))
    return failure();
  offsets = parser.getBuilder().getDenseI64ArrayAttr(values);
  return success();
}

void printDestinations(OpAsmPrinter &printer, TransferOp op) {
  size_t rank = op.getSource().getType().getRank();
  ArrayRef<int64_t> rest = op.getDestOffsets();
  llvm::interleaveComma(op.getDests(), printer, [&](Value dest) {
    printer << dest << "[" << rest.take_front(rank) << "]";
    rest = rest.drop_front(std::min(rank, rest.size()));
  });
}

/// Parses `[0:1, 7:14]`.
ParseResult parseBox(OpAsmParser &parser, DenseI64ArrayAttr &offset,
                     DenseI64ArrayAttr &size) {
  SmallVector<int64_t> offsets, sizes;
  if (parser.parseCommaSeparatedList(
          OpAsmParser::Delimiter::Square, [&]() -> ParseResult {
            int64_t begin = 0, end = 0;
            SMLoc loc = parser.getCurrentLocation();
            if (parser.parseInteger(begin) || parser.parseColon() ||
                parser.parseInteger(end))
              return failure();
            if (begin < 0 || end < begin)
              return parser.emitError(loc) << "expected 0 <= begin <= end, got "
                                           << begin << ":" << end;
            offsets.push_back(begin);
            sizes.push_back(end - begin);
            return success();
          }))
    return failure();
  offset = parser.getBuilder().getDenseI64ArrayAttr(offsets);
  size = parser.getBuilder().getDenseI64ArrayAttr(sizes);
  return success();
}

void printBox(OpAsmPrinter &printer, TransferOp op) {
  printer << "[";
  llvm::interleaveComma(llvm::zip(op.getOffset(), op.getSize()), printer,
                        [&](auto range) {
                          auto [begin, extent] = range;
                          printer << begin << ":" << begin + extent;
                        });
  printer << "]";
}

/// Parses a number without a type, because the attribute's type is always i64.
ParseResult parseBytes(OpAsmParser &parser, IntegerAttr &bytes) {
  int64_t value = 0;
  if (parser.parseKeyword("bytes") || parser.parseEqual() ||
      parser.parseInteger(value))
    return failure();
  bytes = parser.getBuilder().getI64IntegerAttr(value);
  return success();
}

} // namespace

ParseResult TransferOp::parse(OpAsmParser &parser, OperationState &result) {
  auto &properties = result.getOrAddProperties<Properties>();
  OpAsmParser::UnresolvedOperand source;
  SmallVector<OpAsmParser::UnresolvedOperand> dests;
  SMLoc destsLoc, attrsLoc;
  if (parser.parseOperand(source) ||
      parser.parseCustomAttributeWithFallback(properties.source_offset) ||
      parser.parseKeyword("from") || parseSender(parser, properties.from) ||
      parser.parseKeyword("to") || parseReceivers(parser, properties.to) ||
      parser.parseKeyword("into") || parser.getCurrentLocation(&destsLoc) ||
      parseDestinations(parser, dests, properties.dest_offsets) ||
      parser.parseKeyword("box") ||
      parseBox(parser, properties.offset, properties.size) ||
      parseBytes(parser, properties.bytes) ||
      parser.getCurrentLocation(&attrsLoc) ||
      parser.parseOptionalAttrDict(result.attributes) ||
      failed(verifyInherentAttrs(result.name, result.attributes, [&] {
        return parser.emitError(attrsLoc)
               << "'" << result.name.getStringRef() << "' op ";
      })))
    return failure();
  // Result types are the types of the destinations and not written again. A
  // transfer between buffers has no results.
  ShapedType sourceType;
  SmallVector<Type> destTypes;
  if (parser.parseColon() || parser.parseType(sourceType) ||
      parser.parseKeyword("to") || parser.parseTypeList(destTypes) ||
      parser.resolveOperand(source, sourceType, result.operands) ||
      parser.resolveOperands(dests, destTypes, destsLoc, result.operands))
    return failure();
  llvm::copy_if(destTypes, std::back_inserter(result.types),
                llvm::IsaPred<TensorType>);
  return success();
}

void TransferOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getSource();
  printer.printStrippedAttrOrType(getSourceOffsetAttr());
  printer << " from " << nameOfEndpoint(static_cast<int64_t>(getFrom()))
          << " to ";
  llvm::interleaveComma(getTo(), printer, [&](int64_t place) {
    printer << nameOfEndpoint(place);
  });
  printer << " into ";
  printDestinations(printer, *this);
  printer << " box ";
  printBox(printer, *this);
  printer << " bytes = " << getBytes();
  // Print the remaining attributes by name, as dictionaries are.
  NamedAttrList attrs((*this)->getDiscardableAttrDictionary());
  if (Attribute order = getSourceOrderAttr())
    attrs.append(getSourceOrderAttrName(), order);
  if (Attribute order = getDestOrderAttr())
    attrs.append(getDestOrderAttrName(), order);
  llvm::sort(attrs);
  printer.printOptionalAttrDict(attrs);
  printer << " : ";
  printer.printType(getSource().getType());
  printer << " to " << getDests().getTypes();
}

} // namespace npu
