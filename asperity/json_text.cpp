// SPDX-License-Identifier: Apache-2.0
#include <asperity/json_text.hpp>
#include <asperity/text.hpp>
#include <nlohmann/json.hpp>

namespace asperity {

namespace {

using json = nlohmann::ordered_json;

json with_utf8(const json& value) {
  if (value.is_string()) return as_utf8(value.get_ref<const std::string&>());
  json result = value;
  if (value.is_array())
    for (auto& each : result) each = with_utf8(each);
  if (value.is_object()) {
    result = json::object();
    for (const auto& [key, each] : value.items()) result[as_utf8(key)] = with_utf8(each);
  }
  return result;
}

}  // namespace

std::string json_text(const json& value) {
  try {
    return value.dump(2) + "\n";
  } catch (const json::type_error&) {  // bytes that are not UTF-8
    return with_utf8(value).dump(2) + "\n";
  }
}

}  // namespace asperity
