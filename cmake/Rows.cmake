# Things that list themselves: every source in FOLDER defines rows, each on a line that begins with
#
#   extern const TYPE name
#
# in the namespace asperity::detail. Makes a source whose function FUNCTION, declared in HEADER,
# returns all of them, and adds it to the list SOURCES. A new row is a new file and nothing else.
function(asperity_rows folder type function header sources)
  file(GLOB files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${folder}/*.cpp)
  list(SORT files)
  set(row_declarations "")
  set(row_list "")
  foreach(file IN LISTS files)
    set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
    file(STRINGS ${file} rows REGEX "^extern const ${type} [a-z_0-9]+")
    if(NOT rows)
      message(FATAL_ERROR "${file} defines nothing: a line must begin with 'extern const ${type} name'")
    endif()
    foreach(row IN LISTS rows)
      string(REGEX REPLACE "^extern const ${type} ([a-z_0-9]+).*" "\\1" name "${row}")
      string(APPEND row_declarations "extern const ${type} ${name};\n")
      string(APPEND row_list "&detail::${name}, ")
    endforeach()
  endforeach()
  set(row_folder ${folder})
  set(row_type ${type})
  set(row_function ${function})
  set(row_header ${header})
  configure_file(${PROJECT_SOURCE_DIR}/cmake/rows.cpp.in ${PROJECT_BINARY_DIR}/generated/${function}.cpp @ONLY)
  set(${sources} ${${sources}} ${PROJECT_BINARY_DIR}/generated/${function}.cpp PARENT_SCOPE)
endfunction()
