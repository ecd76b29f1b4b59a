// SPDX-License-Identifier: Apache-2.0
#include <asperity/batch/lane_blocks.hpp>

namespace asperity::detail {

template std::unique_ptr<lane_block> sphere_block_in<baseline_lanes>(const system&, lane_rows,
                                                                     batch_method);

}  // namespace asperity::detail
