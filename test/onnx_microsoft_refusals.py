# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models of ONNX Runtime's own operators that have to be refused: damaged ones, and those with
what is known but not built, which the error names."""

import dataclasses
import random

from onnx_microsoft_cases import FLOAT, INT8, INT32, INT64, OPERATORS, UINT4, UINT8, make


@dataclasses.dataclass
class Refusal:
    """A model, what the error has to say, and for the page what is refused by name."""

    case: object
    says: str
    name: str = ""


def with_attribute(name, value):
    def change(case):
        case.attributes[name] = value
    return change


def with_operand(number, element, shape, low=0, high=1):
    """Puts a constant at an operand's place."""
    def change(case):
        count = 1
        for extent in shape:
            count *= extent
        while len(case.operands) <= number:
            case.operands.append("")
        numbers = [low if element != FLOAT else float(low)] * count
        case.operands[number] = case.graph.constant(element, shape, numbers)
    return change


def wants_results(count):
    def change(case):
        case.results, case.unwanted, case.ranks = count, [], [3, 4, 4, 4]
    return change


def without_operands(*numbers):
    def change(case):
        for number in numbers:
            case.operands[number] = ""
    return change


def as_operator(name):
    def change(case):
        case.operator = name
    return change


# By operator: what is refused, a change of a model that asks for it, and what the error says.
KNOWN = {
    "MatMulNBits of 4 bits": [
        ("g_idx", with_operand(4, INT32, [4]), "g_idx"),
        ("weight_prepacked", with_attribute("weight_prepacked", 1), "weight_prepacked of 1"),
        ("bits other than 4 and 8", with_attribute("bits", 2), "bits of 2"),
        ("", with_attribute("block_size", 24), "power of two"),
        ("", with_attribute("accuracy_level", 5), "accuracy_level"),
        ("", with_attribute("N", 1 << 40), "K and N"),
    ],
    "GatherBlockQuantized of 8 bits": [
        ("bits other than 4 and 8", with_attribute("bits", 2), "bits of 2"),
        ("", with_attribute("block_size", 8), "power of two"),
        ("", with_attribute("gather_axis", 1), "gather_axis of 0"),
        ("", with_attribute("quantize_axis", 7), "axis"),
    ],
    "GroupQueryAttention": [
        ("smooth_softmax", with_attribute("smooth_softmax", 1), "smooth_softmax"),
        ("sliding_window_cache", with_attribute("sliding_window_cache", 1), "sliding_window_cache of 1"),
        ("k_quant_type", with_attribute("k_quant_type", "PER_TENSOR"), "k_quant_type of 'PER_TENSOR'"),
        ("v_quant_type", with_attribute("v_quant_type", "PER_CHANNEL"), "v_quant_type"),
        ("kv_cache_bit_width", with_attribute("kv_cache_bit_width", 8), "kv_cache_bit_width of 8"),
        ("qk_output", with_attribute("qk_output", 1), "qk_output of 1"),
        ("output_qk", wants_results(4), "output_qk"),
        ("head_sink", with_operand(11, FLOAT, [4]), "head_sink"),
        ("k_scale", with_operand(12, FLOAT, [1]), "k_scale"),
        ("v_scale", with_operand(13, FLOAT, [1]), "v_scale"),
        ("q_norm_weight", with_operand(14, FLOAT, [8]), "q_norm_weight"),
        ("k_norm_weight", with_operand(15, FLOAT, [8]), "k_norm_weight"),
        ("", with_attribute("causal", 2), "0 or 1 as causal"),
        ("", with_attribute("local_window_size", 0), "local_window_size"),
        ("", with_attribute("kv_num_heads", 0), "kv_num_heads"),
        ("", with_attribute("num_heads", 7), "heads"),
        ("", with_operand(6, INT32, [1], low=1000), "total_sequence_length"),
    ],
    "MultiHeadAttention": [
        ("past_sequence_length", with_operand(8, INT32, [1]), "past_sequence_length"),
        ("cache_indirection", with_operand(9, INT32, [1, 1, 1]), "cache_indirection"),
        ("qk", wants_results(4), "qk"),
        ("queries, keys and values in one operand", without_operands(1, 2), "one operand of queries, keys and values"),
        ("keys and values in one operand", without_operands(2), "one operand of keys and values"),
        ("", with_attribute("scale", -1.0), "scale"),
        ("", with_attribute("num_heads", 0), "num_heads"),
        ("", with_operand(4, INT32, [77]), "operand #4"),
    ],
    "RotaryEmbedding": [
        ("is_packed_batching", with_attribute("is_packed_batching", 1), "is_packed_batching"),
        ("scale", with_attribute("scale", 2.0), "scale of 2"),
        ("", with_attribute("rotary_embedding_dim", 3), "rotary_embedding_dim"),
    ],
    "SkipLayerNormalization": [
        ("mean", wants_results(2), "result #1"),
        ("inv_std_var", wants_results(3), "result #1"),
        ("", with_operand(2, FLOAT, [77]), "operand #2"),
    ],
    "SkipSimplifiedLayerNormalization": [
        ("mean", wants_results(2), "result #1"),
        ("inv_std_var", wants_results(3), "result #1"),
        ("", with_operand(2, FLOAT, [77]), "operand #2"),
    ],
    "QLinearAdd": [("", with_operand(1, FLOAT, [3], low=1), "operand #1"),
                   ("", with_operand(7, INT32, [1]), "operand")],
    "QLinearConcat": [("", lambda case: case.operands.pop(), "three operands"),
                      ("", with_attribute("axis", 9), "axis")],
    "QLinearAveragePool": [("", with_attribute("kernel_shape", [0, 0]), "kernel")],
    "MatMulIntegerToFloat": [("", with_operand(2, FLOAT, [7], low=1), "operand #2")],
    "DynamicQuantizeMatMul": [("", with_operand(2, FLOAT, [77], low=1), "operand #2")],
    "FusedMatMul": [("", with_operand(1, FLOAT, [77, 77]), "do not agree")],
    "BiasGelu": [("", with_operand(1, FLOAT, [77]), "do not agree"),
                 ("", as_operator("Inverse"), "this operator of domain 'com.microsoft' is not imported")],
    "Gelu": [("", with_operand(0, UINT8, [3]), "floats")],
    "DequantizeLinear": [("", with_attribute("block_size", -1), "block_size"),
                         ("", with_attribute("block_size", 1000), "one number for every 1000")],
    "QuantizeLinear": [("", with_attribute("output_dtype", 1), "output_dtype of type float")],
}

# How many operands an operator has at most, and how many it has to have.
COUNTS = {
    "Gelu": (1, 1), "QuickGelu": (1, 1), "FastGelu": (1, 2), "BiasGelu": (2, 2), "FusedMatMul": (2, 2),
    "SimplifiedLayerNormalization": (2, 2), "LayerNormalization": (2, 3), "SkipLayerNormalization": (3, 5),
    "SkipSimplifiedLayerNormalization": (3, 4), "QLinearAdd": (7, 8), "QLinearMul": (7, 8),
    "QLinearSigmoid": (4, 5), "QLinearLeakyRelu": (4, 5), "QLinearAveragePool": (4, 5),
    "QLinearGlobalAveragePool": (5, 5), "QLinearConcat": (3, 1 << 20), "MatMulIntegerToFloat": (4, 7),
    "DynamicQuantizeMatMul": (3, 5), "MatMulNBits": (3, 6), "GatherBlockQuantized": (3, 4),
    "DequantizeLinear": (2, 3), "QuantizeLinear": (2, 3), "RotaryEmbedding": (4, 4),
    "GroupQueryAttention": (7, 16), "MultiHeadAttention": (1, 10),
}


def refusals(name):
    """All models of one operator that have to be refused."""
    case = make(name, 0)
    case.attributes["unheard_of"] = 1
    yield Refusal(case, "unheard_of")
    least, most = COUNTS[case.operator]
    case = make(name, 0)
    case.operands = case.operands[:least - 1]
    yield Refusal(case, "")
    if most < 100:
        case = make(name, 0)
        for number in range(len(case.operands), most + 1):
            with_operand(number, FLOAT, [1])(case)
        yield Refusal(case, "")
    for key, value in make(name, 0).attributes.items():
        if isinstance(value, (int, float)):
            case = make(name, 0)
            case.attributes[key] = "text"
            yield Refusal(case, key)
            break
    for what, change, says in KNOWN.get(name, []):
        case = make(name, 0)
        change(case)
        yield Refusal(case, says, what)


def refused_by_name(name):
    return [what for what, _, _ in KNOWN.get(name, []) if what]


assert set(KNOWN) <= set(OPERATORS)


def damaged(name, seed):
    """A model with one thing changed at random, which may still be one that is imported."""
    case = make(name, seed)
    generator = random.Random(f"damaged/{name}/{seed}")
    numbers = [key for key, value in case.attributes.items() if isinstance(value, int)]
    kind = generator.choice(["attribute", "operand", "operand", "missing", "swapped"])
    if kind == "attribute" and numbers:
        case.attributes[generator.choice(numbers)] = generator.choice(
            [-1, 0, 1, 2, 3, 16, 1 << 20, (1 << 31) - 1, 1 << 31, (1 << 63) - 1, -(1 << 63)])
    elif kind == "missing":
        case.operands[generator.randrange(len(case.operands))] = ""
    elif kind == "swapped" and len(case.operands) > 1:
        first, second = generator.sample(range(len(case.operands)), 2)
        case.operands[first], case.operands[second] = case.operands[second], case.operands[first]
    else:
        shape = [generator.choice([0, 1, 2, 3, 5, 16]) for _ in range(generator.randrange(5))]
        element = generator.choice([FLOAT, INT32, INT64, UINT8, INT8, UINT4])
        place = generator.randrange(len(case.operands))
        if generator.random() < 0.5 or element == UINT4:
            with_operand(place, element, shape)(case)
        else:
            case.operands[place] = case.graph.input("damaged", element, shape)
    return case
