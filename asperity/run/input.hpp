// SPDX-License-Identifier: Apache-2.0
#pragma once

// Keys from a TOML document (keys.hpp), with models of the catalogue and files beside it.

#include <asperity/mechanics/input_signal.hpp>
#include <asperity/run/scenario.hpp>
#include <asperity/text/reader.hpp>
#include <optional>

namespace asperity {

// Where input files lie, and where copies of them go.
struct input_files {
  std::string folder;
  std::vector<scenario::attachment>* attachments;
};

// The values that [initial] gives to these states, by their names or as lists.
void read_start(reader& table, const std::vector<system_quantity>& states,
                std::vector<double>& start);

class toml_keys final : public key_source {
 public:
  // All of these outlive it.
  toml_keys(reader& of, const input_files& files, std::vector<std::string>& warnings)
      : reader_(&of), files_(files), warnings_(&warnings) {}
  toml_keys(reader&& own, const input_files& files, std::vector<std::string>& warnings)
      : own_(std::make_unique<reader>(std::move(own))),
        reader_(own_.get()),
        files_(files),
        warnings_(&warnings) {}

  reader& document() const { return *reader_; }
  const input_files& files() const { return files_; }
  std::vector<std::string>& warnings() const { return *warnings_; }

  bool has(const std::string& key) override { return reader_->find(key) != nullptr; }
  bool is_table(const std::string& key) override;
  double number(const std::string& key, unit in, range allowed, const double* otherwise) override;
  std::vector<double> numbers(const std::string& key, unit in, range allowed,
                              const std::vector<double>* otherwise) override;
  long long whole(const std::string& key, range allowed, long long otherwise) override;
  bool flag(const std::string& key, bool otherwise) override;
  std::string word(const std::string& key, const std::vector<std::string>& allowed,
                   const std::string& otherwise) override;
  std::string text(const std::string& key, const std::string* otherwise) override;
  any_model model(const std::string& key, const std::string& family) override;
  file_columns columns(const std::string& key, const std::vector<std::string>& names,
                       const std::string& copy) override;
  file_columns series(const std::string& key, const std::string& time, const std::string& column,
                      unit in) override;
  std::shared_ptr<key_source> table(const std::string& key, bool is_required) override;
  std::vector<std::shared_ptr<key_source>> tables(const std::string& key) override;
  void finish() override { reader_->finish(); }
  void make_rotary() override { reader_->make_rotary(); }
  void warn(const std::string& message) override;
  [[noreturn]] void fail(const std::string& key, const std::string& message) override;
  [[noreturn]] void fail_missing(const std::string& key, const std::string& wanted) override;

 private:
  std::unique_ptr<reader> own_;
  reader* reader_;
  input_files files_;
  std::vector<std::string>* warnings_;
};

// What a document says of the impacts on its contact; what it does not say is not there.
struct known_impact {
  std::optional<double> mass, speed, weight;  // [kg], [m/s], [N]
};

// The model in `table`, which must be of `family` ("friction" also allows curves). The damping of a
// contact may be given by `restitution`, of a mass without weight.
any_model read_model(reader& table, const std::string& family, std::vector<std::string>& warnings,
                     const known_impact& known = {});

struct input {
  signal shape;
  double shortest_period = unbounded;  // [s] of its sines: steps must not jump over them
};
// The input whose keys are in `table` itself.
input read_input_table(reader& table, unit in, const input_files& files);

}  // namespace asperity
