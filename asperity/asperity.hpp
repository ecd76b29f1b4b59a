// SPDX-License-Identifier: Apache-2.0
#pragma once

// The front door. What most programs need: models by name, scenarios and their runs, systems of one's
// own and methods to run them. docs/cpp.md shows each in a few lines.
//
// Models as templates, without any library, are headers of their own: asperity/models/<family>.

#include <asperity/catalogue/catalogue.hpp>         // models by run-time names
#include <asperity/error.hpp>                       // what is thrown
#include <asperity/inclusion/inclusion_system.hpp>  // systems stated with sgn and dio
#include <asperity/integrate/method.hpp>            // methods of integration
#include <asperity/run/measure.hpp>                 // numbers taken from a run
#include <asperity/run/output.hpp>                  // runs as CSV and JSON
#include <asperity/run/simulate.hpp>                // scenarios and their runs
