# MLIR and LLVM, as libraries and executables of the project link them.
#
# ${NPU_UPSTREAM} is for target_link_libraries: libMLIR.so and libLLVM.so or, in an
# executable whose property NPU_LINKS_ARCHIVES is ON, the archives that these two
# shared libraries were made of. The tools are such executables: binding the symbols
# of the shared libraries takes two thirds of the time of a tool's start. What has
# to share MLIR with another program, as the plugin does, links the shared libraries,
# and so do projects that find the installed package.
option(NPU_LINK_ARCHIVES
  "Link the tools with the archives of MLIR and LLVM, so that they start sooner" ON)
# The shared libraries of a build with a sanitizer are linked sooner, and start late anyway.
if(NPU_SANITIZE)
  set(NPU_LINK_ARCHIVES OFF)
endif()

find_package(Threads REQUIRED)

add_library(npu_shared_upstream INTERFACE)
target_link_libraries(npu_shared_upstream INTERFACE MLIR LLVM)

# The archives by their files: their CMake targets would bring the shared libraries along.
add_library(npu_archived_upstream INTERFACE)
get_property(archives GLOBAL PROPERTY MLIR_ALL_LIBS)
foreach(archive ${archives} ${LLVM_AVAILABLE_LIBS})
  if(TARGET ${archive})
    get_target_property(kind ${archive} TYPE)
    get_target_property(file ${archive} LOCATION)
    # Some that the package lists come with other packages.
    if(kind STREQUAL "STATIC_LIBRARY" AND EXISTS ${file})
      target_link_libraries(npu_archived_upstream INTERFACE ${file})
    endif()
  endif()
endforeach()
# This target brings what LLVM itself links: zlib, zstd and z3.
target_link_libraries(npu_archived_upstream INTERFACE LLVMSupport)
# MLIR makes millions of small objects; this allocator takes an eighth off the time of
# compiling a model.
if(NPU_LINK_ARCHIVES)
  find_library(NPU_JEMALLOC libjemalloc.a REQUIRED)
  target_link_libraries(npu_archived_upstream INTERFACE ${NPU_JEMALLOC} Threads::Threads)
endif()
# Every class has a record of its type, which begins with an address in the C++ runtime:
# seventeen thousand relocations, which touch every page of them. The part of the runtime
# that has to do with types and exceptions is linked into the tools; libraries find it there.
target_link_libraries(npu_archived_upstream INTERFACE
  $<$<BOOL:${NPU_LINK_ARCHIVES}>:-l:libsupc++.a>)
# The code of tools may stand at fixed addresses: nothing is relocated at the start.
target_link_options(npu_archived_upstream INTERFACE
  -no-pie LINKER:--gc-sections LINKER:--as-needed)

set(NPU_UPSTREAM
  $<BUILD_INTERFACE:$<IF:$<BOOL:$<TARGET_PROPERTY:NPU_LINKS_ARCHIVES>>,npu_archived_upstream,npu_shared_upstream>>
  $<INSTALL_INTERFACE:MLIR> $<INSTALL_INTERFACE:LLVM>)
