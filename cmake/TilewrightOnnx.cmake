# NPU_ENABLE_ONNX becomes ON or OFF: AUTO is ON where the ONNX library and
# Protocol Buffers are installed.
if(NOT NPU_ENABLE_ONNX STREQUAL "OFF")
  find_package(Protobuf QUIET)
  # The package's own file wants protobuf's target to be there.
  if(Protobuf_FOUND)
    find_package(ONNX QUIET CONFIG)
  endif()
  if(ONNX_FOUND)
    set(NPU_ENABLE_ONNX ON)
  elseif(NPU_ENABLE_ONNX STREQUAL "AUTO")
    message(STATUS
      "ONNX models cannot be read in this build: libonnx-dev or libprotobuf-dev is not installed")
    set(NPU_ENABLE_ONNX OFF)
  else()
    message(FATAL_ERROR
      "NPU_ENABLE_ONNX=${NPU_ENABLE_ONNX}: expected libonnx-dev and libprotobuf-dev to be installed")
  endif()
endif()
message(STATUS "NPU_ENABLE_ONNX is ${NPU_ENABLE_ONNX}")
# Models of OpenVINO IR are imported as those of ONNX are.
set(NPU_ENABLE_OPENVINO OFF)
if(NPU_ENABLE_ONNX)
  find_package(pugixml QUIET CONFIG)
  if(pugixml_FOUND)
    set(NPU_ENABLE_OPENVINO ON)
  else()
    message(STATUS "OpenVINO IR cannot be read in this build: libpugixml-dev is not installed")
  endif()
endif()
