# Upstream's headers that most files include, compiled once. A file still
# includes what it uses: NPU_PRECOMPILED_HEADERS=OFF has to build as well.
if(NPU_PRECOMPILED_HEADERS)
  file(WRITE ${CMAKE_BINARY_DIR}/upstream_headers.cpp.new "// Upstream's headers, compiled once.\n")
  file(COPY_FILE ${CMAKE_BINARY_DIR}/upstream_headers.cpp.new
    ${CMAKE_BINARY_DIR}/upstream_headers.cpp ONLY_IF_DIFFERENT)
  add_library(npu_upstream_headers OBJECT ${CMAKE_BINARY_DIR}/upstream_headers.cpp)
  target_include_directories(npu_upstream_headers SYSTEM PRIVATE
    ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
  target_link_libraries(npu_upstream_headers PRIVATE npu_compile_options)
  target_precompile_headers(npu_upstream_headers PRIVATE
    <mlir/Dialect/Affine/IR/AffineOps.h>
    <mlir/Dialect/Arith/IR/Arith.h>
    <mlir/Dialect/Bufferization/IR/Bufferization.h>
    <mlir/Dialect/ControlFlow/IR/ControlFlowOps.h>
    <mlir/Dialect/Func/IR/FuncOps.h>
    <mlir/Dialect/Linalg/IR/Linalg.h>
    <mlir/Dialect/Math/IR/Math.h>
    <mlir/Dialect/MemRef/IR/MemRef.h>
    <mlir/Dialect/SCF/IR/SCF.h>
    <mlir/Dialect/Tensor/IR/Tensor.h>
    <mlir/Pass/PassManager.h>
    <mlir/Transforms/DialectConversion.h>)
endif()

# npu_precompile_headers(TARGET): where the target uses MLIR.
function(npu_precompile_headers name)
  if(NPU_PRECOMPILED_HEADERS)
    target_precompile_headers(${name} REUSE_FROM npu_upstream_headers)
  endif()
endfunction()

# npu_library(NAME source... [MLIR] [INTERNAL] [LINK lib...] [DEPENDS target...])
#
# A static library of the project, which is installed unless it is INTERNAL, for
# tests alone. Without MLIR it belongs to
# floor 0 and sees no header but ours and the C++ library's.
function(npu_library name)
  cmake_parse_arguments(ARG "MLIR;INTERNAL" "" "LINK;DEPENDS" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  target_include_directories(${name} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
    $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_compile_features(${name} PUBLIC cxx_std_20)
  target_link_libraries(${name}
    PRIVATE $<BUILD_INTERFACE:npu_compile_options> PUBLIC ${ARG_LINK})
  if(ARG_MLIR)
    target_include_directories(${name} SYSTEM PUBLIC ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
    target_link_libraries(${name} PUBLIC ${NPU_UPSTREAM})
    npu_precompile_headers(${name})
  endif()
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
  if(NOT ARG_INTERNAL)
    install(TARGETS ${name} EXPORT TilewrightTargets
      ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  endif()
endfunction()

# npu_pass_rooms(TARGET room...)
#
# Declarations of the passes of every room, a folder below the current one with
# a Passes.td of its own: ROOM/Passes.h.inc, with registerNPU<ROOM>Passes().
macro(npu_pass_rooms target)
  foreach(room ${ARGN})
    file(MAKE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/${room})
    set(LLVM_TARGET_DEFINITIONS ${room}/Passes.td)
    mlir_tablegen(${room}/Passes.h.inc -gen-pass-decls -name NPU${room})
  endforeach()
  add_public_tablegen_target(${target})
endmacro()
