// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <asperity/error.hpp>
#include <asperity/integrate/method.hpp>
#include <asperity/json_text.hpp>
#include <asperity/mechanics/input_signal.hpp>
#include <asperity/mechanics/system_row.hpp>
#include <asperity/publish/experiment.hpp>
#include <asperity/publish/figures.hpp>
#include <asperity/publish/guide.hpp>
#include <asperity/publish/html.hpp>
#include <asperity/publish/model_html.hpp>
#include <asperity/publish/page.hpp>
#include <asperity/publish/reference.hpp>
#include <asperity/publish/search_script.hpp>
#include <asperity/publish/style.hpp>
#include <asperity/text/open_file.hpp>
#include <asperity/text/pending_folder.hpp>
#include <filesystem>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>

namespace asperity {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t largest_source = 4'000'000;  // [bytes]

// ---- which guides there are ---------------------------------------------------------------------

struct listed_guide {
  const char* file;
  const char* what;  // one line for the list
};
struct guide_group {
  const char* title;
  std::vector<listed_guide> guides;
};

// Guides that are not named here stand at the end of the list.
const std::vector<guide_group>& guide_groups() {
  static const std::vector<guide_group> groups{
      {"First steps",
       {{"docs/command-line.md", "every command with what it does and writes"},
        {"docs/scenario-files.md", "a run as a file: system, models, inputs, integrator"},
        {"docs/python.md", "models, runs, sweeps and fits in Python"},
        {"docs/cpp.md", "headers, scenarios, controllers and systems of your own in C++"},
        {"docs/c.md", "any model in a loop of your own, in C"},
        {"docs/lab.md", "models in the browser: sliders, lessons, published experiments"}}},
      {"How to",
       {{"docs/systems.md", "the systems that a scenario can name, and their energy"},
        {"docs/inclusions.md", "your own system with sgn and dio, as formulas or in C++"},
        {"docs/hysteresis.md", "operators, maps, loops in records, inverses"},
        {"docs/impacts.md", "restitution, contact time, peak force"},
        {"docs/planar.md", "sliding and spinning, limit surfaces, slip maps"},
        {"docs/design.md", "contacts and friction with wanted properties"},
        {"docs/measured-data.md", "columns, units, signs and gaps of measured records"},
        {"docs/identification.md", "parameters from measurements, with intervals"},
        {"docs/servos.md", "a real servo, from record to model"},
        {"docs/sweeps.md", "one scenario over many values, durable"},
        {"docs/plugins.md", "a law of your own, without building the library again"},
        {"docs/adding-a-model.md", "a model in three files, step by step"},
        {"docs/extending.md", "systems, signals, measures, methods, commands"}}},
      {"Other programs",
       {{"docs/fmi.md", "a scenario for simulators that import FMI 2.0 or 3.0"},
        {"docs/lammps.md", "contacts of many grains on many processors"},
        {"docs/mujoco.md", "joints that hold, with any friction model"},
        {"docs/conformance.md", "standard cases of friction and contact for any simulator"}}},
      {"What to rely on",
       {{"docs/reliability.md", "what is tested, how often, and the results"},
        {"docs/speed.md", "methods, steps, many systems at once"},
        {"docs/gpu.md", "sweeps and batches on an NVIDIA GPU"},
        {"docs/stability.md", "what stays the same from version to version"},
        {"docs/errata.md", "errors in the sources"},
        {"docs/report.md", "published experiments, reproduced"},
        {"docs/notation.md", "how symbols are spelt"}}},
      {"The project",
       {{"CONTRIBUTING.md", "how to work on it"},
        {"CHANGELOG.md", "what changed"},
        {"SECURITY.md", "how to report a security problem"},
        {"CODE_OF_CONDUCT.md", "what is expected, and where to report"}}}};
  return groups;
}

// "guides/python.html" of "docs/python.md".
std::string address_of_guide(const std::string& file) {
  if (file == "README.md") return "index.html";
  if (file == "docs/choosing.md") return "choose.html";
  if (file == "docs/concepts.md") return "concepts.html";
  std::string name = fs::path(file).stem().string();
  std::transform(name.begin(), name.end(), name.begin(), [](char c) {
    return 'A' <= c && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return fmt::format("guides/{}.html", name);
}

// The public headers, by what one looks for in them.
struct header_group {
  const char* title;
  std::vector<const char*> files;
};
const std::vector<header_group>& header_groups() {
  static const std::vector<header_group> groups{
      {"What a model is",
       {"asperity/model.hpp", "asperity/port.hpp", "asperity/touch.hpp", "asperity/planar.hpp",
        "asperity/card.hpp", "asperity/units.hpp", "asperity/error.hpp"}},
      {"Models by name",
       {"asperity/catalogue/catalogue.hpp", "asperity/catalogue/any_model.hpp",
        "asperity/catalogue/plugin.hpp"}},
      {"Scenarios and runs",
       {"asperity/run/scenario.hpp", "asperity/run/simulate.hpp", "asperity/run/measure.hpp",
        "asperity/run/output.hpp", "asperity/run/evaluate.hpp"}},
      {"Systems and methods",
       {"asperity/integrate/system.hpp", "asperity/integrate/method.hpp",
        "asperity/integrate/run.hpp", "asperity/integrate/outcome.hpp",
        "asperity/inclusion/inclusion_system.hpp", "asperity/batch/batch.hpp"}},
      {"Controllers",
       {"asperity/compensate/follow.hpp", "asperity/compensate/feedforward.hpp",
        "asperity/compensate/observer.hpp", "asperity/compensate/inverse_hysteresis.hpp"}}};
  return groups;
}

// ---- the site -----------------------------------------------------------------------------------

std::string title_of(std::string_view markdown, const std::string& otherwise) {
  const std::size_t at = markdown.starts_with("# ") ? 0 : markdown.find("\n# ");
  if (at == std::string_view::npos) return otherwise;
  const std::size_t from = markdown.find('#', at) + 2;
  return std::string(markdown.substr(from, markdown.find('\n', from) - from));
}

// A name that may go on in the next line behind its _, and nowhere else.
std::string breakable(const std::string& name) {
  std::string html;
  for (const char c : name) html += c == '_' ? "_<wbr>" : escaped(std::string(1, c));
  return html;
}

std::string words_for_search(const std::string& html) {
  std::set<std::string> words;
  std::string word;
  for (const char c : plain_text(html) + " ") {
    const bool is_upper = 'A' <= c && c <= 'Z';
    const bool is_letter = is_upper || ('a' <= c && c <= 'z') || ('0' <= c && c <= '9') ||
                           c == '_' || static_cast<unsigned char>(c) >= 0x80;
    if (is_letter) {
      word += is_upper ? static_cast<char>(c - 'A' + 'a') : c;
      continue;
    }
    if (word.size() > 1 && word.size() < 40 && !('0' <= word[0] && word[0] <= '9'))
      words.insert(word);
    word.clear();
  }
  return fmt::format(" {} ", fmt::join(words, " "));
}

class guide_site {
 public:
  guide_site(const std::string& folder, const guide_options& options)
      : options_(options), folder_(folder) {}

  std::vector<std::string> write() {
    make_extras();
    add_models();
    add_choice();
    if (has_source()) {
      add_guide("docs/concepts.md", "Concepts");
      add_guides();
      add_sources_of_interfaces();
    }
    add_keys();
    if (!options_.commands.empty())
      add("reference/commands.html", "Commands and options", "Reference",
          "<h1>Commands and options</h1>\n" + options_.commands);
    add_reference_index();
    add_start();
    add_linked_sources();
    finish();
    return {warnings_.begin(), warnings_.end()};
  }

 private:
  struct page {
    std::string title, kind, body;
  };

  const guide_options& options_;
  pending_folder folder_;
  std::map<std::string, page> pages_;                // by address
  std::map<std::string, std::string> files_;         // others, by address
  std::map<std::string, model_extras> extras_;       // by key
  std::set<std::string> sources_, written_sources_;  // files and folders that pages lead to
  std::set<std::string> warnings_;
  std::vector<std::pair<std::string, std::string>> interfaces_;  // address and title

  bool has_source() const { return !options_.source.empty(); }
  fs::path source(const std::string& file) const { return fs::path(options_.source) / file; }
  std::string text_of(const std::string& file) const {
    return read_input_file(source(file).string(), largest_source);
  }

  void add(const std::string& address, const std::string& title, const std::string& kind,
           const std::string& body) {
    pages_[address] = {title, kind, body};
  }

  // Of a model or system by its name, and of the page of a file.
  model_links links_from(const std::string& address) const {
    return [this, up = way_up(address)](std::string_view key) {
      if (key.ends_with(".md")) {
        const std::string file = fmt::format("docs/{}", key);
        key.remove_suffix(3);
        if (find_page(key) == nullptr && has_source() && fs::is_regular_file(source(file)))
          return up + address_of(address_of_guide(file));
      }
      return find_page(key) == nullptr ? std::string() : fmt::format("{}models/{}.html", up, key);
    };
  }

  // ---- models -----------------------------------------------------------------------------------

  void make_extras() {
    const auto& all = model_pages();
    std::vector<model_extras> made(all.size());
    std::mutex guard;
    std::size_t finished = 0;
    const auto one = [&](std::size_t i) {
      if (options_.has_plots) {
        made[i] = extras_of(all[i], options_.interrupt);
      } else {
        made[i].code = code_without_plots(all[i]);
      }
      const std::lock_guard lock(guard);
      ++finished;
      if (options_.progress)
        options_.progress(static_cast<double>(finished) / static_cast<double>(all.size()));
    };
    const unsigned threads = std::max(1U, options_.threads);
    const tbb::global_control allowed(tbb::global_control::max_allowed_parallelism, threads);
    tbb::task_arena(static_cast<int>(threads)).execute([&] {
      tbb::parallel_for(std::size_t{0}, all.size(), one, tbb::simple_partitioner());
    });
    for (std::size_t i = 0; i < all.size(); ++i) {
      warnings_.insert(made[i].problems.begin(), made[i].problems.end());
      extras_[all[i].key] = std::move(made[i]);
    }
  }

  // The scenario of a study is found by running the model; without it a system's own is there.
  static std::string code_without_plots(const model_page& page) {
    const system_row* row = page.family == "system" ? find_system(page.key) : nullptr;
    std::string html;
    for (const auto& each :
         row != nullptr ? code_of(*row, example_of(*row)) : code_of(find_entry(page.key), ""))
      if (!each.text.empty()) html += code_html(each);
    return html;
  }

  void add_models() {
    for (const auto& each : model_pages()) {
      const std::string address = fmt::format("models/{}.html", each.key);
      std::string more = fmt::format(
          "<p class=\"quiet\">Written in <code>asperity/{}/{}.md</code>.</p>\n",
          each.family == "system" ? "systems" : "models/" + each.family, escaped(each.key));
      if (each.key == "inclusion" || each.key.starts_with("patch_")) more.clear();
      add(address, fmt::format("{}: {}", each.key, each.title),
          each.family == "system" ? "System" : "Model",
          with_titles(model_body(each, links_from(address), &extras_[each.key], more)));
    }
  }

  static std::string mark(bool is) {
    return is ? "<span class=\"yes\">yes</span>" : "<span class=\"no\">no</span>";
  }

  std::string row_of(const model_page& each, bool has_properties) const {
    const model_extras& extras = extras_.at(each.key);
    std::string row = cell_html("", extras.thumbnail);
    row += cell_html("", fmt::format("<a href=\"models/{0}.html\">{1}</a><br><code>{0}</code>",
                                     each.key, escaped(each.title)));
    if (has_properties && extras.properties) {
      const model_properties& p = *extras.properties;
      row += cell_html("Stiction", mark(p.stiction)) + cell_html("Drift", mark(p.drift)) +
             cell_html("Presliding", mark(p.presliding)) + cell_html("Stribeck", mark(p.stribeck)) +
             cell_html("Lag", mark(p.lag)) + cell_html("Stick-slip", mark(p.stick_slip)) +
             cell_html("Memory", to_string(p.memory)) + cell_html("Rate", mark(p.rate_dependent));
    } else {
      row += cell_html("Claims, tested", escaped(fmt::format("{}", fmt::join(each.claims, ", "))));
    }
    row +=
        cell_html("States", each.states.empty() ? "none" : fmt::format("{}", each.states.size()));
    row += cell_html("Parameters", fmt::format("{}", each.parameters.size()));
    return fmt::format("<tr>{}</tr>\n", row);
  }

  std::string catalogue_html() const {
    struct shown_family {
      const char *name, *title;
    };
    constexpr shown_family families[] = {{"friction", "Friction along a line"},
                                         {"curve", "Stribeck curves, which other models contain"},
                                         {"contact", "Contact along the normal"},
                                         {"frictional_contact", "Contact with friction at a point"},
                                         {"planar", "Friction of a patch that slides and spins"},
                                         {"hysteresis", "Hysteresis operators"}};
    std::string html;
    std::set<std::string> shown{"system"};
    const auto add_family = [&](const std::string& family, const std::string& title) {
      std::string rows;
      bool has_properties = false;
      for (const auto& each : model_pages())
        if (each.family == family && extras_.at(each.key).properties) has_properties = true;
      for (const auto& each : model_pages())
        if (each.family == family) rows += row_of(each, has_properties);
      shown.insert(family);
      if (rows.empty()) return;
      std::vector<std::string> heads{"", "Model"};
      if (has_properties)
        heads.insert(heads.end(), {"Stiction", "Drift", "Presliding", "Stribeck", "Lag",
                                   "Stick-slip", "Memory", "Rate"});
      else
        heads.emplace_back("Claims, tested");
      heads.insert(heads.end(), {"States", "Parameters"});
      html += fmt::format("<h3 id=\"{}\">{}</h3>\n{}", escaped(family), escaped(title),
                          table_html(heads, rows, "full stack catalogue"));
    };
    for (const auto& each : families) add_family(each.name, each.title);
    for (const auto& each : model_pages())
      if (shown.count(each.family) == 0) add_family(each.family, each.family);
    return html;
  }

  void add_choice() {
    std::string body;
    if (has_source() && fs::exists(source("docs/choosing.md"))) {
      body = html_of_guide("docs/choosing.md");
    } else {
      body = "<h1>Choose a model</h1>\n";
    }
    body +=
        "<h2 id=\"catalogue\">The whole catalogue</h2>\n<p>Properties of friction models were "
        "found by running them with their default parameters (<code>asperity models "
        "--properties</code>): stiction: a small load is held; drift: a load that oscillates below "
        "the limit moves the body forever; rate: the loop in (x, f) depends on the speed. The "
        "claims of other models are tested for every model that makes them. Small plots are those "
        "of the model's page.</p>\n" +
        catalogue_html();
    add("choose.html", "Choose a model", "Guide", with_contents(body));

    std::string cards;
    for (const auto& each : model_pages())
      if (each.family == "system")
        cards += fmt::format("<li>{}<b><a href=\"models/{}.html\">{}</a></b><p>{}</p></li>\n",
                             extras_.at(each.key).thumbnail, each.key, breakable(each.key),
                             escaped(each.title));
    add("systems.html", "Systems", "Guide",
        fmt::format("<h1>Systems</h1>\n<p class=\"lead\">Systems that a scenario can name; each "
                    "takes any model of its kind.</p>\n<ul class=\"cards\">\n{}</ul>\n",
                    cards));
  }

  // ---- guides -----------------------------------------------------------------------------------

  // Where a link in a file leads, as seen from the page of that file.
  std::string resolve(const std::string& file, const std::string& address,
                      std::string_view target) {
    if (target.starts_with("https://") || target.starts_with("http://") || target.starts_with("#"))
      return std::string(target);
    const std::size_t mark = std::min(target.find('#'), target.size());
    const std::string path = (fs::path(file).parent_path() / std::string(target.substr(0, mark)))
                                 .lexically_normal()
                                 .generic_string();
    const std::string part(target.substr(mark)), up = way_up(address);
    const auto lost = [&] {
      warnings_.insert(fmt::format("{}: the link to '{}' is broken", file, target));
      return std::string();
    };
    const fs::path place = source(path);
    if (path.empty() || path.starts_with("..") || path.starts_with("/") || !fs::exists(place))
      return lost();
    const std::string extension = place.extension().string();
    if (extension == ".md") {
      if (find_page(place.stem().string()) != nullptr)
        return fmt::format("{}models/{}.html{}", up, place.stem().string(), part);
      return up + address_of(address_of_guide(path)) + part;
    }
    if (extension == ".svg" || extension == ".png") {
      const std::string name = "pictures/" + place.filename().string();
      files_[name] = text_of(path);
      return up + address_of(name);
    }
    sources_.insert(path.ends_with('/') ? path.substr(0, path.size() - 1) : path);
    return up + address_of(source_address(path));
  }

  std::string source_address(std::string path) const {
    if (path.ends_with('/')) path.pop_back();
    return fs::is_directory(source(path)) ? fmt::format("source/{}/index.html", path)
                                          : fmt::format("source/{}.html", path);
  }

  // A link that has the name of a guide's file for its text gets the title of the guide.
  std::string with_titles(std::string html) const {
    if (!has_source()) return html;
    constexpr std::string_view end_of_link = ".md</a>";
    for (std::size_t end = 0; (end = html.find(end_of_link, end)) != std::string::npos; ++end) {
      const std::size_t begin = html.rfind('>', end) + 1;
      const std::string name = html.substr(begin, end + 3 - begin);
      if (name.find("..") != std::string::npos || name.starts_with('/')) continue;
      for (const std::string& file : {name, "docs/" + name})
        if (fs::is_regular_file(source(file))) {
          html.replace(begin, name.size(), escaped(title_of(text_of(file), name)));
          break;
        }
    }
    return html;
  }

  std::string html_of_guide(const std::string& file, std::string text = {}) {
    const std::string address = address_of_guide(file);
    if (text.empty()) text = text_of(file);
    guide_links links;
    links.model = links_from(address);
    links.page = [&](std::string_view target) { return resolve(file, address, target); };
    links.block = [&](std::string_view language, const std::string& code) {
      return language == "toml plot" ? picture_html(file, code) : std::string();
    };
    std::string html = with_titles(guide_html(text, links));
    return file == "docs/errata.md" ? with_rows_named(std::move(html)) : html;
  }

  // A picture that a guide states as runs and panels, and below it the text it was made from.
  std::string picture_html(const std::string& file, const std::string& code) {
    const experiment what = read_picture(code, file);
    std::string html;
    if (options_.has_plots) {
      simulate_options limits;
      limits.interrupt = options_.interrupt;
      const experiment_result result = perform(what, limits);
      for (const auto& panel : panels_of(result)) {
        const inline_picture picture = draw_inline(panel, options_.interrupt);
        if (!picture.problem.empty()) warnings_.insert(picture.problem);
        html += figure_html(panel, picture);
      }
    }
    return fmt::format(
        "<div class=\"figures\">\n{}</div>\n<details><summary>The data of this "
        "picture</summary><div class=\"wide\"><pre>{}</pre></div></details>\n",
        html, escaped(code));
  }

  // Each row of the tables of errata can be linked to.
  static std::string with_rows_named(std::string html) {
    constexpr std::string_view cell = "<td>E-";
    for (std::size_t at = html.find(cell); at != std::string::npos; at = html.find(cell, at)) {
      const std::size_t from = at + 4, to = html.find('<', from);
      const std::string number = html.substr(from, to - from);
      const std::string named =
          fmt::format("<td class=\"name\" id=\"{0}\"><a href=\"#{0}\">{0}</a>", number);
      html.replace(at, to - at, named);
      at += named.size();
    }
    return html;
  }

  // A page of many sections begins with a list of them.
  static std::string with_contents(std::string html) {
    constexpr std::string_view begin = "<h2 id=\"", end = "</h2>";
    constexpr int least = 5;
    std::string items;
    int count = 0;
    const std::size_t first = html.find(begin);
    for (std::size_t at = first; at != std::string::npos; at = html.find(begin, at)) {
      const std::size_t name = at + begin.size(), title = html.find('>', name) + 1;
      const std::size_t next = html.find(end, title);
      if (next == std::string::npos) break;
      items += fmt::format("<li><a href=\"#{}\">{}</a></li>\n",
                           html.substr(name, html.find('"', name) - name),
                           escaped(plain_text(html.substr(title, next - title))));
      ++count;
      at = next;
    }
    if (count >= least)
      html.insert(first, fmt::format("<ul class=\"contents\">\n{}</ul>\n", items));
    return html;
  }

  void add_guide(const std::string& file, const std::string& kind) {
    if (!fs::exists(source(file))) return;
    add(address_of_guide(file), title_of(text_of(file), file), kind,
        with_contents(html_of_guide(file)));
  }

  // All of docs, those that no group names at the end.
  void add_guides() {
    std::set<std::string> named{"docs/choosing.md", "docs/concepts.md"};
    std::string list;
    const auto add_list = [&](const std::string& title,
                              const std::vector<std::pair<std::string, std::string>>& guides) {
      std::string items;
      for (const auto& [file, what] : guides) {
        named.insert(file);
        if (!fs::exists(source(file))) continue;
        add_guide(file, "Guide");
        items += fmt::format("<li><b><a href=\"../{}\">{}</a></b><p>{}</p></li>\n",
                             address_of(address_of_guide(file)),
                             escaped(title_of(text_of(file), file)), escaped(what));
      }
      if (!items.empty())
        list += fmt::format("<h2 id=\"{}\">{}</h2>\n<ul class=\"cards\">\n{}</ul>\n",
                            heading_name(title), escaped(title), items);
    };
    for (const auto& group : guide_groups()) {
      std::vector<std::pair<std::string, std::string>> guides;
      for (const auto& each : group.guides) guides.emplace_back(each.file, each.what);
      add_list(group.title, guides);
    }
    std::vector<std::pair<std::string, std::string>> others;
    for (const auto& entry : fs::directory_iterator(source("docs"))) {
      const std::string file = "docs/" + entry.path().filename().string();
      if (entry.path().extension() == ".md" && named.count(file) == 0)
        others.emplace_back(file, "");
    }
    std::sort(others.begin(), others.end());
    add_list("More", others);
    add("guides/index.html", "Guides", "Guide", "<h1>Guides</h1>\n" + list);
  }

  // ---- reference --------------------------------------------------------------------------------

  void add_sources_of_interfaces() {
    const std::string up = "../";
    std::string cpp =
        "<h1>C++</h1>\n<p class=\"lead\">The documentation in the public headers. For their use "
        "see <a href=\"../guides/cpp.html\">Asperity in C++</a>. Each model has its own header, "
        "below <code>asperity/models</code>.</p>\n";
    for (const auto& group : header_groups()) {
      cpp += fmt::format("<h2 id=\"{}\">{}</h2>\n", heading_name(group.title), group.title);
      for (const char* file : group.files) {
        if (!fs::exists(source(file))) continue;
        sources_.insert(file);
        const documented_file said = read_header(text_of(file));
        cpp += fmt::format(
            "<h3 id=\"{0}\"><a href=\"{1}{2}\"><code>{3}</code></a></h3>\n<div class=\"wide\"><pre "
            "class=\"source\">{4}</pre></div>\n<details><summary>{5} names</summary>\n{6}"
            "</details>\n",
            heading_name(file), up, source_address(file), file, escaped(said.about),
            said.names.size(),
            reference_html(said, fmt::format("{}-", fs::path(file).stem().string())));
      }
    }
    add_interface("reference/cpp.html", "C++ interface", cpp);

    if (fs::exists(source("c/asperity.h"))) {
      const documented_file said = read_header(text_of("c/asperity.h"));
      sources_.insert("c/asperity.h");
      add_interface(
          "reference/c.html", "C interface",
          fmt::format(
              "<h1>C</h1>\n<p class=\"lead\"><a href=\"../{}\"><code>asperity.h</code></a>; for "
              "its use see <a href=\"../guides/c.html\">Asperity in C</a>.</p>\n<div "
              "class=\"wide\"><pre class=\"source\">{}</pre></div>\n{}",
              source_address("c/asperity.h"), escaped(said.about), reference_html(said, "")));
    }
    std::string python =
        "<h1>Python</h1>\n<p class=\"lead\">For the use of the package see <a "
        "href=\"../guides/python.html\">Asperity in Python</a>. Each model of the catalogue is a "
        "class of <code>asperity.models</code>; its page lists the parameters.</p>\n";
    bool has_python = false;
    const std::string package = "python/asperity/__init__.py";
    const auto exported =
        fs::exists(source(package)) ? exported_names(text_of(package)) : std::vector<std::string>{};
    for (const char* name : {"__init__", "model", "run", "catalogue", "analysis", "identify"}) {
      const std::string file = fmt::format("python/asperity/{}.py", name);
      if (!fs::exists(source(file))) continue;
      has_python = true;
      documented_file said = read_module(text_of(file));
      // What helps the modules is not for their users.
      std::erase_if(said.names, [&](const documented_name& each) {
        const std::string first = each.name.substr(0, each.name.find('.'));
        return std::find(exported.begin(), exported.end(), first) == exported.end();
      });
      python += fmt::format(
          "<h2 id=\"module-{}\">{}</h2>\n<div class=\"wide\"><pre class=\"source\">{}"
          "</pre></div>\n{}",
          heading_name(name), std::string_view(name) == "__init__" ? "asperity" : name,
          comment_html(said.about), said.names.empty() ? "" : reference_html(said, ""));
    }
    if (has_python) add_interface("reference/python.html", "Python interface", python);
  }

  void add_interface(const std::string& address, const std::string& title,
                     const std::string& body) {
    add(address, title, "Reference", with_contents(body));
    interfaces_.emplace_back(address, title);
  }

  static std::string keys_html(const std::vector<key_entry>& keys) {
    std::string rows;
    for (const auto& key : keys) {
      const bool is_number = key.is == key_entry::kind::number ||
                             key.is == key_entry::kind::numbers ||
                             key.is == key_entry::kind::signal;
      const std::string name = key.table.empty() ? key.name : key.table + "." + key.name;
      rows += fmt::format(
          "<tr>{}{}{}{}{}</tr>\n",
          cell_html("", fmt::format("<code>{}</code>", escaped(name)), "name"),
          cell_html("", escaped(key.meaning)),
          cell_html("Unit", is_number ? escaped(to_string(key.in)) : "", "name"),
          cell_html("Default", escaped(key.required ? "required" : key.otherwise)),
          cell_html("Allowed",
                    escaped(key.words.empty() ? (is_number ? to_string(key.allowed) : "")
                                              : fmt::format("{}", fmt::join(key.words, ", ")))));
    }
    return table_html({"Key", "Meaning", "Unit", "Default", "Allowed"}, rows, "stack");
  }

  void add_keys() {
    std::string body =
        "<h1>Keys of scenarios</h1>\n<p class=\"lead\">Generated from the keys that the tool "
        "reads. The tables <code>[run]</code>, <code>[integrator]</code>, <code>[initial]</code> "
        "and <code>[[plot]]</code>, which all scenarios share, are explained in ";
    body += has_source() ? "<a href=\"../guides/scenario-files.html\">Scenario files</a>.</p>\n"
                         : "the guide to scenario files.</p>\n";
    body += "<h2 id=\"systems\">Systems</h2>\n";
    for (const system_row* row : systems())
      body += fmt::format(
          "<h3 id=\"{0}\"><a href=\"../models/{0}.html\"><code>{0}</code></a>: "
          "{1}</h3>\n{2}",
          row->name, escaped(row->what), keys_html(keys_of(*row)));
    body += "<h2 id=\"signals\">Input signals</h2>\n";
    for (const signal_row* row : signals())
      body += fmt::format("<h3 id=\"signal-{0}\"><code>{0}</code>: {1}</h3>\n{2}", row->name,
                          escaped(row->meaning), keys_html(keys_of(*row, units::one)));
    std::string rows;
    for (const method_row* row : methods())
      rows += fmt::format("<tr>{}{}{}</tr>\n",
                          cell_html("", fmt::format("<code>{}</code>", row->name), "name"),
                          cell_html("", escaped(row->meaning)),
                          cell_html("Step", row->is_fixed ? "fixed" : "chosen by its error"));
    body += "<h2 id=\"methods\">Integration methods</h2>\n" +
            table_html({"Method", "What it is", "Step"}, rows, "stack");
    rows.clear();
    for (const measure_row* row : measures())
      rows += fmt::format(
          "<tr>{}{}{}</tr>\n", cell_html("", fmt::format("<code>{}</code>", row->word), "name"),
          cell_html("", escaped(row->meaning)), cell_html("Unit", escaped(row->in)));
    body += "<h2 id=\"measures\">Measures of a run</h2>\n" +
            table_html({"Measure", "What it is", "Unit"}, rows, "stack");
    add("reference/scenario.html", "Keys of scenarios", "Reference", body);
  }

  void add_reference_index() {
    std::string items;
    const auto item = [&](const std::string& address, const std::string& title,
                          const std::string& what) {
      items += fmt::format("<li><b><a href=\"../{}\">{}</a></b><p>{}</p></li>\n", address,
                           escaped(title), escaped(what));
    };
    item("reference/scenario.html", "Keys of scenarios",
         "systems, input signals, methods and measures, with units and ranges");
    if (!options_.commands.empty())
      item("reference/commands.html", "Commands and options",
           "the text of --help for every command");
    item("choose.html", "Models", "each with parameters, equations, plots and code");
    for (const auto& [address, title] : interfaces_) item(address, title, "made from the sources");
    add("reference/index.html", "Reference", "Reference",
        fmt::format("<h1>Reference</h1>\n<ul class=\"cards\">\n{}</ul>\n", items));
  }

  // ---- start ------------------------------------------------------------------------------------

  void add_start() {
    std::string lead =
        "Friction, contact and hysteresis for simulation: models from the literature behind one "
        "interface.";
    std::string rest;
    if (has_source()) {
      // The first paragraph of README.md leads; the rest follows the cards.
      const std::string readme = text_of("README.md");
      const std::size_t title = readme.find("\n\n"),
                        from = title == std::string::npos ? 0 : title + 2;
      const std::size_t to = std::min(readme.find("\n\n", from), readme.size());
      lead = html_of_guide("README.md", readme.substr(from, to - from));
      rest = html_of_guide("README.md", readme.substr(to));
    } else {
      lead = "<p>" + lead + "</p>";
    }
    const auto count = [](bool wants_systems) {
      return std::count_if(model_pages().begin(), model_pages().end(), [&](const auto& each) {
        return (each.family == "system") == wants_systems;
      });
    };
    std::string cards;
    const auto card = [&](const std::string& address, const std::string& title,
                          const std::string& what, const std::string& stamp = "") {
      cards += fmt::format("<li>{}<b><a href=\"{}\">{}</a></b><p>{}</p></li>\n", stamp,
                           escaped(address), escaped(title), escaped(what));
    };
    const auto stamp = [&](const char* key) {
      const auto found = extras_.find(key);
      return found == extras_.end() ? std::string() : found->second.thumbnail;
    };
    card("choose.html", "Choose a model",
         fmt::format("{} models: a guide, and a table of their properties", count(false)),
         stamp("dai_multistate"));
    if (pages_.count("concepts.html") > 0)
      card("concepts.html", "Concepts",
           "stick and slip, inclusions, presliding, hysteresis, restitution, sliding and spinning",
           stamp("pulled_mass"));
    card("systems.html", "Systems",
         fmt::format("{} systems that a scenario can name, each with a run", count(true)),
         stamp("bouncing_mass"));
    if (pages_.count("guides/index.html") > 0)
      card("guides/index.html", "Guides",
           "from a first run to fits, sweeps and models of your own");
    card("reference/index.html", "Reference", "keys, commands, C++, C and Python");
    if (!options_.report.empty())
      card(options_.report, "Report", "published experiments, reproduced and judged");
    if (!options_.lab.empty()) card(options_.lab, "Lab", "models in the browser, to play with");
    add("index.html", "Asperity: friction, contact and hysteresis", "Start",
        fmt::format(
            "<h1>Asperity</h1>\n<div class=\"lead\">{}</div>\n<ul class=\"cards start\">\n{}</ul>"
            "\n{}",
            lead, cards, rest));
  }

  // ---- sources that pages lead to ---------------------------------------------------------------

  void add_linked_sources() {
    while (!sources_.empty()) {
      const std::string path = *sources_.begin();
      sources_.erase(sources_.begin());
      if (!written_sources_.insert(path).second) continue;
      const std::string address = source_address(path);
      if (fs::is_directory(source(path))) {
        std::vector<std::string> names;
        for (const auto& entry : fs::directory_iterator(source(path)))
          names.push_back(entry.path().filename().string());
        std::sort(names.begin(), names.end());
        std::string items;
        for (const auto& name : names) {
          const std::string inside = fmt::format("{}/{}", path, name);
          const bool is_page =
              name.ends_with(".md") && find_page(fs::path(name).stem().string()) != nullptr;
          if (!is_page && !fs::is_directory(source(inside))) sources_.insert(inside);
          if (fs::is_directory(source(inside))) continue;
          items +=
              fmt::format("<li><a href=\"{}{}\">{}</a></li>\n", way_up(address),
                          is_page ? fmt::format("models/{}.html", fs::path(name).stem().string())
                                  : address_of(source_address(inside)),
                          escaped(name));
        }
        add(address, path, "Source",
            fmt::format("<h1><code>{}</code></h1>\n<ul>\n{}</ul>\n", escaped(path), items));
        continue;
      }
      add(address, path, "Source",
          fmt::format("<h1><code>{}</code></h1>\n<div class=\"wide\"><pre>{}</pre></div>\n",
                      escaped(path), escaped(text_of(path))));
    }
  }

  // ---- writing ----------------------------------------------------------------------------------

  std::string navigation(const std::string& address) const {
    const std::string up = way_up(address);
    std::string html;
    const auto link = [&](const std::string& to, const char* title, bool is_here) {
      html += fmt::format("<a href=\"{}{}\"{}>{}</a>", up, escaped(to),
                          is_here ? " aria-current=\"page\"" : "", title);
    };
    link("choose.html", "Models",
         address == "choose.html" ||
             (address.starts_with("models/") && pages_.at(address).kind == "Model"));
    if (pages_.count("concepts.html") > 0)
      link("concepts.html", "Concepts", address == "concepts.html");
    link("systems.html", "Systems",
         address == "systems.html" ||
             (address.starts_with("models/") && pages_.at(address).kind == "System"));
    if (pages_.count("guides/index.html") > 0)
      link("guides/index.html", "Guides", address.starts_with("guides/"));
    link("reference/index.html", "Reference", address.starts_with("reference/"));
    if (!options_.report.empty()) link(options_.report, "Report", false);
    if (!options_.lab.empty()) link(options_.lab, "Lab", false);
    return html;
  }

  void finish() {
    nlohmann::ordered_json index = nlohmann::ordered_json::array();
    const bool has_errata = pages_.count("guides/errata.html") > 0;
    for (const auto& [address, each] : pages_) {
      std::filesystem::create_directories((folder_.path() / address).parent_path());
      folder_.write(address,
                    page_html({each.title, navigation(address), each.body, way_up(address),
                               "index.html", false, has_errata ? "guides/errata.html" : ""}));
      if (each.kind != "Source")
        index.push_back({{"title", each.title},
                         {"address", address},
                         {"kind", each.kind},
                         {"words", words_for_search(each.body)}});
    }
    for (const auto& [address, bytes] : files_) {
      std::filesystem::create_directories((folder_.path() / address).parent_path());
      folder_.write(address, bytes);
    }
    folder_.write("style.css", page_style);
    folder_.write("search.js", search_script);
    folder_.write("search_index.js", "const asperity_pages = " + json_text(index) + ";\n");
    if (is_set(options_.interrupt)) throw interruption();
    folder_.commit();
  }
};

}  // namespace

std::vector<std::string> write_guide(const std::string& folder, const guide_options& options) {
  if (!options.source.empty() && !fs::exists(fs::path(options.source) / "README.md"))
    throw error(fmt::format("'{}' is not the source folder of Asperity: it has no README.md",
                            options.source));
  return guide_site(folder, options).write();
}

}  // namespace asperity
