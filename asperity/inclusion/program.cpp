// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <asperity/error.hpp>
#include <asperity/inclusion/program.hpp>
#include <cmath>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

namespace asperity {

namespace {

using code = program::code;

class compiler {
 public:
  compiler(const std::vector<term_to_compile>& terms, const program_layout& layout)
      : terms_(terms), layout_(layout), called_(terms.size(), -1) {
    next_ = layout.first_free();
  }

  int at(const expression& e) {
    // Trees share branches: each is compiled once. The map keeps the tree alive through `kept_`.
    const auto known = [&](const expression::node& n) { return of_node_.count(&n) != 0; };
    if (!known(*e))
      arguments_first(e, known, [&](const expression& each) {
        const expression* outer = std::exchange(now_, &each);
        const int result = compile_node(each);
        now_ = outer;
        of_node_.emplace(&*each, result);
        kept_.push_back(each);
      });
    return of_node_.at(&*e);
  }

  int call_of(int term) {
    const auto which = static_cast<std::size_t>(term);
    if (called_[which] >= 0) return called_[which];
    const term_to_compile& t = terms_[which];
    program::call c{t.K, t.beta, t.alpha, {}, 0, {}, {}, {}};
    const std::size_t dimension = t.argument.size();
    for (std::size_t k = 0; k < dimension; ++k) {
      c.argument[k] = reg(at(t.argument[k]));
      c.state[k] = reg(layout_.state_register(t.first_state + static_cast<int>(k)));
    }
    if (!t.is_contact) c.factor = reg(at(t.factor));
    for (std::size_t k = 0; k < dimension; ++k) {
      c.force[k] = reg(fresh());
      c.rate[k] = reg(fresh());
    }
    const int number = static_cast<int>(result_.calls.size());
    result_.calls.push_back(c);
    const code what = t.is_contact     ? code::contact
                      : dimension == 1 ? code::friction
                                       : code::planar_friction;
    result_.instructions.push_back({what, c.force[0], reg(number), 0, 0});
    called_[which] = number;
    return number;
  }

  program finish(std::vector<int> wanted) {
    for (std::size_t i = 0; layout_.given_forces == 0 && i < terms_.size(); ++i) {
      const auto& c = result_.calls[static_cast<std::size_t>(call_of(static_cast<int>(i)))];
      for (std::size_t k = 0; k < terms_[i].argument.size(); ++k) wanted.push_back(c.rate[k]);
    }
    for (const int each : wanted) result_.outputs.push_back(reg(each));
    fuse();
    put_kinds_together();
    find_states_read();
    result_.instructions.push_back({code::end});
    result_.registers = next_;
    return std::move(result_);
  }

 private:
  static std::uint16_t reg(int i) {
    if (i > 0xffff)
      throw error(
          "its formulas have more than 65535 intermediate values in total: use fewer or shorter "
          "definitions");
    return static_cast<std::uint16_t>(i);
  }
  int fresh() { return next_++; }

  int constant(double value) {
    const auto known = constants_.find(value);
    if (known != constants_.end() && std::signbit(value) == std::signbit(known->first))
      return known->second;
    const int to = fresh();
    constants_[value] = to;
    value_of_[to] = value;
    result_.constants.push_back({reg(to), value});
    return to;
  }

  [[noreturn]] void refuse(const std::string& message) const {
    if (now_ == nullptr) throw error(message);
    const std::string& place = (*now_)->place;
    throw error(place + (place.empty() ? "" : ": ") + "'" + to_text(*now_) + "': " + message);
  }

  // An instruction; a constant where both operands are.
  int emit(code what, int a, int b) {
    // Adding nothing, or multiplying by one, changes no bit (a zero may lose its sign).
    const auto is = [&](int r, double value) {
      const auto known = value_of_.find(r);
      return known != value_of_.end() && known->second == value;
    };
    if ((what == code::add || what == code::subtract) && is(b, 0)) return a;
    if (what == code::add && is(a, 0)) return b;
    if ((what == code::multiply || what == code::divide) && is(b, 1)) return a;
    if (what == code::multiply && is(a, 1)) return b;
    if (what == code::divide && value_of_.count(b) != 0 && value_of_[b] == 0)
      refuse("it divides by zero");
    const bool binary = what <= code::divide || (what >= code::minimum && what <= code::power);
    if (value_of_.count(a) != 0 && (!binary || value_of_.count(b) != 0)) {
      program fold;
      std::array<double, 3> r{value_of_[a], binary ? value_of_[b] : 0.0, 0.0};
      fold.instructions = {{what, 2, 0, 1, 0}, {code::end}};
      fold.run(r.data());
      if (!std::isfinite(r[2])) refuse("it is constant, but not a finite number");
      return constant(r[2]);
    }
    const auto key = std::array<int, 3>{static_cast<int>(what), a, binary ? b : -1};
    const auto known = made_.find(key);
    if (known != made_.end()) return known->second;
    const int to = fresh();
    result_.instructions.push_back({what, reg(to), reg(a), reg(binary ? b : a), 0});
    made_[key] = to;
    return to;
  }

  // Whole powers by multiplication: they hold for negative bases too.
  int whole_power(int base, int exponent) {
    if (exponent == 0) return constant(1);
    if (exponent < 0) return emit(code::divide, constant(1), whole_power(base, -exponent));
    if (exponent == 1) return base;
    const int half = whole_power(base, exponent / 2);
    const int square = emit(code::multiply, half, half);
    return exponent % 2 == 0 ? square : emit(code::multiply, square, base);
  }

  int compile_node(const expression& e) {
    const auto of = [&](std::size_t i) { return at(e.argument(i)); };
    switch (e->what) {
      case operation::number:
        return constant(e->value);
      case operation::symbol:
        switch (e->kind) {
          case symbol_kind::time:
            return 0;
          case symbol_kind::state:
            return layout_.state_register(e->slot);
          case symbol_kind::input: {
            const auto which = static_cast<std::size_t>(e->slot);
            if (which < layout_.constant_inputs.size() && layout_.constant_inputs[which])
              return constant(*layout_.constant_inputs[which]);
            return layout_.input_register(e->slot);
          }
          case symbol_kind::parameter:
            return constant(layout_.parameters[static_cast<std::size_t>(e->slot)]);
        }
        break;
      case operation::force: {
        const term_to_compile& t = terms_[static_cast<std::size_t>(e->slot)];
        if (layout_.given_forces > 0) return layout_.force_register(t.first_force + e->index);
        const auto call = static_cast<std::size_t>(call_of(e->slot));
        return result_.calls[call].force[e->index];
      }
      case operation::named:
        return of(0);
      case operation::add:
        return emit(code::add, of(0), of(1));
      case operation::subtract:
        return emit(code::subtract, of(0), of(1));
      case operation::multiply:
        return emit(code::multiply, of(0), of(1));
      case operation::divide:
        return emit(code::divide, of(0), of(1));
      case operation::negate:
        return emit(code::negate, of(0), 0);
      case operation::raise: {
        const int base = of(0), exponent = of(1);
        const auto known = value_of_.find(exponent);
        if (known != value_of_.end()) {
          const double p = known->second;
          if (p == std::floor(p) && std::abs(p) <= 16)
            return whole_power(base, static_cast<int>(p));
          if (p == 0.5) return emit(code::square_root, base, 0);
        }
        return emit(code::power, base, exponent);
      }
      case operation::minimum:
        return emit(code::minimum, of(0), of(1));
      case operation::maximum:
        return emit(code::maximum, of(0), of(1));
      case operation::absolute:
        return emit(code::absolute, of(0), 0);
      case operation::square_root:
        return emit(code::square_root, of(0), 0);
      case operation::exponential:
        return emit(code::exponential, of(0), 0);
      case operation::logarithm:
        return emit(code::logarithm, of(0), 0);
      case operation::sine:
        return emit(code::sine, of(0), 0);
      case operation::cosine:
        return emit(code::cosine, of(0), 0);
      case operation::arctangent:
        return emit(code::arctangent, of(0), 0);
      case operation::hyperbolic_tangent:
        return emit(code::hyperbolic_tangent, of(0), 0);
      case operation::hyperbolic_cosine:
        return emit(code::hyperbolic_cosine, of(0), 0);
      case operation::set_sgn:
      case operation::set_dio:
        break;
    }
    throw error("a set-valued term must be replaced before a formula is compiled");
  }

  // A product used once, by a sum, becomes one instruction with it: fewer to decode. The two
  // roundings stay.
  void fuse() {
    std::unordered_map<int, int> uses;
    for (const auto& i : result_.instructions) {
      if (i.what >= code::contact) continue;
      ++uses[i.a];
      if (i.b != i.a || i.what <= code::divide) ++uses[i.b];
    }
    for (const auto& c : result_.calls) {
      for (const int k : {0, 1}) uses[c.argument[k]] += 2;
      uses[c.factor] += 2;
    }
    for (const auto each : result_.outputs) uses[each] += 2;

    std::unordered_map<int, std::size_t> product_at;
    std::vector<bool> gone(result_.instructions.size(), false);
    for (std::size_t n = 0; n < result_.instructions.size(); ++n) {
      auto& i = result_.instructions[n];
      if (i.what == code::multiply && uses[i.to] == 1) product_at[i.to] = n;
      if (i.what != code::add && i.what != code::subtract) continue;
      const auto left = product_at.find(i.a), right = product_at.find(i.b);
      const auto take = [&](std::size_t from, code what, std::uint16_t other) {
        const auto& product = result_.instructions[from];
        i = {what, i.to, product.a, product.b, other};
        gone[from] = true;
      };
      if (left != product_at.end()) {
        take(left->second, i.what == code::add ? code::multiply_add : code::multiply_subtract, i.b);
      } else if (right != product_at.end()) {
        take(right->second, i.what == code::add ? code::multiply_add : code::subtract_multiply,
             i.a);
      }
    }
    std::vector<program::instruction> kept;
    for (std::size_t n = 0; n < gone.size(); ++n)
      if (!gone[n]) kept.push_back(result_.instructions[n]);
    result_.instructions = std::move(kept);
  }

  void find_states_read() {
    std::set<std::uint16_t> read(result_.outputs.begin(), result_.outputs.end());
    for (const auto& i : result_.instructions)
      if (i.what < code::contact) read.insert({i.a, i.b, i.c});
    for (const auto& c : result_.calls)
      read.insert({c.argument[0], c.argument[1], c.factor, c.state[0], c.state[1]});
    for (int i = 0; i < layout_.states; ++i)
      if (read.count(reg(layout_.state_register(i))) != 0)
        result_.states_read.push_back(reg(layout_.state_register(i)));
  }

  // Orders the instructions so that many of one kind follow each other: of those whose operands are
  // there, always the most numerous kind next, and calls when nothing else is left to do.
  void put_kinds_together() {
    const auto& all = result_.instructions;
    std::unordered_map<int, std::size_t> maker;  // of a register
    std::vector<std::vector<int>> reads(all.size());
    for (std::size_t n = 0; n < all.size(); ++n) {
      const auto& i = all[n];
      if (i.what < code::contact) {
        maker[i.to] = n;
        reads[n] = {i.a, i.b, i.c};
      } else {
        const auto& c = result_.calls[i.a];
        for (const int k : {0, 1}) maker[c.force[k]] = maker[c.rate[k]] = n;
        reads[n] = {c.argument[0], c.argument[1], c.factor};
      }
    }
    maker.erase(0);  // no instruction makes the time; calls of one dimension leave places at zero
    std::vector<std::vector<std::size_t>> readers(all.size());
    std::vector<int> missing(all.size(), 0);
    for (std::size_t n = 0; n < all.size(); ++n)
      for (const int operand : reads[n]) {
        const auto made_by = maker.find(operand);
        if (made_by == maker.end() || made_by->second >= n) continue;
        readers[made_by->second].push_back(n);
        ++missing[n];
      }
    std::map<code, std::vector<std::size_t>> ready;
    for (std::size_t n = 0; n < all.size(); ++n)
      if (missing[n] == 0) ready[all[n].what].push_back(n);
    std::vector<program::instruction> ordered;
    while (ordered.size() < all.size()) {
      auto next = ready.end();
      for (auto kind = ready.begin(); kind != ready.end(); ++kind) {
        if (kind->second.empty()) continue;
        const bool nothing_else = next == ready.end();
        if (kind->first >= code::contact && !nothing_else) break;
        if (nothing_else || kind->second.size() > next->second.size()) next = kind;
      }
      // What becomes ready while the kind is put down joins it, where it is of that kind: it grows.
      auto& kind = next->second;
      // NOLINTNEXTLINE(modernize-loop-convert)
      for (std::size_t k = 0; k < kind.size(); ++k) {
        ordered.push_back(all[kind[k]]);
        for (const std::size_t reader : readers[kind[k]])
          if (--missing[reader] == 0) ready[all[reader].what].push_back(reader);
      }
      kind.clear();
    }
    result_.instructions = std::move(ordered);
  }

  const std::vector<term_to_compile>& terms_;
  const program_layout& layout_;
  program result_;
  int next_ = 0;
  std::vector<int> called_;
  const expression* now_ = nullptr;  // what is being compiled, for messages
  std::unordered_map<const expression::node*, int> of_node_;
  std::vector<expression> kept_;
  std::map<double, int> constants_;
  std::unordered_map<int, double> value_of_;
  std::map<std::array<int, 3>, int> made_;
};

}  // namespace

program compile(const std::vector<expression>& wanted, const std::vector<term_to_compile>& terms,
                const program_layout& layout) {
  compiler c(terms, layout);
  std::vector<int> registers;
  registers.reserve(wanted.size());
  for (const auto& each : wanted) registers.push_back(c.at(each));
  return c.finish(std::move(registers));
}

}  // namespace asperity
