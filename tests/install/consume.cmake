# Configures, builds and runs the project of one consumer in a fresh folder.
set(folder ${scratch}/${consumer})
file(REMOVE_RECURSE ${folder})
set(arguments -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_COMPILER=${compiler})
if(sanitize)
  list(APPEND arguments -DCMAKE_CXX_FLAGS=-fsanitize=${sanitize})
endif()

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "${consumer}: failed: ${ARGN}")
  endif()
endfunction()

# A model of a user's own, begun, built and checked with what was installed and nothing else.
if(consumer STREQUAL plugin)
  set(tool ${scratch}/prefix/bin/asperity)
  run(${tool} new model installed_law --family contact --out ${folder})
  run(${CMAKE_COMMAND} -S ${folder} -B ${folder}/build -G ${generator} -DCMAKE_PREFIX_PATH=${scratch}/prefix
    -DCMAKE_DISABLE_FIND_PACKAGE_GTest=ON ${arguments})
  run(${CMAKE_COMMAND} --build ${folder}/build)
  run(${tool} check ${folder}/build/installed_law.so)
  return()
endif()

if(consumer MATCHES "^(models|headers_only)$")
  # Proof that the models need no package: none may be found.
  foreach(package Boost Eigen3 fmt tomlplusplus nlohmann_json Threads SQLite3 SQLiteCpp TBB md4c HDF5 SUNDIALS MPI
      CLI11 GTest)
    list(APPEND arguments -DCMAKE_DISABLE_FIND_PACKAGE_${package}=ON)
  endforeach()
endif()
run(${CMAKE_COMMAND} -S ${source}/${consumer} -B ${folder} -G ${generator}
  -DCMAKE_PREFIX_PATH=${scratch}/prefix ${arguments})
run(${CMAKE_COMMAND} --build ${folder})
if(consumer STREQUAL front_door)
  run(${folder}/own_system)
  run(${folder}/consumer ${source}/../../examples/stick_slip.toml)
elseif(consumer STREQUAL core)
  run(${folder}/consumer ${source}/../../examples/stick_slip.toml)
else()
  run(${folder}/consumer)
endif()
