# npu_manual(TOOL)
#
# The manual page and the bash completion of a tool, made from what its --help
# prints, as soon as it is built. Both are installed.
find_package(Python3 REQUIRED COMPONENTS Interpreter)

function(npu_manual tool)
  set(script ${PROJECT_SOURCE_DIR}/scripts/generate-manual.py)
  set(page ${PROJECT_BINARY_DIR}/share/man/man1/${tool}.1)
  set(completion ${PROJECT_BINARY_DIR}/share/bash-completion/completions/${tool})
  add_custom_command(
    OUTPUT ${page} ${completion}
    COMMAND Python3::Interpreter ${script} $<TARGET_FILE:${tool}>
      --man ${page} --completion ${completion}
    DEPENDS ${tool} ${script}
    COMMENT "Writing the manual page and the completion of ${tool}"
    VERBATIM)
  add_custom_target(${tool}-manual ALL DEPENDS ${page} ${completion})
  install(FILES ${page} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  install(FILES ${completion}
    DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
endfunction()
