// SPDX-License-Identifier: Apache-2.0
#pragma once

// Programs that we start.

#include <sys/types.h>

#include <atomic>

namespace asperity {

// Waits until a process has ended; an interrupt ends it. Returns its status, as waitpid does.
int wait_for(pid_t process, const std::atomic<bool>* interrupt);

}  // namespace asperity
