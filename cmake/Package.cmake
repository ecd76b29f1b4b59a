# Debian packages by component, and a relocatable tarball of all of them: ./dev package. What Debian asks
# of each: a copyright file, a changelog, a description, its dependencies.
set(asperity_maintainer "Asperity maintainers <maintainers@asperity.example.org>")
if(NOT DEFINED ENV{SOURCE_DATE_EPOCH})
  execute_process(COMMAND git log -1 --format=%ct WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
    OUTPUT_VARIABLE seconds OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(seconds)
    set(ENV{SOURCE_DATE_EPOCH} ${seconds})
  endif()
endif()
string(TIMESTAMP package_date "%a, %d %b %Y %H:%M:%S +0000" UTC)
string(TIMESTAMP package_year "%Y" UTC)
set(package_release 0asperity1)  # not from the archive of Debian

set(package_notes ${PROJECT_BINARY_DIR}/package_notes)
file(CONFIGURE OUTPUT ${package_notes}/copyright @ONLY CONTENT
"Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: asperity

Files: *
Copyright: @package_year@ the authors of Asperity
License: Apache-2.0
 On Debian systems, the full text of the Apache License, version 2.0, is in the
 file /usr/share/common-licenses/Apache-2.0.
")
file(CONFIGURE OUTPUT ${package_notes}/changelog.Debian @ONLY CONTENT
"asperity (@PROJECT_VERSION@-@package_release@) unstable; urgency=medium

  * Version @PROJECT_VERSION@; CHANGELOG.md in asperity-doc says what is new.

 -- @asperity_maintainer@  @package_date@
")
execute_process(COMMAND gzip -9nkf ${package_notes}/changelog.Debian COMMAND_ERROR_IS_FATAL ANY)

set(CPACK_PACKAGE_NAME asperity)
set(CPACK_PACKAGE_VENDOR Asperity)
set(CPACK_PACKAGE_CONTACT ${asperity_maintainer})
set(CPACK_GENERATOR "DEB;TGZ")
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_GROUPING ONE_PER_GROUP)
set(CPACK_COMPONENTS_ALL "")
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE ${package_release})
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR}/c)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)

# asperity_package(COMPONENT PACKAGE SECTION DESCRIPTION [DEPENDS ...] [RECOMMENDS ...]): the first line of
# the description is the short one.
function(asperity_package component package section description)
  cmake_parse_arguments(PARSE_ARGV 4 its "" "ARCHITECTURE" "DEPENDS;RECOMMENDS;SUGGESTS")
  install(FILES ${package_notes}/copyright ${package_notes}/changelog.Debian.gz
    DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${package} COMPONENT ${component})
  string(TOUPPER ${component} name)
  foreach(field DEPENDS RECOMMENDS SUGGESTS)
    list(JOIN its_${field} ", " words)
    set(CPACK_DEBIAN_${name}_PACKAGE_${field} "${words}" PARENT_SCOPE)
  endforeach()
  if(its_ARCHITECTURE)
    set(CPACK_DEBIAN_${name}_PACKAGE_ARCHITECTURE ${its_ARCHITECTURE} PARENT_SCOPE)
  endif()
  set(CPACK_DEBIAN_${name}_PACKAGE_NAME ${package} PARENT_SCOPE)
  set(CPACK_DEBIAN_${name}_PACKAGE_SECTION ${section} PARENT_SCOPE)
  set(CPACK_DEBIAN_${name}_DESCRIPTION "${description}" PARENT_SCOPE)
  set(CPACK_COMPONENTS_ALL ${CPACK_COMPONENTS_ALL} ${component} PARENT_SCOPE)
endfunction()

set(this_version "(= ${PROJECT_VERSION}-${package_release})")
set(what_it_is "Asperity has models of friction, contact and hysteresis from the literature,\neach with its equations, units, ranges and sources, and solves set-valued laws\nexactly: stuck when stuck, without drift.")
if(TARGET asperity_cli)
  asperity_package(tool asperity science
"friction, contact and hysteresis models (command-line tool)
${what_it_is}
.
This package has the command-line tool, its examples and published experiments
that can be run again." RECOMMENDS gnuplot-nox SUGGESTS asperity-doc)
endif()
if(TARGET asperity_mpi)
  asperity_package(mpi asperity-mpi science
"friction, contact and hysteresis models (sweeps over many machines)
${what_it_is}
.
This package has the module by which sweeps of parameters run under mpirun."
    DEPENDS "asperity ${this_version}")
endif()
if(TARGET asperity_c)
  get_target_property(soversion asperity_c SOVERSION)
  set(library_package libasperity-c${soversion})
  asperity_package(library ${library_package} libs
"friction, contact and hysteresis models (C library)
${what_it_is}
.
This package has the shared library of the C interface.")
  # Programs that are linked with it depend on it; the loader's cache is renewed.
  file(WRITE ${package_notes}/shlibs "libasperity_c ${soversion} ${library_package} (>= ${PROJECT_VERSION})\n")
  file(WRITE ${package_notes}/triggers "activate-noawait ldconfig\n")
  set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA ${package_notes}/shlibs ${package_notes}/triggers)
  set(CPACK_POST_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/without_ldconfig.cmake)
endif()
set(needs libboost-dev libeigen3-dev libfmt-dev libtomlplusplus-dev libtbb-dev libsqlite3-dev libsqlitecpp-dev
  libmd4c-dev libmd4c-html0-dev)
if(HDF5_FOUND)
  list(APPEND needs libhdf5-dev)
endif()
if(Ceres_FOUND)
  list(APPEND needs libceres-dev)
endif()
if(TARGET asperity_c)
  list(APPEND needs "${library_package} ${this_version}")
endif()
asperity_package(development libasperity-dev libdevel
"friction, contact and hysteresis models (development files)
${what_it_is}
.
This package has the headers, the static C++ library, the CMake package and
the pkg-config file." DEPENDS ${needs} SUGGESTS asperity-doc)
if(TARGET asperity_python)
  get_property(minor GLOBAL PROPERTY asperity_python_minor)
  math(EXPR next "${minor} + 1")
  asperity_package(python python3-asperity python
"friction, contact and hysteresis models (Python)
${what_it_is}
.
This package has the Python package."
    DEPENDS "python3 (>= 3.${minor})" "python3 (<< 3.${next})" python3-numpy
    RECOMMENDS asperity python3-matplotlib SUGGESTS asperity-doc)
endif()
if(TARGET asperity_python)
  # Compiled code of Python comes with the package and goes with it.
  file(WRITE ${package_notes}/postinst
"#!/bin/sh
set -e
if command -v py3compile >/dev/null 2>&1; then
  py3compile -p python3-asperity
fi
")
  file(WRITE ${package_notes}/prerm
"#!/bin/sh
set -e
if command -v py3clean >/dev/null 2>&1; then
  py3clean -p python3-asperity
fi
")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_EXTRA ${package_notes}/postinst ${package_notes}/prerm)
endif()
asperity_package(documentation asperity-doc doc
"friction, contact and hysteresis models (documentation)
${what_it_is}
.
This package has the documentation: the command line, scenario files, C++, C
and Python." ARCHITECTURE all)
include(CPack)
