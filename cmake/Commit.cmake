# Writes the commit that the sources are at to a header, at every build; the header changes, and one
# source is compiled again, only where the commit did.
#   cmake -DSOURCE=folder -DHEADER=file -DGIT=program -P Commit.cmake
cmake_minimum_required(VERSION 3.25)
set(commit "")
if(EXISTS ${SOURCE}/.git)  # of a tarball inside another checkout git would say that one's commit
  if(GIT)
    # The sources may belong to another user than who builds.
    execute_process(COMMAND ${GIT} -c safe.directory=${SOURCE} describe --always --tags --dirty --abbrev=10
      WORKING_DIRECTORY ${SOURCE} OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  endif()
  if(commit STREQUAL "" AND EXISTS ${SOURCE}/.git/HEAD)  # without git
    file(READ ${SOURCE}/.git/HEAD head)
    string(STRIP "${head}" head)
    if(head MATCHES "^ref: (.*)$")
      set(branch ${CMAKE_MATCH_1})
      set(head "")
      if(EXISTS ${SOURCE}/.git/${branch})
        file(READ ${SOURCE}/.git/${branch} head)
      elseif(EXISTS ${SOURCE}/.git/packed-refs)
        file(STRINGS ${SOURCE}/.git/packed-refs packed REGEX " ${branch}$")
        set(head "${packed}")
      endif()
    endif()
    string(REGEX MATCH "^[0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f]"
      commit "${head}")
  endif()
endif()
set(text "#define ASPERITY_COMMIT \"${commit}\"\n")
set(before "")
if(EXISTS ${HEADER})
  file(READ ${HEADER} before)
endif()
if(NOT text STREQUAL before)
  file(WRITE ${HEADER} "${text}")
endif()
