# Headers, the static library, the command-line tool where it is built, the experiments, and a CMake
# package in two parts: `models` needs nothing at all, the rest finds what the library links.
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/asperity)

install(DIRECTORY asperity TYPE INCLUDE FILES_MATCHING PATTERN "*.hpp")
install(FILES LICENSE TYPE DOC)
if(EXISTS ${PROJECT_SOURCE_DIR}/experiments)
  install(DIRECTORY experiments DESTINATION ${CMAKE_INSTALL_DATADIR}/asperity
    PATTERN "*_test.cpp" EXCLUDE)
endif()
if(TARGET asperity_cli)
  install(TARGETS asperity_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()

# In the build tree these come through asperity_packages, which is not exported.
foreach(package IN LISTS ASPERITY_LINKED_PACKAGES)
  target_link_libraries(asperity PRIVATE $<INSTALL_INTERFACE:${package}>)
endforeach()
install(TARGETS asperity_models EXPORT asperity_models_targets)
install(TARGETS asperity EXPORT asperity_library_targets)
install(EXPORT asperity_models_targets NAMESPACE asperity:: FILE asperity-models.cmake
  DESTINATION ${package_dir})
install(EXPORT asperity_library_targets NAMESPACE asperity:: FILE asperity-library.cmake
  DESTINATION ${package_dir})

configure_package_config_file(cmake/asperity-config.cmake.in asperity-config.cmake
  INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(asperity-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/asperity-config.cmake
  ${PROJECT_BINARY_DIR}/asperity-config-version.cmake DESTINATION ${package_dir})
