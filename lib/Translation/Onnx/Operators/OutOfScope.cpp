// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators that a compiler of tensors with known shapes does not take, and
// why.

#include "../Graph/OperatorTable.h"

namespace npu {

void addOutOfScope(OperatorTable &table) {
  for (const char *name :
       {"SequenceAt", "SequenceConstruct", "SequenceEmpty", "SequenceErase",
        "SequenceInsert", "SequenceLength", "SequenceMap", "SplitToSequence",
        "ConcatFromSequence"})
    table.refuse(name, "sequences");
  for (const char *name :
       {"Optional", "OptionalGetElement", "OptionalHasElement"})
    table.refuse(name, "optional values");
  for (const char *name :
       {"StringNormalizer", "TfIdfVectorizer", "LabelEncoder", "CategoryMapper",
        "RegexFullMatch", "StringConcat", "StringSplit"})
    table.refuse(name, "strings");
  table.refuse("ImageDecoder", "encoded images");
  for (const char *name : {"Gradient", "Adam", "Adagrad", "Momentum"})
    table.refuse(name, "training");
  for (const char *name : {"RandomNormal", "RandomNormalLike", "RandomUniform",
                           "RandomUniformLike", "Multinomial", "Bernoulli"})
    table.refuse(name, "random numbers");
  for (const char *name : {"Unique", "NonMaxSuppression"})
    table.refuse(name, "the shape of its result depends on data");
}

} // namespace npu
