// SPDX-License-Identifier: Apache-2.0
#pragma once

// A contact that is moved, sliding and spinning: q' is given, and the friction is what is asked for.

#include <asperity/mechanics/planar_keys.hpp>
