# Debian packages only; nothing is downloaded. Sets ASPERITY_MISSING_PACKAGES, what the static library
# needs at link time (ASPERITY_LINKED_PACKAGES), and how its users find that
# (ASPERITY_FIND_DEPENDENCIES, lines for asperity-config.cmake).
set(ASPERITY_MISSING_PACKAGES "")
set(ASPERITY_LINKED_PACKAGES "")
set(ASPERITY_FIND_DEPENDENCIES "")

# Macros: what a package sets is needed below.
macro(asperity_find name)
  if(ASPERITY_LIBRARY STREQUAL AUTO)
    find_package(${name} ${ARGN} QUIET)
  else()
    find_package(${name} ${ARGN} REQUIRED)
  endif()
  if(NOT ${name}_FOUND)
    list(APPEND ASPERITY_MISSING_PACKAGES ${name})
  endif()
endmacro()
macro(asperity_export)
  string(JOIN " " words ${ARGN})
  string(APPEND ASPERITY_FIND_DEPENDENCIES "  find_dependency(${words})\n")
endmacro()

foreach(package "Boost 1.74 CONFIG" "Eigen3 3.4 CONFIG" "fmt 9 CONFIG" "tomlplusplus 3.3 CONFIG" Threads)
  separate_arguments(package)
  asperity_find(${package})
  asperity_export(${package})
endforeach()
list(APPEND ASPERITY_LINKED_PACKAGES fmt::fmt tomlplusplus::tomlplusplus Threads::Threads)
asperity_find(nlohmann_json 3.11 CONFIG)
if(ASPERITY_SWEEPS OR ASPERITY_PUBLISH)
  asperity_find(TBB 2021 CONFIG)
  asperity_export(TBB 2021 CONFIG)
  list(APPEND ASPERITY_LINKED_PACKAGES TBB::tbb)
endif()
if(ASPERITY_SWEEPS)
  asperity_find(SQLite3 3.34)
  asperity_export(SQLite3 3.34)
  asperity_find(SQLiteCpp 3.2 CONFIG)
  asperity_export(SQLiteCpp 3.2 CONFIG)
  # The definition of SQLiteCpp is of no use to those who do not build it.
  list(APPEND ASPERITY_LINKED_PACKAGES SQLite::SQLite3 $<LINK_ONLY:SQLiteCpp>)
endif()
if(ASPERITY_PUBLISH)
  asperity_find(md4c CONFIG)
  asperity_export(md4c CONFIG)
  list(APPEND ASPERITY_LINKED_PACKAGES md4c::md4c)
endif()
if(ASPERITY_MISSING_PACKAGES)
  list(JOIN ASPERITY_MISSING_PACKAGES ", " missing)
  message(STATUS "asperity: ${missing} not found: there is asperity::models, but no asperity::asperity")
  return()
endif()

enable_language(C)  # FindHDF5 asks its compiler
add_library(asperity_packages INTERFACE)
# Large series. Optional: without it --format h5 says so.
option(ASPERITY_HDF5 "Write HDF5 files" ON)
if(ASPERITY_HDF5)
  set(HDF5_PREFER_PARALLEL OFF)
  find_package(HDF5 1.10 COMPONENTS C HL)
endif()
if(ASPERITY_HDF5 AND HDF5_FOUND)
  string(APPEND ASPERITY_FIND_DEPENDENCIES "  enable_language(C)  # FindHDF5 asks its compiler\n")
  asperity_export(HDF5 1.10 COMPONENTS C HL)
  list(APPEND ASPERITY_LINKED_PACKAGES hdf5::hdf5 hdf5::hdf5_hl)
  target_compile_definitions(asperity_packages INTERFACE ASPERITY_WITH_HDF5)
endif()

# A general stiff solver as cross-check. Optional: it pulls large packages.
option(ASPERITY_SUNDIALS "Use SUNDIALS CVODE where it is installed" ON)
if(ASPERITY_SUNDIALS)
  find_package(SUNDIALS 6.4 CONFIG QUIET)
endif()
if(ASPERITY_SUNDIALS AND SUNDIALS_FOUND)
  asperity_export(SUNDIALS 6.4 CONFIG)
  list(APPEND ASPERITY_LINKED_PACKAGES SUNDIALS::cvode SUNDIALS::nvecserial
    SUNDIALS::sunmatrixdense SUNDIALS::sunlinsoldense)
  target_compile_definitions(asperity_packages INTERFACE ASPERITY_WITH_SUNDIALS)
endif()

# Least squares for identification. Optional: without it a plain Levenberg-Marquardt of our own.
option(ASPERITY_CERES "Use Ceres where it is installed" ON)
# Its own CMake package asks for libunwind-dev, which cannot be installed beside libc++'s.
set(Ceres_FOUND OFF)
if(ASPERITY_CERES)
  find_path(CERES_INCLUDE_DIR ceres/ceres.h)
  find_library(CERES_LIBRARY ceres)
  find_library(GLOG_LIBRARY glog)
endif()
if(ASPERITY_CERES AND CERES_INCLUDE_DIR AND CERES_LIBRARY AND GLOG_LIBRARY)
  set(Ceres_FOUND ON)  # one source includes it (CMakeLists.txt)
  list(APPEND ASPERITY_LINKED_PACKAGES ${CERES_LIBRARY} ${GLOG_LIBRARY})
endif()

# Sweeps over many machines. Optional: the tool loads it as a module, and only under mpirun.
option(ASPERITY_MPI "Build the MPI module of the command-line tool where MPI is installed" ON)
if(ASPERITY_MPI AND ASPERITY_CLI)
  find_package(MPI QUIET COMPONENTS CXX)
endif()

target_link_libraries(asperity_packages INTERFACE ${ASPERITY_LINKED_PACKAGES}
  nlohmann_json::nlohmann_json Eigen3::Eigen)
