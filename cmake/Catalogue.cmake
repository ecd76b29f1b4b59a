# Makes the catalogue from the files of asperity/models: one translation unit per model and one list.
# Adding a model is adding <key>.hpp, <key>.md and <key>_test.cpp to its family's folder.
#
# Sets ASPERITY_CATALOGUE_SOURCES and ASPERITY_MODEL_TESTS.

file(GLOB model_headers RELATIVE ${PROJECT_SOURCE_DIR}/asperity/models CONFIGURE_DEPENDS
  ${PROJECT_SOURCE_DIR}/asperity/models/*/*.hpp)
# Contacts with friction see more than one direction: they have a list of their own, below.
list(FILTER model_headers EXCLUDE REGEX "^frictional_contact/")
list(SORT model_headers)

set(generated ${PROJECT_BINARY_DIR}/generated)
set(ASPERITY_CATALOGUE_SOURCES)
set(ASPERITY_MODEL_TESTS)
set(keys)
set(model_includes)
set(model_tags)
set(model_names)
set(curve_includes)
set(curve_tags)
set(curve_names)
set(entry_declarations)
set(entry_calls)

foreach(header IN LISTS model_headers)
  get_filename_component(key ${header} NAME_WE)
  get_filename_component(family ${header} DIRECTORY)
  if(key IN_LIST keys)
    message(FATAL_ERROR "model '${key}' exists twice: a key must be unique over all families")
  endif()
  list(APPEND keys ${key})
  set(stem ${PROJECT_SOURCE_DIR}/asperity/models/${family}/${key})
  foreach(companion .md _test.cpp)
    if(NOT EXISTS ${stem}${companion})
      message(FATAL_ERROR "model '${key}' has no ${family}/${key}${companion}: "
        "a model is three files, its header, its page and its test")
    endif()
  endforeach()

  set(is_contact false)
  if(family STREQUAL contact)
    set(is_contact true)
  endif()
  string(APPEND model_includes "#include <asperity/models/${header}>\n")
  string(CONCAT tag_body " {\n  static constexpr const char* key = \"${key}\";\n"
    "  static constexpr bool is_contact = ${is_contact};\n"
    "  template <class S>\n  using type = asperity::${key}<S>;\n};\n")
  string(APPEND model_tags "struct ${key}_model${tag_body}")
  list(APPEND model_names ${key}_model)
  if(family STREQUAL curve)
    string(APPEND curve_includes "#include <asperity/models/${header}>\n")
    string(APPEND curve_tags "struct ${key}_curve${tag_body}")
    list(APPEND curve_names ${key}_curve)
  endif()

  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${stem}.md)
  file(READ ${stem}.md page)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/model.cpp.in ${generated}/models/${key}.cpp @ONLY)
  list(APPEND ASPERITY_CATALOGUE_SOURCES ${generated}/models/${key}.cpp)
  list(APPEND ASPERITY_MODEL_TESTS ${stem}_test.cpp)
  string(APPEND entry_declarations "const catalogue_entry& entry_${key}();\n")
  string(APPEND entry_calls "      &generated::entry_${key}(),\n")
endforeach()

list(JOIN model_names ", " model_names)
configure_file(${PROJECT_SOURCE_DIR}/cmake/all_models.hpp.in
  ${generated}/asperity/generated/all_models.hpp @ONLY)
list(JOIN curve_names ", " curve_names)
configure_file(${PROJECT_SOURCE_DIR}/cmake/curves.hpp.in
  ${generated}/asperity/generated/curves.hpp @ONLY)
configure_file(${PROJECT_SOURCE_DIR}/cmake/catalogue_list.cpp.in
  ${generated}/catalogue_list.cpp @ONLY)
list(APPEND ASPERITY_CATALOGUE_SOURCES ${generated}/catalogue_list.cpp)

# Models that see more than one direction, in a list of their own. A contact with friction is the
# same three files, a planar law is every page of its folder; laws over cells have their parameters
# in a struct.
set(described_includes)
set(described_entries)
function(add_described family include key class)
  set(page_file ${PROJECT_SOURCE_DIR}/asperity/${include}/${key}.md)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${page_file})
  file(READ ${page_file} page)
  string(APPEND described_includes "#include <asperity/${include}/${key}.hpp>\n")
  string(APPEND described_entries
    "      {\"${key}\", \"${family}\", R\"page(${page})page\", default_card<asperity::${class}>},\n")
  set(described_includes "${described_includes}" PARENT_SCOPE)
  set(described_entries "${described_entries}" PARENT_SCOPE)
endfunction()

file(GLOB touch_headers CONFIGURE_DEPENDS
  ${PROJECT_SOURCE_DIR}/asperity/models/frictional_contact/*.hpp)
list(SORT touch_headers)
foreach(header IN LISTS touch_headers)
  get_filename_component(key ${header} NAME_WE)
  set(stem ${PROJECT_SOURCE_DIR}/asperity/models/frictional_contact/${key})
  foreach(companion .md _test.cpp)
    if(NOT EXISTS ${stem}${companion})
      message(FATAL_ERROR "model '${key}' has no frictional_contact/${key}${companion}: "
        "a model is three files, its header, its page and its test")
    endif()
  endforeach()
  add_described(frictional_contact models/frictional_contact ${key} "${key}<double>")
  list(APPEND ASPERITY_MODEL_TESTS ${stem}_test.cpp)
endforeach()

file(GLOB planar_pages CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/asperity/planar/*.md)
list(SORT planar_pages)
foreach(page_file IN LISTS planar_pages)
  get_filename_component(key ${page_file} NAME_WE)
  if(key MATCHES "^patch_(dai|lugre)$")
    add_described(planar planar ${key} "${key}::parameters")
  elseif(key MATCHES "^(patch_coulomb|onset_of_sliding)$")
    add_described(planar planar ${key} "${key}_parameters")
  else()
    add_described(planar planar ${key} "${key}<double>")
  endif()
endforeach()
configure_file(${PROJECT_SOURCE_DIR}/cmake/described_models.cpp.in
  ${generated}/described_models.cpp @ONLY)
list(APPEND ASPERITY_CATALOGUE_SOURCES ${generated}/described_models.cpp)

# The errata that experiments and pages cite.
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/docs/errata.md)
file(READ ${PROJECT_SOURCE_DIR}/docs/errata.md page)
configure_file(${PROJECT_SOURCE_DIR}/cmake/errata.cpp.in ${generated}/errata.cpp @ONLY)
list(APPEND ASPERITY_CATALOGUE_SOURCES ${generated}/errata.cpp)
