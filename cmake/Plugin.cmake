# Models of your own as a shared object that the program loads at run time (docs/plugins.md):
#
#   asperity_add_plugin(NAME [FAMILY friction] HEADER ... [FAMILY contact HEADER ...])
#
# makes NAME.so of headers like those of asperity/models: HEADER is <key>.hpp, beside it lies its page
# <key>.md, and it defines template <asperity::scalar S> struct <key> in the namespace asperity. A
# family counts for the headers after it; it is friction where none is named.
#
# It works alike after find_package(asperity COMPONENTS models) and after add_subdirectory.

# What goes into a model of a family and what comes out: its port.
function(asperity_port_of family out)
  set(port_of_curve drive)
  set(port_of_friction drive)
  set(port_of_contact press)
  set(port_of_hysteresis hysteron)
  set(port_of_frictional_contact touch)
  set(port_of_planar twist)
  set(${out} "${port_of_${family}}" PARENT_SCOPE)
endfunction()

function(asperity_add_plugin name)
  set(parts ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/asperity-plugin)  # beside this file: templates
  set(generated ${CMAKE_CURRENT_BINARY_DIR}/${name}_plugin)
  set(family friction)
  set(takes_family OFF)
  set(sources "")
  set(folders "")
  set(keys "")
  set(entry_declarations "")
  set(entry_calls "")
  set(trace_includes "")
  set(trace_tags "")
  set(trace_calls "")
  foreach(word IN LISTS ARGN)
    if(word STREQUAL "FAMILY")
      set(takes_family ON)
      continue()
    endif()
    if(takes_family)
      set(family ${word})
      set(takes_family OFF)
      continue()
    endif()
    asperity_port_of(${family} port)
    if(NOT port)
      message(FATAL_ERROR "asperity_add_plugin(${name}): there is no family '${family}'; there are: "
        "friction, contact, hysteresis, curve, planar, frictional_contact")
    endif()
    cmake_path(ABSOLUTE_PATH word BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} NORMALIZE OUTPUT_VARIABLE file)
    cmake_path(GET file STEM key)
    cmake_path(GET file PARENT_PATH folder)
    cmake_path(GET file FILENAME header)
    if(NOT key MATCHES "^[a-zA-Z][a-zA-Z0-9_]*$")
      message(FATAL_ERROR "asperity_add_plugin(${name}): ${word}: the name of a model has letters, "
        "digits and _, and begins with a letter")
    endif()
    if(key IN_LIST keys)
      message(FATAL_ERROR "asperity_add_plugin(${name}): the model '${key}' stands twice")
    endif()
    foreach(companion .hpp .md)
      if(NOT EXISTS ${folder}/${key}${companion})
        message(FATAL_ERROR "asperity_add_plugin(${name}): there is no ${key}${companion} in ${folder}: "
          "a model has a header, <key>.hpp, and a page, <key>.md")
      endif()
    endforeach()
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${folder}/${key}.md)
    file(READ ${folder}/${key}.md page)
    set(binding "template <class S>\n  using type = asperity::${key}<S>")
    configure_file(${parts}/model.cpp.in ${generated}/${key}.cpp @ONLY)
    list(APPEND sources ${generated}/${key}.cpp)
    list(APPEND folders ${folder})
    list(APPEND keys ${key})
    string(APPEND entry_declarations "const catalogue_entry& entry_${key}();\n")
    string(APPEND entry_calls "&asperity::generated::entry_${key}(), ")
    string(APPEND trace_includes "#include <${header}>\n")
    string(APPEND trace_tags
      "struct ${key}_tag {\n  template <class S>\n  using type = asperity::${key}<S>;\n};\n")
    string(APPEND trace_calls
      "  detail::add_tracers<ports::${port}, ${key}_tag>(to, \"${key}\", all_curves{});\n")
  endforeach()
  if(NOT keys)
    message(FATAL_ERROR "asperity_add_plugin(${name}): name the headers of its models")
  endif()
  set(family plugin)
  configure_file(${parts}/traces.cpp.in ${generated}/traces.cpp @ONLY)
  configure_file(${parts}/plugin.cpp.in ${generated}/plugin.cpp @ONLY)
  # The equations are written down once per export: it is the compiler's time that counts.
  set_source_files_properties(${generated}/traces.cpp PROPERTIES COMPILE_OPTIONS -O0)

  add_library(${name} MODULE ${sources} ${generated}/traces.cpp ${generated}/plugin.cpp
    ${parts}/traced.cpp)
  # Two plug-ins may have models of one name, though not in one program: nothing is shared.
  set_target_properties(${name} PROPERTIES PREFIX "" SUFFIX .so CXX_STANDARD 20
    CXX_STANDARD_REQUIRED ON CXX_EXTENSIONS OFF CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  target_link_libraries(${name} PRIVATE asperity::models)
  target_include_directories(${name} PRIVATE ${folders})
  if(EXISTS ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/generated/asperity)  # in the build tree
    target_include_directories(${name} PRIVATE ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/generated)
  endif()
  # As the library is compiled: the same bits from every compiler.
  target_compile_options(${name} PRIVATE -ffp-contract=off $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>)
endfunction()
