# Makes the catalogue from the files of asperity/models and asperity/patch: one translation unit per
# model and one list. Adding a model is adding <key>.hpp, <key>.md and <key>_test.cpp to its family's
# folder; what the folder is for says the port, which is all that has to be known of a family here.
#
# Sets ASPERITY_CATALOGUE_SOURCES, ASPERITY_LANE_SOURCES, ASPERITY_LANE_LAWS and
# ASPERITY_MODEL_TESTS.
configure_file(${PROJECT_SOURCE_DIR}/cmake/Plugin.cmake ${PROJECT_BINARY_DIR}/asperity-plugin.cmake COPYONLY)
include(${PROJECT_BINARY_DIR}/asperity-plugin.cmake)
foreach(family curve friction contact hysteresis frictional_contact planar)
  asperity_port_of(${family} port_of_${family})
endforeach()

set(generated ${PROJECT_BINARY_DIR}/generated)
set(ASPERITY_CATALOGUE_SOURCES)
set(ASPERITY_LANE_SOURCES)
set(ASPERITY_MODEL_TESTS)
set(keys)
set(model_includes)
set(model_tags)
set(model_names)
set(curve_includes)
set(curve_tags)
set(curve_names)
set(touch_includes)
set(touch_tags)
set(touch_names)
set(element_includes)
set(element_tags)
set(element_calls)
set(entries)
set(entry_declarations)
set(entry_calls)

# Makes the entry of the model `key` in `folder`; `binding` names its type.
function(add_model family folder key binding)
  if(key IN_LIST keys)
    message(FATAL_ERROR "model '${key}' exists twice: a key must be unique over all families")
  endif()
  set(port ${port_of_${family}})
  if(NOT port)
    message(FATAL_ERROR "asperity/models/${family}: no port is known for this family")
  endif()
  set(stem ${PROJECT_SOURCE_DIR}/${folder}/${key})
  foreach(companion .hpp .md _test.cpp)
    if(NOT EXISTS ${stem}${companion})
      message(FATAL_ERROR "model '${key}' has no ${folder}/${key}${companion}: "
        "a model is three files, its header, its page and its test")
    endif()
  endforeach()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${stem}.md)
  file(READ ${stem}.md page)
  set(header ${folder}/${key}.hpp)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/model.cpp.in ${generated}/models/${key}.cpp @ONLY)
  set(keys ${keys} ${key} PARENT_SCOPE)
  set(ASPERITY_CATALOGUE_SOURCES ${ASPERITY_CATALOGUE_SOURCES} ${generated}/models/${key}.cpp PARENT_SCOPE)
  set(ASPERITY_MODEL_TESTS ${ASPERITY_MODEL_TESTS} ${stem}_test.cpp PARENT_SCOPE)
  set(entries ${entries} ${family}/${key} PARENT_SCOPE)
endfunction()

file(GLOB model_headers RELATIVE ${PROJECT_SOURCE_DIR}/asperity/models CONFIGURE_DEPENDS
  ${PROJECT_SOURCE_DIR}/asperity/models/*/*.hpp)
list(SORT model_headers)
foreach(header IN LISTS model_headers)
  get_filename_component(key ${header} NAME_WE)
  get_filename_component(family ${header} DIRECTORY)
  add_model(${family} asperity/models/${family} ${key}
    "template <class S>\n  using type = asperity::${key}<S>")

  # As types, without the catalogue: those that move along a line, curves among them, and contacts
  # with friction.
  set(is_contact false)
  if(port_of_${family} STREQUAL press)
    set(is_contact true)
  endif()
  string(CONCAT tag_body " {\n  static constexpr const char* key = \"${key}\";\n"
    "  static constexpr bool is_contact = ${is_contact};\n"
    "  template <class S>\n  using type = asperity::${key}<S>;\n};\n")
  if(port_of_${family} STREQUAL touch)
    string(APPEND touch_includes "#include <asperity/models/${header}>\n")
    string(APPEND touch_tags "struct ${key}_touch${tag_body}")
    list(APPEND touch_names ${key}_touch)
  elseif(NOT port_of_${family} STREQUAL twist)
    string(APPEND model_includes "#include <asperity/models/${header}>\n")
    string(APPEND model_tags "struct ${key}_model${tag_body}")
    list(APPEND model_names ${key}_model)
  endif()
  list(APPEND traced_families ${family})
  string(APPEND trace_includes_of_${family} "#include <asperity/models/${header}>\n")
  string(APPEND trace_tags_of_${family}
    "struct ${key}_tag {\n  template <class S>\n  using type = asperity::${key}<S>;\n};\n")
  string(APPEND trace_calls_of_${family}
    "  detail::add_tracers<ports::${port_of_${family}}, ${key}_tag>(to, \"${key}\", all_curves{});\n")
  # Laws that state what they are made of (asperity/elements.hpp).
  set(path ${PROJECT_SOURCE_DIR}/asperity/models/${header})
  file(STRINGS ${path} has_elements REGEX "element_list made_of" LIMIT_COUNT 1)
  if(has_elements)
    string(APPEND element_includes "#include <asperity/models/${header}>\n")
    string(APPEND element_tags "struct ${key}_elements {\n  static constexpr const char* key = \"${key}\";\n"
      "  template <class S>\n  using type = asperity::${key}<S>;\n};\n")
    string(APPEND element_calls "    add_rows<generated::${key}_elements>(list, generated::all_curves{});\n")
  endif()
  if(family STREQUAL curve)
    string(APPEND curve_includes "#include <asperity/models/${header}>\n")
    string(APPEND curve_tags "struct ${key}_curve${tag_body}")
    list(APPEND curve_names ${key}_curve)
  endif()
endforeach()

# Laws over the cells of a patch are built of their parameters. What defines <key>_law is a law, the
# rest of the folder is what they are made of.
file(GLOB patch_headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/asperity/patch/*.hpp)
foreach(header IN LISTS patch_headers)
  get_filename_component(key ${header} NAME_WE)
  file(STRINGS ${header} is_law REGEX "^struct ${key}_law" LIMIT_COUNT 1)
  if(is_law)
    add_model(planar asperity/patch ${key} "using parameters = asperity::${key}_law")
  endif()
endforeach()

# asperity_jumps(OUT FAMILY/KEY): whether this is a contact whose force jumps, which holds its side.
function(asperity_jumps out law)
  set(found "")
  if(law MATCHES "^contact/")
    file(STRINGS ${PROJECT_SOURCE_DIR}/asperity/models/${law}.hpp found REGEX " side\\(const vec" LIMIT_COUNT 1)
  endif()
  set(${out} "${found}" PARENT_SCOPE)
endfunction()

# Laws for many systems at once (asperity/batch/lanes.hpp), where there is a room for that; FAMILY/KEY.
set(lane_declarations)
set(lane_calls)
set(ASPERITY_LANE_LAWS)
if(TARGET TBB::tbb)
  foreach(path IN LISTS model_headers)
    get_filename_component(key ${path} NAME_WE)
    get_filename_component(family ${path} DIRECTORY)
    if(NOT family MATCHES "^(friction|contact|frictional_contact)$")
      continue()
    endif()
    list(APPEND ASPERITY_LANE_LAWS ${family}/${key})
    set(header asperity/models/${path})
    set(lane_header lane_instantiate)
    set(add_lanes add_lane_models)
    asperity_jumps(jumps ${family}/${key})
    if(jumps)
      set(lane_header lane_held_side)
      set(add_lanes add_lane_models_with_side)
    endif()
    configure_file(${PROJECT_SOURCE_DIR}/cmake/lanes.cpp.in ${generated}/models/lanes_of_${key}.cpp @ONLY)
    # Wide numbers are only ever inlined: how they would be passed to a function does not matter.
    set_source_files_properties(${generated}/models/lanes_of_${key}.cpp PROPERTIES
      COMPILE_OPTIONS $<$<CXX_COMPILER_ID:GNU>:-Wno-psabi>)
    list(APPEND ASPERITY_LANE_SOURCES ${generated}/models/lanes_of_${key}.cpp)
    string(APPEND lane_declarations "void add_lanes_of_${key}(std::vector<lane_model>& to);\n")
    string(APPEND lane_calls "    add_lanes_of_${key}(list);\n")
  endforeach()
  configure_file(${PROJECT_SOURCE_DIR}/cmake/lanes_list.cpp.in ${generated}/lanes_list.cpp @ONLY)
  list(APPEND ASPERITY_LANE_SOURCES ${generated}/lanes_list.cpp)
endif()

list(SORT entries)
foreach(entry IN LISTS entries)
  get_filename_component(key ${entry} NAME)
  string(APPEND entry_declarations "const catalogue_entry& entry_${key}();\n")
  string(APPEND entry_calls "      &generated::entry_${key}(),\n")
endforeach()

list(JOIN model_names ", " model_names)
configure_file(${PROJECT_SOURCE_DIR}/cmake/all_models.hpp.in
  ${generated}/asperity/generated/all_models.hpp @ONLY)
list(JOIN curve_names ", " curve_names)
configure_file(${PROJECT_SOURCE_DIR}/cmake/curves.hpp.in
  ${generated}/asperity/generated/curves.hpp @ONLY)
list(JOIN touch_names ", " touch_names)
configure_file(${PROJECT_SOURCE_DIR}/cmake/touch_models.hpp.in
  ${generated}/asperity/generated/touch_models.hpp @ONLY)
configure_file(${PROJECT_SOURCE_DIR}/cmake/catalogue_list.cpp.in
  ${generated}/catalogue_list.cpp @ONLY)
list(APPEND ASPERITY_CATALOGUE_SOURCES ${generated}/catalogue_list.cpp)

configure_file(${PROJECT_SOURCE_DIR}/cmake/element_rows.cpp.in ${generated}/element_rows.cpp @ONLY)
list(APPEND ASPERITY_CATALOGUE_SOURCES ${generated}/element_rows.cpp)

# The equations of all models as graphs, one translation unit per family: they are written once per
# export, so it is the compiler's time that counts.
list(REMOVE_DUPLICATES traced_families)
foreach(family IN LISTS traced_families)
  set(trace_includes "${trace_includes_of_${family}}")
  set(trace_tags "${trace_tags_of_${family}}")
  set(trace_calls "${trace_calls_of_${family}}")
  configure_file(${PROJECT_SOURCE_DIR}/cmake/traces.cpp.in ${generated}/traces_of_${family}.cpp @ONLY)
  set_source_files_properties(${generated}/traces_of_${family}.cpp PROPERTIES COMPILE_OPTIONS -O0)
  list(APPEND ASPERITY_CATALOGUE_SOURCES ${generated}/traces_of_${family}.cpp)
  string(APPEND family_declarations "void add_traces_of_${family}(std::vector<model_tracer>& to);\n")
  string(APPEND family_calls "    generated::add_traces_of_${family}(list);\n")
endforeach()
configure_file(${PROJECT_SOURCE_DIR}/cmake/trace_list.cpp.in ${generated}/trace_list.cpp @ONLY)
list(APPEND ASPERITY_CATALOGUE_SOURCES ${generated}/trace_list.cpp)

# The errata that experiments and pages cite.
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/docs/errata.md)
file(READ ${PROJECT_SOURCE_DIR}/docs/errata.md page)
configure_file(${PROJECT_SOURCE_DIR}/cmake/errata.cpp.in ${generated}/errata.cpp @ONLY)
list(APPEND ASPERITY_CATALOGUE_SOURCES ${generated}/errata.cpp)

# Plug-ins: which state of the library they are built for, and what asperity_add_plugin needs, beside the
# package's configuration in the build tree as in an installation. Each header is one that says how what
# goes from a plug-in to the program lies in memory.
set(plugin_headers "")
foreach(header model card units port scalar/dual scalar/pack catalogue/any_model catalogue/catalogue
    catalogue/instantiate catalogue/traced catalogue/plugin_abi)
  set(file ${PROJECT_SOURCE_DIR}/asperity/${header}.hpp)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  file(SHA256 ${file} hash)
  string(APPEND plugin_headers ${hash})
endforeach()
string(SHA256 plugin_headers "${plugin_headers}")
string(SUBSTRING ${plugin_headers} 0 12 plugin_headers)
configure_file(${PROJECT_SOURCE_DIR}/cmake/plugin_build.hpp.in
  ${generated}/asperity/generated/plugin_build.hpp @ONLY)
set(ASPERITY_PLUGIN_PARTS cmake/model.cpp.in cmake/plugin.cpp.in cmake/traces.cpp.in asperity/catalogue/traced.cpp)
foreach(part IN LISTS ASPERITY_PLUGIN_PARTS)
  cmake_path(GET part FILENAME part_name)
  configure_file(${PROJECT_SOURCE_DIR}/${part} ${PROJECT_BINARY_DIR}/asperity-plugin/${part_name} COPYONLY)
endforeach()
