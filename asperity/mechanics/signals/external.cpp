// SPDX-License-Identifier: Apache-2.0
#include <asperity/mechanics/external_signal.hpp>
#include <asperity/mechanics/input_signal.hpp>

namespace asperity {

namespace {

thread_local external_inputs* listening = nullptr;

}  // namespace

external_inputs::external_inputs() : before_(listening) { listening = this; }
external_inputs::~external_inputs() { listening = before_; }

namespace detail {

extern const signal_row external{
    .name = "external",
    .meaning = "given by the importer of an FMU (docs/fmi.md); in a run it keeps its initial value",
    .read = [](key_builder& table, unit in) {
      auto given = std::make_shared<external_value>();
      table.optional("start", given->now, in, any_value, "initial value, until another is given");
      if (listening != nullptr && !table.lists()) listening->found.push_back(given);
      return signal::of(given);
    }};

}  // namespace detail

}  // namespace asperity
