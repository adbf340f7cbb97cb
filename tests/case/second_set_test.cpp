#include "core/case/second_set.hpp"

#include <stdexcept>

#include "tests/support/catch.hpp"

namespace kernelbatch {
namespace {

class Nothing final : public Problem {
 public:
  std::vector<OutputArray> outputs() const override { return {}; }
  Cost cost() const override { return {}; }
};

LoadedProblem problem_with(const NamedArrays& inputs) {
  LoadedProblem loaded;
  loaded.problem = std::make_unique<Nothing>();
  loaded.inputs = inputs;
  return loaded;
}

const NamedArrays kInputs{{"x", Array::from(std::vector<float>{1, 2, 3})}};
const HiddenOutputs kWant = hidden({{"y", Array::from(std::vector<float>{1})}});

TEST_CASE("A second set is loaded with another seed") {
  std::uint64_t given = 0;
  const SecondSet second = load_second_set(kInputs, kWant, [&](std::uint64_t shift) {
    given = shift;
    return problem_with({{"x", Array::from(std::vector<float>{1, 2, 4})}});
  });
  CHECK(second.is_there());
  CHECK(second.seed > 0);
  CHECK(static_cast<std::uint64_t>(second.seed) == given);
}

TEST_CASE("Inputs that turn out equal are not a second set") {
  const SecondSet second = load_second_set(kInputs, kWant, [](std::uint64_t) {
    return problem_with({{"x", Array::from(std::vector<float>{1, 2, 3})}});
  });
  CHECK_FALSE(second.is_there());
  CHECK(second.why_not == "none of them can be drawn or ordered again");
}

TEST_CASE("A workload that takes no inputs from the harness may make other ones") {
  CHECK(load_second_set({}, kWant, [](std::uint64_t) { return problem_with({}); }).is_there());
}

TEST_CASE("The reason for a missing second set is reported") {
  const SecondSet second = load_second_set(kInputs, kWant, [](std::uint64_t) -> LoadedProblem {
    throw std::runtime_error("no such file");
  });
  CHECK_FALSE(second.is_there());
  CHECK(second.why_not == "a second one cannot be made: no such file");
}

}  // namespace
}  // namespace kernelbatch
