#include "core/case/reference_outputs.hpp"

#include "core/base/error.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/error_text.hpp"

namespace kernelbatch {
namespace {

const std::vector<OutputArray>& specs() {
  static const std::vector<OutputArray> both{
      {.name = "y", .shape = {4}, .tolerance = {.mode = CompareMode::kAllClose, .atol = 0.5}},
      {.name = "n", .dtype = DType::kInt32, .shape = {1}}};
  return both;
}

void write(ReferenceOutputs& outputs, double last) {
  for (int k = 0; k < 4; ++k)
    outputs.array(specs()[0]).as<double>()[static_cast<std::size_t>(k)] = k < 3 ? k : last;
  outputs.array(specs()[1]).as<std::int32_t>()[0] = 5;
}

TEST_CASE("An output of a reference is one array") {
  ReferenceOutputs outputs;
  CHECK(outputs.array(specs()[0]).data() == outputs.array(specs()[0]).data());
  CHECK(outputs.array(specs()[0]).shape() == Shape{4});
  CHECK(outputs.array(specs()[1]).dtype() == DType::kInt32);
}

TEST_CASE("A copy is independent, taken arrays are not") {
  ReferenceOutputs outputs;
  write(outputs, 3);
  const OutputArrays copied = outputs.copied(), taken = outputs.taken();
  outputs.poison();
  CHECK_FALSE(outputs.are_same(copied));
  CHECK(outputs.are_same(taken));
  CHECK(copied.at("y").as<double>()[3] == 3);
  write(outputs, 3);
  CHECK(outputs.are_same(copied));
}

TEST_CASE("A call with another answer is compared within the tolerance") {
  ReferenceOutputs outputs;
  write(outputs, 3);
  const OutputArrays first = outputs.copied();
  write(outputs, 3.25);
  CHECK_FALSE(outputs.are_same(first));
  outputs.require_alike(first, specs(), "call 2");
  write(outputs, 4);
  CHECK(
      test::error_text<VerificationError>(
          [&] { outputs.require_alike(first, specs(), "call 7 (sample 6)"); }) ==
      "call 7 (sample 6): output 'y' of the reference is not that of its first call: first at [3]: "
      "got 4, expected 3");
}

}  // namespace
}  // namespace kernelbatch
