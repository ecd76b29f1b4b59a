// SPDX-License-Identifier: Apache-2.0
// modelDescription.xml of FMI 2.0.4 and 3.0.2.

#include <fmt/format.h>

#include <asperity/fmi/package.hpp>
#include <asperity/quantity.hpp>
#include <asperity/run/output.hpp>
#include <asperity/text.hpp>
#include <asperity/text/markup.hpp>
#include <cmath>

namespace asperity::fmi {

namespace {

// Control characters, which XML cannot hold, are written out.
std::string attribute(const char* name, std::string_view value) {
  return fmt::format(" {}=\"{}\"", name, escaped(in_one_line(value)));
}
std::string attribute(const char* name, double value) {
  return fmt::format(" {}=\"{}\"", name, value);
}
std::string attribute(const char* name, std::size_t value) {
  return fmt::format(" {}=\"{}\"", name, value);
}

std::string unit_definitions(const description& d) {
  std::vector<unit> all;
  for (const auto& v : d.variables)
    if (!is_plain(v.in) && std::none_of(all.begin(), all.end(), [&](unit each) {
          return to_string(each) == to_string(v.in);
        }))
      all.push_back(v.in);
  std::string text;
  for (const unit each : all) {
    text += fmt::format("    <Unit{}>", attribute("name", to_string(each)));
    // The standard counts radians in angles and their rates, not in torques; its powers are whole.
    const double radian = each.kilogram == 0 ? each.radian : 0;
    const bool is_whole = std::floor(each.kilogram) == each.kilogram &&
                          std::floor(each.metre) == each.metre &&
                          std::floor(each.second) == each.second && std::floor(radian) == radian;
    if (is_whole) {
      text += "<BaseUnit";
      const auto power = [&](const char* name, double value) {
        if (value != 0) text += fmt::format(" {}=\"{}\"", name, static_cast<int>(value));
      };
      power("kg", each.kilogram);
      power("m", each.metre);
      power("s", each.second);
      power("rad", radian);
      text += "/>";
    }
    text += "</Unit>\n";
  }
  return text.empty() ? "" : "  <UnitDefinitions>\n" + text + "  </UnitDefinitions>\n";
}

class writer {
 public:
  writer(const description& d, standard version, const kinds& has, const std::string& token,
         const std::vector<std::string>& sources)
      : d_(d), is_2_(version == standard::fmi_2), has_(has), token_(token), sources_(sources) {}

  std::string text() {
    std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiModelDescription";
    out += attribute("fmiVersion", is_2_ ? "2.0" : "3.0") + attribute("modelName", d_.name) +
           attribute(is_2_ ? "guid" : "instantiationToken", token_) +
           attribute("description", d_.title) +
           attribute("generationTool", fmt::format("asperity {}", version())) +
           attribute("variableNamingConvention", "flat");
    if (is_2_)
      out += attribute("numberOfEventIndicators", has_.model_exchange ? d_.indicators.size() : 0);
    out += ">\n" + interfaces() + unit_definitions(d_) +
           "  <LogCategories>\n    <Category name=\"logStatusWarning\"/>\n"
           "    <Category name=\"logStatusError\"/>\n  </LogCategories>\n";
    out += fmt::format("  <DefaultExperiment startTime=\"0\"{}{}{}/>\n",
                       attribute("stopTime", d_.duration),
                       d_.tolerance > 0 ? attribute("tolerance", d_.tolerance) : "",
                       d_.sample > 0 ? attribute("stepSize", d_.sample) : "");
    out += "  <ModelVariables>\n";
    for (std::size_t i = 0; i < d_.variables.size(); ++i)
      if (is_written(d_.variables[i])) {
        place_.push_back(i);
        out += is_2_ ? variable_2(i) : variable_3(i);
      }
    return out + "  </ModelVariables>\n" + structure() + "</fmiModelDescription>\n";
  }

 private:
  const description& d_;
  bool is_2_;
  kinds has_;
  const std::string& token_;
  const std::vector<std::string>& sources_;
  std::vector<std::size_t> place_;  // value references of the variables that are written

  // Those of solvers only where there is model exchange; FMI 2.0 has no variables for indicators.
  bool is_written(const variable& v) const {
    if (v.is == variable::kind::derivative) return has_.model_exchange;
    if (v.is == variable::kind::indicator) return has_.model_exchange && !is_2_;
    return true;
  }

  std::string interfaces() const {
    const std::string id = attribute("modelIdentifier", identifier_of(d_.name));
    const std::string saves =
        d_.can_save ? " canGetAndSetFMU" + std::string(is_2_ ? "s" : "S") + "tate=\"true\"" : "";
    std::string out, files;
    if (is_2_)
      for (const auto& each : sources_)
        files += fmt::format("      <File{}/>\n", attribute("name", each));
    const auto with_files = [&](const char* kind) {
      if (files.empty()) return std::string("/>\n");
      return fmt::format(">\n    <SourceFiles>\n{}    </SourceFiles>\n  </{}>\n", files, kind);
    };
    if (has_.model_exchange)
      out += fmt::format("  <ModelExchange{}{} providesDirectionalDerivative{}=\"true\"{}", id,
                         saves, is_2_ ? "" : "s", with_files("ModelExchange"));
    if (has_.co_simulation)
      out += fmt::format("  <CoSimulation{}{} canHandleVariableCommunicationStepSize=\"true\"{}",
                         id, saves, with_files("CoSimulation"));
    return out;
  }

  struct roles {
    const char *causality, *variability, *initial;
    bool has_start;
  };
  static roles roles_of(const variable& v) {
    using enum variable::kind;
    switch (v.is) {
      case time:
        return {"independent", "continuous", nullptr, false};
      case parameter:
        return {"parameter", "fixed", "exact", true};
      case input:
        return {"input", "continuous", nullptr, true};
      case state:
        if (!v.given_by.empty())
          return {v.is_shown ? "output" : "local", "continuous", "calculated", false};
        return {v.is_shown ? "output" : "local", "continuous", "exact", true};
      case output:
      case given:
        return {"output", "continuous", "calculated", false};
      case derivative:
      case indicator:
        break;
    }
    return {"local", "continuous", "calculated", false};
  }

  std::string numbers(const variable& v) const {
    std::string out;
    if (!is_plain(v.in)) out += attribute("unit", to_string(v.in));
    if (roles_of(v).has_start) {
      if (v.allowed.lower > -unbounded) out += attribute("min", v.allowed.lower);
      if (v.allowed.upper < unbounded) out += attribute("max", v.allowed.upper);
      out += attribute("start", v.start);
    }
    return out;
  }
  std::string head(std::size_t i) const {
    const variable& v = d_.variables[i];
    const roles r = roles_of(v);
    std::string out = attribute("name", v.name) + attribute("valueReference", i);
    if (!v.meaning.empty()) out += attribute("description", v.meaning);
    out += attribute("causality", r.causality) + attribute("variability", r.variability);
    if (r.initial != nullptr) out += attribute("initial", r.initial);
    return out;
  }
  // The value reference of the state that a derivative is of.
  std::size_t state_of(const variable& rate) const {
    std::size_t i = 0;
    while (d_.variables[i].is != variable::kind::state || d_.variables[i].index != rate.index) ++i;
    return i;
  }
  // FMI 2.0 counts the variables as they are written, from 1.
  std::size_t written(std::size_t reference) const {
    const auto at = std::find(place_.begin(), place_.end(), reference);
    return static_cast<std::size_t>(at - place_.begin()) + 1;
  }

  std::string variable_2(std::size_t i) const {
    const variable& v = d_.variables[i];
    std::string real = numbers(v);
    if (v.is == variable::kind::derivative) real += attribute("derivative", written(state_of(v)));
    return fmt::format("    <ScalarVariable{}><Real{}/></ScalarVariable>\n", head(i), real);
  }
  std::string variable_3(std::size_t i) const {
    const variable& v = d_.variables[i];
    std::string rest = numbers(v);
    if (v.is == variable::kind::derivative) rest += attribute("derivative", state_of(v));
    return fmt::format("    <Float64{}{}/>\n", head(i), rest);
  }

  // Everything may depend on everything, which is what an unknown without dependencies says.
  std::string structure() const {
    std::string outputs, derivatives, initial, indicators;
    for (const std::size_t i : place_) {
      const variable& v = d_.variables[i];
      const roles r = roles_of(v);
      const auto line = [&](const char* name) {
        return is_2_ ? fmt::format("      <Unknown index=\"{}\"/>\n", written(i))
                     : fmt::format("    <{} valueReference=\"{}\"/>\n", name, i);
      };
      const bool is_output = std::string_view(r.causality) == "output";
      if (is_output) outputs += line("Output");
      if (v.is == variable::kind::derivative) derivatives += line("ContinuousStateDerivative");
      if (v.is == variable::kind::indicator) indicators += line("EventIndicator");
      const bool is_calculated =
          r.initial != nullptr && std::string_view(r.initial) == "calculated";
      const bool is_unknown = is_calculated && v.is != variable::kind::indicator;
      if (is_unknown) initial += line("InitialUnknown");
    }
    if (!is_2_)
      return "  <ModelStructure>\n" + outputs + derivatives + initial + indicators +
             "  </ModelStructure>\n";
    const auto part = [](const char* name, const std::string& lines) {
      return lines.empty() ? "" : fmt::format("    <{0}>\n{1}    </{0}>\n", name, lines);
    };
    return "  <ModelStructure>\n" + part("Outputs", outputs) + part("Derivatives", derivatives) +
           part("InitialUnknowns", initial) + "  </ModelStructure>\n";
  }
};

}  // namespace

std::string model_description(const description& d, standard version, const kinds& has,
                              const std::string& token, const std::vector<std::string>& sources) {
  return writer(d, version, has, token, sources).text();
}

// The options are those of fmu/compile_it.cmake.in.
std::string build_description(const std::string& identifier,
                              const std::vector<std::string>& sources) {
  std::string files;
  for (const auto& each : sources)
    files += fmt::format("      <SourceFile{}/>\n", attribute("name", each));
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiBuildDescription fmiVersion=\"3.0\">\n"
      "  <BuildConfiguration{}>\n    <SourceFileSet language=\"C++20\" "
      "compilerOptions=\"-O3 -ffp-contract=off -fvisibility=hidden\">\n{}"
      "      <PreprocessorDefinition name=\"NDEBUG\"/>\n"
      "      <PreprocessorDefinition name=\"TOML_HEADER_ONLY\" value=\"0\"/>\n"
      "      <PreprocessorDefinition name=\"ASPERITY_VERSION\"{}/>\n"
      "      <IncludeDirectory name=\".\"/>\n      <IncludeDirectory name=\"generated\"/>\n"
      "    </SourceFileSet>\n"
      "    <Library name=\"dl\" external=\"true\"/>\n"
      "  </BuildConfiguration>\n</fmiBuildDescription>\n",
      attribute("modelIdentifier", identifier), files,
      attribute("value", fmt::format("\"{}\"", version())));
}

}  // namespace asperity::fmi
