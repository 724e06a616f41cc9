# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Why a model is not written, in a sentence that names the option."""


class Refusal(Exception):
    def __init__(self, option, reason):
        super().__init__(f"--{option}: {reason}")
