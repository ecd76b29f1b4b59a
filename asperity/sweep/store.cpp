// SPDX-License-Identifier: Apache-2.0
#include <SQLiteCpp/VariadicBind.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <asperity/error.hpp>
#include <asperity/quantity.hpp>
#include <asperity/run/output.hpp>
#include <asperity/sweep/store.hpp>
#include <asperity/sweep/sweep_file.hpp>
#include <asperity/text.hpp>
#include <asperity/text/open_file.hpp>
#include <cctype>
#include <ctime>
#include <deque>
#include <fstream>
#include <mutex>
#include <optional>

namespace asperity {

namespace {

// A claim from another machine, whose processes cannot be asked, holds so long [s].
constexpr double lease = 600;

// Columns of `results`: SQLite does not tell "k" from "K".
std::vector<std::string> column_names(const std::vector<std::string>& wanted) {
  const auto lower = [](std::string text) {
    for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return text;
  };
  std::vector<std::string> taken{"point", "branch", "outcome", "detail"}, result;
  for (std::string name : wanted) {
    while (std::find(taken.begin(), taken.end(), lower(name)) != taken.end()) name += "_";
    taken.push_back(lower(name));
    result.push_back(name);
  }
  return result;
}

// When a process started, in ticks since the machine did: tells it from a later one of its number.
std::string start_of(const std::string& process) {
  // A file of results may name any process.
  if (process.empty() || process.find_first_not_of("0123456789") != std::string::npos) return "";
  std::ifstream stream("/proc/" + process + "/stat");
  std::string line;
  if (!std::getline(stream, line)) return "";
  // After the name in brackets, which may hold anything, it is the 20th word.
  std::size_t at = line.rfind(')');
  for (int i = 0; i < 20 && at != std::string::npos; ++i) at = line.find(' ', at + 1);
  if (at == std::string::npos) return "";
  return line.substr(at + 1, line.find(' ', at + 1) - at - 1);
}

std::string host_name() {
  char name[256] = "";
  gethostname(name, sizeof name - 1);
  return name;
}

// "host process start"
std::string own_name() {
  const std::string process = fmt::format("{}", getpid());
  return fmt::format("{} {} {}", host_name(), process, start_of(process));
}

bool is_gone(const std::string& owner, double claimed, double now) {
  const auto first = owner.find(' '), second = owner.find(' ', first + 1);
  if (first == std::string::npos || second == std::string::npos) return true;
  if (owner.substr(0, first) != host_name()) return !(now - claimed <= lease);
  // Only the number of a process is looked up.
  const std::string process = owner.substr(first + 1, second - first - 1);
  if (process.empty() || process.find_first_not_of("0123456789") != std::string::npos) return true;
  return start_of(process) != owner.substr(second + 1);
}

double now() { return static_cast<double>(std::time(nullptr)); }

using namespace sweep_file;

// Executes a statement with these values, ready for the next ones.
template <class... Values>
void put(SQLite::Statement& statement, const Values&... values) {
  SQLite::bind(statement, values...);
  statement.exec();
  statement.reset();
}

bool has_tables(SQLite::Database& data) {
  return data.execAndGet("SELECT count(*) FROM sqlite_master").getInt() > 0;
}

// All that decides what the rows are.
facts facts_of(const sweep_plan& plan) {
  facts result;
  result["asperity"] = version();
  result["title"] = plan.base().title;
  result["document"] = plan.document_text();
  result["scenario"] = to_toml(plan.base().resolved);
  for (const auto& each : plan.base().attachments) result["attachment " + each.file] = each.text;
  result["seed"] = fmt::format("{}", plan.draws().empty() ? 0 : plan.seed());
  result["samples"] = fmt::format("{}", plan.samples());
  result["continuation"] = to_string(plan.along());
  if (plan.in_float()) result["precision"] = "float";  // a table is of one kind
  result["points"] = fmt::format("{}", plan.points());
  for (std::size_t i = 0; i < plan.axes().size(); ++i)
    result[fmt::format("axis {}", i + 1)] =
        fmt::format("{}={}", plan.axes()[i].name, without_blanks(plan.axes()[i].text));
  for (std::size_t i = 0; i < plan.draws().size(); ++i)
    result[fmt::format("sample {}", i + 1)] =
        fmt::format("{}={}", plan.draws()[i].name, without_blanks(plan.draws()[i].text));
  for (std::size_t i = 0; i < plan.measures().size(); ++i)
    result[fmt::format("measure {}", i + 1)] = plan.measures()[i].name;
  return result;
}

// Where two texts part, for a message of one line.
std::string first_difference(const std::string& a, const std::string& b) {
  const auto line_at = [](const std::string& text, std::size_t at) {
    const std::size_t from = at == 0 ? 0 : text.rfind('\n', at - 1) + 1;
    return text.substr(from, text.find('\n', from) - from);
  };
  std::size_t at = 0;
  while (at < a.size() && at < b.size() && a[at] == b[at]) ++at;
  const auto shown = [&](const std::string& text) {
    return shortened(line_at(text, std::min(at, text.size())), 80);
  };
  return fmt::format("'{}' in the file, '{}' now", shown(a), shown(b));
}

void refuse_other(const std::string& file, const facts& there, const facts& here) {
  for (const auto* side : {&here, &there})
    for (const auto& [key, value] : *side) {
      if (key == "chunk_size" || key == "points") continue;
      const auto a = there.find(key), b = here.find(key);
      // A file without a precision is in double.
      const std::string none = key == "precision" ? "double" : "";
      const std::string in_file = a == there.end() ? none : a->second;
      const std::string wanted = b == here.end() ? none : b->second;
      if (a != there.end() && b != here.end() && in_file == wanted) continue;
      if (key == "asperity")
        throw error(
            fmt::format("'{}' was written by version {} of asperity, but this is version {}: name "
                        "another file with --out",
                        file, shortened(printable(in_file), 40), wanted));
      throw error(fmt::format(
          "'{}' contains a different sweep: {}: {}; name another file with --out, or remove it",
          file, key == "document" ? "scenario" : shortened(printable(key), 40),
          first_difference(in_file, wanted)));
    }
}

// Statements that write chunks. A statement costs as much as a row of numbers, so that one of them
// takes many rows.
class chunk_writer {
 public:
  chunk_writer(SQLite::Database& data, const sweep_plan& plan, std::size_t columns)
      : plan_(plan),
        columns_(static_cast<int>(columns)),
        // SQLite has at least 32766 marks in a statement.
        together_(std::clamp<std::size_t>(16'000 / columns, 1, 128)),
        parameters_(plan.axes().size() + plan.draws().size()),
        one_(data, text_for(1)),
        many_(data, text_for(together_)),
        item_(data, "INSERT OR REPLACE INTO lists VALUES (?, ?, ?, ?)"),
        done_(data, "UPDATE chunks SET done = 1, owner = NULL, claimed = NULL WHERE chunk = ?") {}

  void write(long long chunk, const std::vector<point_result>& results) {
    const long long first = chunk * plan_.chunk_size();
    const std::size_t whole = results.size() / together_ * together_;
    for (std::size_t k = 0; k < results.size();) {
      SQLite::Statement& insert = k < whole ? many_ : one_;
      int at = 1;
      for (const std::size_t end = k + (k < whole ? together_ : 1); k < end; ++k)
        bind(insert, at, first + static_cast<long long>(k), results[k]);
      insert.exec();
      insert.reset();
    }
    write_lists(first, results);
    put(done_, static_cast<int64_t>(chunk));
  }

 private:
  const sweep_plan& plan_;
  int columns_;
  std::size_t together_;
  std::vector<double> parameters_;
  SQLite::Statement one_, many_, item_, done_;

  std::string text_for(std::size_t rows) const {
    std::string marks = "(?";
    for (int i = 1; i < columns_; ++i) marks += ", ?";
    marks += ")";
    std::string sql = "INSERT OR REPLACE INTO results VALUES " + marks;
    for (std::size_t i = 1; i < rows; ++i) sql += ", " + marks;
    return sql;
  }

  // Texts stay where they are until the row is written.
  void bind(SQLite::Statement& row, int& at, long long point, const point_result& result) {
    row.bind(at++, static_cast<int64_t>(point));
    if (plan_.along() != continuation::none)
      row.bindNoCopy(at, plan_.goes_up(point) ? "up" : "down");
    ++at;  // otherwise nothing, as at first
    plan_.parameters(point, parameters_);
    for (const double value : parameters_) row.bind(at++, value);
    row.bindNoCopy(at++, result.outcome);
    if (result.detail.empty()) {
      row.bind(at++);
    } else {
      row.bindNoCopy(at++, result.detail);
    }
    for (const double value : result.values) row.bind(at++, value);  // NaN becomes NULL
  }

  void write_lists(long long first, const std::vector<point_result>& results) {
    for (std::size_t k = 0; k < results.size(); ++k) {
      if (results[k].lists.empty()) continue;
      const auto point = static_cast<int64_t>(first) + static_cast<int64_t>(k);
      std::size_t list = 0;
      for (std::size_t m = 0; m < plan_.measures().size(); ++m) {
        if (!plan_.measures()[m].is_list || list >= results[k].lists.size()) continue;
        const auto& values = results[k].lists[list++];
        for (std::size_t i = 0; i < values.size(); ++i)
          put(item_, point, static_cast<int64_t>(m), static_cast<int64_t>(i), values[i]);
      }
    }
  }
};

}  // namespace

class sweep_store::impl {
 public:
  std::string file, owner = own_name();
  SQLite::Database data;
  const sweep_plan& plan;
  std::vector<std::string> columns;
  std::deque<long long> in_hand;  // claimed, not yet given out
  std::mutex lock;

  impl(const std::string& name, const sweep_plan& p)
      : file(name),
        data(open_database(name, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE)),
        plan(p) {
    std::vector<std::string> names;
    for (const auto& each : plan.axes()) names.push_back(each.name);
    for (const auto& each : plan.draws()) names.push_back(each.name);
    for (const auto& each : plan.measures()) names.push_back(each.name);
    columns = column_names(names);
  }

  std::size_t parameters() const { return plan.axes().size() + plan.draws().size(); }
  table_statement results() const {
    const auto first_measure = columns.begin() + static_cast<std::ptrdiff_t>(parameters());
    return results_table({columns.begin(), first_measure}, {first_measure, columns.end()});
  }

  void create() {
    mark_as_ours(data);
    for (const auto& each : fixed_tables()) data.exec(each.sql);
    data.exec(results().sql);

    SQLite::Statement about(data, "INSERT INTO about VALUES (?, ?)");
    auto known = facts_of(plan);
    known["chunk_size"] = fmt::format("{}", plan.chunk_size());
    for (const auto& [key, value] : known) put(about, key, value);
    SQLite::Statement parameter(data, "INSERT INTO parameters VALUES (?, ?, ?, ?, ?, ?)");
    const auto add = [&](const auto& each, std::size_t position, int drawn) {
      put(parameter, static_cast<int64_t>(position), each.name, to_string(each.in), each.text,
          drawn, columns[position]);
    };
    for (std::size_t i = 0; i < plan.axes().size(); ++i) add(plan.axes()[i], i, 0);
    for (std::size_t i = 0; i < plan.draws().size(); ++i)
      add(plan.draws()[i], plan.axes().size() + i, 1);
    SQLite::Statement measured(data, "INSERT INTO measures VALUES (?, ?, ?, ?, ?)");
    for (std::size_t i = 0; i < plan.measures().size(); ++i) {
      const auto& each = plan.measures()[i];
      put(measured, static_cast<int64_t>(i), each.name, to_string(each.in), each.is_list ? 1 : 0,
          columns[parameters() + i]);
    }
    SQLite::Statement chunk(data, "INSERT INTO chunks (chunk) VALUES (?)");
    for (long long i = 0; i < plan.chunks(); ++i) put(chunk, static_cast<int64_t>(i));
  }

  // All of its chunks must be there, each once, done or not: whoever waits for one that is missing
  // waits for ever.
  void check_chunks() {
    rows all(data, file, "chunks",
             "SELECT count(*), count(DISTINCT chunk), coalesce(min(chunk), 0), "
             "coalesce(max(chunk), 0), count(CASE WHEN done IN (0, 1) THEN 1 END) FROM chunks");
    all.next();
    const long long wanted = plan.chunks();
    for (const int count : {0, 1, 4}) all.whole(count, wanted, wanted);
    all.whole(2, 0, 0);
    all.whole(3, wanted - 1, wanted - 1);
  }

  // Claims as many free chunks as suit `threads`: fewer and fewer towards the end, so that all
  // processes end together.
  void take(int threads) {
    SQLite::Transaction whole(data, SQLite::TransactionBehavior::IMMEDIATE);
    const auto open =
        data.execAndGet("SELECT count(*) FROM chunks WHERE done = 0 AND owner IS NULL").getInt64();
    const auto wanted = std::clamp<std::int64_t>(open / 8, 1, std::int64_t{2} * threads);
    {
      rows free(data, file, "chunks",
                "SELECT chunk FROM chunks WHERE done = 0 AND owner IS NULL ORDER BY chunk LIMIT ?");
      free.bind(wanted);
      while (free.next()) in_hand.push_back(free.whole(0, 0, plan.chunks() - 1));
    }
    SQLite::Statement mark(data, "UPDATE chunks SET owner = ?, claimed = ? WHERE chunk = ?");
    for (const long long chunk : in_hand) put(mark, owner, now(), static_cast<int64_t>(chunk));
    if (in_hand.empty()) return;  // nothing to write
    whole.commit();
  }

  // Claims of processes that are gone become free. Returns whether there were any.
  bool free_lost_claims() {
    std::vector<std::string> gone;
    {
      rows claims(data, file, "chunks",
                  "SELECT owner, coalesce(max(claimed), 0.0) FROM chunks WHERE done = 0 AND owner "
                  "IS NOT NULL GROUP BY owner");
      while (claims.next()) {
        const std::string other = claims.text(0);
        if (other != owner && is_gone(other, claims.number(1), now())) gone.push_back(other);
      }
    }
    if (gone.empty()) return false;
    SQLite::Transaction whole(data, SQLite::TransactionBehavior::IMMEDIATE);
    SQLite::Statement clear(data, "UPDATE chunks SET owner = NULL WHERE done = 0 AND owner = ?");
    for (const auto& each : gone) put(clear, each);
    whole.commit();
    return true;
  }

  void write(const std::vector<finished_chunk>& chunks) {
    if (!writer_) writer_.emplace(data, plan, columns.size() + 4);
    // Neighbours go to the same pages.
    std::vector<const finished_chunk*> in_order;
    in_order.reserve(chunks.size());
    for (const auto& each : chunks) in_order.push_back(&each);
    std::sort(in_order.begin(), in_order.end(),
              [](const auto* a, const auto* b) { return a->chunk < b->chunk; });
    SQLite::Transaction whole(data, SQLite::TransactionBehavior::IMMEDIATE);
    try {
      for (const auto* each : in_order) writer_->write(each->chunk, each->results);
    } catch (...) {
      writer_.reset();  // a statement that failed holds on to the transaction
      throw;
    }
    whole.commit();
  }

 private:
  std::optional<chunk_writer> writer_;
};

sweep_store::sweep_store(const std::string& file, sweep_plan& plan) : points_(plan.points()) {
  guarded(file, [&] {
    impl_ = std::make_unique<impl>(file, plan);
    auto& data = impl_->data;
    data.exec("PRAGMA synchronous = FULL");
    // A transaction fits: pages that have to leave early are written to the disk twice.
    data.exec("PRAGMA cache_size = -65536");  // [kB]
    if (has_tables(data)) check_pages(data, file);
    SQLite::Transaction whole(data, SQLite::TransactionBehavior::IMMEDIATE);
    if (!has_tables(data)) {
      impl_->create();
    } else {
      check_kind(data, file);
      check_tables(data, file, fixed_tables());
      const auto there = read_facts(data, file);
      refuse_other(file, there, facts_of(plan));
      check_tables(data, file, {impl_->results()});
      const long long size = whole_fact(there, "chunk_size", file, 1, plan.points());
      // A continuation goes along the last axis as a whole.
      if (plan.along() != continuation::none && size != plan.chunk_size())
        damaged(file, fmt::format("its chunks have {} points", size));
      plan.set_chunk_size(size);
      impl_->check_chunks();
    }
    whole.commit();
    impl_->free_lost_claims();
  });
}

sweep_store::~sweep_store() {
  try {
    release();
  } catch (const error&) {
    // The claims of this process end with it.
  }
}

std::optional<long long> sweep_store::claim(int threads) {
  const std::lock_guard only(impl_->lock);
  return guarded(impl_->file, [&]() -> std::optional<long long> {
    auto& hand = impl_->in_hand;
    if (hand.empty()) impl_->take(threads);
    if (hand.empty() && impl_->free_lost_claims()) impl_->take(threads);
    if (hand.empty()) return std::nullopt;
    const long long chunk = hand.front();
    hand.pop_front();
    return chunk;
  });
}

void sweep_store::finish(const std::vector<finished_chunk>& chunks) {
  const std::lock_guard only(impl_->lock);
  guarded(impl_->file, [&] { impl_->write(chunks); });
}

void sweep_store::release() {
  const std::lock_guard only(impl_->lock);
  guarded(impl_->file, [&] {
    impl_->in_hand.clear();
    SQLite::Statement mine(impl_->data,
                           "UPDATE chunks SET owner = NULL WHERE done = 0 AND owner = ?");
    put(mine, impl_->owner);
  });
}

long long sweep_store::finished_points() {
  const std::lock_guard only(impl_->lock);
  return guarded(impl_->file, [&] {
    const auto& plan = impl_->plan;
    rows done(impl_->data, impl_->file, "chunks",
              "SELECT count(*), coalesce(max(chunk), 0) FROM chunks WHERE done = 1");
    done.next();
    const long long chunks = done.whole(0, 0, plan.chunks());
    const long long highest = done.whole(1, 0, plan.chunks() - 1);
    const long long missing = plan.chunks() * plan.chunk_size() - plan.points();
    const bool with_last = chunks > 0 && highest == plan.chunks() - 1;
    return chunks * plan.chunk_size() - (with_last ? missing : 0);
  });
}

}  // namespace asperity
