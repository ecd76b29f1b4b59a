# Asks a compiler which loops it vectorises: in each of these headers there must be one.
execute_process(COMMAND ${COMPILER} -std=c++20 -O3 -ffp-contract=off -fopt-info-vec -I${SOURCE}
    -c ${SOURCE}/tests/compilers/element_loops.cpp -o ${WORK}/element_loops.o
  RESULT_VARIABLE failed OUTPUT_VARIABLE said ERROR_VARIABLE said)
if(failed)
  message(FATAL_ERROR "${said}")
endif()
foreach(model dai_multistate gms gms_smoothed leuven_modified maxwell_slip multiplay)
  if(NOT said MATCHES "/${model}.hpp:[0-9]+:[0-9]+: optimized: loop vectorized")
    message(SEND_ERROR "the loop over the elements of ${model} is not vectorised:\n${said}")
  endif()
endforeach()
