# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models in linalg: what happens to every element is one loop nest, and heads that
share keys are loops over groups instead of copies."""
from models.linalg_images import LinalgImages
from models.linalg_steps import LinalgSteps
from models.values import Number, Value, broadcast
from models.writer import Writer, name_list, type_list


def loops(rank):
    return ", ".join(f"d{at}" for at in range(rank))


def spell_map(rank, dims):
    spelled = ", ".join(f"d{at}" for at in dims)
    return f"affine_map<({loops(rank)}) -> ({spelled})>"


def reassociation(wide, narrow):
    """Which dimensions of `wide` each one of `narrow` is made of."""
    groups, at = [], 0
    for extent in narrow:
        group = [at]
        size = wide[at]
        at += 1
        while size != extent:
            other = wide[at]
            size = "?" if "?" in (size, other) else size * other
            group.append(at)
            at += 1
        groups.append(group)
    while at < len(wide):
        groups[-1].append(at)
        at += 1
    return groups


def leading_ones(wide, narrow):
    """Extents of 1 in front go to the first group, which reassociation, which
    stops early, would leave by themselves."""
    skip = 0
    while skip < len(wide) - len(narrow) and wide[skip] == 1 and narrow[:1] != [1]:
        skip += 1
    groups = reassociation(wide[skip:], narrow)
    groups = [[at + skip for at in group] for group in groups]
    groups[0] = list(range(skip)) + groups[0]
    return groups


class LinalgForm(LinalgImages, Writer):
    # A table of rotary angles has no dimension of heads.
    kept_of_table = (1, 2)

    def constant(self, data, value):
        value.name = self.fresh()
        self.line(f"{value.name} = arith.constant {data} : {value.type}")
        return value

    def scalar(self, number, element):
        def write():
            name = self.fresh()
            spelled = number if isinstance(number, (int, str)) else f"{number:.9e}"
            self.line(f"{name} = arith.constant {spelled} : {element}")
            return name
        return self.once(("scalar", number, element), write)

    def length(self):
        """The prompt's length, where it is dynamic: an extent of an argument."""
        def write():
            source = next(a for a in self.arguments if "?" in a.shape)
            axis = self.scalar(source.shape.index("?"), "index")
            name = self.fresh()
            self.line(f"{name} = tensor.dim {source.name}, {axis} : {source.type}")
            return name
        return self.once("length", write)

    def empty(self, shape, element, kept=None):
        value = Value("", shape, element, kept)
        sizes = [self.length() for extent in value.tensor_shape if extent == "?"]
        value.name = self.fresh()
        self.line(f"{value.name} = tensor.empty({', '.join(sizes)}) : {value.type}")
        return value

    def filled(self, number, like):
        scalar = self.scalar(number, like.element)
        value = Value(self.fresh(), like.shape, like.element, like.kept)
        self.line(f"{value.name} = linalg.fill ins({scalar} : {like.element}) "
                  f"outs({like.name} : {like.type}) -> {like.type}")
        return value

    def generic(self, kinds, maps, operands, out, body):
        """One loop nest; `body` has the lines, which use %a0, %a1, ... and %out."""
        result = Value(self.fresh(), out.shape, out.element, out.kept)
        spelled = ", ".join(spell_map(len(kinds), dims) for dims in maps)
        iterators = ", ".join(f'"{kind}"' for kind in kinds)
        takes = f"ins({name_list(operands)} : {type_list(operands)}) " if operands else ""
        self.line(f"{result.name} = linalg.generic {{indexing_maps = [{spelled}], "
                  f"iterator_types = [{iterators}]}} {takes}"
                  f"outs({out.name} : {out.type}) {{")
        named = [f"%a{at}: {o.element}" for at, o in enumerate(operands)]
        self.line(f"^bb0({', '.join(named + [f'%out: {out.element}'])}):")
        for text in body:
            self.line("  " + text)
        self.line(f"}} -> {out.type}")
        return result

    def rows(self, *shape):
        return list(shape)

    def vector(self, weight, rank):
        return self.weight(weight, shape=[1] * (rank - 1) + weight.shape,
                           kept=[rank - 1])

    def matrix(self, weight):
        return self.weight(weight)

    def widened(self, name, inner, outputs):
        """Quantized weights as numbers, a row for each output channel."""
        how = self.quantized
        shape, few = how.shapes(inner, outputs)
        kept = list(range(len(few)))
        shared = few + [1] * (len(shape) - len(few))
        integers = self.weight(how.integers(name, shape))
        scales = self.weight(how.scales(f"{name}_scales", few, inner), shape=shared, kept=kept)
        operands = [integers, scales]
        if how.has_zeros:
            operands.append(self.weight(how.zeros(f"{name}_zeros", few), shape=shared, kept=kept))
        verb = "uitofp" if how.has_zeros else "sitofp"

        def body(s, q, scale, *zero):
            number = s.step(f"arith.{verb} {q[0]} : {q[1]} to {self.element}", self.element)
            if zero:
                number = s.sub(number, s.step(
                    f"arith.{verb} {zero[0][0]} : {q[1]} to {self.element}", self.element))
            return s.mul(number, scale)

        return self.reshape(self.elementwise(body, *operands), [outputs, inner])

    def elementwise(self, body, *operands):
        shape = broadcast([o.shape for o in operands])
        rank = len(shape)
        operands = [self.narrowed(o, shape) for o in operands]
        reads = [[at + rank - len(o.shape) for at in o.kept] for o in operands]
        # Dimensions that no operand has are missing in the result, too.
        kept = sorted(set().union(*reads))
        loop = {at: number for number, at in enumerate(kept)}
        steps = LinalgSteps(self, rank, loop)
        scalars = [(f"%a{at}", o.element) for at, o in enumerate(operands)]
        name, element = body(steps, *scalars)
        if not steps.lines and len(operands) == 1:
            return operands[0]
        steps.lines.append(f"linalg.yield {name} : {element}")
        out = self.empty(shape, element, kept)
        maps = [[loop[at] for at in read] for read in reads]
        return self.generic(["parallel"] * len(kept), maps + [range(len(kept))],
                            operands, out, steps.lines)

    def narrowed(self, x, shape):
        """x without the dimensions along which it is stretched to `shape`."""
        ahead = len(shape) - len(x.shape)
        kept = [at for at in x.kept if x.shape[at] == shape[at + ahead]]
        if kept == x.kept:
            return x
        whole = Value(x.name, x.tensor_shape, x.element)
        narrow = self.reshape(whole, [x.shape[at] for at in kept])
        return Value(narrow.name, x.shape, x.element, kept)

    def as_table(self, x):
        """Rows and columns that all heads share."""
        return Value(x.name, [1, *x.shape], x.element, [1, 2])

    def reshape(self, x, shape):
        shape = list(shape)
        if x.shape == shape:
            return x
        result = Value("", shape, x.element)
        expands = len(shape) > len(x.shape)
        wide, narrow = (shape, x.shape) if expands else (x.shape, shape)
        more = ""
        if expands:
            sizes = [self.length() if d == "?" else str(d) for d in shape]
            more = f" output_shape [{', '.join(sizes)}]"
        result.name = self.fresh()
        kind = "expand" if expands else "collapse"
        self.line(f"{result.name} = tensor.{kind}_shape {x.name} "
                  f"{leading_ones(wide, narrow)}{more} : {x.type} into {result.type}")
        return result

    def transpose(self, x, order):
        out = self.empty([x.shape[at] for at in order], x.element)
        result = Value(self.fresh(), out.shape, out.element)
        self.line(f"{result.name} = linalg.transpose ins({x.name} : {x.type}) "
                  f"outs({out.name} : {out.type}) permutation = {list(order)}")
        return result

    def cut(self, x, axis, begin, size):
        axis %= len(x.shape)
        starts, sizes = [0] * len(x.shape), list(x.shape)
        starts[axis], sizes[axis] = begin, size
        spelled = [self.length() if d == "?" else str(d) for d in sizes]
        result = Value(self.fresh(), sizes, x.element)
        self.line(f"{result.name} = tensor.extract_slice {x.name}{starts} "
                  f"[{', '.join(spelled)}] {[1] * len(sizes)} : {x.type} to {result.type}")
        return result

    def concat(self, parts, axis):
        axis %= len(parts[0].shape)
        shape = list(parts[0].shape)
        extents = [part.shape[axis] for part in parts]
        shape[axis] = "?" if "?" in extents else sum(extents)
        result = Value(self.fresh(), shape, parts[0].element)
        self.line(f"{result.name} = tensor.concat dim({axis}) {name_list(parts)} : "
                  f"({type_list(parts)}) -> {result.type}")
        return result

    def position(self):
        """The position of the new token, as an index."""
        at = Number("%position", [], "index")
        self.arguments.append(at)
        self.marks[at.name] = " {npu.cache_offset}"
        return at

    def insert(self, x, whole, position):
        """`x` put into dimension 1 of a tensor of rank 3."""
        result = Value(self.fresh(), whole.shape, whole.element)
        sizes = ", ".join(map(str, x.shape))
        self.line(f"{result.name} = tensor.insert_slice {x.name} into {whole.name}"
                  f"[0, {position.name}, 0] [{sizes}] [1, 1, 1] : {x.type} into "
                  f"{result.type}")
        return result

    def reduce(self, kind, x, axis=-1):
        rank = len(x.shape)
        axis %= rank
        kept = [at for at in range(rank) if at != axis]
        shape = [1 if at == axis else d for at, d in enumerate(x.shape)]
        # Negative infinity is what the largest begins with.
        begin = 0.0 if kind == "sum" else "0xFF800000"
        out = self.filled(begin, self.empty(shape, x.element, kept))
        name = "arith.addf" if kind == "sum" else "arith.maximumf"
        kinds = ["reduction" if at == axis else "parallel" for at in range(rank)]
        return self.generic(kinds, [range(rank), kept], [x], out,
                            [f"%r = {name} %out, %a0 : {x.element}",
                             f"linalg.yield %r : {x.element}"])

    def contraction(self, shape, kinds, maps, a, b):
        out = self.filled(0.0, self.empty(shape, a.element))
        return self.generic(kinds, maps, [a, b], out,
                            [f"%m = arith.mulf %a0, %a1 : {a.element}",
                             f"%r = arith.addf %out, %m : {a.element}",
                             f"linalg.yield %r : {a.element}"])

    def matmul(self, x, weight):
        out = self.filled(0.0, self.empty([x.shape[0], weight.shape[1]], x.element))
        result = Value(self.fresh(), out.shape, out.element)
        operands = [x, weight]
        self.line(f"{result.name} = linalg.matmul ins({name_list(operands)} : "
                  f"{type_list(operands)}) outs({out.name} : {out.type}) -> {out.type}")
        return result

    def matmul_with_rows_of(self, x, table):
        kinds = ["parallel", "parallel", "reduction"]
        return self.contraction([x.shape[0], table.shape[0]], kinds,
                                [[0, 2], [1, 2], [0, 1]], x, table)

    def lookup(self, table, at):
        out = self.empty([at.shape[1], table.shape[1]], table.element)
        row = self.reshape(at, [at.shape[1]])
        return self.generic(
            ["parallel", "parallel"], [[0], [0, 1]], [row], out,
            ["%row = arith.index_cast %a0 : i32 to index",
             "%column = linalg.index 1 : index",
             f"%r = tensor.extract {table.name}[%row, %column] : {table.type}",
             f"linalg.yield %r : {table.element}"])

    def grouped(self, a, b, shape, b_map):
        """`a` has a group of heads for each head of `b`."""
        heads, rows, inner = a.shape
        groups = heads // b.shape[0]
        a = self.reshape(a, [b.shape[0], groups, rows, inner])
        kinds = ["parallel"] * 4 + ["reduction"]
        result = self.contraction([b.shape[0], groups, *shape[1:]], kinds,
                                  [[0, 1, 2, 4], b_map, [0, 1, 2, 3]], a, b)
        return self.reshape(result, shape)

    def scores(self, queries, keys):
        heads, rows, _ = queries.shape
        return self.grouped(queries, keys, [heads, rows, keys.shape[1]],
                            [0, 3, 4])

    def mixed(self, weights, values):
        heads, rows, _ = weights.shape
        return self.grouped(weights, values, [heads, rows, values.shape[2]],
                            [0, 4, 3])
