# What `cmake --install` installs beside tools, libraries and their manual:
# headers, TableGen files, and the package that find_package(Tilewright) finds.
include(CMakePackageConfigHelpers)

# All that a tool with this project's dialects and passes needs.
add_library(Tilewright INTERFACE)
target_link_libraries(Tilewright INTERFACE NPUConversion NPUExternalModels NPUTrackErrors NPUVersion)
install(TARGETS Tilewright EXPORT TilewrightTargets)

# The second folder has what TableGen generated.
foreach(folder ${PROJECT_SOURCE_DIR}/include/npu ${PROJECT_BINARY_DIR}/include/npu)
  install(DIRECTORY ${folder} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
    FILES_MATCHING
      PATTERN "*.h" PATTERN "*.td" PATTERN "*.inc"
      PATTERN "CMakeFiles" EXCLUDE)
endforeach()

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/Tilewright)
install(EXPORT TilewrightTargets NAMESPACE Tilewright:: DESTINATION ${package})
configure_package_config_file(
  ${CMAKE_CURRENT_LIST_DIR}/TilewrightConfig.cmake.in
  ${PROJECT_BINARY_DIR}/TilewrightConfig.cmake
  INSTALL_DESTINATION ${package}
  PATH_VARS CMAKE_INSTALL_INCLUDEDIR)
# Before 1.0, a minor version may change what is in a header.
write_basic_package_version_file(
  ${PROJECT_BINARY_DIR}/TilewrightConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES
  ${PROJECT_BINARY_DIR}/TilewrightConfig.cmake
  ${PROJECT_BINARY_DIR}/TilewrightConfigVersion.cmake
  DESTINATION ${package})
install(FILES README.md CHANGELOG.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
