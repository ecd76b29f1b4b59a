// SPDX-License-Identifier: Apache-2.0
#pragma once

// An index that is known only at run time would move an array out of the registers of a GPU.
#if defined(__CUDACC__)
#define ASPERITY_UNROLL _Pragma("unroll")
#else
#define ASPERITY_UNROLL
#endif
