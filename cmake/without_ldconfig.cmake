# Run by cpack. It gives every package with a shared library scripts that call ldconfig, which Debian does by
# a trigger nowadays: those packages that bring the trigger are packed again without the scripts.
cmake_policy(VERSION 3.25)
foreach(package IN LISTS CPACK_PACKAGE_FILES)
  if(NOT package MATCHES "/libasperity-c[0-9]+_[^/]*\\.deb$")
    continue()
  endif()
  set(folder ${package}.unpacked)
  file(REMOVE_RECURSE ${folder})
  execute_process(COMMAND dpkg-deb --raw-extract ${package} ${folder} COMMAND_ERROR_IS_FATAL ANY)
  if(NOT EXISTS ${folder}/DEBIAN/triggers)
    message(FATAL_ERROR "${package} has no trigger")
  endif()
  file(REMOVE ${folder}/DEBIAN/postinst ${folder}/DEBIAN/postrm)
  execute_process(COMMAND dpkg-deb --root-owner-group -Zxz --build ${folder} ${package}
    OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
  file(REMOVE_RECURSE ${folder})
endforeach()
