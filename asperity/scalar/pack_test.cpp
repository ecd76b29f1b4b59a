// SPDX-License-Identifier: Apache-2.0
// Every operation of a pack does in each lane what the plain number does.

#include <gtest/gtest.h>

#include <array>
#include <asperity/scalar/pack.hpp>
#include <bit>
#include <cstdint>
#include <cstring>
#include <memory>
#include <random>
#include <vector>

namespace asperity {
namespace {

template <class T>
class pack_of : public ::testing::Test {};
using number_types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(pack_of, number_types);

template <class T>
std::vector<T> awkward_numbers() {
  using limits = std::numeric_limits<T>;
  std::vector<T> values{T(0),
                        -T(0),
                        T(1),
                        T(-1),
                        T(0.5),
                        T(-2.5),
                        T(1e-3),
                        T(3.25),
                        T(-17),
                        limits::denorm_min(),
                        -limits::denorm_min(),
                        limits::min(),
                        limits::min() / 3,
                        limits::max(),
                        limits::lowest(),
                        limits::epsilon(),
                        limits::infinity(),
                        -limits::infinity(),
                        limits::quiet_NaN()};
  std::mt19937_64 engine(1);
  std::uniform_real_distribution<double> decade(-30, 30);
  for (int i = 0; i < 500; ++i)
    values.push_back(T((i % 2 == 0 ? 1 : -1) * std::pow(10.0, decade(engine))));
  return values;
}

// Equal to the last bit; all NaN are one.
template <class T>
bool same(T a, T b) {
  return (std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b));
}

// The distance in units of the last place.
template <class T>
double places(T a, T b) {
  if (same(a, b)) return 0;
  if (std::isnan(a) || std::isnan(b) || std::isinf(a) != std::isinf(b)) return 1e9;
  const T size = std::max(std::abs(b), std::numeric_limits<T>::min());
  const T last_place = std::nextafter(size, std::numeric_limits<T>::infinity()) - size;
  if (std::isinf(last_place)) return 0;
  return static_cast<double>(std::abs(a - b) / last_place);
}

// Puts `values` through `of_pack` in all lanes, each lane with a different number.
template <class T, class Pack, class Plain>
void lane_by_lane(const std::vector<T>& values, double allowed_places, Pack of_pack, Plain plain) {
  using number_t = pack<T>;
  constexpr int W = number_t::width;
  for (std::size_t first = 0; first < values.size(); ++first) {
    std::array<T, W> in, out;
    for (int i = 0; i < W; ++i) in[i] = values[(first + 7 * i) % values.size()];
    const number_t result = of_pack(number_t::load(in.data()));
    result.store(out.data());
    for (int i = 0; i < W; ++i) {
      ASSERT_LE(places(out[i], T(plain(in[i]))), allowed_places)
          << "x = " << in[i] << ", pack " << out[i] << ", plain " << plain(in[i]);
      ASSERT_TRUE(same(result[i], out[i]));
    }
  }
}

TYPED_TEST(pack_of, FunctionsOfOneNumber) {
  using T = TypeParam;
  const auto values = awkward_numbers<T>();
  lane_by_lane(
      values, 0, [](auto x) { return -x; }, [](T x) { return -x; });
  lane_by_lane(
      values, 0, [](auto x) { return +x; }, [](T x) { return x; });
  lane_by_lane(
      values, 0, [](auto x) { return abs(x); }, [](T x) { return std::abs(x); });
  lane_by_lane(
      values, 0, [](auto x) { return sqrt(x); }, [](T x) { return std::sqrt(x); });
  lane_by_lane(
      values, 0, [](auto x) { return floor(x); }, [](T x) { return std::floor(x); });
  lane_by_lane(
      values, 0, [](auto x) { return log(x); }, [](T x) { return std::log(x); });
  lane_by_lane(
      values, 0, [](auto x) { return sin(x); }, [](T x) { return std::sin(x); });
  lane_by_lane(
      values, 0, [](auto x) { return cos(x); }, [](T x) { return std::cos(x); });
  lane_by_lane(
      values, 0, [](auto x) { return atan(x); }, [](T x) { return std::atan(x); });
  lane_by_lane(
      values, 0, [](auto x) { return tanh(x); }, [](T x) { return std::tanh(x); });
  lane_by_lane(
      values, 0, [](auto x) { return cosh(x); }, [](T x) { return std::cosh(x); });
}

TYPED_TEST(pack_of, FunctionsOfTwoNumbers) {
  using T = TypeParam;
  const auto values = awkward_numbers<T>();
  for (const T y : {T(0), T(3), T(-1e-3), T(1e20), std::numeric_limits<T>::infinity(),
                    std::numeric_limits<T>::quiet_NaN()}) {
    using number_t = pack<T>;
    const number_t other(y);
    lane_by_lane(
        values, 0, [&](auto x) { return x + other; }, [&](T x) { return x + y; });
    lane_by_lane(
        values, 0, [&](auto x) { return x - other; }, [&](T x) { return x - y; });
    lane_by_lane(
        values, 0, [&](auto x) { return x * other; }, [&](T x) { return x * y; });
    lane_by_lane(
        values, 0, [&](auto x) { return x / other; }, [&](T x) { return x / y; });
    lane_by_lane(
        values, 0, [&](auto x) { return x += other; }, [&](T x) { return x + y; });
    lane_by_lane(
        values, 0, [&](auto x) { return x -= other; }, [&](T x) { return x - y; });
    lane_by_lane(
        values, 0, [&](auto x) { return x *= other; }, [&](T x) { return x * y; });
    lane_by_lane(
        values, 0, [&](auto x) { return x /= other; }, [&](T x) { return x / y; });
    lane_by_lane(
        values, 0, [&](auto x) { return select(x < other, number_t(T(1)), number_t(T(2))); },
        [&](T x) { return x < y ? T(1) : T(2); });
    lane_by_lane(
        values, 0, [&](auto x) { return math::min<number_t>(other, x); },
        [&](T x) { return math::min(y, x); });
    lane_by_lane(
        values, 0, [&](auto x) { return math::sat<number_t>(abs(other), x); },
        [&](T x) { return math::sat(std::abs(y), x); });
    lane_by_lane(
        values, 0, [&](auto x) { return math::sgn<number_t>(x); },
        [&](T x) { return math::sgn(x); });
    lane_by_lane(
        values, 0, [&](auto x) { return math::power<number_t>(abs(x), other); },
        [&](T x) { return math::power(std::abs(x), y); });
  }
}

// The own exponential, over its whole range: normal, subnormal, underflow, overflow, NaN.
TYPED_TEST(pack_of, ExponentialIsRightToAFewPlaces) {
  using T = TypeParam;
  auto values = awkward_numbers<T>();
  const double low = sizeof(T) == 8 ? -760 : -115, high = sizeof(T) == 8 ? 720 : 95;
  for (int i = 0; i <= 200000; ++i) values.push_back(T(low + (high - low) * i / 200000));
  for (int i = -20000; i <= 20000; ++i) values.push_back(T(i * 1e-7));
  lane_by_lane(
      values, 3, [](auto x) { return exp(x); }, [](T x) { return std::exp(x); });
}

// The very last arguments before infinity and before zero.
TYPED_TEST(pack_of, ExponentialEndsWhereTheStandardOneEnds) {
  using T = TypeParam;
  using limits = std::numeric_limits<T>;
  T top = std::log(limits::max()), bottom = std::log(limits::denorm_min());
  std::vector<T> values;
  for (int i = 0; i < 20; ++i) top = std::nextafter(top, -limits::infinity());
  for (int i = 0; i < 20; ++i) bottom = std::nextafter(bottom, -limits::infinity());
  for (int i = 0; i < 40; ++i) {
    values.push_back(top);
    values.push_back(bottom);
    top = std::nextafter(top, limits::infinity());
    bottom = std::nextafter(bottom, limits::infinity());
  }
  lane_by_lane(
      values, 6, [](auto x) { return exp(x); }, [](T x) { return std::exp(x); });
}

// What one lane holds never changes another.
TYPED_TEST(pack_of, LanesAreIndependent) {
  using T = TypeParam;
  using number_t = pack<T>;
  const auto awkward = awkward_numbers<T>();
  const auto f = [](number_t x) {
    return math::sat<number_t>(number_t(T(2)), x) + exp(-x) * sqrt(abs(x)) +
           select(x < number_t(T(0)), x, number_t(T(1)) / x);
  };
  const T expected = f(number_t(T(0.75)))[0];
  for (const T neighbour : awkward) {
    for (int lane = 0; lane < number_t::width; ++lane) {
      number_t x(neighbour);
      x.v[lane] = T(0.75);
      EXPECT_EQ(f(x)[lane], expected) << "beside " << neighbour;
    }
  }
}

TYPED_TEST(pack_of, SelectDropsTheDeadSide) {
  using T = TypeParam;
  using number_t = pack<T>;
  const number_t nan(std::numeric_limits<T>::quiet_NaN()), one(T(1)), two(T(2));
  const auto chosen = select(one < two, one, nan), other = select(two < one, nan, two);
  for (int i = 0; i < number_t::width; ++i) {
    EXPECT_EQ(chosen[i], T(1));
    EXPECT_EQ(other[i], T(2));
  }
}

TYPED_TEST(pack_of, IsOneRegister) {
  EXPECT_EQ(sizeof(pack<TypeParam>), static_cast<std::size_t>(native_pack_bytes));
}

// Whatever this file is compiled for: functions for wider registers (batch.hpp) load such packs whole.
TYPED_TEST(pack_of, LiesWhereItsRegisterLoads) {
  using T = TypeParam;
  using widest = pack<T, 64 / static_cast<int>(sizeof(T))>;
  struct model {
    char before;
    widest number;
  };
  static_assert(alignof(pack<T, 32 / static_cast<int>(sizeof(T))>) == 32);
  static_assert(alignof(widest) == 64 && alignof(typename widest::mask) == 64);
  static_assert(sizeof(widest) == 64);
  const auto shared = std::make_shared<const model>();
  const std::vector<model> row(3);
  for (const model* each : {shared.get(), row.data(), row.data() + 1})
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(&each->number) % 64, 0U);
}

}  // namespace
}  // namespace asperity
