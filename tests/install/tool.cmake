# What a prefix has beside the libraries: the tool with examples, experiments, manual pages and completion of
# its own, and a pkg-config file that finds its way from where it lies.
cmake_policy(VERSION 3.25)
function(run output)
  execute_process(COMMAND ${ARGN} WORKING_DIRECTORY ${scratch} RESULT_VARIABLE result OUTPUT_VARIABLE text
    ERROR_VARIABLE complaint)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "failed: ${ARGN}\n${text}${complaint}")
  endif()
  set(${output} "${text}" PARENT_SCOPE)
endfunction()

# Moved, since nothing of it may depend on where it was installed.
file(REMOVE_RECURSE ${scratch})
file(MAKE_DIRECTORY ${scratch})
execute_process(COMMAND ${CMAKE_COMMAND} -E copy_directory ${prefix} ${scratch}/moved COMMAND_ERROR_IS_FATAL ANY)
run(listed ${scratch}/moved/bin/asperity examples)
if(NOT listed MATCHES "The files are in ${scratch}/moved/share/asperity/examples")
  message(FATAL_ERROR "the examples are not those of the prefix:\n${listed}")
endif()
run(told ${scratch}/moved/bin/asperity run stick_slip --plot none)
if(NOT EXISTS ${scratch}/stick_slip.run/series.csv)
  message(FATAL_ERROR "no results:\n${told}")
endif()
foreach(file share/man/man1/asperity.1 share/man/man1/asperity-run.1 share/bash-completion/completions/asperity
    share/fish/vendor_completions.d/asperity.fish share/zsh/site-functions/_asperity
    share/asperity/experiments/xiong_2013/fig_3_4.toml share/doc/asperity/LICENSE share/doc/asperity/docs/command-line.md)
  if(NOT EXISTS ${scratch}/moved/${file})
    message(SEND_ERROR "${file} is not installed")
  endif()
endforeach()

find_program(pkg_config pkg-config)
if(pkg_config AND has_c)
  file(GLOB_RECURSE description ${scratch}/moved/*/asperity.pc)
  get_filename_component(folder ${description} DIRECTORY)
  run(flags ${CMAKE_COMMAND} -E env PKG_CONFIG_PATH=${folder} ${pkg_config} --cflags --libs asperity)
  separate_arguments(flags UNIX_COMMAND "${flags}")
  get_filename_component(libraries ${folder} DIRECTORY)
  run(built ${compiler} -std=c99 ${source}/examples/c/hold.c ${flags} -Wl,-rpath,${libraries} -o ${scratch}/hold)
  run(held ${scratch}/hold)
endif()
