// SPDX-License-Identifier: Apache-2.0
#pragma once

// The documentation as a web site of plain files: start, choosing a model, concepts, a page for each
// model and system with plots and code, guides, reference. It is read from a disc or from a server;
// nothing is fetched from elsewhere, and search works offline. Nothing depends on the clock or the
// number of threads.

#include <atomic>
#include <functional>
#include <string>
#include <vector>

namespace asperity {

struct guide_options {
  // The folder of the sources (README.md, docs, asperity, c, python): guides and the reference of the
  // interfaces are made from it, and left out where it is empty.
  std::string source;
  // Addresses of a report and of the lab, as seen from the folder of the site; empty: no link.
  std::string report, lab;
  std::string commands;  // the reference of the command line, as HTML
  bool has_plots = true;
  unsigned threads = 1;
  const std::atomic<bool>* interrupt = nullptr;
  std::function<void(double share)> progress = nullptr;  // from one thread at a time
};

// Writes the site into a folder, which appears whole or not at all. Returns warnings: links that lead
// nowhere, plots that could not be made. Throws asperity::error and asperity::interruption.
std::vector<std::string> write_guide(const std::string& folder, const guide_options&);

}  // namespace asperity
