// The declaration of the workload `faulty`, and its reference.
#include <chrono>
#include <cstdlib>
#include <thread>

#include "core/base/clock.hpp"
#include "core/base/process.hpp"
#include "tests/plugins/faulty/faulty.hpp"

namespace faulty {
namespace {

kernelbatch::Work reference(const kernelbatch::Problem&, kernelbatch::Run& run) {
  // A reference that aborts, for the tests that request one.
  if (kernelbatch::environment("FAULTY_REFERENCE_ABORTS")) std::abort();
  const bool is_slow = kernelbatch::environment("FAULTY_REFERENCE_IS_SLOW").has_value();
  const kernelbatch::Array y = run.output("y");
  return [=] {
    if (is_slow && kernelbatch::MeasuringClock::is_simulated())
      kernelbatch::MeasuringClock::advance(0.1);
    else if (is_slow)
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    const auto to = y.as<float>();
    for (std::size_t i = 0; i < to.size(); ++i) to[i] = 1.0f + 0.5f * static_cast<float>(i);
  };
}

class FaultyWorkload final : public kernelbatch::Workload {
 public:
  const kernelbatch::WorkloadInfo& info() const override { return info_; }

  double device_bytes(const kernelbatch::Params& params) const override {
    return 4.0 * static_cast<double>(params.integer("n"));
  }

  std::unique_ptr<kernelbatch::Problem> make_problem(const kernelbatch::Params& params,
                                                     kernelbatch::Inputs&) const override {
    auto problem = std::make_unique<Faulty>();
    problem->n = params.integer("n");
    return problem;
  }

 private:
  static kernelbatch::WorkloadInfo make_info() {
    kernelbatch::WorkloadInfo info{
        .name = "faulty",
        .version = "1",
        .summary = "variants that go wrong",
        .parameters = {kernelbatch::integer_parameter("n", 1000, 1, 1e12, "number of elements")},
        .inputs = {},
        .outputs = {{"y", "1 + i / 2"}},
        .variants = {{"reference", kernelbatch::VariantKind::kReference, "", reference}}};
    for (const auto& variants : {faulty_variants(), hostile_variants(), last_variants()})
      info.variants.insert(info.variants.end(), variants.begin(), variants.end());
    return info;
  }

  kernelbatch::WorkloadInfo info_ = make_info();
};

}  // namespace

std::vector<kernelbatch::OutputArray> Faulty::outputs() const {
  kernelbatch::Tolerance tolerance;
  tolerance.rtol = 1e-6;
  return {
      {.name = "y", .dtype = kernelbatch::DType::kFloat32, .shape = {n}, .tolerance = tolerance}};
}

kernelbatch::Cost Faulty::cost() const {
  const auto count = static_cast<double>(n);
  return {.bytes_read = 0, .bytes_written = 4 * count, .flops = 2 * count};
}

}  // namespace faulty

KERNELBATCH_PLUGIN(faulty::FaultyWorkload, "faulty");
