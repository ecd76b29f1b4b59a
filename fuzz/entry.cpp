// SPDX-License-Identifier: Apache-2.0
// How inputs reach a target: from libFuzzer or, where ASPERITY_FUZZ_REPLAY is defined, from files.

#include "fuzz/fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    asperity::fuzz::try_input({reinterpret_cast<const char*>(data), size});
  } catch (const asperity::error&) {
    // Refused, as it should be.
  }
  return 0;
}

#ifdef ASPERITY_FUZZ_REPLAY
int main(int count, char** arguments) {
  namespace fs = std::filesystem;
  std::vector<fs::path> files;
  for (int i = 1; i < count; ++i)
    for (const auto& each : fs::recursive_directory_iterator(arguments[i]))
      if (each.is_regular_file()) files.push_back(each.path());
  std::sort(files.begin(), files.end());
  for (const auto& file : files) {
    std::printf("%s\n", file.c_str());
    std::fflush(stdout);  // the last name is that of the input that failed
    std::ifstream stream(file, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(stream), {}};
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
  }
  if (files.empty()) std::fprintf(stderr, "fuzz: there are no inputs\n");
  return files.empty() ? 1 : 0;
}
#endif
