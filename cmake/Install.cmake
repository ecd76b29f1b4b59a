# Headers and a CMake package in two parts: `models` needs nothing at all, the rest, where it is built,
# finds what the library links. The library, the command-line tool, the experiments and examples, the
# pages. In components, of which cmake/Package.cmake makes packages: tool, mpi, library (the C interface),
# development, headers (part of it), python, documentation.
include(CMakePackageConfigHelpers)
set(headers_component headers)
if(ASPERITY_PACKAGES)
  set(headers_component development)
endif()
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/asperity)

# Which headers are public is found when they are installed: no edit of an include configures again.
cmake_path(ABSOLUTE_PATH CMAKE_INSTALL_INCLUDEDIR BASE_DIRECTORY "\${CMAKE_INSTALL_PREFIX}"
  OUTPUT_VARIABLE include_dir)
install(CODE "
  include(\"${PROJECT_SOURCE_DIR}/cmake/PublicHeaders.cmake\")
  asperity_public_headers(\"${PROJECT_SOURCE_DIR}\" headers)
  foreach(header IN LISTS headers)
    cmake_path(GET header PARENT_PATH folder)
    file(INSTALL \"${PROJECT_SOURCE_DIR}/\${header}\" DESTINATION \"${include_dir}/\${folder}\")
  endforeach()" COMPONENT ${headers_component})
# What the build makes and plug-ins include.
if(TARGET asperity)
  install(FILES ${PROJECT_BINARY_DIR}/generated/asperity/generated/curves.hpp
    ${PROJECT_BINARY_DIR}/generated/asperity/generated/plugin_build.hpp
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/asperity/generated COMPONENT ${headers_component})
  install(FILES ${PROJECT_BINARY_DIR}/asperity-plugin.cmake DESTINATION ${package_dir} COMPONENT development)
  install(DIRECTORY ${PROJECT_BINARY_DIR}/asperity-plugin DESTINATION ${package_dir} COMPONENT development)
endif()
if(NOT ASPERITY_PACKAGES)  # they have a file of their own for it
  install(FILES LICENSE TYPE DOC COMPONENT documentation)
endif()
install(FILES README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT documentation)
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT documentation)
install(TARGETS asperity_models EXPORT asperity_models_targets COMPONENT development)
install(EXPORT asperity_models_targets NAMESPACE asperity:: FILE asperity-models.cmake
  DESTINATION ${package_dir} COMPONENT development)

set(has_library OFF)
if(TARGET asperity)
  set(has_library ON)
  # In the build tree these come through asperity_packages, which is not exported.
  foreach(package IN LISTS ASPERITY_LINKED_PACKAGES)
    target_link_libraries(asperity PRIVATE $<INSTALL_INTERFACE:${package}>)
  endforeach()
  install(TARGETS asperity EXPORT asperity_library_targets COMPONENT development)
  install(EXPORT asperity_library_targets NAMESPACE asperity:: FILE asperity-library.cmake
    DESTINATION ${package_dir} COMPONENT development)
endif()
if(TARGET asperity AND ASPERITY_PUBLISH)
  install(DIRECTORY experiments DESTINATION ${CMAKE_INSTALL_DATADIR}/asperity COMPONENT tool
    PATTERN "*_test.cpp" EXCLUDE)
  install(DIRECTORY conformance DESTINATION ${CMAKE_INSTALL_DATADIR}/asperity COMPONENT tool)
endif()
if(TARGET asperity_cli)
  install(TARGETS asperity_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT tool)
  install(DIRECTORY examples DESTINATION ${CMAKE_INSTALL_DATADIR}/asperity COMPONENT tool)
endif()

configure_package_config_file(cmake/asperity-config.cmake.in asperity-config.cmake
  INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(asperity-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/asperity-config.cmake
  ${PROJECT_BINARY_DIR}/asperity-config-version.cmake DESTINATION ${package_dir} COMPONENT development)
# In the build tree there are the models, too, and with them plug-ins: -Dasperity_DIR=build/release.
export(EXPORT asperity_models_targets NAMESPACE asperity:: FILE ${PROJECT_BINARY_DIR}/asperity-models.cmake)
if(ASPERITY_PACKAGES)
  include(cmake/Package.cmake)
endif()
