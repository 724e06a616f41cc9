#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares operations in random steps with the same operations as a whole.

Each case is a function of some products, convolutions, poolings, reductions and elementwise
operations of random shapes, some of padded tensors and some of tensors that stay on tiles although they are cut, each with random loops, sizes, slots and layouts of its steps, or of several
that run in the steps of the last one. npu-run-in-steps makes loops of them, in which layouts that do not agree are repaired, and a run of these has
to give the bits of a run of the function. Where layouts agree, the loops have to cost what the operations with their steps do, to the cycle.
Prints how many operations of each kind there were and `N passed, N failed`; exits with 1 if
one failed, and says how to run that one alone.
"""

import os
import random
import re
import subprocess

import random_cases


class Case:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.arguments, self.lines, self.results = [], [], []
        self.kinds = []
        # The tiles that all layouts of rules have everything on, so that they agree.
        self.tiles = self.random.randint(1, 4) if self.random.random() < 0.4 else 0
        for number in range(self.random.randint(1, 4)):
            kind = self.random.choice([self.matmul, self.convolution, self.elementwise, self.reduction,
                                       self.group, self.group, self.kept, self.kept_group, self.padded_windows,
                                       self.padded_windows, self.padded_elementwise])
            self.kinds.append(kind.__name__)
            kind(str(number))

    def extent(self, most=12):
        return self.random.randint(1, most)

    def argument(self, name, shape):
        self.arguments.append((f"%{name}", self.type(shape)))
        return f"%{name}"

    @staticmethod
    def type(shape):
        return "tensor<" + "".join(f"{extent}x" for extent in shape) + "f32>"

    def layout(self, rank):
        """A rule, which fits slices of all shapes."""
        if self.tiles:
            return f"#npu.layout<DUPLICATED, tiles = {self.tiles}>"
        tiles = self.random.randint(1, 4)
        if rank == 0 or self.random.random() < 0.4:
            return f"#npu.layout<DUPLICATED, tiles = {tiles}>"
        dim = self.random.randrange(rank)
        split = [tiles if each == dim else 1 for each in range(rank)]
        image = ", storage = tiled2d" if rank == 4 and self.random.random() < 0.3 else ""
        return f"#npu.layout<SEGMENTED, tiles = {split}{image}>"

    def before(self, ranks):
        """The steps of an operation that runs in those of its reader."""
        return f"npu.steps = {{layouts = [{', '.join(self.layout(rank) for rank in ranks)}]}}"

    def steps(self, extents, reductions, ranks, whole=()):
        parallel = [loop for loop in range(len(extents)) if loop not in (*reductions, *whole)]
        reductions = [loop for loop in reductions if loop not in whole]
        loops = (self.random.sample(parallel, self.random.randint(0, len(parallel))) +
                 self.random.sample(reductions, self.random.randint(0, len(reductions))))
        loops = loops or [self.random.choice(parallel + reductions or range(len(extents)))]
        sizes = [self.random.randint(1, extents[loop]) for loop in loops]
        layouts = ", ".join(self.layout(rank) for rank in ranks)
        array = lambda numbers: f"array<i64: {', '.join(map(str, numbers))}>"
        slots = [self.random.choice((1, 2, 2, 3)) for _ in loops]
        return (f"npu.steps = {{loops = {array(loops)}, sizes = {array(sizes)}, "
                f"slots = {array(slots)}, layouts = [{layouts}]}}")

    def output(self, name, shape):
        """What an operation adds to: an argument, or zeros."""
        type_ = self.type(shape)
        if self.random.random() < 0.3:
            return self.argument(f"o{name}", shape)
        self.lines += [f"%z{name} = arith.constant 0.0 : f32", f"%e{name} = tensor.empty() : {type_}",
                       f"%f{name} = linalg.fill ins(%z{name} : f32) outs(%e{name} : {type_}) -> {type_}"]
        return f"%f{name}"

    def finish(self, name, text, shape):
        self.lines.append(f"%r{name} = {text} -> {self.type(shape)}")
        self.results.append((f"%r{name}", self.type(shape)))

    def matmul(self, name):
        m, n, k = (self.extent() for _ in range(3))
        a, b = self.argument(f"a{name}", (m, k)), self.argument(f"b{name}", (k, n))
        out = self.output(name, (m, n))
        self.finish(name, f"linalg.matmul {{{self.steps([m, n, k], [2], [2, 2, 2])}}} "
                    f"ins({a}, {b} : {self.type((m, k))}, {self.type((k, n))}) "
                    f"outs({out} : {self.type((m, n))})", (m, n))

    def kept(self, name):
        """A product of scaled weights, of which tensors are on tiles that steps cut."""
        tiles, byColumns = self.tiles or self.random.randint(1, 4), self.random.random() < 0.6
        extents = [self.extent(7) for _ in range(3)]
        split = 1 if byColumns else 0
        piece = tiles * self.extent(3)
        extents[split] = piece * self.extent(3)
        m, n, k = extents
        cut = self.random.sample(range(2), self.random.randint(0, 2))
        cut += [2] if self.random.random() < 0.5 or not cut else []
        sizes = [piece if loop == split else self.extent(extents[loop]) for loop in cut]
        loops = {"a": (0, 2), "b": (2, 1), "s": (1, 2), "r": (0, 1)}
        shape = {each: [extents[loop] for loop in dims] for each, dims in loops.items()}
        layout = {each: "#npu.layout<DUPLICATED, tiles = %d>" % tiles if split not in dims else
                  "#npu.layout<SEGMENTED, tiles = %s>" % [tiles if loop == split else 1 for loop in dims]
                  for each, dims in loops.items()}
        # Most of the others are refused: tiles cannot cut their own parts.
        if self.random.random() < 0.3:
            layout = {each: self.layout(2).replace(", storage = tiled2d", "") for each in loops}
        on_tiles = lambda each: self.type(shape[each])[:-1] + ", " + layout[each] + ">"
        types, values = {}, {}
        for each in "abs":
            values[each] = self.argument(f"{each}{name}", shape[each])
            types[each] = self.type(shape[each])
            if self.random.random() < 0.6:
                self.lines.append(f"%{each}k{name} = npu.redistribute {values[each]} : {types[each]} to {on_tiles(each)}")
                values[each], types[each] = f"%{each}k{name}", on_tiles(each)
        values["r"], types["r"] = self.output(name, shape["r"]), self.type(shape["r"])
        if self.random.random() < 0.6:
            self.lines.append(f"%rk{name} = npu.redistribute {values['r']} : {types['r']} to {on_tiles('r')}")
            values["r"], types["r"] = f"%rk{name}", on_tiles("r")
        array = lambda numbers: f"array<i64: {', '.join(map(str, numbers))}>"
        maps = ", ".join("affine_map<(d0, d1, d2) -> (d%d, d%d)>" % loops[each] for each in "absr")
        steps = (f"loops = {array(cut)}, sizes = {array(sizes)}, "
                 f"slots = {array([self.random.choice((1, 2)) for _ in cut])}, "
                 f"layouts = [{', '.join(layout[each] for each in 'absr')}]")
        ins, of = (", ".join(each[key] for key in "abs") for each in (values, types))
        self.lines.append(
            f"%v{name} = linalg.generic {{indexing_maps = [{maps}], iterator_types = [\"parallel\", "
            f"\"parallel\", \"reduction\"], npu.steps = {{{steps}}}}} ins({ins} : {of}) "
            f"outs({values['r']} : {types['r']}) {{\n^bb0(%a: f32, %b: f32, %s: f32, %o: f32):\n"
            f"%w = arith.mulf %b, %s : f32\n%p = arith.mulf %a, %w : f32\n%q = arith.addf %o, %p : f32\n"
            f"linalg.yield %q : f32\n}} -> {types['r']}")
        result = f"%v{name}"
        if types["r"] != self.type(shape["r"]):
            self.lines.append(f"%d{name} = npu.redistribute {result} : {types['r']} to {self.type(shape['r'])}")
            result = f"%d{name}"
        self.results.append((result, self.type(shape["r"])))

    def convolution(self, name):
        oc, ic, h, w, kh, kw = (self.extent(7), self.extent(7), self.extent(6), self.extent(6),
                                self.extent(3), self.extent(3))
        stride = self.random.randint(1, 2)
        x = (1, ic, (h - 1) * stride + kh, (w - 1) * stride + kw)
        f, r = (oc, ic, kh, kw), (1, oc, h, w)
        a, b = self.argument(f"a{name}", x), self.argument(f"b{name}", f)
        out = self.output(name, r)
        # Windows stay whole; loops are n, f, oh, ow, c, kh, kw.
        steps = self.steps([1, oc, h, w, ic], [4], [4, 4, 4])
        self.finish(name, f"linalg.conv_2d_nchw_fchw {{strides = dense<{stride}> : tensor<2xi64>, "
                    f"dilations = dense<1> : tensor<2xi64>, {steps}}} "
                    f"ins({a}, {b} : {self.type(x)}, {self.type(f)}) outs({out} : {self.type(r)})", r)

    def pad(self, name, made, low, high, values=("0.0", "-1.5")):
        """A tensor of the shape `made` that steps pad, and the argument before it."""
        shape = [extent - before - after for extent, before, after in zip(made, low, high)]
        x = self.argument(f"x{name}", shape)
        value = self.random.choice(values)
        indices = ", ".join(f"%i{dim}: index" for dim in range(len(made)))
        self.lines += [f"%pv{name} = arith.constant {value} : f32",
                       f"%p{name} = tensor.pad {x} low[{', '.join(map(str, low))}] "
                       f"high[{', '.join(map(str, high))}] {{\n^bb0({indices}):\n"
                       f"tensor.yield %pv{name} : f32\n}} {{npu.steps = {{layouts = []}}}} : "
                       f"{self.type(shape)} to {self.type(made)}"]
        return f"%p{name}"

    def padded_windows(self, name):
        """A convolution or a pooling of a padded image, perhaps with an operation after it."""
        image, made, low, high, strides, dilations, kernel = [], [], [0, 0], [0, 0], [], [], []
        for _ in range(2):
            extent, window, stride, dilation = (self.extent(7), self.extent(4), self.extent(3),
                                                self.extent(2))
            beyond = (window - 1) * dilation
            image.append((extent - 1) * stride + beyond + 1 + self.random.randint(0, stride - 1))
            made.append(extent)
            low.append(self.random.randint(0, min(beyond, image[-1] - 1)))
            high.append(self.random.randint(0, min(beyond, image[-1] - low[-1] - 1)))
            strides.append(stride), dilations.append(dilation), kernel.append(window)
        batch, channels, filters = self.extent(2), self.extent(6), self.extent(6)
        isPooling = self.random.random() < 0.4
        whole = ()
        if self.random.random() < 0.2 and channels > 2:
            low[1], high[1], whole = 1, self.random.randint(0, 1), (1, 4)
        form = self.random.choice(["max", "sum"])
        padded = self.pad(name, (batch, channels, *image), low, high,
                          ("0xFF800000", "0.0") if isPooling and form == "max" else ("0.0", "-1.5"))
        attributes = (f"strides = dense<{strides}> : tensor<2xi64>, "
                      f"dilations = dense<{dilations}> : tensor<2xi64>")
        if isPooling:
            made = [batch, channels, *made]
            window = f"%w{name}"
            self.lines.append(f"{window} = tensor.empty() : {self.type(kernel)}")
            weights, type_ = window, self.type(kernel)
            form, layouts, unread = f"pooling_nchw_{form}", [4, 4], ["unit"]
            extents, reductions = made, []
        else:
            made = [batch, filters, *made]
            weights = self.argument(f"b{name}", (filters, channels, *kernel))
            type_ = self.type((filters, channels, *kernel))
            form, layouts, unread = "conv_2d_nchw_fchw", [4, 4, 4], []
            extents, reductions = [*made, channels], [4]
            whole = whole[1:]

        def text(steps, out):
            if unread:
                # Of a window only the shape is read.
                first, last = steps.rsplit(", #npu", 1)
                steps = f"{first}, unit, #npu{last}"
            return (f"linalg.{form} {{{attributes}, {steps}}} ins({padded}, {weights} : "
                    f"{self.type((batch, channels, *image))}, {type_}) outs({out} : "
                    f"{self.type(made)})")
        if self.random.random() < 0.5:
            steps = self.steps(extents, reductions, layouts, whole)
            return self.finish(name, text(steps, self.output(name, made)), made)
        self.lines += [f"%z{name} = arith.constant 0.0 : f32", f"%e{name} = tensor.empty() : {self.type(made)}",
                       f"%f{name} = linalg.fill ins(%z{name} : f32) outs(%e{name} : {self.type(made)}) "
                       f"-> {self.type(made)}",
                       f"%v{name} = {text(self.before(layouts), f'%f{name}')} -> {self.type(made)}"]
        steps = self.steps(made, [], [4, 4], [1] if whole and isPooling else ())
        self.finish(name, f"linalg.exp {{{steps}}} ins(%v{name} : {self.type(made)}) "
                    f"outs(%e{name} : {self.type(made)})", made)

    def padded_elementwise(self, name):
        """An operation of which some steps read whole slices, and others add to them."""
        shape = [self.random.randint(3, 9) for _ in range(self.random.randint(1, 3))]
        low, high = ([self.random.randint(0, 1) for _ in shape] for _ in range(2))
        rank = len(shape)
        isWithinPad = True
        while isWithinPad:
            steps = self.steps(shape, [], [rank, rank])
            loops, sizes = ([int(each) for each in steps.split(f"{item} = array<i64: ")[1].split(">")[0]
                             .split(",")] for item in ("loops", "sizes"))
            isWithinPad = any((size == 1 and low[loop]) or
                              (high[loop] and size < shape[loop] and shape[loop] % size == 1 % size)
                              for loop, size in zip(loops, sizes))
        padded = self.pad(name, shape, low, high)
        self.lines.append(f"%e{name} = tensor.empty() : {self.type(shape)}")
        self.finish(name, f"linalg.abs {{{steps}}} ins({padded} : {self.type(shape)}) "
                    f"outs(%e{name} : {self.type(shape)})", shape)

    def elementwise(self, name):
        shape = [self.extent(8) for _ in range(self.random.randint(1, 4))]
        a, out = self.argument(f"a{name}", shape), self.output(name, shape)
        rank = len(shape)
        dims = ", ".join(f"d{dim}" for dim in range(rank))
        map_ = f"affine_map<({dims}) -> ({dims})>"
        at = self.random.randrange(rank)
        steps = self.steps(shape, [], [rank, rank])
        self.finish(name, f"linalg.generic {{indexing_maps = [{map_}, {map_}], iterator_types = ["
                    + ", ".join(['"parallel"'] * rank) + f"], {steps}}} ins({a} : {self.type(shape)}) "
                    f"outs({out} : {self.type(shape)}) {{\n^bb0(%v: f32, %o: f32):\n"
                    f"%i = linalg.index {at} : index\n%n = arith.index_cast %i : index to i32\n"
                    "%g = arith.sitofp %n : i32 to f32\n%p = arith.mulf %v, %g : f32\n"
                    "%q = arith.addf %p, %o : f32\nlinalg.yield %q : f32\n}", shape)

    def reduction(self, name):
        m, n = self.extent(), self.extent()
        a, out = self.argument(f"a{name}", (m, n)), self.output(name, (n,))
        steps = self.steps([m, n], [0], [2, 1])
        self.finish(name, "linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, "
                    f"affine_map<(d0, d1) -> (d1)>], iterator_types = [\"reduction\", \"parallel\"], "
                    f"{steps}}} ins({a} : {self.type((m, n))}) outs({out} : {self.type((n,))}) {{\n"
                    "^bb0(%v: f32, %s: f32):\n%p = arith.addf %s, %v : f32\nlinalg.yield %p : f32\n}",
                    (n,))

    def generic(self, name, inputs, shape, body, reads, ends="parallel", steps=None):
        """An operation on rows and columns: `reads` are the dimensions of its inputs."""
        dims = [*(f"affine_map<(d0, d1) -> ({read})>" for read in reads),
                f"affine_map<(d0, d1) -> ({'d0, d1' if ends == 'parallel' else 'd0'})>"]
        steps = steps or self.before([read.count("d") for read in reads] + [len(shape)])
        begin = {"maximumf": "-1.0e+30"}.get(body.split(".")[1].split(" ")[0], "0.0")
        self.lines += [
            f"%z{name} = arith.constant {begin} : f32", f"%e{name} = tensor.empty() : {self.type(shape)}",
            f"%f{name} = linalg.fill ins(%z{name} : f32) outs(%e{name} : {self.type(shape)}) -> "
            f"{self.type(shape)}",
            f"%v{name} = linalg.generic {{indexing_maps = [{', '.join(dims)}], iterator_types = "
            f"[\"parallel\", \"{ends}\"], {steps}}} ins({', '.join(each for each, _ in inputs)} : "
            f"{', '.join(type_ for _, type_ in inputs)}) outs(%f{name} : {self.type(shape)}) {{\n"
            f"^bb0({', '.join(f'%i{at}: f32' for at in range(len(inputs)))}, %o: f32):\n"
            f"%n = linalg.index 0 : index\n%m = arith.index_cast %n : index to i32\n"
            f"%x = arith.sitofp %m : i32 to f32\n%y = {body}\nlinalg.yield %y : f32\n}} -> "
            f"{self.type(shape)}"]
        return f"%v{name}", self.type(shape)

    def group(self, name):
        """A product, some operations on its rows, and perhaps another product, in the same steps."""
        m, n, k, p = (self.extent() for _ in range(4))
        made, rows = (m, n), (m,)
        a, b = self.argument(f"a{name}", (m, k)), self.argument(f"b{name}", (k, n))
        type_ = self.type(made)
        self.lines += [
            f"%zp{name} = arith.constant 0.0 : f32", f"%ep{name} = tensor.empty() : {type_}",
            f"%fp{name} = linalg.fill ins(%zp{name} : f32) outs(%ep{name} : {type_}) -> {type_}",
            f"%vp{name} = linalg.matmul {{{self.before([2, 2, 2])}}} ins({a}, {b} : "
            f"{self.type((m, k))}, {self.type((k, n))}) outs(%fp{name} : {type_}) -> {type_}"]
        value, whole = (f"%vp{name}", type_), ()
        both = "d0, d1"
        for number in range(self.random.randint(0, 2)):
            step = f"{name}s{number}"
            if self.random.random() < 0.5:
                sums = self.generic(step + "r", [value], rows, self.random.choice(
                    ["arith.addf %o, %i0 : f32", "arith.maximumf %o, %i0 : f32"]), [both], "reduction")
                value = self.generic(step, [value, sums], made, "arith.subf %i0, %i1 : f32",
                                     [both, "d0"])
                whole = (1,)
            else:
                value = self.generic(step, [value], made, "arith.mulf %i0, %x : f32", [both])
        if self.random.random() < 0.5:
            steps = self.steps([m, n], [], [2, 2], whole) if m * n > 0 else None
            result, _ = self.generic(name + "l", [value], made, "arith.addf %i0, %x : f32", [both],
                                     steps=steps)
            self.results.append((result, type_))
            return
        c, out = self.argument(f"c{name}", (n, p)), self.output(name, (m, p))
        steps = self.steps([m, p, n], [2], [2, 2, 2], [2] if whole else [])
        self.finish(name, f"linalg.matmul {{{steps}}} ins({value[0]}, {c} : {type_}, "
                    f"{self.type((n, p))}) outs({out} : {self.type((m, p))})", (m, p))

    def on_tiles(self, name, value, shape, layout):
        """The tensor in DDR, or on tiles under the layout of its slices."""
        type_ = self.type(shape)
        if self.random.random() < 0.4:
            return value, type_
        there = f"{type_[:-1]}, {layout}>"
        self.lines.append(f"%{name} = npu.redistribute {value} : {type_} to {there}")
        return f"%{name}", there

    def kept_group(self, name):
        """A group of which tensors are on tiles that steps cut: rows of all of them, or columns of the last."""
        tiles, by_rows, ends_in_product = (self.tiles or self.random.randint(1, 4),
                                           self.random.random() < 0.6, self.random.random() < 0.7)
        m, n, k, p = (self.extent(7) for _ in range(4))
        if by_rows or not ends_in_product:
            m, split = tiles * self.extent(6), 0
        else:
            p, split = tiles * self.extent(6), 1
        everywhere = f"#npu.layout<DUPLICATED, tiles = {tiles}>"
        rows = f"#npu.layout<SEGMENTED, tiles = [{tiles}, 1]>" if split == 0 else everywhere
        columns = f"#npu.layout<SEGMENTED, tiles = [1, {tiles}]>" if split == 1 else everywhere
        result = rows if split == 0 else columns
        array = lambda numbers: f"array<i64: {', '.join(map(str, numbers))}>"
        before = lambda *layouts: f"npu.steps = {{layouts = [{', '.join(layouts)}]}}"
        cut = self.random.sample([0, 1], self.random.randint(0, 2)) or [split]
        extents = (m, p if ends_in_product else n)
        sizes = [tiles * self.extent(extents[loop] // tiles) if loop == split else
                 self.extent(extents[loop]) for loop in cut]
        made, made_read = (self.random.choice([self.layout(2), rows]) for _ in range(2))
        type_ = self.type((m, n))
        a, a_type = self.on_tiles(f"ak{name}", self.argument(f"a{name}", (m, k)), (m, k), rows)
        b, b_type = self.on_tiles(f"bk{name}", self.argument(f"b{name}", (k, n)), (k, n), everywhere)
        self.lines += [
            f"%zp{name} = arith.constant 0.0 : f32", f"%ep{name} = tensor.empty() : {type_}",
            f"%fp{name} = linalg.fill ins(%zp{name} : f32) outs(%ep{name} : {type_}) -> {type_}",
            f"%vp{name} = linalg.matmul {{{before(rows, everywhere, made)}}} ins({a}, {b} : "
            f"{a_type}, {b_type}) outs(%fp{name} : {type_}) -> {type_}"]
        value = (f"%vp{name}", type_)
        if not ends_in_product and 1 in cut:
            cut, sizes = [0], [tiles * self.extent(m // tiles)]
        steps = (f"loops = {array(cut)}, sizes = {array(sizes)}, "
                 f"slots = {array([self.random.choice((1, 2)) for _ in cut])}")
        if ends_in_product:
            value = self.generic(name + "s", [value], (m, n), "arith.mulf %i0, %x : f32", ["d0, d1"],
                                 steps=before(made_read, made_read))
            shape, reads = (m, p), [value, self.on_tiles(f"ck{name}", self.argument(f"c{name}", (n, p)),
                                                         (n, p), columns)]
            layouts = f"{rows if split == 0 else self.layout(2)}, {columns}, {result}"
        else:
            shape, reads, layouts = (m, n), [value], f"{self.layout(2)}, {rows}"
        out, out_type = self.on_tiles(f"ok{name}", self.output(name, shape), shape, result)
        steps = f"npu.steps = {{{steps}, layouts = [{layouts}]}}"
        given = f"{', '.join(each for each, _ in reads)} : {', '.join(each for _, each in reads)}"
        body = ("linalg.matmul {%s} ins(%s) outs(%s : %s)" if ends_in_product else
                "linalg.abs {%s} ins(%s) outs(%s : %s)") % (steps, given, out, out_type)
        self.lines.append(f"%r{name} = {body} -> {out_type}")
        value = f"%r{name}"
        if out_type != self.type(shape):
            self.lines.append(f"%d{name} = npu.redistribute {value} : {out_type} to {self.type(shape)}")
            value = f"%d{name}"
        self.results.append((value, self.type(shape)))

    def text(self):
        given = ", ".join(f"{name}: {type_}" for name, type_ in self.arguments)
        types = ", ".join(type_ for _, type_ in self.results)
        return (f"func.func @main({given}) -> ({types}) {{\n" + "\n".join(self.lines) +
                f"\nreturn {', '.join(name for name, _ in self.results)} : {types}\n}}\n")


def run(*command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True,
                          timeout=120)
    return done.returncode, done.stdout + done.stderr


def cost(bin_, model, *passes):
    """The cycles of the function after the passes; None where layouts do not agree."""
    code, said = run(bin_ / "npu-opt", model, *passes, "--npu-print-costs=target=npu4000", "-o",
                     os.devnull)
    return re.search(r"^ *(\d+)  total$", said, re.MULTILINE).group(1) if code == 0 else None


def check(bin_, folder, number, kinds):
    case = Case(number)
    model, steps = folder / "model.mlir", folder / "steps.mlir"
    model.write_text(case.text())
    of_loops = cost(bin_, model, "--npu-run-in-steps")
    if of_loops:
        kinds.update(["with costs"])
        if (of_steps := cost(bin_, model)) != of_loops:
            return f"loops cost {of_loops} cycles, and steps {of_steps}\n{case.text()}"
    code, said = run(bin_ / "npu-opt", model, "--npu-run-in-steps",
                     "--npu-legalize-distributions=split-reductions=false", "-o", steps)
    if code == 0:
        code, said = run(bin_ / "npu-run", steps, f"--reference={model}", "-O0")
    if code == 1 and "or on tiles that have equal parts of them" in said:
        kinds.update(["refused"])
        return ""
    kinds.update(case.kinds)
    if code == 0 and "equal" in said:
        return ""
    return f"exit {code}\n{said}\n{case.text()}"


if __name__ == "__main__":
    random_cases.run_numbered(__doc__, 40, check)
