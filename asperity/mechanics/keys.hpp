// SPDX-License-Identifier: Apache-2.0
#pragma once

// Keys describe themselves. An entry (a system, an input signal) names each key that it takes once,
// with unit, range, default and meaning. A builder without a source lists them; with a source it
// reads them as it goes, too, so that what is listed is what is read.

#include <asperity/catalogue/any_model.hpp>
#include <asperity/error.hpp>
#include <asperity/mechanics/signal.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace asperity {

struct key_entry {
  enum class kind { number, numbers, whole, flag, word, text, signal, model, table, tables };

  kind is;
  std::string table;  // "system", "fit"; empty for the document itself
  std::string name;
  std::string meaning;
  unit in = {};
  range allowed = any_value;
  bool required = false;
  std::string otherwise = {};           // the default, in words
  std::vector<std::string> words = {};  // that are allowed; of a model: its families
};

// Where the keys of one table come from: a TOML document, arguments of another language. What it
// cannot give it refuses by asperity::error, with the place, the value and what is allowed.
class key_source {
 public:
  virtual ~key_source() = default;
  virtual bool has(const std::string& key) = 0;
  virtual bool is_table(const std::string& key) = 0;
  // Required where there is no `otherwise`.
  virtual double number(const std::string& key, unit in, range allowed,
                        const double* otherwise) = 0;
  // As many as `otherwise` has, or one that stands for all of them; required where there is none.
  virtual std::vector<double> numbers(const std::string& key, unit in, range allowed,
                                      const std::vector<double>* otherwise = nullptr) = 0;
  virtual long long whole(const std::string& key, range allowed, long long otherwise) = 0;
  virtual bool flag(const std::string& key, bool otherwise) = 0;
  virtual std::string word(const std::string& key, const std::vector<std::string>& allowed,
                           const std::string& otherwise) = 0;  // required where that is empty
  virtual std::string text(const std::string& key, const std::string* otherwise) = 0;
  virtual any_model model(const std::string& key, const std::string& family) = 0;
  // Columns of the CSV file that `key` names, and a way to refuse one of their values. Results keep a
  // copy of the file, which is named after this table and `copy`.
  struct file_columns {
    std::vector<std::vector<double>> values;
    std::function<void(const char* column, std::size_t row, const std::string& message)> refuse;
  };
  virtual file_columns columns(const std::string& key, const std::vector<std::string>& names,
                               const std::string& copy) = 0;
  // Times, which rise, and the column of values in `in` of a CSV or HDF5 file, both by expressions
  // such as "-force [kN]*2" (docs/measured-data.md). A copy is kept in the same way.
  virtual file_columns series(const std::string& key, const std::string& time,
                              const std::string& column, unit in) = 0;
  // One that is missing and not required counts as empty.
  virtual std::shared_ptr<key_source> table(const std::string& key, bool is_required = true) = 0;
  virtual std::vector<std::shared_ptr<key_source>> tables(const std::string& key) = 0;
  virtual void finish() = 0;  // refuses what nobody asked for
  // What is read from here on, in this table and those inside it, is of a motion about an axis.
  virtual void make_rotary() = 0;
  virtual void warn(const std::string& message) = 0;
  // At a key of this table, or "contact.model" of one inside it.
  [[noreturn]] virtual void fail(const std::string& key, const std::string& message) = 0;
  [[noreturn]] virtual void fail_missing(const std::string& key, const std::string& wanted) = 0;
};

class key_builder {
 public:
  key_builder(std::vector<key_entry>& keys, std::string table, std::shared_ptr<key_source> from)
      : keys_(&keys), table_(std::move(table)), from_(std::move(from)) {}

  // While it lists, values keep what they are, where that is allowed, and refusals are passed over.
  bool lists() const { return from_ == nullptr; }
  key_source* source() const { return from_.get(); }
  // While it lists every key is there.
  bool has(const std::string& key) const { return lists() || from_->has(key); }

  // `when` says in which cases it is one of the keys, where that is not always.
  void required(const std::string& name, double& value, unit in, range allowed,
                const std::string& meaning, const std::string& when = {});
  // The default is what the value is; `otherwise` says it in words, where a number would not.
  void optional(const std::string& name, double& value, unit in, range allowed,
                const std::string& meaning, const std::string& otherwise = {});
  void optional(const std::string& name, long long& value, range allowed,
                const std::string& meaning, const std::string& otherwise = {});
  void optional(const std::string& name, bool& value, const std::string& meaning);
  void required(const std::string& name, std::vector<double>& values, unit in, range allowed,
                const std::string& meaning, const std::string& when = {});
  void optional(const std::string& name, std::vector<double>& values, unit in, range allowed,
                const std::string& meaning, const std::string& otherwise);
  // Inputs: a number, or a table with `kind`.
  void required(const std::string& name, signal& shape, unit in, const std::string& meaning);
  void optional(const std::string& name, signal& shape, unit in, const std::string& meaning);
  std::string word(const std::string& name, const std::vector<std::string>& allowed,
                   const std::string& meaning, const std::string& otherwise = {});
  std::string text(const std::string& name, const std::string& meaning);
  std::string text(const std::string& name, const std::string& meaning,
                   const std::string& otherwise);
  // A model of the family that the table is named after, or of another one.
  any_model model(const std::string& name, const std::string& meaning, bool is_required = true);
  any_model model_of(const std::string& family, const std::string& name, const std::string& meaning,
                     bool is_required = true);
  // The only one of several that may be there, and the name of its table.
  struct named_model {
    std::string table;
    any_model model;
  };
  named_model one_model(const std::vector<std::string>& names, const std::string& meaning);

  // Columns of a CSV file.
  key_source::file_columns columns(const std::string& name, const std::vector<std::string>& columns,
                                   const std::string& meaning, const std::string& when);

  // A table whose keys the system reads by itself, and the word after `model` in it.
  struct model_table;
  model_table table_of_model(const std::string& name, const std::vector<std::string>& families,
                             const std::string& meaning);
  key_builder table(const std::string& name, const std::string& meaning, bool is_required = true);
  // At least one, unless `wanted`, what a message asks for, is empty.
  std::vector<key_builder> tables(const std::string& name, const std::string& meaning,
                                  const std::string& wanted);
  // The same keys, which are not listed: those of a model are on the card of the model.
  key_builder unlisted() const;
  void finish() const {
    if (!lists()) from_->finish();
  }

  void refuse(const std::string& key, const std::string& message) const {
    if (!lists()) from_->fail(key, message);
  }
  void miss(const std::string& key, const std::string& wanted) const {
    if (!lists()) from_->fail_missing(key, wanted);
  }
  void warn(const std::string& message) const {
    if (!lists()) from_->warn(message);
  }
  // What `make` returns; what it complains of is refused at the key.
  template <class Make>
  auto made(const std::string& key, const Make& make) const {
    try {
      return make();
    } catch (const error& problem) {
      if (!lists()) from_->fail(key, problem.what());
      throw;
    }
  }

 private:
  std::shared_ptr<std::vector<key_entry>> own_;  // of a builder that does not list
  std::vector<key_entry>* keys_;
  std::string table_;
  std::shared_ptr<key_source> from_;

  key_entry& note(key_entry::kind is, const std::string& name, const std::string& meaning,
                  bool is_required = false, unit in = units::one, range allowed = any_value);
  key_builder inside(const std::string& name, std::shared_ptr<key_source> from) const;
};

struct key_builder::model_table {
  std::string model;
  key_builder table;
};

// The parameters of a law by the names on its card, which has no lists.
template <class Law>
void read_parameters(key_builder& table, Law& law) {
  for (auto& each : card_of<double>(law).parameters)
    table.optional(each.name, *each.value.front(), each.in, each.allowed, each.meaning);
}

}  // namespace asperity
