// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <asperity/error.hpp>
#include <asperity/text.hpp>
#include <asperity/text/open_file.hpp>
#include <asperity/text/setting.hpp>
#include <asperity/text/toml.hpp>
#include <charconv>
#include <cmath>
#include <map>
#include <numeric>

namespace asperity {

// ---- values -------------------------------------------------------------------------------------

namespace {

template <class T>
toml_value holding(toml_value::kind is, T toml_value::*member, T value) {
  toml_value result;
  result.is = is;
  result.*member = std::move(value);
  return result;
}

template <class T>
toml_value list_of(const std::vector<T>& values) {
  toml_value result;
  result.is = toml_value::kind::list;
  for (const auto& value : values) result.items.push_back(toml_value::of(value));
  return result;
}

}  // namespace

toml_value toml_value::of(bool value) {
  return holding(kind::boolean, &toml_value::boolean, value);
}
toml_value toml_value::of(long long value) {
  return holding(kind::integer, &toml_value::integer, value);
}
toml_value toml_value::of(std::string value) {
  return holding(kind::text, &toml_value::text, std::move(value));
}
toml_value toml_value::of(const std::vector<std::string>& values) { return list_of(values); }

toml_value toml_value::of(double value, std::optional<unit> in) {
  toml_value result = holding(kind::real, &toml_value::real, value);
  result.in = in;
  return result;
}

toml_value toml_value::of(const std::vector<double>& values, std::optional<unit> in) {
  toml_value result = list_of(values);
  result.in = in;
  return result;
}

std::size_t toml_value::place_of(std::string_view key) const {
  if (sorted_.empty() || sorted_.size() != keys.size())
    return static_cast<std::size_t>(std::find(keys.begin(), keys.end(), key) - keys.begin());
  const auto found =
      std::lower_bound(sorted_.begin(), sorted_.end(), key,
                       [&](std::uint32_t place, std::string_view k) { return keys[place] < k; });
  return found != sorted_.end() && keys[*found] == key ? *found : keys.size();
}

const toml_value* toml_value::find(std::string_view key) const {
  if (is != kind::table) return nullptr;
  const std::size_t place = place_of(key);
  return place == keys.size() ? nullptr : &items[place];
}

toml_value& toml_value::at(std::string_view key) {
  constexpr std::size_t many = 32;  // below it a look at each key costs less
  const std::size_t place = place_of(key);
  if (place < keys.size()) return items[place];
  keys.emplace_back(key);
  items.emplace_back();
  const auto in_order = [&](std::uint32_t a, std::uint32_t b) { return keys[a] < keys[b]; };
  const auto last = static_cast<std::uint32_t>(place);
  if (place < many) {
    sorted_.clear();
  } else if (sorted_.size() == place) {
    sorted_.insert(std::upper_bound(sorted_.begin(), sorted_.end(), last, in_order), last);
  } else {
    sorted_.resize(keys.size());
    std::iota(sorted_.begin(), sorted_.end(), 0U);
    std::sort(sorted_.begin(), sorted_.end(), in_order);
  }
  return items.back();
}

toml_value toml_value::take(std::string_view key) {
  toml_value result;
  const std::size_t place = place_of(key);
  if (is != kind::table || place == keys.size()) return result;
  result = std::move(items[place]);
  items.erase(items.begin() + static_cast<std::ptrdiff_t>(place));
  keys.erase(keys.begin() + static_cast<std::ptrdiff_t>(place));
  sorted_.clear();
  return result;
}

// ---- reading ------------------------------------------------------------------------------------

namespace {

struct toml_source {
  const std::string& file;
  // Numbers that no double can hold, as they are written, by line and column.
  std::map<std::pair<toml::source_index, toml::source_index>, std::string> far_numbers;
};

std::string place_of(const toml::source_region& source, const std::string& file) {
  if (source.begin.line == 0) return file;
  return fmt::format("{}:{}:{}", file, source.begin.line, source.begin.column);
}

toml_value convert(const toml::node& node, const toml_source& from);

toml_value convert_table(const toml::table& table, const toml_source& from) {
  toml_value result;
  struct item {
    const toml::key* key;
    const toml::node* node;
  };
  std::vector<item> in_order;
  for (const auto& [key, node] : table) in_order.push_back({&key, &node});
  std::stable_sort(in_order.begin(), in_order.end(), [](const item& a, const item& b) {
    const auto p = a.key->source().begin, q = b.key->source().begin;
    return p.line != q.line ? p.line < q.line : p.column < q.column;
  });
  for (const auto& [key, node] : in_order) {
    if (key->length() > longest_name)
      throw error(fmt::format("{}: the key '{}' has {} bytes, but at most {} are allowed",
                              place_of(key->source(), from.file), shortened(key->str(), 40),
                              key->length(), longest_name));
    toml_value& value = result.at(key->str());
    value = convert(*node, from);
    // A key stands at the start of its line, where an editor takes one to.
    if (key->source().begin.line != 0) value.place = place_of(key->source(), from.file);
  }
  return result;
}

toml_value convert(const toml::node& node, const toml_source& from) {
  toml_value result;
  if (const auto* table = node.as_table()) {
    result = convert_table(*table, from);
  } else if (const auto* array = node.as_array()) {
    result.is = toml_value::kind::list;
    for (const auto& item : *array) result.items.push_back(convert(item, from));
  } else if (const auto* boolean = node.as_boolean()) {
    result = toml_value::of(boolean->get());
  } else if (const auto* integer = node.as_integer()) {
    result = toml_value::of(static_cast<long long>(integer->get()));
  } else if (const auto* real = node.as_floating_point()) {
    result = toml_value::of(real->get());
    const auto at = node.source().begin;
    const auto far = from.far_numbers.find({at.line, at.column});
    if (far != from.far_numbers.end()) result.text = far->second;
  } else if (const auto* text = node.as_string()) {
    result = toml_value::of(text->get());
  } else {
    throw error(fmt::format("{}: dates and times are not supported: write a number or text",
                            place_of(node.source(), from.file)));
  }
  result.place = result.value_place = place_of(node.source(), from.file);
  return result;
}

// "file.toml:12:5": where the byte `at` of a text stands, characters counted.
std::string place_of_byte(std::string_view text, std::size_t at, const std::string& file) {
  const std::string_view before = text.substr(0, at);
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const std::string_view in_line = before.substr(before.rfind('\n') + 1);
  const auto column = 1 + std::count_if(in_line.begin(), in_line.end(), [](char c) {
                        return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U;
                      });
  return fmt::format("{}:{}:{}", file, line, column);
}

// The end of the text in quotes that begins at `at`; that of the line where none of one line ends.
std::size_t end_of_quotes(std::string_view text, std::size_t at) {
  const char quote = text[at];
  const bool is_long = text.substr(at, 3) == std::string(3, quote);
  for (std::size_t i = at + (is_long ? 3 : 1); i < text.size(); ++i) {
    if (quote == '"' && text[i] == '\\') {
      ++i;
    } else if (is_long ? text.substr(i, 3) == std::string_view(text).substr(at, 3)
                       : text[i] == quote) {
      return i + (is_long ? 3 : 1);
    } else if (!is_long && text[i] == '\n') {
      return i;
    }
  }
  return text.size();
}

// Refuses what would drive functions that call themselves too deep, the parser among them, or fill
// the memory: by a look at the text, before it is parsed.
void check_shape(std::string_view text, const std::string& file) {
  std::vector<int> open;  // levels that each list or table adds
  int depth = 0, dots = 0;
  long values = 0;
  const auto check = [&](std::size_t at) {
    if (depth + dots > deepest_nesting)
      throw error(fmt::format("{}: keys, lists and tables are nested more than {} deep",
                              place_of_byte(text, at, file), deepest_nesting));
  };
  for (std::size_t at = 0; at < text.size(); ++at) {
    switch (text[at]) {
      case '#':
        at = std::min(text.find('\n', at), text.size()) - 1;
        break;
      case '"':
      case '\'':
        at = end_of_quotes(text, at) - 1;
        break;
      case '.':
        ++dots;
        check(at);
        break;
      case '[':
      case '{':
        open.push_back(dots + 1);
        depth += dots + 1;
        dots = 0;
        check(at);
        break;
      case ']':
      case '}':
        if (!open.empty()) {
          depth -= open.back();
          open.pop_back();
        }
        dots = 0;
        break;
      case '=':
      case ',':
        if (text[at] == ',') dots = 0;
        if (++values > most_values)
          throw error(
              fmt::format("{}: there are more than {} values: put tables of numbers into a "
                          "separate file (kind = \"csv\")",
                          place_of_byte(text, at, file), most_values));
        break;
      case '\n':
        dots = 0;
        break;
      default:
        break;
    }
  }
}

// ---- what the parser complains of ---------------------------------------------------------------

std::size_t byte_of(std::string_view text, toml::source_position where) {
  std::size_t at = 0;
  for (toml::source_index line = 1; line < where.line; ++line)
    at = std::min(text.find('\n', at), text.size() - 1) + 1;
  for (toml::source_index column = 1; column < where.column && at < text.size(); ++column) do
      ++at;
    while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xc0U) == 0x80U);
  return at;
}

// Where the parser stands behind a number that is too large for it: puts "inf" in its place and
// keeps what was written. Who reads the key then knows what it allows.
bool set_far_number_aside(std::string& text, const toml::parse_error& problem, toml_source& from) {
  constexpr std::size_t most = 16;  // each is another pass over the file
  const std::string_view said = problem.description();
  const bool is_far = said.find("could not be interpreted") != std::string_view::npos ||
                      said.find("not representable") != std::string_view::npos;
  if (!is_far || from.far_numbers.size() == most) return false;
  const toml::source_position end_place = problem.source().begin;
  const std::size_t end = byte_of(text, end_place);
  std::size_t begin = end;
  while (begin > 0 &&
         std::string_view("0123456789+-._eE").find(text[begin - 1]) != std::string_view::npos)
    --begin;
  const std::size_t length = end - begin;
  std::string written = text.substr(begin, length);
  std::string_view infinity = written.starts_with('-') ? "-inf" : "inf";
  if (length < infinity.size()) return false;
  text.replace(begin, length, fmt::format("{:<{}}", infinity, length));
  const auto column = static_cast<toml::source_index>(end_place.column - length);
  std::erase(written, '_');
  return from.far_numbers.emplace(std::pair{end_place.line, column}, std::move(written)).second;
}

struct complaint {
  std::string_view scope, part, said;  // what the parser read, a part of its words, and ours
};

constexpr std::string_view escape_wanted =
    "in double quotes a backslash begins an escape such as \\n: write \\\\ for a backslash, or put "
    "the text in single quotes";
constexpr std::string_view value_wanted =
    "this is not a value: write a number such as 1.5e-3, true or false, text in quotes such as "
    "\"dai\" or \"2 kg\", a list in brackets or a table in braces";
constexpr std::string_view number_wanted =
    "this is not a number: write it as 2, 0.5 or 1e-3, and with a unit in quotes, as \"2 kg\"";

constexpr complaint complaints[] = {
    {"unicode", "", escape_wanted},
    {"string", "escape sequence", escape_wanted},
    {"string", "backslash", escape_wanted},
    {"", "end-of-file", "the file ends within a value: close its quotes, brackets or braces"},
    {"", "control characters", "a control character is not allowed here: remove it"},
    {"value", "", value_wanted},
    {"boolean", "", value_wanted},
    {"floating-point", "value-terminator", value_wanted},
    {"floating-point", "", number_wanted},
    {"hexadecimal", "", number_wanted},
    {"decimal integer", "", number_wanted},
    {"octal integer", "", number_wanted},
    {"binary integer", "", number_wanted},
    {"date", "", "dates and times are not supported: write a number or text in quotes"},
    {"time", "", "dates and times are not supported: write a number or text in quotes"},
    {"array", "", "a list needs commas between its values and a ']' at its end"},
    {"inline table", "",
     "a table in braces stands on one line, with commas between its keys, none behind the last, "
     "and a '}' at its end"},
    {"key-value pair", "expected value", "a value must follow '='"},
    {"key-value pair", "expected '='", "a key must be followed by '=' and its value"},
    {"key-value pair", "comment or whitespace",
     "only one value may follow '=', and each key needs a line of its own: put a number with its "
     "unit in quotes, as \"2 kg\", write decimals with a point, as 1.5, and lists in brackets, as "
     "[1, 2]"},
    {"table header", "into existing inline table",
     "a table in braces cannot be added to: write all of its keys between the braces"},
    {"table header", "expected", "the header of a table is a line such as [system] or [[plot]]"},
    {"table header", "blank", "the header of a table is a line such as [system] or [[plot]]"},
    {"", "expected",
     "a line begins with a key, the header of a table such as [system], or #; a key with other "
     "characters than letters, digits, _ and - stands in quotes"},
};

// The parser's words name no remedy, and quote what may be any file.
std::string told(std::string_view description, char at_problem) {
  constexpr std::string_view prefix = "Error while parsing ";
  if (!description.starts_with(prefix))
    return fmt::format("this is not TOML: {}", shortened(description, 200));
  const std::string_view all = description.substr(prefix.size());
  const std::size_t colon = all.find(": ");
  const std::string_view scope = all.substr(0, colon), reason = all.substr(colon + 1);
  if (reason.find("cannot redefine") != std::string_view::npos) {
    const std::size_t first = reason.find('\''), last = reason.rfind('\'');
    return fmt::format(
        "{} is defined above already: keep one of the two",
        first == last
            ? "this key"
            : fmt::format("'{}'", shortened(reason.substr(first + 1, last - first - 1), 80)));
  }
  const bool has_line_end = at_problem == '\n' || at_problem == '\r';
  if (scope.ends_with("string") && has_line_end)
    return "text in quotes must end on its line: add the closing quote";
  for (const complaint& each : complaints)
    if (scope.starts_with(each.scope) && reason.find(each.part) != std::string_view::npos)
      return std::string(each.said);
  return fmt::format("this is not TOML: {}", shortened(reason, 100));
}

}  // namespace

toml_value parse_toml(std::string_view text, const std::string& file) {
  if (const std::size_t good = valid_bytes(text); good < text.size())
    throw error(fmt::format("{}: the byte {:#04x} is not UTF-8 text: save the file as UTF-8",
                            place_of_byte(text, good, file),
                            static_cast<unsigned char>(text[good])));
  check_shape(text, file);
  std::string readable(text);
  toml_source from{file, {}};
  for (;;) {
    try {
      const toml::table document = toml::parse(readable);
      toml_value result = convert_table(document, from);
      result.place = file + ":1:1";
      return result;
    } catch (const toml::parse_error& problem) {
      if (set_far_number_aside(readable, problem, from)) continue;
      const std::size_t at = byte_of(readable, problem.source().begin);
      throw error(
          fmt::format("{}: {}", place_of(problem.source(), file),
                      told(problem.description(), at < readable.size() ? readable[at] : '\0')));
    }
  }
}

toml_value read_toml(const std::string& file) {
  return parse_toml(read_input_file(file, largest_scenario), file);
}

// ---- changing -----------------------------------------------------------------------------------

void assign(toml_value& root, std::string_view path, toml_value value) {
  if (std::count(path.begin(), path.end(), '.') >= deepest_nesting)
    throw error(fmt::format("'{}': keys are nested more than {} deep", shortened(path, 60),
                            deepest_nesting));
  toml_value* here = &root;
  std::string_view rest = path;
  const auto is_number = [](std::string_view text) {
    return !text.empty() &&
           std::all_of(text.begin(), text.end(), [](char c) { return '0' <= c && c <= '9'; });
  };
  while (!rest.empty()) {
    const auto dot = rest.find('.');
    const std::string_view part = rest.substr(0, dot);
    rest = dot == std::string_view::npos ? std::string_view{} : rest.substr(dot + 1);
    if (part.empty())
      throw error(fmt::format("'{}' is not a path such as friction.F_s", shortened(path, 60)));
    if (part.size() > longest_name)
      throw error(fmt::format("the key '{}' has {} bytes, but at most {} are allowed",
                              shortened(part, 40), part.size(), longest_name));

    if (here->is == toml_value::kind::list) {
      std::size_t index = 0;
      const auto [end, code] = std::from_chars(part.data(), part.data() + part.size(), index);
      const bool whole = code == std::errc{} && end == part.data() + part.size();
      if (!whole || index < 1 || index > here->items.size() + 1)
        throw error(fmt::format("'{}': there is no item '{}' in a list of {} (items count from 1)",
                                path, part, here->items.size()));
      if (index > here->items.size()) {
        here->items.emplace_back();
        here->items.back().place = value.place;
      }
      here = &here->items[index - 1];
    } else if (here->is == toml_value::kind::table) {
      const std::size_t before = here->keys.size();
      toml_value& item = here->at(part);
      if (here->keys.size() > before) {
        item.place = value.place;  // a table stands where its first value does
        const std::string_view next = rest.substr(0, rest.find('.'));
        if (is_number(next)) item.is = toml_value::kind::list;
      }
      here = &item;
    } else {
      const auto before = static_cast<std::size_t>(part.data() - path.data()) - 1;
      throw error(fmt::format("cannot set '{}': '{}' is {}, not a table", path,
                              path.substr(0, before), shortened(to_inline_toml(*here), 60)));
    }
  }
  *here = std::move(value);
}

void apply_override(toml_value& root, std::string_view setting) {
  apply_override(root, setting, "--set");
}

void apply_override(toml_value& root, std::string_view setting, std::string_view called) {
  const std::string place = fmt::format("{} {}", called, shortened(setting, 100));
  const auto equals = setting.find('=');
  const std::string_view path = trimmed(setting.substr(0, equals));
  if (equals == std::string_view::npos || path.empty())
    throw error(place + ": write KEY=VALUE, such as friction.F_s=2");
  apply_override(root, path, setting.substr(equals + 1), place);
}

void apply_override(toml_value& root, std::string_view path, std::string_view given,
                    const std::string& place) {
  if (!is_utf8(path)) throw error(place + ": the key is not UTF-8");
  given = trimmed(given);
  if (given.empty()) throw error(place + ": the value is missing");

  toml_value value;
  try {
    value = parse_toml(fmt::format("value = {}", given), "value").take("value");
  } catch (const error&) {
    if (given.front() == '[' || given.front() == '{')
      throw error(
          fmt::format("{}: '{}' is not a list or table as TOML writes it: its brackets are "
                      "closed, its numbers begin with a digit (0.5), its text is in quotes",
                      place, shortened(given, 60)));
    value = toml_value::of(std::string(given));  // 2 kg, dai: text without its quotes
  }
  const auto stamp = [&](auto& self, toml_value& each) -> void {
    each.place = place;
    for (auto& item : each.items) self(self, item);
  };
  stamp(stamp, value);
  try {
    assign(root, path, std::move(value));
  } catch (const error& problem) {
    throw error(fmt::format("{}: {}", place, problem.what()));
  }
}

void merge(toml_value& base, const toml_value& changes) {
  if (base.is != toml_value::kind::table || changes.is != toml_value::kind::table) {
    base = changes;
    return;
  }
  for (std::size_t i = 0; i < changes.keys.size(); ++i) {
    const std::size_t before = base.keys.size();
    toml_value& item = base.at(changes.keys[i]);
    if (base.keys.size() > before) {
      item = changes.items[i];
    } else {
      merge(item, changes.items[i]);
    }
  }
}

// ---- writing ------------------------------------------------------------------------------------

namespace {

std::string in_quotes(std::string_view text) {
  std::string result = "\"";
  for (const char c : as_utf8(text)) {
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (c == '\n') {
      result += "\\n";
    } else if (c == '\t') {
      result += "\\t";
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      result += fmt::format("\\u{:04x}", static_cast<unsigned char>(c));
    } else {
      result += c;
    }
  }
  return result + '"';
}

std::string written_key(const std::string& key) {
  const bool bare = !key.empty() && std::all_of(key.begin(), key.end(), [](char c) {
    return ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z') || ('0' <= c && c <= '9') || c == '_' ||
           c == '-';
  });
  return bare ? key : in_quotes(key);
}

// Shortest text that reads back as the same number.
std::string written_number(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  if (value == 0) return std::signbit(value) ? "-0.0" : "0.0";
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

bool is_table_list(const toml_value& value) {
  return value.is == toml_value::kind::list && !value.items.empty() &&
         std::all_of(value.items.begin(), value.items.end(),
                     [](const auto& item) { return item.is == toml_value::kind::table; });
}

void write_table(const toml_value& table, const std::string& path, std::string& out) {
  const auto is_section = [](const toml_value& value) {
    return value.is == toml_value::kind::table || is_table_list(value);
  };
  for (std::size_t i = 0; i < table.keys.size(); ++i)
    if (!is_section(table.items[i]))
      out += fmt::format("{} = {}\n", written_key(table.keys[i]), to_inline_toml(table.items[i]));
  for (std::size_t i = 0; i < table.keys.size(); ++i) {
    const auto& value = table.items[i];
    if (!is_section(value)) continue;
    const std::string inner =
        path.empty() ? written_key(table.keys[i]) : path + "." + written_key(table.keys[i]);
    if (value.is == toml_value::kind::table) {
      out += fmt::format("\n[{}]\n", inner);
      write_table(value, inner, out);
      continue;
    }
    for (const auto& item : value.items) {
      out += fmt::format("\n[[{}]]\n", inner);
      write_table(item, inner, out);
    }
  }
}

}  // namespace

std::string to_inline_toml(const toml_value& value) {
  switch (value.is) {
    case toml_value::kind::boolean:
      return value.boolean ? "true" : "false";
    case toml_value::kind::integer:
      return fmt::format("{}", value.integer);
    case toml_value::kind::real:
      return value.text.empty() ? written_number(value.real) : value.text;
    case toml_value::kind::text:
      return in_quotes(value.text);
    case toml_value::kind::list: {
      std::vector<std::string> parts;
      for (const auto& item : value.items) parts.push_back(to_inline_toml(item));
      return fmt::format("[{}]", fmt::join(parts, ", "));
    }
    case toml_value::kind::table: {
      std::vector<std::string> parts;
      for (std::size_t i = 0; i < value.keys.size(); ++i)
        parts.push_back(
            fmt::format("{} = {}", written_key(value.keys[i]), to_inline_toml(value.items[i])));
      return fmt::format("{{{}}}", fmt::join(parts, ", "));
    }
  }
  return "";
}

std::string to_toml(const toml_value& table) {
  std::string out;
  write_table(table, "", out);
  return out;
}

}  // namespace asperity
