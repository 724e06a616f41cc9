# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints IR with nothing of its layouts but memory orders: tensor<4x2xf16, tiles>,
tensor<4x2xf16, tiles [1, 0]>. memory_orders.py < IR"""

import re
import sys


def order_of(layout):
    """What stands in the place of a layout."""
    order = re.search(r"order = (\w+|\[[^]]*\])", layout)
    return f"tiles {order[1]}" if order else "tiles"


def main():
    text = sys.stdin.read()
    layouts = dict(re.findall(r"^(#\w+) = (#npu\.layout<.*>)$", text, re.MULTILINE))
    print(re.sub(r"#\w+\b", lambda name: order_of(layouts.get(name[0], ""))
                 if name[0] in layouts else name[0], text))


if __name__ == "__main__":
    main()
