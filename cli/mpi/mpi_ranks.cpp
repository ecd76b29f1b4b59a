// SPDX-License-Identifier: Apache-2.0
// Ranks over MPI: a module of its own, so that the tool starts without MPI and runs where there is
// none.

#include <mpi.h>

#include <asperity/sweep/ranks.hpp>
#include <list>
#include <stdexcept>

namespace {

void check(int code) {
  if (code != MPI_SUCCESS) throw std::runtime_error("MPI failed");
}

class mpi_ranks : public asperity::ranks {
 public:
  mpi_ranks() {
    int provided = 0;
    check(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided));
    check(MPI_Comm_rank(MPI_COMM_WORLD, &rank_));
    check(MPI_Comm_size(MPI_COMM_WORLD, &size_));
    MPI_Comm here = MPI_COMM_NULL;
    check(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &here));
    check(MPI_Comm_rank(here, &rank_here_));
    check(MPI_Comm_free(&here));
  }
  ~mpi_ranks() override {
    for (auto& each : posted_)
      MPI_Wait(&each.request, MPI_STATUS_IGNORE);  // NOLINT(clang-analyzer-optin.mpi.MPI-Checker)
    MPI_Finalize();
  }

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  int rank_here() const override { return rank_here_; }

  void send(int to, const std::string& bytes) override {
    posted_.remove_if([](sent_message& each) {
      int sent = 0;
      check(MPI_Test(&each.request, &sent, MPI_STATUS_IGNORE));
      return sent != 0;
    });
    auto& mine = posted_.emplace_back();
    mine.bytes = bytes;
    // Waited for by a later send, or at the end: out of the checker's sight.
    // NOLINTNEXTLINE(clang-analyzer-optin.mpi.MPI-Checker)
    check(MPI_Isend(mine.bytes.data(), static_cast<int>(mine.bytes.size()), MPI_BYTE, to, 0,
                    MPI_COMM_WORLD, &mine.request));
  }

  std::optional<message> receive() override {
    int arrived = 0, size = 0;
    MPI_Status status;
    check(MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &arrived, &status));
    if (arrived == 0) return std::nullopt;
    check(MPI_Get_count(&status, MPI_BYTE, &size));
    message result{status.MPI_SOURCE, std::string(static_cast<std::size_t>(size), '\0')};
    check(MPI_Recv(result.bytes.data(), size, MPI_BYTE, result.from, 0, MPI_COMM_WORLD,
                   MPI_STATUS_IGNORE));
    return result;
  }

  bool all(bool yes) override {
    int mine = yes ? 1 : 0, everyone = 0;
    check(MPI_Allreduce(&mine, &everyone, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD));
    return everyone != 0;
  }

  void abandon(int exit_code) override { MPI_Abort(MPI_COMM_WORLD, exit_code); }

 private:
  struct sent_message {
    std::string bytes;
    MPI_Request request = MPI_REQUEST_NULL;
  };
  int rank_ = 0, size_ = 1, rank_here_ = 0;
  std::list<sent_message> posted_;  // under way
};

}  // namespace

extern "C" __attribute__((visibility("default"))) asperity::ranks* asperity_start_ranks();
asperity::ranks* asperity_start_ranks() { return new mpi_ranks; }
