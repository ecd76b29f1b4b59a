// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <asperity/models/contact/dai_contact_nonlinear.hpp>
