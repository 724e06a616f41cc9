# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models in TOSA, as exporters write them: one operation for every step."""
from models.tosa_images import TosaImages
from models.tosa_steps import TosaSteps
from models.values import Value, broadcast
from models.writer import Writer, name_list, type_list


class TosaForm(TosaImages, Writer):
    kept_of_table = None

    def as_table(self, x):
        return x

    def constant(self, data, value):
        value.name = self.fresh()
        self.line(f'{value.name} = "tosa.const"() <{{values = {data} : '
                  f"{value.type}}}> : () -> {value.type}")
        return value

    def op(self, name, shape, *operands, attributes="", element=None):
        result = Value(self.fresh(), shape, element or operands[0].element)
        if attributes:
            attributes = f" {{{attributes}}}"
        self.line(f"{result.name} = tosa.{name} {name_list(operands)}{attributes}"
                  f" : ({type_list(operands)}) -> {result.type}")
        return result

    def scalar(self, number, element, rank):
        return self.once(("scalar", number, element, rank),
                         lambda: self.numbers(number, [1] * rank, element))

    def extents(self, shape):
        """A shape as a value; -1 is what is left of the operand."""
        return self.once(("shape", tuple(shape)), lambda: self.write_extents(shape))

    def write_extents(self, shape):
        name = self.fresh()
        result = ShapeValue(name, len(shape))
        spelled = ", ".join("-1" if d == "?" else str(d) for d in shape)
        self.line(f"{name} = tosa.const_shape {{values = dense<[{spelled}]> : "
                  f"tensor<{len(shape)}xindex>}} : () -> {result.type}")
        return result

    def rows(self, *shape):
        """Matrices are batches of one."""
        return [1, *shape]

    def vector(self, weight, rank):
        """A weight along the last dimension of tensors of `rank`."""
        return self.weight(weight, shape=[1] * (rank - 1) + weight.shape)

    def matrix(self, weight):
        return self.weight(weight, shape=[1, *weight.shape])

    def elementwise(self, body, *operands):
        rank = max(len(operand.shape) for operand in operands)
        return body(TosaSteps(self, broadcast([o.shape for o in operands]), rank),
                    *operands)

    def reshape(self, x, shape):
        if x.shape == list(shape):
            return x
        return self.op("reshape", shape, x, self.extents(shape))

    def transpose(self, x, order):
        spelled = ", ".join(map(str, order))
        return self.op("transpose", [x.shape[at] for at in order], x,
                       attributes=f"perms = array<i32: {spelled}>")

    def cut(self, x, axis, begin, size):
        axis %= len(x.shape)
        starts = [0] * len(x.shape)
        sizes = list(x.shape)
        starts[axis], sizes[axis] = begin, size
        return self.op("slice", sizes, x, self.extents(starts), self.extents(sizes))

    def concat(self, parts, axis):
        axis %= len(parts[0].shape)
        shape = list(parts[0].shape)
        extents = [part.shape[axis] for part in parts]
        shape[axis] = "?" if "?" in extents else sum(extents)
        return self.op("concat", shape, *parts, attributes=f"axis = {axis} : i32")

    def reduce(self, kind, x, axis=-1):
        axis %= len(x.shape)
        shape = list(x.shape)
        shape[axis] = 1
        return self.op(f"reduce_{kind}", shape, x, attributes=f"axis = {axis} : i32")

    def batch_matmul(self, a, b):
        zero = self.scalar(0.0, a.element, 1)
        return self.op("matmul", [*a.shape[:2], b.shape[2]], a, b, zero, zero)

    def matmul(self, x, weight):
        return self.batch_matmul(x, weight)

    def matmul_with_rows_of(self, x, table):
        """x times the transposed table."""
        return self.batch_matmul(x, self.transpose(table, [0, 2, 1]))

    def lookup(self, table, at):
        """Rows of a 1xNxC table, at the numbers in a 1xL tensor."""
        return self.op("gather", [1, at.shape[1], table.shape[2]], table, at)

    def for_heads(self, x, heads):
        """Key and value heads, one for each query head: groups share them."""
        shared, length, size = x.shape
        if shared == heads:
            return x
        x = self.reshape(x, [shared, 1, length, size])
        x = self.concat([x] * (heads // shared), 1)
        return self.reshape(x, [heads, length, size])

    def scores(self, queries, keys):
        keys = self.for_heads(keys, queries.shape[0])
        return self.batch_matmul(queries, self.transpose(keys, [0, 2, 1]))

    def mixed(self, weights, values):
        return self.batch_matmul(weights, self.for_heads(values, weights.shape[0]))


class ShapeValue:
    def __init__(self, name, rank):
        self.name, self.type = name, f"!tosa.shape<{rank}>"
