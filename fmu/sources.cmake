# What the binary is made of, for those who compile it themselves (docs/fmi.md): an FMU carries it in
# its folder `sources`. The rooms that asperity/fmi stands on; those that are left out need further packages.
set(rooms catalogue compensate draw fmi inclusion integrate mechanics models nonsmooth patch run scalar systems text)
file(GLOB_RECURSE in_rooms RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/asperity/*.hpp
  ${PROJECT_SOURCE_DIR}/asperity/*.cpp)
list(JOIN rooms "|" one_room)
list(FILTER in_rooms INCLUDE REGEX "^asperity/(${one_room})/|^asperity/[^/]*$")
list(FILTER in_rooms EXCLUDE REGEX "_test\\.cpp$|testing\\.hpp$")
file(GLOB_RECURSE made ${PROJECT_BINARY_DIR}/generated/*.hpp)
list(APPEND made ${ASPERITY_SINGLE_SOURCES})
list(FILTER made INCLUDE REGEX "^${PROJECT_BINARY_DIR}/generated/")
list(FILTER made EXCLUDE REGEX "/(kernel_build|analyses|conformance_rows|errata)\\.")
set(own component.cpp component.hpp fmi2.cpp fmi3.cpp fmi_standard.hpp bundled_fmt.cpp bundled_toml.cpp entry_points.map)

set(copied)
set(copies "")
macro(carry from to)
  list(APPEND copied ${from})
  get_filename_component(folder ${to} DIRECTORY)
  string(APPEND copies "file(COPY \"${from}\" DESTINATION \"${CMAKE_CURRENT_BINARY_DIR}/sources/${folder}\")\n")
endmacro()
foreach(file IN LISTS in_rooms)
  carry(${PROJECT_SOURCE_DIR}/${file} ${file})
endforeach()
foreach(file IN LISTS made)
  file(RELATIVE_PATH name ${PROJECT_BINARY_DIR} ${file})
  carry(${file} ${name})
endforeach()
foreach(file IN LISTS own)
  carry(${CMAKE_CURRENT_SOURCE_DIR}/${file} fmu/${file})
endforeach()
configure_file(${PROJECT_SOURCE_DIR}/LICENSE compile_it/apache-2.0.txt COPYONLY)
carry(${CMAKE_CURRENT_BINARY_DIR}/compile_it/apache-2.0.txt apache-2.0.txt)
configure_file(compile_it.cmake.in compile_it/CMakeLists.txt @ONLY)
carry(${CMAKE_CURRENT_BINARY_DIR}/compile_it/CMakeLists.txt CMakeLists.txt)
file(CONFIGURE OUTPUT copy_sources.cmake CONTENT "${copies}")
add_custom_command(OUTPUT sources.stamp
  COMMAND ${CMAKE_COMMAND} -E rm -rf sources
  COMMAND ${CMAKE_COMMAND} -P copy_sources.cmake
  COMMAND ${CMAKE_COMMAND} -E touch sources.stamp
  DEPENDS ${copied} ${CMAKE_CURRENT_BINARY_DIR}/copy_sources.cmake VERBATIM)
add_custom_target(asperity_fmu_sources DEPENDS ${CMAKE_CURRENT_BINARY_DIR}/sources.stamp)
add_dependencies(asperity_fmu asperity_fmu_sources)
if(ASPERITY_INSTALL)
  install(DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/sources DESTINATION ${CMAKE_INSTALL_LIBDIR}/asperity/fmu
    COMPONENT tool OPTIONAL)
endif()
