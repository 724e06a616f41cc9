# One interface target carries warnings, sanitizers and coverage to every
# library and tool of the project.
add_library(npu_compile_options INTERFACE)
# The plugin is a shared module of the same libraries. The same flag everywhere,
# because executables of CMake's POSITION_INDEPENDENT_CODE are compiled with
# -fPIE and could not use the same precompiled headers.
target_compile_options(npu_compile_options INTERFACE -fPIC
  -Wall -Wextra -Wno-unused-parameter
  $<$<CXX_COMPILER_ID:Clang>:-Wimplicit-fallthrough -Wnon-virtual-dtor>)
if(NPU_SANITIZE STREQUAL "address")
  target_compile_options(npu_compile_options INTERFACE
    -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  # Type information of MLIR classes lives in the packaged dylib, which was
  # built without it for some templates: vptr checks would need all of it.
  target_compile_options(npu_compile_options INTERFACE -fno-sanitize=vptr)
  target_link_options(npu_compile_options INTERFACE -fsanitize=address,undefined)
elseif(NPU_SANITIZE STREQUAL "thread")
  target_compile_options(npu_compile_options INTERFACE -fsanitize=thread -fno-omit-frame-pointer)
  target_link_options(npu_compile_options INTERFACE -fsanitize=thread)
elseif(NPU_SANITIZE)
  message(FATAL_ERROR "NPU_SANITIZE: expected OFF, address or thread, got ${NPU_SANITIZE}")
endif()
if(NPU_COVERAGE)
  target_compile_options(npu_compile_options INTERFACE -fprofile-instr-generate -fcoverage-mapping)
  target_link_options(npu_compile_options INTERFACE -fprofile-instr-generate)
endif()
