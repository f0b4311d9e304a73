# What `cmake --install` leaves: libraries, headers, the CMake package (scree::scree shared,
# scree::scree_static) and scree.pc. tests/consumer proves both ways of linking.
include(CMakePackageConfigHelpers)
set(package_directory ${CMAKE_INSTALL_LIBDIR}/cmake/scree)

install(TARGETS scree scree_static EXPORT scree-targets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/scree DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(EXPORT scree-targets NAMESPACE scree:: DESTINATION ${package_directory})
configure_package_config_file(cmake/scree-config.cmake.in ${PROJECT_BINARY_DIR}/scree-config.cmake
                              INSTALL_DESTINATION ${package_directory})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/scree-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/scree-config.cmake
              ${PROJECT_BINARY_DIR}/scree-config-version.cmake DESTINATION ${package_directory})

# Libraries that CMake knows by a bare name (m, dl) are flags for pkg-config.
set(private_libraries ${SCREE_LIBRARIES})
list(TRANSFORM private_libraries REPLACE "^([a-z0-9_]+)$" "-l\\1")
list(JOIN private_libraries " " SCREE_PRIVATE_LIBRARIES)
# The prefix is told from where scree.pc lies, so that an installed tree may be moved.
file(RELATIVE_PATH SCREE_PC_TO_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" SCREE_PC_TO_PREFIX "${SCREE_PC_TO_PREFIX}")
configure_file(scree.pc.in ${PROJECT_BINARY_DIR}/scree.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/scree.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
if(TARGET scree_command)
  install(TARGETS scree_command RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  install(TARGETS scree_fmu LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/scree)
endif()
file(GLOB manual_pages CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/docs/man/*.1)
if(manual_pages)
  install(FILES ${manual_pages} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
endif()
if(EXISTS ${PROJECT_SOURCE_DIR}/cli/completion/scree.bash)
  install(FILES cli/completion/scree.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
          RENAME scree)
endif()
if(EXISTS ${PROJECT_SOURCE_DIR}/cli/completion/_scree)
  install(FILES cli/completion/_scree DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
endif()
install(DIRECTORY scenes DESTINATION ${CMAKE_INSTALL_DATADIR}/scree FILES_MATCHING PATTERN "*.yaml")
# The pages, where `make docs` has made them before.
install(DIRECTORY out/docs/html DESTINATION ${CMAKE_INSTALL_DOCDIR} OPTIONAL)
install(FILES LICENSE README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
