/* SPDX-License-Identifier: Apache-2.0 */
/* A mass of 2 kg on friction, pushed at 96 % of what it can hold: after an hour it is where it was.
 * cc -std=c99 hold.c $(pkg-config --cflags --libs asperity) -o hold */
#include <asperity.h>
#include <stdio.h>

int main(void) {
  const double h = 1e-3, mass = 2, push = 0.96;
  double mobility = h / mass, at[3] = {0, 0, 1}, force, settled = 0;
  asperity_model* friction;
  long i;
  if (asperity_check_abi(ASPERITY_ABI) != ASPERITY_OK ||
      asperity_model_create("dai", NULL, &friction) != ASPERITY_OK ||
      asperity_model_set_text(friction, "F", "1 N") != ASPERITY_OK ||
      asperity_model_reset(friction, NULL) != ASPERITY_OK) {
    fprintf(stderr, "%s\n", asperity_message());
    return 1;
  }
  for (i = 0; i < 3600000; ++i) {
    double free_speed = at[1] + mobility * push; /* at the end of the step, without friction */
    if (asperity_model_step_coupled(friction, at, &free_speed, &mobility, h, &force) != ASPERITY_OK)
      return 1;
    at[0] = asperity_model_inputs_now(friction)[0];
    at[1] = asperity_model_inputs_now(friction)[1];
    if (i == 60000) settled = at[0];
  }
  printf("friction %g N, moved %g m since the first minute\n", force, at[0] - settled);
  asperity_model_destroy(friction);
  return at[0] == settled ? 0 : 1;
}
