// SPDX-License-Identifier: Apache-2.0
#include <asperity/batch/planar_lanes.hpp>

namespace asperity::detail {

#if defined(__x86_64__)
template std::unique_ptr<lane_block> planar_block_in<avx2_lanes>(const system&, lane_rows,
                                                                 batch_method);
#endif

}  // namespace asperity::detail
