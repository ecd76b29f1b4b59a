// SPDX-License-Identifier: Apache-2.0
#pragma once

// Keys describe themselves. An entry (a system, an input signal) names each key that it takes once,
// with unit, range, default and meaning. A builder without a source lists them; with a source it
// reads them as it goes, too, so that what is listed is what is read.

#include <asperity/catalogue/any_model.hpp>
#include <asperity/mechanics/signal.hpp>
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
  virtual std::vector<double> numbers(const std::string& key, unit in, range allowed) = 0;
  virtual long long whole(const std::string& key, range allowed, long long otherwise) = 0;
  virtual bool flag(const std::string& key, bool otherwise) = 0;
  virtual std::string word(const std::string& key, const std::vector<std::string>& allowed,
                           const std::string& otherwise) = 0;  // required where that is empty
  virtual std::string text(const std::string& key, const std::string* otherwise) = 0;
  virtual any_model model(const std::string& key, const std::string& family) = 0;
  // Two columns of the CSV file that `key` names, the first of which increases.
  struct series {
    std::vector<double> times, values;
  };
  virtual series columns(const std::string& key, const std::string& times,
                         const std::string& values) = 0;
  virtual std::shared_ptr<key_source> table(const std::string& key) = 0;
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

  void required(const std::string& name, double& value, unit in, range allowed,
                const std::string& meaning);
  // The default is what the value is; `otherwise` says it in words, where a number would not.
  void optional(const std::string& name, double& value, unit in, range allowed,
                const std::string& meaning, const std::string& otherwise = {});
  void optional(const std::string& name, long long& value, range allowed,
                const std::string& meaning, const std::string& otherwise = {});
  void optional(const std::string& name, bool& value, const std::string& meaning);
  void required(const std::string& name, std::vector<double>& values, unit in, range allowed,
                const std::string& meaning);
  // Inputs: a number, or a table with `kind`.
  void required(const std::string& name, signal& shape, unit in, const std::string& meaning);
  void optional(const std::string& name, signal& shape, unit in, const std::string& meaning);
  std::string word(const std::string& name, const std::vector<std::string>& allowed,
                   const std::string& meaning, const std::string& otherwise = {});
  std::string text(const std::string& name, const std::string& meaning);
  std::string text(const std::string& name, const std::string& meaning,
                   const std::string& otherwise);
  // A model of the family that the table is named after.
  any_model model(const std::string& name, const std::string& meaning, bool is_required = true);
  // The only one of several that may be there, and the name of its table.
  struct named_model {
    std::string table;
    any_model model;
  };
  named_model one_model(const std::vector<std::string>& names, const std::string& meaning);

  // Lists a key that its reader reads in another way.
  void mention(key_entry key) { keys_->push_back(std::move(key)); }

  key_builder table(const std::string& name, const std::string& meaning, bool is_required = true);
  std::vector<key_builder> tables(const std::string& name, const std::string& meaning,
                                  const std::string& wanted);
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

 private:
  std::vector<key_entry>* keys_;
  std::string table_;
  std::shared_ptr<key_source> from_;

  key_entry& note(key_entry::kind is, const std::string& name, const std::string& meaning,
                  bool is_required = false, unit in = units::one, range allowed = any_value);
};

}  // namespace asperity
