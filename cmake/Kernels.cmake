# Kernels of friction laws for GPUs (asperity/batch/cuda/lane_device.hpp): one translation unit per law
# and one list, which nvcc compiles into asperity_cuda.so. Any other compiler makes a library of them
# that runs the kernels on threads of the processor, for tests.
set(kernel_headers "")
foreach(header batch/cuda/lane_device batch/lane_systems batch/plan)
  set(file ${PROJECT_SOURCE_DIR}/asperity/${header}.hpp)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  file(SHA256 ${file} hash)
  string(APPEND kernel_headers ${hash})
endforeach()
string(SHA256 kernel_headers "${kernel_headers}")
string(SUBSTRING ${kernel_headers} 0 12 kernel_headers)
configure_file(${PROJECT_SOURCE_DIR}/cmake/kernel_build.hpp.in
  ${PROJECT_BINARY_DIR}/generated/asperity/generated/kernel_build.hpp @ONLY)

# asperity_kernel_sources(OUT FOLDER CURVES KEYS ...): writes the sources for these laws with these curves,
# a list of types.
function(asperity_kernel_sources out folder kernel_curves)
  set(sources "")
  set(kernel_declarations "")
  set(kernel_calls "")
  foreach(key IN LISTS ARGN)
    set(header asperity/models/friction/${key}.hpp)
    configure_file(${PROJECT_SOURCE_DIR}/cmake/kernels.cpp.in ${folder}/kernels_of_${key}.cpp @ONLY)
    list(APPEND sources ${folder}/kernels_of_${key}.cpp)
    string(APPEND kernel_declarations
      "void add_kernels_of_${key}(std::vector<detail::lane_kernel_entry>& to);\n")
    string(APPEND kernel_calls "  add_kernels_of_${key}(list);\n")
  endforeach()
  configure_file(${PROJECT_SOURCE_DIR}/cmake/kernels_list.cpp.in ${folder}/kernels_list.cpp @ONLY)
  set(${out} ${sources} ${folder}/kernels_list.cpp PARENT_SCOPE)
endfunction()

# CMake 3.25 knows no C++20 for CUDA, hence the direct calls.
set(ASPERITY_NVCC_FLAGS -std=c++20 -O3 --default-stream per-thread -ccbin ${CMAKE_CXX_COMPILER}
  -Xcompiler -fPIC,-fvisibility=hidden -I${PROJECT_SOURCE_DIR} -I${PROJECT_BINARY_DIR}/generated)
function(asperity_cuda_library)
  set(architectures "")
  foreach(each IN LISTS ASPERITY_CUDA_ARCHITECTURES)
    list(APPEND architectures -gencode arch=compute_${each},code=[sm_${each},compute_${each}])
  endforeach()
  asperity_kernel_sources(sources ${PROJECT_BINARY_DIR}/generated/kernels all_curves ${ASPERITY_FRICTION_KEYS})
  set(objects "")
  foreach(source IN LISTS sources)
    cmake_path(GET source STEM name)
    set(object ${PROJECT_BINARY_DIR}/kernels/${name}.o)
    add_custom_command(OUTPUT ${object} DEPENDS ${source} DEPFILE ${object}.d COMMENT "nvcc ${name}" VERBATIM
      COMMAND ${ASPERITY_TEST_COMPILER_nvcc} ${ASPERITY_NVCC_FLAGS} ${architectures} -x cu -c ${source}
        -MD -MF ${object}.d -o ${object})
    list(APPEND objects ${object})
  endforeach()
  file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/kernels)
  set(library ${PROJECT_BINARY_DIR}/cli/asperity_cuda.so)  # beside the tool
  add_custom_command(OUTPUT ${library} DEPENDS ${objects} COMMENT "Linking asperity_cuda.so" VERBATIM
    COMMAND ${ASPERITY_TEST_COMPILER_nvcc} -ccbin ${CMAKE_CXX_COMPILER} -shared ${objects} -o ${library})
  add_custom_target(asperity_cuda ALL DEPENDS ${library})
  install(PROGRAMS ${library} DESTINATION ${CMAKE_INSTALL_LIBDIR}/asperity COMPONENT tool)
endfunction()
