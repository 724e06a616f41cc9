// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "TransferSyntax.h"

using namespace mlir;

namespace npu {

/// `tile 3` or `ddr`.
static ParseResult parseEndpoint(OpAsmParser &parser, int64_t &tile) {
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

static void printEndpoint(OpAsmPrinter &printer, int64_t tile) {
  if (tile == TransferOp::ddr)
    printer << "ddr";
  else
    printer << "tile " << tile;
}

ParseResult parseEndpoint(OpAsmParser &parser, IntegerAttr &from) {
  int64_t tile = 0;
  if (parseEndpoint(parser, tile))
    return failure();
  from = parser.getBuilder().getI64IntegerAttr(tile);
  return success();
}

void printEndpoint(OpAsmPrinter &printer, Operation *, IntegerAttr from) {
  printEndpoint(printer, from.getInt());
}

ParseResult parseEndpoints(OpAsmParser &parser, DenseI64ArrayAttr &to) {
  SmallVector<int64_t> tiles;
  if (parser.parseCommaSeparatedList(
          [&] { return parseEndpoint(parser, tiles.emplace_back()); }))
    return failure();
  to = parser.getBuilder().getDenseI64ArrayAttr(tiles);
  return success();
}

void printEndpoints(OpAsmPrinter &printer, Operation *, DenseI64ArrayAttr to) {
  llvm::interleaveComma(to.asArrayRef(), printer,
                        [&](int64_t tile) { printEndpoint(printer, tile); });
}

/// %a[0, 0], %b[4, 0]
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

void printDestinations(OpAsmPrinter &printer, Operation *op, OperandRange dests,
                       DenseI64ArrayAttr offsets) {
  size_t rank = cast<TransferOp>(op).getSource().getType().getRank();
  ArrayRef<int64_t> rest = offsets.asArrayRef();
  llvm::interleaveComma(dests, printer, [&](Value dest) {
    printer << dest << "[" << rest.take_front(rank) << "]";
    rest = rest.drop_front(std::min(rank, rest.size()));
  });
}

/// [0:1, 7:14]
ParseResult parseBoxRanges(OpAsmParser &parser, DenseI64ArrayAttr &offset,
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

void printBoxRanges(OpAsmPrinter &printer, Operation *op,
                    DenseI64ArrayAttr offset, DenseI64ArrayAttr size) {
  printer << "[";
  llvm::interleaveComma(llvm::zip(offset.asArrayRef(), size.asArrayRef()),
                        printer, [&](auto range) {
                          auto [begin, extent] = range;
                          printer << begin << ":" << begin + extent;
                        });
  printer << "]";
}

/// A plain number: the attribute's type says nothing to a reader.
ParseResult parseBytes(OpAsmParser &parser, IntegerAttr &bytes) {
  int64_t value = 0;
  if (parser.parseInteger(value))
    return failure();
  bytes = parser.getBuilder().getI64IntegerAttr(value);
  return success();
}

void printBytes(OpAsmPrinter &printer, Operation *, IntegerAttr bytes) {
  printer << bytes.getInt();
}

ParseResult parseSameAsDestinations(OpAsmParser &, ArrayRef<Type> destTypes,
                                    SmallVectorImpl<Type> &resultTypes) {
  resultTypes.assign(destTypes.begin(), destTypes.end());
  return success();
}

void printSameAsDestinations(OpAsmPrinter &, Operation *, TypeRange,
                             TypeRange) {}

} // namespace npu
