// SPDX-License-Identifier: Apache-2.0
#include <sys/wait.h>

#include <algorithm>
#include <asperity/draw/child.hpp>
#include <asperity/integrate/watch.hpp>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <thread>

namespace asperity {

int wait_for(pid_t process, const std::atomic<bool>* interrupt) {
  using std::chrono::microseconds;
  constexpr microseconds longest{5000};
  int status = 0;
  // Short waits first: most pictures are drawn in some 50 ms.
  for (microseconds pause{200}; interrupt != nullptr; pause = std::min(2 * pause, longest)) {
    const pid_t ended = waitpid(process, &status, WNOHANG);
    if (ended == process) return status;
    if (ended < 0 && errno != EINTR) return status;
    if (is_set(interrupt)) kill(process, SIGKILL);
    std::this_thread::sleep_for(pause);
  }
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

}  // namespace asperity
