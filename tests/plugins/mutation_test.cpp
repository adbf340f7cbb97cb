// Wrong results are found: for every workload, what a careless variant might give is compared with
// the reference by that workload's own tolerance.
#include <cmath>
#include <cstring>
#include <limits>

#include "core/plugin/loader.hpp"
#include "core/run/input_source.hpp"
#include "core/run/run_context.hpp"
#include "core/run/verify.hpp"
#include "tests/app/command.hpp"
#include "tests/support/catch.hpp"

namespace kernelbatch {
namespace {

/// A workload small enough to be looked at, and whether its inputs say which is which.
struct Subject {
  const char* workload;
  NamedValues params;
  bool has_operands = true;
};

std::vector<Subject> subjects() {
  const auto text = [](const char* value) { return Value(std::string(value)); };
  const auto number = [](std::int64_t value) { return Value(value); };
  const NamedValues n100{{"n", number(100)}};
  return {{"vector_add", n100},
          {"scaled_add", n100},
          {"clipped_relu", n100},
          {"abs2", n100},
          {"sin_exp", n100},
          {"square_exp", n100},
          {"complex_axpy", n100},
          {"add_reverse", n100},
          {"copy", n100},
          {"squared_diff", {{"rows", number(9)}, {"cols", number(11)}}},
          {"sum_of_products", {{"rows", number(9)}, {"cols", number(50)}}},
          {"l2norm", {{"rows", number(9)}, {"cols", number(50)}}},
          {"mse", n100},
          {"prime_factor_sum", n100, false},
          {"matmul", {{"m", number(9)}, {"n", number(7)}, {"k", number(20)}}},
          {"csr_spmv", n100},
          {"diagonal_spmv", {{"n", number(100)}, {"offsets", text("-3 0 1")}}},
          {"texture_resample", {{"out_rows", number(40)}, {"out_cols", number(50)}}},
          {"hillshade", {}},
          {"wave2d", {{"rows", number(30)}, {"cols", number(31)}, {"steps", number(20)}}},
          {"overlap", {{"rows", number(9)}, {"cols", number(50)}, {"m", number(12)}}}};
}

/// Inputs as the workload makes them, but array number `wrong` comes back to front.
class MadeInputs final : public Inputs {
 public:
  explicit MadeInputs(int wrong) : wrong_(wrong) {}
  Array take(std::string_view, const std::function<Array()>& make) override {
    const Array made = make();
    if (taken_++ != wrong_) return made;
    const Array turned = Array::on_host(made.dtype(), made.shape());
    const std::size_t item = size_of(made.dtype());
    for (std::size_t at = 0; at < made.bytes(); at += item)
      std::memcpy(turned.data() + at, made.data() + made.bytes() - at - item, item);
    return turned;
  }
  CsrMatrix take_sparse(std::string_view, const std::function<CsrMatrix()>& make) override {
    return make();
  }
  std::string data_file(std::string_view name) const override {
    return test::source_folder() + "/data/" + std::string(name);
  }

 private:
  int wrong_;
  int taken_ = 0;
};

struct Answer {
  std::vector<OutputArray> specs;
  OutputArrays arrays;
};

/// What the reference gives where array number `wrong` of the inputs is turned; -1 = none.
Answer reference_of(const Workload& workload, const Subject& subject, int wrong) {
  NamedValues values;
  for (const ParameterDeclaration& declared : workload.info().parameters) {
    Value value = declared.default_value;
    for (const auto& [name, given] : subject.params)
      if (name == declared.name) value = given;
    values.emplace_back(declared.name, value);
  }
  const Params params(values);
  MadeInputs inputs(wrong);
  const auto problem = workload.make_problem(params, inputs);
  Answer answer{problem->outputs(), {}};
  ResultRecord record;
  const MeasureSpec measure;
  const RunSetting setting{.params = params,
                           .outputs = answer.specs,
                           .measure = measure,
                           .is_timed = false,
                           .on_phase = [](const std::string&) {}};
  RunContext run(nullptr, setting, record);
  for (const VariantDeclaration& variant : workload.info().variants)
    if (variant.kind == VariantKind::kReference) variant.function(*problem, run);
  answer.arrays = run.take_outputs();
  return answer;
}

Array copy_of(const Array& array) {
  const Array copied = Array::on_host(array.dtype(), array.shape());
  std::memcpy(copied.data(), array.data(), array.bytes());
  return copied;
}

/// By how much an element may differ from `want`.
double allowed(const Tolerance& tolerance, DType dtype, double want) {
  const double n_u = tolerance.terms * unit_roundoff(dtype);
  switch (tolerance.mode) {
    case CompareMode::kAllClose:
      return tolerance.atol + tolerance.rtol * want;
    case CompareMode::kReduction:
      return n_u / (1 - n_u) * (tolerance.absolute_sum > 0 ? tolerance.absolute_sum : want);
    default:
      return 0;
  }
}

/// The middle element changed by ten times what it may differ, and at least to the next number; or
/// NaN, where the dtype has it.
Array with_one_wrong(const OutputArray& spec, const Array& right, bool is_nan) {
  Array wrong = copy_of(right);
  const auto middle = static_cast<std::size_t>(right.size() / 2);
  dispatch(right.dtype(), [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_floating_point_v<T>) {
      T& element = wrong.as<T>()[middle];
      const double step =
          10 * allowed(spec.tolerance, spec.dtype, std::abs(static_cast<double>(element)));
      const T moved = static_cast<T>(static_cast<double>(element) + step);
      element = is_nan             ? std::numeric_limits<T>::quiet_NaN()
                : moved != element ? moved
                                   : std::nextafter(element, std::numeric_limits<T>::max());
    } else if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
      wrong.as<T>()[middle] = static_cast<T>(wrong.as<T>()[middle] + 1);
    } else if constexpr (std::is_same_v<T, std::complex<double>>) {
      T& element = wrong.as<T>()[middle];
      element += 10 * allowed(spec.tolerance, spec.dtype, std::abs(element));
      if (is_nan) element = {element.real(), std::numeric_limits<double>::quiet_NaN()};
    }
  });
  return wrong;
}

Array shifted_by_one(const Array& right) {
  Array wrong = copy_of(right);
  const std::size_t item = size_of(right.dtype());
  std::memcpy(wrong.data(), right.data() + item, right.bytes() - item);
  std::memcpy(wrong.data() + right.bytes() - item, right.data(), item);
  return wrong;
}

/// As a variant leaves it that stops one element early.
Array without_last(const Array& right) {
  Array wrong = copy_of(right);
  const std::size_t item = size_of(right.dtype());
  std::byte sentinel[16];
  const std::uint32_t pattern = sentinel_pattern(right.dtype());
  for (std::size_t k = 0; k < sizeof sentinel; k += 4) std::memcpy(sentinel + k, &pattern, 4);
  std::memcpy(wrong.data() + right.bytes() - item, sentinel, item);
  return wrong;
}

bool is_accepted(const OutputArray& spec, const Array& got, const Array& want) {
  OutputRecord record;
  std::string reason;
  return verify_output(spec, got, want, record, reason);
}

TEST_CASE("Every wrong result of every workload is found") {
  for (const Subject& subject : subjects()) {
    CAPTURE(subject.workload);
    const Plugin plugin =
        Plugin::load(test::build_folder() + "/plugins/" + subject.workload + ".so");
    const Answer right = reference_of(plugin.workload(), subject, -1);
    const Answer first_wrong = reference_of(plugin.workload(), subject, 0);
    const Answer second_wrong = reference_of(plugin.workload(), subject, 1);
    bool operands_matter = false;
    for (const OutputArray& spec : right.specs) {
      CAPTURE(spec.name);
      const Array& want = right.arrays.at(spec.name);
      CHECK(is_accepted(spec, want, want));
      CHECK_FALSE(is_accepted(spec, with_one_wrong(spec, want, false), want));
      if (is_floating(spec.dtype))
        CHECK_FALSE(is_accepted(spec, with_one_wrong(spec, want, true), want));
      CHECK_FALSE(is_accepted(spec, without_last(want), want));
      if (want.size() > 1) CHECK_FALSE(is_accepted(spec, shifted_by_one(want), want));
      for (const Answer* wrong : {&first_wrong, &second_wrong})
        operands_matter = operands_matter || !is_accepted(spec, wrong->arrays.at(spec.name), want);
    }
    CHECK(operands_matter == subject.has_operands);
  }
}

}  // namespace
}  // namespace kernelbatch
