include(CMakePackageConfigHelpers)

install(DIRECTORY asperity TYPE INCLUDE FILES_MATCHING PATTERN "*.hpp")
install(TARGETS asperity_models asperity EXPORT asperity_targets)
install(EXPORT asperity_targets NAMESPACE asperity:: FILE asperity-targets.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/asperity)
configure_package_config_file(cmake/asperity-config.cmake.in asperity-config.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/asperity)
write_basic_package_version_file(asperity-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/asperity-config.cmake
  ${PROJECT_BINARY_DIR}/asperity-config-version.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/asperity)
