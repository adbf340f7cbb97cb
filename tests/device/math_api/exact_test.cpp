// What the host device's mathematics gives, held against exact arithmetic.
#include <bit>
#include <cfenv>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/array/reduced_float.hpp"
#include "tests/contract/compile.hpp"
#include "tests/device/math_api/function_list.hpp"
#include "tests/support/catch.hpp"

namespace kernelbatch::test {
namespace {

/// Functions of the list by name, in one source, run on arguments of the list's own making.
class Calls {
 public:
  explicit Calls(const std::vector<std::string>& signatures) {
    std::string text;
    std::vector<std::string> entries;
    for (ListedFunction& function : read_functions(std::string(listed_functions())))
      for (const std::string& wanted : signatures)
        if (function.signature == wanted) {
          text += kernel_text(function, functions_.size());
          entries.push_back("f" + std::to_string(functions_.size()));
          functions_.push_back(function);
        }
    REQUIRE(functions_.size() == signatures.size());
    module_ = device().load(device().compiler().compile(raw_source(text, entries)));
  }

  static constexpr std::size_t kCount = 20000;
  struct Result {
    std::vector<std::vector<std::uint8_t>> inputs;
    std::vector<std::uint8_t> output;
    template <class T>
    T in(std::size_t input, std::size_t k) const {
      T value;
      std::memcpy(&value, inputs[input].data() + k * sizeof(T), sizeof(T));
      return value;
    }
    template <class T>
    T out(std::size_t k) const {
      T value;
      std::memcpy(&value, output.data() + k * sizeof(T), sizeof(T));
      return value;
    }
  };

  Result run(const std::string& signature) const {
    for (std::size_t f = 0; f < functions_.size(); ++f) {
      if (functions_[f].signature != signature) continue;
      Result result;
      std::vector<Array> arrays;
      for (std::size_t k = 0; k < functions_[f].inputs.size(); ++k) {
        result.inputs.push_back(
            arguments_for(functions_[f], k, kCount, 7 + f,
                          k > 0 ? result.inputs[k - 1] : std::vector<std::uint8_t>{}));
        arrays.push_back(device_array(result.inputs.back()));
      }
      arrays.push_back(device_array(std::vector<std::uint8_t>(
          kCount * static_cast<std::size_t>(functions_[f].outputs[0]->bytes))));
      std::vector<std::byte*> pointers;
      for (const Array& array : arrays) pointers.push_back(array.data());
      std::vector<void*> arguments;
      for (std::byte*& pointer : pointers) arguments.push_back(&pointer);
      long long n = kCount;
      arguments.push_back(&n);
      module_->kernel("f" + std::to_string(f))
          ->launch(grid_of((kCount + 255) / 256, 256), arguments, stream());
      result.output = values_of<std::uint8_t>(arrays.back());
      return result;
    }
    FAIL("not on the list: " << signature);
    return {};
  }

 private:
  std::vector<ListedFunction> functions_;
  std::unique_ptr<Module> module_;
};

template <class T>
bool same(T a, T b) {
  return std::memcmp(&a, &b, sizeof(T)) == 0 || (a != a && b != b);
}

struct Mode {
  const char* suffix;
  int rounding;
};
constexpr Mode kModes[]{
    {"rn", FE_TONEAREST}, {"rz", FE_TOWARDZERO}, {"ru", FE_UPWARD}, {"rd", FE_DOWNWARD}};

/// What the processor gives in a rounding of its own; no compiler knows the operands.
template <class T, class Operation>
T in_mode(int rounding, T x, T y, T z, Operation operation) {
  volatile T a = x, b = y, c = z;
  std::fesetround(rounding);
  volatile T result = operation(a, b, c);
  std::fesetround(FE_TONEAREST);
  return result;
}

template <class T, class Operation>
void check_mode(const Calls& calls, const std::string& signature, int rounding, int inputs,
                Operation operation) {
  CAPTURE(signature);
  const Calls::Result result = calls.run(signature);
  std::size_t wrong = 0;
  for (std::size_t k = 0; k < Calls::kCount; ++k) {
    const T x = result.in<T>(0, k);
    const T y = inputs > 1 ? result.in<T>(1, k) : T(0), z = inputs > 2 ? result.in<T>(2, k) : T(0);
    wrong += same(result.out<T>(k), in_mode<T>(rounding, x, y, z, operation)) ? 0 : 1;
  }
  CHECK(wrong == 0);
}

template <class T>
void check_directed(const std::string& letter, const std::string& prefix,
                    const std::string& fused) {
  const std::string two = "(" + letter + ", " + letter + ")", one = "(" + letter + ")";
  const std::string three = "(" + letter + ", " + letter + ", " + letter + ")";
  std::vector<std::string> signatures;
  for (const Mode& mode : kModes)
    for (const std::string name : {"add", "sub", "mul", "div", "rcp", "sqrt", "fma"}) {
      const bool is_single = name == "rcp" || name == "sqrt";
      signatures.push_back(letter + " " + (name == "fma" ? fused : prefix + name) + "_" +
                           mode.suffix +
                           (name == "fma" ? three
                            : is_single   ? one
                                          : two));
    }
  const Calls calls(signatures);
  std::size_t at = 0;
  for (const Mode& mode : kModes) {
    const int r = mode.rounding;
    check_mode<T>(calls, signatures[at++], r, 2, [](T x, T y, T) { return x + y; });
    check_mode<T>(calls, signatures[at++], r, 2, [](T x, T y, T) { return x - y; });
    check_mode<T>(calls, signatures[at++], r, 2, [](T x, T y, T) { return x * y; });
    check_mode<T>(calls, signatures[at++], r, 2, [](T x, T y, T) { return x / y; });
    check_mode<T>(calls, signatures[at++], r, 1, [](T x, T, T) { return T(1) / x; });
    check_mode<T>(calls, signatures[at++], r, 1, [](T x, T, T) { return std::sqrt(x); });
    check_mode<T>(calls, signatures[at++], r, 3, [](T x, T y, T z) { return std::fma(x, y, z); });
  }
}

TEST_CASE("Directed rounding gives the processor's own bits") {
  check_directed<float>("f", "__f", "__fmaf");
  check_directed<double>("d", "__d", "__fma");
}

template <class F, class T>
void check_to_integer(const Calls& calls, const std::string& signature, int rounding) {
  CAPTURE(signature);
  const Calls::Result result = calls.run(signature);
  std::size_t wrong = 0;
  for (std::size_t k = 0; k < Calls::kCount; ++k) {
    const F x = result.in<F>(0, k);
    T want;
    const F whole = rounding == FE_TONEAREST    ? std::rint(x)
                    : rounding == FE_TOWARDZERO ? std::trunc(x)
                    : rounding == FE_UPWARD     ? std::ceil(x)
                                                : std::floor(x);
    if (std::isnan(x))
      want = sizeof(F) == 8 || sizeof(T) == 8 ? T(T(1) << (8 * sizeof(T) - 1)) : T(0);
    else if (static_cast<long double>(whole) >=
             static_cast<long double>(std::numeric_limits<T>::max()))
      want = std::numeric_limits<T>::max();
    else if (static_cast<long double>(whole) <=
             static_cast<long double>(std::numeric_limits<T>::min()))
      want = std::numeric_limits<T>::min();
    else
      want = static_cast<T>(whole);
    wrong += result.out<T>(k) == want ? 0 : 1;
  }
  CHECK(wrong == 0);
}

template <class F, class T>
void check_from_integer(const Calls& calls, const std::string& signature, int rounding) {
  CAPTURE(signature);
  const Calls::Result result = calls.run(signature);
  std::size_t wrong = 0;
  for (std::size_t k = 0; k < Calls::kCount; ++k) {
    // Exact in long double.
    volatile long double exact = static_cast<long double>(result.in<T>(0, k));
    std::fesetround(rounding);
    volatile F want = static_cast<F>(exact);
    std::fesetround(FE_TONEAREST);
    wrong += same(result.out<F>(k), F(want)) ? 0 : 1;
  }
  CHECK(wrong == 0);
}

TEST_CASE("Conversions between floats and integers round and saturate as a GPU's") {
  std::vector<std::string> signatures;
  for (const Mode& mode : kModes) {
    const std::string end = mode.suffix;
    for (const char* row :
         {"i __float2int_", "u __float2uint_", "ll __float2ll_", "ull __float2ull_"})
      signatures.push_back(row + end + "(f)");
    for (const char* row :
         {"i __double2int_", "u __double2uint_", "ll __double2ll_", "ull __double2ull_"})
      signatures.push_back(row + end + "(d)");
    signatures.push_back("f __int2float_" + end + "(i)");
    signatures.push_back("f __uint2float_" + end + "(u)");
    signatures.push_back("f __ll2float_" + end + "(ll)");
    signatures.push_back("f __ull2float_" + end + "(ull)");
    signatures.push_back("d __ll2double_" + end + "(ll)");
    signatures.push_back("d __ull2double_" + end + "(ull)");
    signatures.push_back("f __double2float_" + end + "(d)");
  }
  const Calls calls(signatures);
  std::size_t at = 0;
  for (const Mode& mode : kModes) {
    const int r = mode.rounding;
    check_to_integer<float, std::int32_t>(calls, signatures[at++], r);
    check_to_integer<float, std::uint32_t>(calls, signatures[at++], r);
    check_to_integer<float, std::int64_t>(calls, signatures[at++], r);
    check_to_integer<float, std::uint64_t>(calls, signatures[at++], r);
    check_to_integer<double, std::int32_t>(calls, signatures[at++], r);
    check_to_integer<double, std::uint32_t>(calls, signatures[at++], r);
    check_to_integer<double, std::int64_t>(calls, signatures[at++], r);
    check_to_integer<double, std::uint64_t>(calls, signatures[at++], r);
    check_from_integer<float, std::int32_t>(calls, signatures[at++], r);
    check_from_integer<float, std::uint32_t>(calls, signatures[at++], r);
    check_from_integer<float, std::int64_t>(calls, signatures[at++], r);
    check_from_integer<float, std::uint64_t>(calls, signatures[at++], r);
    check_from_integer<double, std::int64_t>(calls, signatures[at++], r);
    check_from_integer<double, std::uint64_t>(calls, signatures[at++], r);
    CAPTURE(signatures[at]);
    const Calls::Result result = calls.run(signatures[at++]);
    std::size_t wrong = 0;
    for (std::size_t k = 0; k < Calls::kCount; ++k) {
      volatile double x = result.in<double>(0, k);
      std::fesetround(r);
      volatile float want = static_cast<float>(x);
      std::fesetround(FE_TONEAREST);
      wrong += same(result.out<float>(k), float(want)) ? 0 : 1;
    }
    CHECK(wrong == 0);
  }
}

/// Whether a short float is the nearest to an exact value, the even one of two.
template <class Short>
bool is_nearest(Short got, long double exact) {
  const auto value = [](unsigned bits) {
    return static_cast<long double>(to_float(Short{static_cast<std::uint16_t>(bits)}));
  };
  if (std::isnan(exact)) return std::isnan(to_float(got));
  if (std::isnan(to_float(got))) return false;
  const unsigned size = got.bits & 0x7fffu;
  const long double x = std::fabs(exact);
  if (x != 0 && (got.bits >> 15 != 0) != (exact < 0)) return false;
  // The limits of what rounds here: halfway to both neighbours. Beyond the greatest stands what
  // would come next.
  unsigned greatest = 0x7fffu;
  while (!std::isfinite(to_float(Short{static_cast<std::uint16_t>(greatest)}))) --greatest;
  const long double step = value(greatest) - value(greatest - 1);
  const auto at = [&](unsigned bits) {
    return bits <= greatest ? value(bits) : value(greatest) + step;
  };
  if (size > greatest + 1) return false;
  const bool is_even = size % 2 == 0;
  if (size > 0) {
    const long double low = (at(size - 1) + at(size)) / 2;
    if (x < low || (x == low && !is_even)) return false;
  }
  if (size <= greatest) {
    const long double high = (at(size) + at(size + 1)) / 2;
    if (x > high || (x == high && !is_even)) return false;
  }
  return true;
}

template <class Short>
void check_short(const std::string& letter) {
  const std::string two = "(" + letter + ", " + letter + ")", one = "(" + letter + ")";
  const std::vector<std::string> signatures{
      letter + " __hadd" + two,
      letter + " __hsub" + two,
      letter + " __hmul" + two,
      letter + " __hdiv" + two,
      letter + " __hfma(" + letter + ", " + letter + ", " + letter + ")",
      letter + " hsqrt" + one};
  const Calls calls(signatures);
  const auto check = [&](std::size_t row, auto exact) {
    CAPTURE(signatures[row]);
    const Calls::Result result = calls.run(signatures[row]);
    std::size_t wrong = 0;
    for (std::size_t k = 0; k < Calls::kCount; ++k) {
      long double in[3]{};
      for (std::size_t a = 0; a < result.inputs.size(); ++a)
        in[a] = static_cast<long double>(to_float(result.in<Short>(a, k)));
      wrong += is_nearest(result.out<Short>(k), exact(in)) ? 0 : 1;
    }
    CHECK(wrong == 0);
  };
  check(0, [](const long double* x) { return x[0] + x[1]; });
  check(1, [](const long double* x) { return x[0] - x[1]; });
  check(2, [](const long double* x) { return x[0] * x[1]; });
  check(3, [](const long double* x) { return x[0] / x[1]; });
  check(4, [](const long double* x) {
    // To odd, so that the sum's own rounding hides no tie.
    const volatile long double product = x[0] * x[1];
    std::fesetround(FE_DOWNWARD);
    const volatile long double below = product + x[2];
    std::fesetround(FE_UPWARD);
    const volatile long double above = product + x[2];
    std::fesetround(FE_TONEAREST);
    const auto is_odd = [](long double value) {
      std::uint64_t bits = 0;
      std::memcpy(&bits, &value, sizeof(bits));
      return bits % 2 != 0;
    };
    return static_cast<long double>(above == below || is_odd(below) ? below : above);
  });
  check(5, [](const long double* x) { return std::sqrt(x[0]); });
}

TEST_CASE("Half and bfloat16 arithmetic is exact arithmetic rounded once") {
  check_short<Float16>("h");
  check_short<BFloat16>("b");
}

struct Point {
  double x, value;
};
struct Points {
  std::string signature;
  double bound;  ///< units in the last place
  std::vector<Point> points;
};

/// Values by arithmetic of 40 digits.
TEST_CASE("Special functions are within CUDA's documented error") {
  const std::vector<Points> all{
      {"erfcx",
       4,
       {{-3.5, 0x1.982a9b0959fbfp+18},
        {-0.5, 0x1.f3cde5a30aa93p+0},
        {0.25, 0x1.8a6adcda2ea92p-1},
        {1.9, 0x1.10e7d54fd13b5p-2},
        {2.5, 0x1.afbb3f3b7343bp-3},
        {7.0, 0x1.46dc6bf900f68p-4},
        {30.0, 0x1.33f3abfd60d6fp-6},
        {10000000000.0, 0x1.f044332d68161p-35}}},
      {"erfinv",
       5,
       {{-0.999, -0x1.29d311405cdb4p+1},
        {-0.3, -0x1.1700774485ed2p-2},
        {1e-20, 0x1.4ece9be5f16acp-67},
        {0.1, 0x1.6bf442539fd74p-4},
        {0.5, 0x1.e861fbb24c00ap-2},
        {0.75, 0x1.a07890f6b2ba1p-1},
        {0.9999999, 0x1.e21eb9013cbe7p+1}}},
      {"erfcinv",
       6,
       {{1e-300, 0x1.a359fd2c5e942p+4},
        {1e-10, 0x1.24a92a0d51497p+2},
        {0.25, 0x1.a07890f6b2ba1p-1},
        {0.7, 0x1.1700774485ed3p-2},
        {1.3, -0x1.1700774485ed3p-2},
        {1.999, -0x1.29d311405cde5p+1}}},
      {"normcdf",
       5,
       {{-38.0, 0x0.00000037b23b8p-1022},
        {-8.5, 0x1.5dbbaccf1a4e0p-57},
        {-1.0, 0x1.44ed0bb7cb20bp-3},
        {0.3, 0x1.3c5ee2cc40b79p-1},
        {2.0, 0x1.f45a183e9b13dp-1},
        {7.0, 0x1.fffffffffd2f8p-1}}},
      {"normcdfinv",
       8,
       {{1e-300, -0x1.286074064c26ep+5},
        {1e-05, -0x1.10f3f8843a3d9p+2},
        {0.2, -0x1.aee8fa73a1333p-1},
        {0.6, 0x1.036d6c4a04b59p-2},
        {0.999, 0x1.8b8cbb7204470p+1}}},
      {"cyl_bessel_i0",
       6,
       {{0.5, 0x1.104072392c800p+0},
        {2.0, 0x1.23c97380fce32p+1},
        {2.5, 0x1.a51972f665e07p+1},
        {17.3, 0x1.809d74c2156a2p+21},
        {29.5, 0x1.bd4e73c0c028cp+38},
        {33.0, 0x1.b380f9911b9d0p+43},
        {700.0, 0x1.c8cdeeadb5df0p+1003}}},
      {"cyl_bessel_i1",
       6,
       {{-0.5, -0x1.081571ddea056p-2},
        {2.0, 0x1.9733fa167ac95p+0},
        {2.5, 0x1.4223c20769d70p+1},
        {17.3, 0x1.7554010a523bep+21},
        {29.5, 0x1.b5b1505aa11bfp+38},
        {33.0, 0x1.acda8b1bd185dp+43},
        {700.0, 0x1.c87a5f5ceb9dfp+1003}}},
      {"rcbrt",
       1,
       {{0.1, 0x1.13c484138704fp+1},
        {-3.0, -0x1.63003fbb4c375p-1},
        {1e+300, 0x1.bff2ee48e0530p-333}}},
  };
  std::string text = "extern \"C\" __global__ void f(const double* x, double* y) {\n";
  std::vector<double> x;
  for (const Points& row : all)
    for (const Point& point : row.points) {
      text += "  y[" + std::to_string(x.size()) + "] = " + row.signature + "(x[" +
              std::to_string(x.size()) + "]);\n";
      x.push_back(point.x);
    }
  const LoadedKernel kernel(text + "}\n", "f");
  const Array in = device_array(x), out = device_array(std::vector<double>(x.size()));
  kernel.run(grid_of(1, 1), in, out);
  const std::vector<double> got = values_of<double>(out);
  std::size_t at = 0;
  for (const Points& row : all)
    for (const Point& point : row.points) {
      CAPTURE(row.signature, point.x, got[at], point.value);
      const double unit = std::nextafter(std::fabs(point.value), 1e308) - std::fabs(point.value);
      CHECK(std::fabs(got[at++] - point.value) <= row.bound * unit);
    }
}

}  // namespace
}  // namespace kernelbatch::test
