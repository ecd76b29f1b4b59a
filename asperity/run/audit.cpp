// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <asperity/run/audit.hpp>
#include <cctype>
#include <cmath>

namespace asperity {

namespace {

// "contact 1 (wall)" as part of a column's name: contact_1_wall.
std::string slug(const std::string& name) {
  std::string result;
  for (const char c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
      result += c;
    } else if (!result.empty() && result.back() != '_') {
      result += '_';
    }
  }
  while (!result.empty() && result.back() == '_') result.pop_back();
  return result;
}

std::string in_words(const energy_terms::element& element) {
  return element.model.empty() ? element.name
                               : fmt::format("{} (model '{}')", element.name, element.model);
}

// A series that must not fall: the first time from which it falls by more than `allowed`.
struct fall {
  double t = 0, size = 0;
};
fall greatest_fall(const std::vector<double>& t, const std::vector<double>& series,
                   double allowed) {
  fall found;
  double highest = series.front(), since = t.front();
  for (std::size_t i = 1; i < series.size(); ++i) {
    if (series[i] >= highest) {
      highest = series[i];
      since = t[i];
    } else if (highest - series[i] > allowed && found.size == 0) {
      found = {since, highest - series[i]};
    } else if (found.size > 0) {
      found.size = std::max(found.size, highest - series[i]);
    }
  }
  return found;
}

}  // namespace

auditor::auditor(energy_terms terms, double tolerance)
    : terms_(std::move(terms)), tolerance_(tolerance) {}

void auditor::add(double t, const double* energies, const double* flows) {
  t_.push_back(t);
  auto& now = energies_.emplace_back(energies, energies + terms_.energies());
  for (std::size_t e = 0; e < terms_.elements.size(); ++e)
    if (!terms_.elements[e].has_store) now[terms_.held.size() + e] = 0;
  flows_.emplace_back(flows, flows + terms_.powers());
}

std::vector<std::string> auditor::column_names(const energy_terms& terms) {
  std::vector<std::string> names;
  for (const auto& each : terms.held) names.push_back(slug(each));
  for (const auto& each : terms.elements) names.push_back("stored_" + slug(each.name));
  for (const auto& each : terms.supplies) names.push_back("supplied_" + slug(each));
  for (const auto& each : terms.elements) {
    names.push_back("taken_" + slug(each.name));
    for (const auto& loss : each.losses) names.push_back(slug(each.name) + "_" + slug(loss.name));
  }
  for (const auto& each : terms.elements) names.push_back("dissipated_" + slug(each.name));
  names.emplace_back("residual_bodies");
  for (const auto& each : terms.elements)
    if (!each.losses.empty()) names.push_back("residual_" + slug(each.name));
  names.emplace_back("total");
  return names;
}

audit_report auditor::finish() const {
  audit_report report;
  report.tolerance = tolerance_;
  report.t = t_;
  for (auto& name : column_names(terms_)) report.columns.push_back({name, {}});
  if (t_.empty()) return report;

  const std::size_t held = terms_.held.size(), elements = terms_.elements.size();
  const std::size_t supplies = terms_.supplies.size();
  // Where the flows of an element begin, and its columns.
  std::vector<std::size_t> flow_of(elements), residual_of(elements);
  std::size_t next = supplies;
  for (std::size_t e = 0; e < elements; ++e) {
    flow_of[e] = next;
    next += 1 + terms_.elements[e].losses.size();
  }
  const std::size_t first_dissipated = held + elements + next;
  const std::size_t residual_bodies = first_dissipated + elements;
  std::size_t column = residual_bodies + 1;
  for (std::size_t e = 0; e < elements; ++e)
    residual_of[e] = terms_.elements[e].losses.empty() ? 0 : column++;
  const std::size_t total = column;

  for (std::size_t i = 0; i < t_.size(); ++i) {
    const auto& energy = energies_[i];
    const auto& flow = flows_[i];
    const auto& start = energies_.front();
    std::size_t at = 0;
    for (const double each : energy) report.columns[at++].values.push_back(each);
    for (const double each : flow) report.columns[at++].values.push_back(each);

    double change = 0, exchanged = 0, supplied = 0, taken = 0, sum = 0;
    for (std::size_t k = 0; k < held; ++k) {
      change += energy[k] - start[k];
      exchanged += std::abs(energy[k] - start[k]);
      sum += energy[k];
    }
    for (std::size_t k = 0; k < supplies; ++k) supplied += flow[k];
    for (const double each : flow) exchanged += std::abs(each);
    for (std::size_t e = 0; e < elements; ++e) {
      const auto& element = terms_.elements[e];
      const double work = flow[flow_of[e]];
      const double stored = energy[held + e] - start[held + e];
      taken += work;
      exchanged += std::abs(stored);
      double lost = 0, all = 0;
      for (std::size_t k = 0; k < element.losses.size(); ++k) {
        const double each = flow[flow_of[e] + 1 + k];
        all += each;
        if (!element.losses[k].is_unbalanced) lost += each;
      }
      if (element.losses.empty()) lost = all = element.has_store ? work - stored : work;
      report.columns[first_dissipated + e].values.push_back(lost);
      sum += energy[held + e] + all;
      if (residual_of[e] != 0) report.columns[residual_of[e]].values.push_back(work - stored - all);
    }
    report.columns[residual_bodies].values.push_back(change - supplied + taken);
    report.columns[total].values.push_back(sum - supplied);
    report.exchanged = std::max(report.exchanged, exchanged);
  }

  // Balances that do not close.
  const auto check = [&](const std::string& where, const std::vector<double>& series) {
    const auto worst = std::max_element(
        series.begin(), series.end(), [](double a, double b) { return std::abs(a) < std::abs(b); });
    const double size = std::abs(*worst);
    const auto when = t_[static_cast<std::size_t>(worst - series.begin())];
    if (size > report.residual || report.residual_in.empty()) {
      report.residual = size;
      report.residual_in = where;
      report.residual_at = when;
    }
    const double allowed = tolerance_ * report.exchanged;
    const auto first = std::find_if(series.begin(), series.end(),
                                    [&](double value) { return !(std::abs(value) <= allowed); });
    if (first != series.end())
      report.findings.push_back({where, "the balance does not close",
                                 t_[static_cast<std::size_t>(first - series.begin())], size});
  };
  check("bodies", report.columns[residual_bodies].values);
  for (std::size_t e = 0; e < elements; ++e)
    if (residual_of[e] != 0)
      check(in_words(terms_.elements[e]), report.columns[residual_of[e]].values);

  // Work of what does not move.
  const double allowed = tolerance_ * report.exchanged;
  for (const std::size_t each : terms_.idle_supplies) {
    const auto& series = report.columns[held + elements + each].values;
    const auto first = std::find_if(series.begin(), series.end(),
                                    [&](double value) { return !(std::abs(value) <= allowed); });
    if (first != series.end())
      report.findings.push_back(
          {terms_.supplies[each],
           "supplies energy although nothing moves there: the rates do not contain the force as "
           "its argument requires (check signs, lever arms and masses)",
           t_[static_cast<std::size_t>(first - series.begin())], std::abs(series.back())});
  }

  // Losses that fall: energy from nowhere.
  for (std::size_t e = 0; e < elements; ++e) {
    const auto& element = terms_.elements[e];
    if (element.losses.empty()) {
      if (!element.has_store) {
        report.notes.push_back(fmt::format("{}: {}, so only its work is counted", in_words(element),
                                           element.why_no_store));
        continue;
      }
      const auto found = greatest_fall(t_, report.columns[first_dissipated + e].values, allowed);
      if (found.size > 0)
        report.findings.push_back(
            {in_words(element), "releases energy that it never received", found.t, found.size});
      continue;
    }
    for (std::size_t k = 0; k < element.losses.size(); ++k) {
      if (element.losses[k].is_unbalanced) continue;
      const auto& series = report.columns[held + elements + flow_of[e] + 1 + k].values;
      const auto found = greatest_fall(t_, series, allowed);
      if (found.size > 0)
        report.findings.push_back({fmt::format("{}, {}", in_words(element), element.losses[k].name),
                                   "releases energy that it never received", found.t, found.size});
    }
  }
  return report;
}

}  // namespace asperity
