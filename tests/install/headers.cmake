# Installs the headers alone and compiles each of those that match `only` alone: what it needs it
# includes. No helper of the tests is among them.
cmake_policy(VERSION 3.25)
set(prefix ${scratch}/headers)
file(REMOVE_RECURSE ${prefix})
execute_process(COMMAND ${CMAKE_COMMAND} --install ${build} --prefix ${prefix} --component headers
  OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
file(GLOB_RECURSE headers RELATIVE ${prefix}/include ${prefix}/include/*)
if(NOT "asperity/asperity.hpp" IN_LIST headers)
  message(FATAL_ERROR "the front door is not installed")
endif()
foreach(header IN LISTS headers)
  if(header MATCHES "test|/(sweep|publish)/" OR NOT header MATCHES "\\.hpp$")
    message(SEND_ERROR "${header} is installed")
  endif()
endforeach()
list(FILTER headers INCLUDE REGEX "${only}")
if(NOT headers)
  message(FATAL_ERROR "no header matches '${only}'")
endif()
foreach(header IN LISTS headers)
  execute_process(COMMAND ${compiler} -std=c++20 -Wall -Wextra -Wpedantic -Werror -fsyntax-only
    -I${prefix}/include -isystem ${eigen} -include ${header} -x c++ /dev/null
    RESULT_VARIABLE code ERROR_VARIABLE complaint)
  if(NOT code EQUAL 0)
    message(SEND_ERROR "${header} does not compile alone:\n${complaint}")
  endif()
endforeach()
