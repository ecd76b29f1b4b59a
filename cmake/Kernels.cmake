# Kernels of laws for GPUs (asperity/batch/cuda/lane_device.hpp): some translation units per law
# and one list, which nvcc compiles into asperity_cuda.so. Any other compiler makes a library of them
# that runs the kernels on threads of the processor, for tests.
# What a program and its kernels must have in common; where the library for GPUs is built, also every
# header that a kernel may include, so that kernels of older equations are not started. Tests build both
# sides at once and do without, since each edit of a header would configure anew.
set(headers asperity/batch/cuda/lane_device.hpp asperity/batch/lane_systems.hpp asperity/batch/plan.hpp)
if(ASPERITY_CUDA_LIBRARY)
  foreach(room . batch batch/cuda integrate mechanics models/contact models/curve models/friction
          models/friction/detail models/frictional_contact models/planar models/planar/detail nonsmooth scalar systems)
    file(GLOB headers_of_room RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS
      ${PROJECT_SOURCE_DIR}/asperity/${room}/*.hpp)
    list(APPEND headers ${headers_of_room})
  endforeach()
  list(REMOVE_DUPLICATES headers)
endif()
set(kernel_headers "")
foreach(header IN LISTS headers)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${header})
  file(SHA256 ${PROJECT_SOURCE_DIR}/${header} hash)
  string(APPEND kernel_headers ${hash})
endforeach()
string(SHA256 kernel_headers "${kernel_headers}")
string(SUBSTRING ${kernel_headers} 0 12 kernel_headers)
configure_file(${PROJECT_SOURCE_DIR}/cmake/kernel_build.hpp.in
  ${PROJECT_BINARY_DIR}/generated/asperity/generated/kernel_build.hpp @ONLY)

# asperity_kernel_sources(OUT FOLDER CURVES FAMILY/KEY ...): writes the sources for these laws with these
# curves, a list of types. Laws whose number of elements may be known to the compiler have kernels for some numbers,
# in several files.
function(asperity_kernel_sources out folder kernel_curves)
  set(sources "")
  set(kernel_declarations "")
  set(kernel_calls "")
  foreach(law IN LISTS ARGN)
    cmake_path(GET law PARENT_PATH family)
    cmake_path(GET law FILENAME key)
    set(header asperity/models/${law}.hpp)
    file(STRINGS ${PROJECT_SOURCE_DIR}/${header} counts REGEX "fixed_count" LIMIT_COUNT 1)
    set(add_kernels add_kernels_of)
    asperity_jumps(jumps ${law})
    if(jumps)
      set(add_kernels add_kernels_with_side)
    endif()
    if(family STREQUAL planar)
      set(add_kernels add_kernels_with_couplings)
    endif()
    set(parts 0)
    if(counts)
      set(parts "1, 2, 4, 8" 10 16 32 0)
    endif()
    foreach(rooms IN LISTS parts)
      string(REGEX REPLACE ".*, " "" last "${rooms}")
      set(name ${key})
      if(NOT last EQUAL 0)
        set(name ${key}_${last})
      endif()
      configure_file(${PROJECT_SOURCE_DIR}/cmake/kernels.cpp.in ${folder}/kernels_of_${name}.cpp @ONLY)
      list(APPEND sources ${folder}/kernels_of_${name}.cpp)
      string(APPEND kernel_declarations "void add_kernels_of_${name}(detail::lane_kernel_list& to);\n")
      string(APPEND kernel_calls "  add_kernels_of_${name}(list);\n")
    endforeach()
  endforeach()
  configure_file(${PROJECT_SOURCE_DIR}/cmake/kernels_list.cpp.in ${folder}/kernels_list.cpp @ONLY)
  set(${out} ${sources} ${folder}/kernels_list.cpp PARENT_SCOPE)
endfunction()

# Laws for packs, and the planar ones of bristle states, which planar_lanes.hpp lists.
set(ASPERITY_KERNEL_LAWS ${ASPERITY_LANE_LAWS})
if(ASPERITY_LANE_LAWS)
  list(APPEND ASPERITY_KERNEL_LAWS planar/planar_lugre planar/planar_elastoplastic)
endif()

# CMake 3.25 knows no C++20 for CUDA, hence the direct calls.
set(ASPERITY_NVCC_FLAGS -std=c++20 -O3 --default-stream per-thread -ccbin ${CMAKE_CXX_COMPILER}
  -Xcompiler -fPIC,-fvisibility=hidden -I${PROJECT_SOURCE_DIR} -I${PROJECT_BINARY_DIR}/generated)
function(asperity_cuda_library)
  set(architectures "")
  foreach(each IN LISTS ASPERITY_CUDA_ARCHITECTURES)
    list(APPEND architectures -gencode arch=compute_${each},code=[sm_${each},compute_${each}])
  endforeach()
  asperity_kernel_sources(sources ${PROJECT_BINARY_DIR}/generated/kernels all_curves ${ASPERITY_KERNEL_LAWS})
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
