#include "core/workload/declared_workload.hpp"

#include <stdexcept>

#include "core/workload/host_input.hpp"
#include "core/workload/launch.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/message.hpp"

namespace kernelbatch {
namespace {

using Types = DTypes<float, double>;

struct Small final : Problem {
  static WorkloadInfo info() {
    return {.name = "small",
            .version = "1",
            .summary = "for the test",
            .parameters = {integer_parameter("n", 10, 1, 100, "elements"),
                           dtype_parameter(Types{}, "float64")},
            .inputs = {{"x", "default: uniform", {"n"}}},
            .outputs = {{"z", "x"}}};
  }
  Small(const Params& params, Inputs& inputs) {
    x = take_uniform(inputs, "small", "x", {params.dtype(), {params.integer("n")}}, 2, 3, 1);
  }
  std::vector<OutputArray> outputs() const override { return {{.name = "z"}, {.name = "w"}}; }
  Cost cost() const override { return {}; }

  Array x;
};

struct Sized final : Problem {
  static WorkloadInfo info() { return {}; }
  static double device_bytes(const Params&) { return 7; }
  Sized(const Params&, Inputs&) {}
  std::vector<OutputArray> outputs() const override { return {}; }
  Cost cost() const override { return {}; }
};

Work nothing(const Small&, Run&) { return {}; }

// Like sources of a plugin, in any order.
const Variant kSecondRaw{"raw_b", VariantKind::kRaw, "", nothing};
const Variant kReference{"reference", VariantKind::kReference, "on the CPU", nothing};
const Variant kRaw{"raw_a", VariantKind::kRaw, "", nothing};
const Variant kElementwise{"elementwise", VariantKind::kElementwise, "", nothing};

class GivenInputs final : public Inputs {
 public:
  Array take(std::string_view, const std::function<Array()>& make) override {
    return given.bytes() > 0 ? given : make();
  }
  CsrMatrix take_sparse(std::string_view, const std::function<CsrMatrix()>& make) override {
    return make();
  }
  std::string data_file(std::string_view) const override { return {}; }
  RandomSource& random() override { return random_; }

  Array given;

 private:
  RandomSource random_;
};

TEST_CASE("A workload has the variants that declare themselves, by kind and name") {
  const DeclaredWorkload<Small> small;
  std::vector<std::string> names;
  for (const VariantDeclaration& each : small.info().variants) names.push_back(each.name);
  CHECK(names == std::vector<std::string>{"reference", "elementwise", "raw_a", "raw_b"});
  CHECK(small.info().variants.front().help == "on the CPU");
  CHECK(DeclaredWorkload<Sized>().info().variants.empty());
}

TEST_CASE("The memory of a case is declared by problems that know it") {
  CHECK(DeclaredWorkload<Sized>().device_bytes({}) == 7);
  CHECK(DeclaredWorkload<Small>().device_bytes({}) == 0);
}

TEST_CASE("One list of types gives the parameter's choices and the dispatch") {
  const ParameterDeclaration dtype = DeclaredWorkload<Small>().info().parameters.back();
  CHECK(dtype.name == "dtype");
  CHECK(dtype.choices == std::vector<std::string>{"float32", "float64"});
  CHECK(dtype.default_value == Value(std::string("float64")));

  const auto size = [](auto zero) { return sizeof(zero); };
  CHECK(dispatch_among(Types{}, DType::kFloat32, size) == 4);
  CHECK(dispatch_among(Types{}, DType::kFloat64, size) == 8);
  CHECK_THROWS_AS(dispatch_among(Types{}, DType::kInt32, size), std::logic_error);
  CHECK(instance_name("combine", DType::kFloat64) == "combine<double>");
  CHECK(instance_name("combine", DType::kInt64) == "combine<long long>");
}

TEST_CASE("A problem is created from parameters and inputs") {
  const Params params({{"n", std::int64_t{5}}, {"dtype", std::string("float32")}});
  const DeclaredWorkload<Small> small;
  GivenInputs inputs;
  const auto made = small.make_problem(params, inputs);
  const Array x = dynamic_cast<const Small&>(*made).x;
  REQUIRE(x.size() == 5);
  for (const float each : x.as<float>()) {
    CHECK(each >= 2);
    CHECK(each < 3);
  }

  inputs.given = Array::from(std::vector<float>{1, 2});
  CHECK_THAT(test::message_of([&] { small.make_problem(params, inputs); }),
             Catch::Contains("small: input x must be float32 with shape (5,), not float32 (2,)"));
}

TEST_CASE("The error for an unknown output lists the existing ones") {
  const std::vector<OutputArray> outputs{{.name = "z"}, {.name = "w"}};
  CHECK(&output_named(outputs, "w") == &outputs[1]);
  CHECK_THROWS_WITH(output_named(outputs, "zz"),
                    "the workload declares no output 'zz'; its outputs: 'z', 'w'");
  CHECK_THROWS_WITH(output_named({}, "zz"),
                    "the workload declares no output 'zz'; its outputs: none");
}

TEST_CASE("A variant must return work") {
  CHECK_THROWS_WITH(require_work({}), Catch::Contains("returned no work"));
  CHECK_NOTHROW(require_work([] {}));
}

}  // namespace
}  // namespace kernelbatch
