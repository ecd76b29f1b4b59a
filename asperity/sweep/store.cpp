// SPDX-License-Identifier: Apache-2.0
#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <unistd.h>

#include <algorithm>
#include <asperity/catalogue/quantity.hpp>
#include <asperity/error.hpp>
#include <asperity/scenario/output.hpp>
#include <asperity/scenario/ranges.hpp>
#include <asperity/sweep/store.hpp>
#include <cctype>
#include <charconv>
#include <ctime>
#include <deque>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <mutex>

namespace asperity {

namespace {

constexpr int application_id = 0x41737052;  // "AspR"
constexpr int format_version = 1;
constexpr int patience_ms = 60'000;  // with another process that writes
// A claim from another machine, whose processes cannot be asked, holds so long [s].
constexpr double lease = 600;

// What SQLite says, in the words of somebody who has a disk and a file.
template <class Work>
auto guarded(const std::string& file, Work work) {
  try {
    return work();
  } catch (const SQLite::Exception& problem) {
    const int code = problem.getErrorCode() & 0xff;
    switch (code) {
      case SQLITE_FULL:
      case SQLITE_IOERR:
        throw error(fmt::format(
            "cannot write '{}': {}, so the disk is full or a limit is reached; what was finished "
            "is kept: make room and run the same command again",
            file, problem.what()));
      case SQLITE_NOTADB:
      case SQLITE_CORRUPT:
        throw error(fmt::format("'{}' is not a file of sweeps: {}", file, problem.what()));
      case SQLITE_BUSY:
        throw error(fmt::format("'{}': another process has held it for more than {} s", file,
                                patience_ms / 1000));
      default:
        throw error(fmt::format("cannot use '{}': {}", file, problem.what()));
    }
  }
}

std::string sql_name(std::string_view name) {
  std::string result = "\"";
  for (const char c : name) result += c == '"' ? std::string("\"\"") : std::string(1, c);
  return result + '"';
}

std::string without_blanks(std::string_view text) {
  std::string result;
  for (const char c : text)
    if (std::isspace(static_cast<unsigned char>(c)) == 0) result += c;
  return result;
}

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
  if (owner.substr(0, first) != host_name()) return now - claimed > lease;
  return start_of(owner.substr(first + 1, second - first - 1)) != owner.substr(second + 1);
}

double now() { return static_cast<double>(std::time(nullptr)); }

bool has_tables(SQLite::Database& data) {
  return data.execAndGet("SELECT count(*) FROM sqlite_master").getInt() > 0;
}

void check_kind(SQLite::Database& data, const std::string& file) {
  if (data.execAndGet("PRAGMA application_id").getInt() != application_id)
    throw error(fmt::format("'{}' is an SQLite file, but not one of sweeps", file));
  const int version = data.execAndGet("PRAGMA user_version").getInt();
  if (version != format_version)
    throw error(
        fmt::format("'{}' has format {}, this program knows {}", file, version, format_version));
}

using facts = std::map<std::string, std::string>;

facts read_facts(SQLite::Database& data) {
  facts result;
  SQLite::Statement rows(data, "SELECT key, value FROM about");
  while (rows.executeStep()) result[rows.getColumn(0).getString()] = rows.getColumn(1).getString();
  return result;
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
  return fmt::format("'{}' there, '{}' here", line_at(a, std::min(at, a.size())),
                     line_at(b, std::min(at, b.size())));
}

void refuse_other(const std::string& file, const facts& there, const facts& here) {
  for (const auto* side : {&here, &there})
    for (const auto& [key, value] : *side) {
      if (key == "chunk_size" || key == "points") continue;
      const auto a = there.find(key), b = here.find(key);
      const std::string in_file = a == there.end() ? "" : a->second;
      const std::string wanted = b == here.end() ? "" : b->second;
      if (a != there.end() && b != here.end() && in_file == wanted) continue;
      if (key == "asperity")
        throw error(
            fmt::format("'{}' was begun by version {} of asperity, and this is {}: name "
                        "another file with --out",
                        file, in_file, wanted));
      throw error(fmt::format(
          "'{}' holds another sweep: {}: {}; name another file with --out, or remove it", file,
          key == "document" ? "scenario" : key, first_difference(in_file, wanted)));
    }
}

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
      : file(name), data(name, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE, patience_ms), plan(p) {
    std::vector<std::string> names;
    for (const auto& each : plan.axes()) names.push_back(each.name);
    for (const auto& each : plan.draws()) names.push_back(each.name);
    for (const auto& each : plan.measures()) names.push_back(each.name);
    columns = column_names(names);
  }

  std::size_t parameters() const { return plan.axes().size() + plan.draws().size(); }

  void create() {
    data.exec(fmt::format("PRAGMA application_id = {}", application_id));
    data.exec(fmt::format("PRAGMA user_version = {}", format_version));
    data.exec("CREATE TABLE about (key TEXT PRIMARY KEY, value TEXT NOT NULL)");
    data.exec(
        "CREATE TABLE parameters (position INTEGER PRIMARY KEY, name TEXT, unit TEXT, given TEXT, "
        "drawn INTEGER, result_column TEXT)");
    data.exec(
        "CREATE TABLE measures (position INTEGER PRIMARY KEY, name TEXT, unit TEXT, is_list "
        "INTEGER, result_column TEXT)");
    data.exec(
        "CREATE TABLE chunks (chunk INTEGER PRIMARY KEY, done INTEGER NOT NULL DEFAULT 0, owner "
        "TEXT, claimed REAL)");
    data.exec("CREATE INDEX open_chunks ON chunks (chunk) WHERE done = 0");
    data.exec(
        "CREATE TABLE lists (point INTEGER, measure INTEGER, position INTEGER, value REAL, PRIMARY "
        "KEY (point, measure, position)) WITHOUT ROWID");
    std::string results = "CREATE TABLE results (point INTEGER PRIMARY KEY, branch TEXT";
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (i == parameters()) results += ", outcome TEXT NOT NULL, detail TEXT";
      results += fmt::format(", {} REAL", sql_name(columns[i]));
    }
    data.exec(results + ")");

    SQLite::Statement about(data, "INSERT INTO about VALUES (?, ?)");
    auto known = facts_of(plan);
    known["chunk_size"] = fmt::format("{}", plan.chunk_size());
    for (const auto& [key, value] : known) {
      about.bind(1, key);
      about.bind(2, value);
      about.exec();
      about.reset();
    }
    SQLite::Statement parameter(data, "INSERT INTO parameters VALUES (?, ?, ?, ?, ?, ?)");
    const auto put = [&](const auto& each, std::size_t position, int drawn) {
      parameter.bind(1, static_cast<int64_t>(position));
      parameter.bind(2, each.name);
      parameter.bind(3, to_string(each.in));
      parameter.bind(4, each.text);
      parameter.bind(5, drawn);
      parameter.bind(6, columns[position]);
      parameter.exec();
      parameter.reset();
    };
    for (std::size_t i = 0; i < plan.axes().size(); ++i) put(plan.axes()[i], i, 0);
    for (std::size_t i = 0; i < plan.draws().size(); ++i)
      put(plan.draws()[i], plan.axes().size() + i, 1);
    SQLite::Statement measured(data, "INSERT INTO measures VALUES (?, ?, ?, ?, ?)");
    for (std::size_t i = 0; i < plan.measures().size(); ++i) {
      measured.bind(1, static_cast<int64_t>(i));
      measured.bind(2, plan.measures()[i].name);
      measured.bind(3, to_string(plan.measures()[i].in));
      measured.bind(4, plan.measures()[i].is_list ? 1 : 0);
      measured.bind(5, columns[parameters() + i]);
      measured.exec();
      measured.reset();
    }
    SQLite::Statement chunk(data, "INSERT INTO chunks (chunk) VALUES (?)");
    for (long long i = 0; i < plan.chunks(); ++i) {
      chunk.bind(1, static_cast<int64_t>(i));
      chunk.exec();
      chunk.reset();
    }
  }

  // Claims as many free chunks as suit `threads`: fewer and fewer towards the end, so that all
  // processes end together.
  void take(int threads) {
    SQLite::Transaction whole(data, SQLite::TransactionBehavior::IMMEDIATE);
    const auto open =
        data.execAndGet("SELECT count(*) FROM chunks WHERE done = 0 AND owner IS NULL").getInt64();
    const auto wanted = std::clamp<std::int64_t>(open / 8, 1, std::int64_t{2} * threads);
    {
      SQLite::Statement free(
          data, "SELECT chunk FROM chunks WHERE done = 0 AND owner IS NULL ORDER BY chunk LIMIT ?");
      free.bind(1, wanted);
      while (free.executeStep()) in_hand.push_back(free.getColumn(0).getInt64());
    }
    SQLite::Statement mark(data, "UPDATE chunks SET owner = ?, claimed = ? WHERE chunk = ?");
    for (const long long chunk : in_hand) {
      mark.bind(1, owner);
      mark.bind(2, now());
      mark.bind(3, static_cast<int64_t>(chunk));
      mark.exec();
      mark.reset();
    }
    if (in_hand.empty()) return;  // nothing to write
    whole.commit();
  }

  // Claims of processes that are gone become free. Returns whether there were any.
  bool free_lost_claims() {
    std::vector<std::string> gone;
    {
      SQLite::Statement claims(data,
                               "SELECT owner, max(claimed) FROM chunks WHERE done = 0 AND owner IS "
                               "NOT NULL GROUP BY owner");
      while (claims.executeStep()) {
        const std::string other = claims.getColumn(0).getString();
        if (other != owner && is_gone(other, claims.getColumn(1).getDouble(), now()))
          gone.push_back(other);
      }
    }
    if (gone.empty()) return false;
    SQLite::Transaction whole(data, SQLite::TransactionBehavior::IMMEDIATE);
    SQLite::Statement clear(data, "UPDATE chunks SET owner = NULL WHERE done = 0 AND owner = ?");
    for (const auto& each : gone) {
      clear.bind(1, each);
      clear.exec();
      clear.reset();
    }
    whole.commit();
    return true;
  }

  void write(const std::vector<finished_chunk>& chunks) {
    SQLite::Transaction whole(data, SQLite::TransactionBehavior::IMMEDIATE);
    for (const auto& each : chunks) write(each.chunk, each.results);
    whole.commit();
  }

  void write(long long chunk, const std::vector<point_result>& results) {
    std::string marks;
    for (std::size_t i = 0; i < columns.size() + 4; ++i) marks += i == 0 ? "?" : ", ?";
    SQLite::Statement row(data, fmt::format("INSERT OR REPLACE INTO results VALUES ({})", marks));
    SQLite::Statement item(data, "INSERT OR REPLACE INTO lists VALUES (?, ?, ?, ?)");
    for (std::size_t k = 0; k < results.size(); ++k) {
      const long long point = chunk * plan.chunk_size() + static_cast<long long>(k);
      int at = 1;
      row.bind(at++, static_cast<int64_t>(point));
      if (plan.along() == continuation::none) {
        row.bind(at++);
      } else {
        row.bind(at++, plan.goes_up(point) ? "up" : "down");
      }
      for (const double value : plan.parameters(point)) row.bind(at++, value);
      row.bind(at++, results[k].outcome);
      if (results[k].detail.empty()) {
        row.bind(at++);
      } else {
        row.bind(at++, results[k].detail);
      }
      for (const double value : results[k].values) row.bind(at++, value);  // NaN becomes NULL
      row.exec();
      row.reset();
      std::size_t list = 0;
      for (std::size_t m = 0; m < plan.measures().size(); ++m) {
        if (!plan.measures()[m].is_list || list >= results[k].lists.size()) continue;
        const auto& values = results[k].lists[list++];
        for (std::size_t i = 0; i < values.size(); ++i) {
          item.bind(1, static_cast<int64_t>(point));
          item.bind(2, static_cast<int64_t>(m));
          item.bind(3, static_cast<int64_t>(i));
          item.bind(4, values[i]);
          item.exec();
          item.reset();
        }
      }
    }
    SQLite::Statement done(data,
                           "UPDATE chunks SET done = 1, owner = NULL, claimed = NULL WHERE chunk = "
                           "?");
    done.bind(1, static_cast<int64_t>(chunk));
    done.exec();
  }
};

sweep_store::sweep_store(const std::string& file, sweep_plan& plan) : points_(plan.points()) {
  guarded(file, [&] {
    impl_ = std::make_unique<impl>(file, plan);
    auto& data = impl_->data;
    data.exec("PRAGMA synchronous = FULL");
    SQLite::Transaction whole(data, SQLite::TransactionBehavior::IMMEDIATE);
    if (!has_tables(data)) {
      impl_->create();
    } else {
      check_kind(data, file);
      auto there = read_facts(data);
      refuse_other(file, there, facts_of(plan));
      const std::string& size = there["chunk_size"];
      long long chunk_size = 0;
      std::from_chars(size.data(), size.data() + size.size(), chunk_size);
      if (chunk_size < 1) throw error(fmt::format("'{}' is damaged: it has no chunks", file));
      plan.set_chunk_size(chunk_size);
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
    mine.bind(1, impl_->owner);
    mine.exec();
  });
}

long long sweep_store::finished_points() {
  const std::lock_guard only(impl_->lock);
  return guarded(impl_->file, [&] {
    const auto& plan = impl_->plan;
    SQLite::Statement done(impl_->data,
                           "SELECT count(*), coalesce(max(chunk), 0) FROM chunks WHERE done = 1");
    done.executeStep();
    const long long chunks = done.getColumn(0).getInt64(), highest = done.getColumn(1).getInt64();
    const long long missing = plan.chunks() * plan.chunk_size() - plan.points();
    const bool with_last = chunks > 0 && highest == plan.chunks() - 1;
    return chunks * plan.chunk_size() - (with_last ? missing : 0);
  });
}

// ---- reading ------------------------------------------------------------------------------------

bool is_sweep_file(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  char start[16] = "";
  stream.read(start, sizeof start);
  return stream.gcount() == sizeof start && std::string_view(start, 15) == "SQLite format 3";
}

sweep_table read_sweep(const std::string& file) {
  if (!std::filesystem::exists(file))
    throw error(fmt::format("cannot read '{}': no such file", file));
  return guarded(file, [&] {
    // A journal that a killed process left must be played back, so reading may write.
    SQLite::Database data(file, SQLite::OPEN_READWRITE, patience_ms);
    check_kind(data, file);
    const SQLite::Transaction whole(data);  // one view of the file, whoever writes
    facts about = read_facts(data);
    sweep_table table;
    table.title = about["title"];
    table.version = about["asperity"];
    table.scenario = about["scenario"];
    for (const auto each : {continuation::up, continuation::down, continuation::both})
      if (about["continuation"] == to_string(each)) table.along = each;
    const auto number = [&](const char* key, auto& value) {
      const std::string& text = about[key];
      std::from_chars(text.data(), text.data() + text.size(), value);
    };
    number("seed", table.seed);
    number("points", table.points);
    number("samples", table.samples);
    const auto unit_from = [](const std::string& text) {
      return text == "-" ? units::one : parse_quantity(fmt::format("1 {}", text)).in;
    };

    std::string columns;
    SQLite::Statement parameters(
        data, "SELECT name, unit, given, drawn, result_column FROM parameters ORDER BY position");
    while (parameters.executeStep()) {
      sweep_axis axis{parameters.getColumn(0).getString(),
                      unit_from(parameters.getColumn(1).getString()),
                      parameters.getColumn(2).getString(),
                      {},
                      false};
      columns += fmt::format(", {}", sql_name(parameters.getColumn(4).getString()));
      if (parameters.getColumn(3).getInt() != 0) {
        table.draws.push_back(axis);
        continue;
      }
      axis.values = parse_values(axis.text, axis.in);
      axis.is_log = without_blanks(axis.text).starts_with("log(");
      table.axes.push_back(axis);
    }
    SQLite::Statement measures(
        data, "SELECT name, unit, is_list, result_column FROM measures ORDER BY position");
    while (measures.executeStep()) {
      table.measures.push_back({measures.getColumn(0).getString(),
                                {},
                                unit_from(measures.getColumn(1).getString()),
                                measures.getColumn(2).getInt() != 0});
      columns += fmt::format(", {}", sql_name(measures.getColumn(3).getString()));
    }
    const std::size_t inputs = table.axes.size() + table.draws.size();
    table.parameters.resize(inputs);
    table.values.resize(table.measures.size());
    SQLite::Statement rows(
        data, fmt::format("SELECT point, branch, outcome, detail{} FROM results ORDER BY point",
                          columns));
    std::map<long long, std::size_t> row_of;
    while (rows.executeStep()) {
      row_of[rows.getColumn(0).getInt64()] = table.point.size();
      table.point.push_back(rows.getColumn(0).getInt64());
      if (table.along != continuation::none) table.branch.push_back(rows.getColumn(1).getString());
      table.outcome.push_back(rows.getColumn(2).getString());
      table.detail.push_back(rows.getColumn(3).isNull() ? "" : rows.getColumn(3).getString());
      for (std::size_t i = 0; i < inputs + table.measures.size(); ++i) {
        const SQLite::Column cell = rows.getColumn(static_cast<int>(4 + i));
        const double value =
            cell.isNull() ? std::numeric_limits<double>::quiet_NaN() : cell.getDouble();
        (i < inputs ? table.parameters[i] : table.values[i - inputs]).push_back(value);
      }
    }
    SQLite::Statement lists(
        data, "SELECT point, measure, value FROM lists ORDER BY point, measure, position");
    while (lists.executeStep())
      table.lists.push_back({row_of.at(lists.getColumn(0).getInt64()),
                             static_cast<std::size_t>(lists.getColumn(1).getInt64()),
                             lists.getColumn(2).getDouble()});
    return table;
  });
}

}  // namespace asperity
