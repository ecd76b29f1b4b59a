# Debian packages only; nothing is downloaded.
find_package(Boost 1.74 CONFIG REQUIRED)
find_package(Eigen3 3.4 CONFIG REQUIRED)
find_package(fmt 9 CONFIG REQUIRED)
find_package(tomlplusplus 3.3 CONFIG REQUIRED)
find_package(nlohmann_json 3.11 CONFIG REQUIRED)
find_package(Threads REQUIRED)
find_package(SQLite3 3.34 REQUIRED)
find_package(SQLiteCpp 3.2 CONFIG REQUIRED)
find_package(TBB 2021 CONFIG REQUIRED)

# Large series. Optional: without it --format h5 says so.
option(ASPERITY_HDF5 "Write HDF5 files" ON)
if(ASPERITY_HDF5)
  set(HDF5_PREFER_PARALLEL OFF)
  find_package(HDF5 1.10 COMPONENTS C HL)
endif()

# A general stiff solver as cross-check. Optional: it pulls large packages.
option(ASPERITY_SUNDIALS "Use SUNDIALS CVODE where it is installed" ON)
if(ASPERITY_SUNDIALS)
  find_package(SUNDIALS 6.4 CONFIG QUIET)
endif()

# Sweeps over many machines. Optional: the tool loads it as a module, and only under mpirun.
option(ASPERITY_MPI "Build the MPI module of the command-line tool where MPI is installed" ON)
if(ASPERITY_MPI AND ASPERITY_CLI)
  find_package(MPI QUIET COMPONENTS CXX)
endif()

# What the static library needs at link time; its users find these through asperity-config.cmake.
set(ASPERITY_LINKED_PACKAGES fmt::fmt tomlplusplus::tomlplusplus Threads::Threads
  SQLite::SQLite3 TBB::tbb)
add_library(asperity_packages INTERFACE)
if(ASPERITY_HDF5 AND HDF5_FOUND)
  set(ASPERITY_WITH_HDF5 ON)
  list(APPEND ASPERITY_LINKED_PACKAGES hdf5::hdf5 hdf5::hdf5_hl)
  target_compile_definitions(asperity_packages INTERFACE ASPERITY_WITH_HDF5)
endif()
if(ASPERITY_SUNDIALS AND SUNDIALS_FOUND)
  set(ASPERITY_WITH_SUNDIALS ON)
  list(APPEND ASPERITY_LINKED_PACKAGES SUNDIALS::cvode SUNDIALS::nvecserial
    SUNDIALS::sunmatrixdense SUNDIALS::sunlinsoldense)
  target_compile_definitions(asperity_packages INTERFACE ASPERITY_WITH_SUNDIALS)
endif()
# Its definition is of no use to those who do not build it.
list(APPEND ASPERITY_LINKED_PACKAGES $<LINK_ONLY:SQLiteCpp>)
target_link_libraries(asperity_packages INTERFACE ${ASPERITY_LINKED_PACKAGES}
  nlohmann_json::nlohmann_json Eigen3::Eigen)
