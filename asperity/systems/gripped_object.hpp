// SPDX-License-Identifier: Apache-2.0
#pragma once

// An object between the pads of a gripper: a planar_body whose contact stays where the pads are,
// with gravity along -y.

#include <asperity/systems/planar_body.hpp>
