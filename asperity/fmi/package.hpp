// SPDX-License-Identifier: Apache-2.0
#pragma once

// An FMU: an archive of modelDescription.xml, our run-time as its binary, and the scenario.

#include <asperity/fmi/description.hpp>
#include <asperity/fmi/zip.hpp>

namespace asperity::fmi {

enum class standard { fmi_2, fmi_3 };

// Which kinds of simulation it offers.
struct kinds {
  bool co_simulation = true, model_exchange = true;
};

// A name for files and functions: letters, digits and _, not a digit first.
std::string identifier_of(const std::string& name);
// What ties a description to its binary: a hash of the scenario and of our version.
std::string token_of(std::string_view scenario_text);

// `sources` are the files that are compiled, as named in the folder `sources`; none where it has none.
// FMI 2.0 has them in its description, FMI 3.0 in a file of their own.
std::string model_description(const description&, standard, const kinds&, const std::string& token,
                              const std::vector<std::string>& sources = {});
std::string build_description(const std::string& identifier,
                              const std::vector<std::string>& sources);

struct request {
  toml_value document;
  std::string name, folder;         // relative file names start from there
  std::vector<std::string> inputs;  // that the importer gives, beside those of kind "external"
  standard version = standard::fmi_2;
  kinds wanted;
  bool must_have_model_exchange = false;  // refuse where it cannot be, instead of leaving it out
  std::string runtime;                    // bytes of libasperity_fmu.so
  std::string source;                     // of an inclusion, as code; may be empty
  std::vector<zip_entry> sources;         // what the run-time is made of; may be empty
  std::string scratch;                    // a folder that does not exist, for copies of input files
};

struct packed {
  std::string bytes;
  description about;
  kinds has;
  std::vector<std::string> files;  // in the archive
};

// Throws asperity::error.
packed pack(const request&);

// Inside of an FMU: the scenario in its folder `resources`, and its token.
struct unpacked {
  description about;
  std::string token;
};
unpacked load(const std::string& resources);

}  // namespace asperity::fmi
