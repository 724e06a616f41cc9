# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whole models as MLIR text: a file for each family, and one for each form."""
