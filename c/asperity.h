/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASPERITY_H
#define ASPERITY_H

/* Friction, contact and hysteresis models of Asperity from C99: create a model by name, set its
 * parameters, step it at your own rate; run a scenario from text and read its columns.
 *
 * All numbers are SI. An object belongs to one thread at a time; different objects are independent.
 * Creating, setting and resetting take memory; steps and everything that reads take none. Functions
 * that can fail return a status, and asperity_message() has the reason in words, for this thread.
 * Texts live as long as the object they come from, or for ever where there is none.
 * NULL where something is needed is refused (ASPERITY_BAD_INPUT); what is read from NULL is NULL, 0, or
 * not a number.
 *
 * What is here stays as it is within one ABI number: functions are added, none is changed. */

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define ASPERITY_API __attribute__((visibility("default")))
#else
#define ASPERITY_API
#endif

#define ASPERITY_ABI 1

typedef enum asperity_status {
  ASPERITY_OK = 0,
  ASPERITY_BAD_INPUT = 1,  /* a name, value, unit or text was refused; the message says which */
  ASPERITY_NOT_FINITE = 2, /* a number is infinite or not a number */
  ASPERITY_TOO_STIFF = 3,  /* no step is short enough, or too many were needed */
  ASPERITY_NO_MEMORY = 4,
  ASPERITY_INCOMPLETE = 5, /* a run ended early; what there is can be read */
  ASPERITY_UNEXPECTED = 6  /* a fault of the library: please report the message */
} asperity_status;

/* ---- library ---------------------------------------------------------------------------------- */

ASPERITY_API const char* asperity_version(void);
/* Whether the library that is loaded has what this header says: asperity_check_abi(ASPERITY_ABI). */
ASPERITY_API asperity_status asperity_check_abi(int abi);
/* Why the last call of this thread that failed did so; "" where none has. */
ASPERITY_API const char* asperity_message(void);

/* ---- what there is ----------------------------------------------------------------------------- */

/* One number of a model: a parameter, state, input or output. */
typedef struct asperity_quantity {
  const char* name;
  const char* unit;    /* "N s/m"; "-" for a plain number */
  const char* meaning; /* a few words */
  double lower, upper; /* allowed; infinite where nothing bounds it */
  size_t count;        /* how many numbers: 1, or one per element */
} asperity_quantity;

/* Loads the models of a plug-in (docs/plugins.md), which then stand among all others until the end of
 * the program; their indices below may change. A file that is loaded already is not loaded again. */
ASPERITY_API asperity_status asperity_load_plugin(const char* file);

ASPERITY_API size_t asperity_model_count(void);
ASPERITY_API const char* asperity_model_name(size_t index);   /* NULL beyond the last */
ASPERITY_API const char* asperity_model_family(size_t index); /* "friction", "contact" ... */
ASPERITY_API size_t asperity_system_count(void);
ASPERITY_API const char* asperity_system_name(size_t index);
ASPERITY_API size_t asperity_measure_count(void);
ASPERITY_API const char* asperity_measure_name(size_t index);

/* ---- models ------------------------------------------------------------------------------------ */

typedef struct asperity_model asperity_model;

/* A model of the catalogue with default parameters. `curve` names the Stribeck curve of models that
 * have one; NULL for the usual one. */
ASPERITY_API asperity_status asperity_model_create(const char* name, const char* curve,
                                                   asperity_model** model);
/* With its parameters, its state and its work: both go on with the same bits. */
ASPERITY_API asperity_status asperity_model_copy(const asperity_model* from, asperity_model** to);
ASPERITY_API void asperity_model_destroy(asperity_model* model); /* NULL is allowed */

/* Parameters, by value in SI, by a text with its unit ("5 N/um") or word, or one per element. They
 * count from the next reset. */
ASPERITY_API asperity_status asperity_model_set(asperity_model*, const char* name, double value);
ASPERITY_API asperity_status asperity_model_set_text(asperity_model*, const char* name,
                                                     const char* value);
ASPERITY_API asperity_status asperity_model_set_list(asperity_model*, const char* name,
                                                     const double* values, size_t count);
/* Writes at most `room` values and their number. */
ASPERITY_API asperity_status asperity_model_get(const asperity_model*, const char* name,
                                                double* values, size_t room, size_t* count);

/* The card. An index beyond the last gives a quantity whose name is NULL. Numbers of states change
 * with the number of elements, at a reset. */
ASPERITY_API asperity_quantity asperity_model_parameter(const asperity_model*, size_t index);
ASPERITY_API asperity_quantity asperity_model_state_info(const asperity_model*, size_t index);
ASPERITY_API asperity_quantity asperity_model_input(const asperity_model*, size_t index);
ASPERITY_API asperity_quantity asperity_model_output(const asperity_model*, size_t index);
ASPERITY_API size_t asperity_model_parameters(const asperity_model*);
ASPERITY_API size_t asperity_model_states(const asperity_model*);
ASPERITY_API size_t asperity_model_inputs(const asperity_model*);
ASPERITY_API size_t asperity_model_outputs(const asperity_model*);
ASPERITY_API const char* asperity_model_title(const asperity_model*);
ASPERITY_API const char* asperity_model_source(const asperity_model*);

/* Checks the parameters and starts at rest. `inputs` are those at the start; NULL: all 0, load 1.
 * Here and below inputs must be finite and a load at least 0 (except for laws whose own mass it may lift,
 * see asperity_model_input): the message names what is not. What is refused changes nothing. */
ASPERITY_API asperity_status asperity_model_reset(asperity_model*, const double* inputs);

/* A step of h seconds to `inputs` (x, v, load for friction; asperity_model_input lists them), by the
 * model's closed form where it has one. Writes the outputs. After a failure the state is that before
 * the step, unless an output is not finite. */
ASPERITY_API asperity_status asperity_model_step(asperity_model*, const double* inputs, double h,
                                                 double* outputs);

/* The same together with the body, so that what sticks stays where it is: `free` is what the velocity
 * (across a contact: the gap) would be at the end without the force, `mobility` what each newton
 * changes it by, h/m for a mass m (h*h/m for a gap). `inputs` has the places at the start and the
 * load. Afterwards asperity_model_inputs_now has the velocity. Models with a closed form only. */
ASPERITY_API asperity_status asperity_model_step_coupled(asperity_model*, const double* inputs,
                                                         const double* free_end,
                                                         const double* mobility, double h,
                                                         double* outputs);
ASPERITY_API int asperity_model_can_couple(const asperity_model*);

/* What it is now; the arrays have as many numbers as the card says, and stay where they are until the
 * next reset. */
ASPERITY_API const double* asperity_model_inputs_now(const asperity_model*);
ASPERITY_API const double* asperity_model_outputs_now(const asperity_model*);
ASPERITY_API const double* asperity_model_state(const asperity_model*);
ASPERITY_API asperity_status asperity_model_set_state(asperity_model*, const double* state,
                                                      size_t count);
/* Stored now, and the work done on the model since the reset; their difference was lost [J]. */
ASPERITY_API double asperity_model_stored_energy(const asperity_model*);
ASPERITY_API double asperity_model_work(const asperity_model*);

/* ---- scenarios --------------------------------------------------------------------------------- */

typedef struct asperity_run asperity_run;

/* Runs a scenario (docs/scenario-files.md) given as text. `folder` is where relative file names in
 * it start, NULL: the current one. `settings` are NULL or `count` texts such as "friction.F_s=2".
 * ASPERITY_INCOMPLETE where the run ended early: `run` is there nevertheless. */
ASPERITY_API asperity_status asperity_run_text(const char* toml, const char* folder,
                                               const char* const* settings, size_t count,
                                               asperity_run** run);
ASPERITY_API asperity_status asperity_run_file(const char* file, const char* const* settings,
                                               size_t count, asperity_run** run);
ASPERITY_API void asperity_run_destroy(asperity_run*);
ASPERITY_API const char* asperity_run_outcome(const asperity_run*); /* "completed" ... */
ASPERITY_API size_t asperity_run_columns(const asperity_run*);
ASPERITY_API size_t asperity_run_rows(const asperity_run*);
ASPERITY_API const char* asperity_run_column_name(const asperity_run*, size_t column);
ASPERITY_API const char* asperity_run_column_unit(const asperity_run*, size_t column);
/* By index or by name; NULL where there is none. */
ASPERITY_API const double* asperity_run_column(const asperity_run*, size_t column);
ASPERITY_API const double* asperity_run_find(const asperity_run*, const char* name);
ASPERITY_API size_t asperity_run_events(const asperity_run*);
ASPERITY_API const char* asperity_run_event_name(const asperity_run*, size_t event);
ASPERITY_API double asperity_run_event_time(const asperity_run*, size_t event);
ASPERITY_API size_t asperity_run_warnings(const asperity_run*);
ASPERITY_API const char* asperity_run_warning(const asperity_run*, size_t index);

#ifdef __cplusplus
}
#endif

#endif
