// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lets the allocator ask for huge pages. MLIR's passes follow pointers between
// millions of small objects, and with pages of 4 KiB many of these steps wait
// for the translation of an address.

extern "C" {
/// What jemalloc reads when it starts; MALLOC_CONF of the environment comes
/// after it.
const char *malloc_conf = "thp:always,metadata_thp:always";
}
