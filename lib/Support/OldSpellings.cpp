// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Support/OldSpellings.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/WithColor.h"

using llvm::StringRef;

namespace {

/// How an operation is spelled now, and the first release that reads nothing
/// else; 0 where it is not known here.
struct Now {
  StringRef spelling;
  unsigned since = 0;
};

/// Operations of the dialect that was called standard, which stood without a
/// prefix or with `std.`.
const llvm::StringMap<Now> &standardOps() {
  static const llvm::StringMap<Now> ops = {
      {"func", {"func.func", 15}},
      {"return", {"func.return", 15}},
      {"call", {"func.call", 15}},
      {"call_indirect", {"func.call_indirect", 15}},
      {"br", {"cf.br", 15}},
      {"cond_br", {"cf.cond_br", 15}},
      {"switch", {"cf.switch", 15}},
      {"assert", {"cf.assert", 15}},
      {"select", {"arith.select", 15}},
      {"constant", {"arith.constant", 14}},
      {"addf", {"arith.addf", 14}},
      {"addi", {"arith.addi", 14}},
      {"subf", {"arith.subf", 14}},
      {"subi", {"arith.subi", 14}},
      {"mulf", {"arith.mulf", 14}},
      {"muli", {"arith.muli", 14}},
      {"divf", {"arith.divf", 14}},
      {"divi_signed", {"arith.divsi", 14}},
      {"divi_unsigned", {"arith.divui", 14}},
      {"remf", {"arith.remf", 14}},
      {"remi_signed", {"arith.remsi", 14}},
      {"remi_unsigned", {"arith.remui", 14}},
      {"negf", {"arith.negf", 14}},
      {"and", {"arith.andi", 14}},
      {"or", {"arith.ori", 14}},
      {"xor", {"arith.xori", 14}},
      {"shift_left", {"arith.shli", 14}},
      {"cmpf", {"arith.cmpf", 14}},
      {"cmpi", {"arith.cmpi", 14}},
      {"index_cast", {"arith.index_cast", 14}},
      {"sitofp", {"arith.sitofp", 14}},
      {"uitofp", {"arith.uitofp", 14}},
      {"fptosi", {"arith.fptosi", 14}},
      {"fptoui", {"arith.fptoui", 14}},
      {"fpext", {"arith.extf", 14}},
      {"fptrunc", {"arith.truncf", 14}},
      {"sexti", {"arith.extsi", 14}},
      {"zexti", {"arith.extui", 14}},
      {"trunci", {"arith.trunci", 14}},
      {"bitcast", {"arith.bitcast", 14}},
      {"alloc", {"memref.alloc", 13}},
      {"alloca", {"memref.alloca", 13}},
      {"dealloc", {"memref.dealloc", 13}},
      {"load", {"memref.load", 13}},
      {"store", {"memref.store", 13}},
      {"dim", {"tensor.dim or memref.dim", 13}},
      {"memref_cast", {"memref.cast", 13}},
      {"subview", {"memref.subview", 13}},
      {"view", {"memref.view", 13}},
      {"tensor_load", {"bufferization.to_tensor", 0}},
      {"tensor_store", {"memref.tensor_store", 0}},
      {"tensor_cast", {"tensor.cast", 12}},
      {"extract_element", {"tensor.extract", 12}},
      {"subtensor", {"tensor.extract_slice", 13}},
      {"subtensor_insert", {"tensor.insert_slice", 13}},
      {"splat", {"tensor.splat", 0}},
      {"rank", {"tensor.rank", 0}},
      {"exp", {"math.exp", 12}},
      {"log", {"math.log", 12}},
      {"sqrt", {"math.sqrt", 12}},
      {"rsqrt", {"math.rsqrt", 12}},
      {"tanh", {"math.tanh", 12}},
      {"sin", {"math.sin", 12}},
      {"cos", {"math.cos", 12}},
      {"absf", {"math.absf", 0}},
      {"ceilf", {"math.ceil", 0}},
  };
  return ops;
}

/// Operations with the prefix of a dialect that have other names by now.
const llvm::StringMap<Now> &renamedOps() {
  static const llvm::StringMap<Now> ops = {
      {"builtin.func", {"func.func", 15}},
      {"linalg.init_tensor", {"tensor.empty", 16}},
      {"linalg.pad_tensor", {"tensor.pad", 0}},
      {"linalg.tensor_expand_shape", {"tensor.expand_shape", 0}},
      {"linalg.tensor_collapse_shape", {"tensor.collapse_shape", 0}},
      {"linalg.tensor_reshape", {"tensor.expand_shape or collapse_shape", 0}},
      {"memref.buffer_cast", {"bufferization.to_buffer", 0}},
      {"memref.tensor_load", {"bufferization.to_tensor", 0}},
      {"bufferization.to_memref", {"bufferization.to_buffer", 0}},
      {"math.abs", {"math.absf or math.absi", 0}},
      {"arith.maxf", {"arith.maximumf or arith.maxnumf", 18}},
      {"arith.minf", {"arith.minimumf or arith.minnumf", 18}},
      {"tosa.fully_connected", {"tosa.matmul or tosa.conv2d", 0}},
      {"llvm.mlir.null", {"llvm.mlir.zero", 0}},
      {"scf.foreach_thread", {"scf.forall", 0}},
  };
  return ops;
}

/// Attributes and words of operations that became something else.
struct OldPart {
  StringRef op, part, now;
};
constexpr OldPart kOldParts[] = {
    {"linalg.", "args_in =", "ins(...) outs(...)"},
    {"linalg.", "args_out =", "ins(...) outs(...)"},
    {"linalg.", " init(", "outs("},
    {"tosa.reshape", "new_shape =", "an operand from tosa.const_shape"},
    {"tosa.tile", "multiples =", "an operand from tosa.const_shape"},
    {"tosa.slice", "start =", "operands from tosa.const_shape"},
    {"tosa.clamp", "max_fp =", "min_val and max_val"},
    {"tosa.clamp", "max_int =", "min_val and max_val"},
    {"tosa.", "quantization_info =", "operands for the zero points"},
    {"tosa.mul", "shift =", "an operand"},
    {"cmpf", "\"", "a word without quotation marks"},
    {"cmpi", "\"", "a word without quotation marks"},
};

/// The statement without what it defines: "%0, %1:2 = op ...".
StringRef afterResults(StringRef statement) {
  if (!statement.starts_with("%"))
    return statement;
  size_t equals = statement.find('=');
  return equals == StringRef::npos ? "" : statement.drop_front(equals + 1);
}

std::string sinceOf(StringRef old, const Now &now) {
  std::string text = ("'" + old + "' ").str();
  if (!now.since)
    return text + "is '" + now.spelling.str() + "' now";
  return text + "has been '" + now.spelling.str() + "' since LLVM " +
         std::to_string(now.since);
}

/// What is old in a statement that begins with an operation's name, and where;
/// empty where nothing is known to be.
std::string oldIn(StringRef statement, StringRef &where) {
  StringRef text = afterResults(statement).ltrim();
  bool isGeneric = text.consume_front("\"");
  StringRef name = text.take_while([](char c) {
    return llvm::isAlnum(c) || c == '_' || c == '.' || c == '$';
  });
  if (name.empty())
    return "";
  where = name;
  StringRef bare = name;
  bool isStandard = bare.consume_front("std.");
  StringRef rest = text.drop_front(name.size()).ltrim();
  // These still stand without a prefix in a function; a constant may be one of
  // a function.
  bool isStill = bare == "return" || bare == "call" ||
                 bare == "call_indirect" ||
                 (bare == "constant" && rest.starts_with("@"));
  if (auto it = standardOps().find(bare);
      it != standardOps().end() && (isStandard || (!isStill && !isGeneric)))
    return sinceOf(name, it->second);
  if (auto it = renamedOps().find(name); it != renamedOps().end())
    return sinceOf(name, it->second);
  for (const OldPart &part : kOldParts) {
    StringRef plain = name;
    if (!plain.starts_with(part.op) &&
        !(plain.consume_front("arith.") && plain.starts_with(part.op)))
      continue;
    size_t at = rest.find(part.part);
    // A bracket of a type may stand in between, and no other operation.
    if (at == StringRef::npos)
      continue;
    where = rest.substr(at, part.part.size()).ltrim();
    return ("'" + part.part.trim(" =(") + "' of '" + name + "' is " + part.now +
            " now")
        .str();
  }
  return "";
}

} // namespace

void npu::noteOldSpelling(llvm::MemoryBufferRef file, llvm::raw_ostream &os,
                          llvm::function_ref<bool()> isUnparsed) {
  StringRef rest = file.getBuffer();
  // Bytecode has a version of its own.
  if (rest.starts_with("ML\xefR"))
    return;
  for (unsigned line = 1; !rest.empty(); ++line) {
    StringRef text;
    std::tie(text, rest) = rest.split('\n');
    StringRef statement = text.ltrim();
    if (statement.starts_with("//"))
      continue;
    StringRef where;
    std::string old = oldIn(statement, where);
    // module { func @f
    if (old.empty()) {
      size_t brace = statement.find("{ ");
      if (brace != StringRef::npos)
        old = oldIn(statement.drop_front(brace + 2).ltrim(), where);
    }
    if (old.empty())
      continue;
    if (!isUnparsed())
      return;
    StringRef name = file.getBufferIdentifier();
    llvm::WithColor(os, llvm::raw_ostream::SAVEDCOLOR, /*Bold=*/true)
        << (name == "-" ? "<stdin>" : name) << ":" << line << ":"
        << where.data() - text.data() + 1 << ": ";
    llvm::WithColor::note(os)
        << old << "; this tool reads the textual IR of "
        << "MLIR " << LLVM_VERSION_MAJOR << "." << LLVM_VERSION_MINOR << '\n';
    return;
  }
}
