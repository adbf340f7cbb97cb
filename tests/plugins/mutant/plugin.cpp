// The workload of another plugin, which KERNELBATCH_MUTATED names, with variants that run one of
// its own variants and get something wrong: verification has to find each of them.
#include "core/base/error.hpp"
#include "core/base/process.hpp"
#include "core/plugin/loader.hpp"
#include "tests/plugins/mutant/mutation.hpp"

namespace mutant {
namespace {

using kernelbatch::Array;

/// A run whose variant's outputs are spoilt after its work, or whose first operand is wrong.
class WrongRun final : public kernelbatch::Run {
 public:
  WrongRun(kernelbatch::Run& run, std::vector<kernelbatch::OutputArray> outputs, Mutation mutation)
      : run_(run), specs_(std::move(outputs)), mutation_(std::move(mutation)) {}

  const kernelbatch::Params& params() const override { return run_.params(); }
  kernelbatch::Device& device() override { return run_.device(); }
  kernelbatch::Stream& stream(int number) override { return run_.stream(number); }
  Array to_device(const Array& host) override {
    const bool is_wrong = !mutation_ && uploads_++ == 0;
    return run_.to_device(is_wrong ? reversed(host) : host);
  }
  Array scratch(kernelbatch::DType dtype, const kernelbatch::Shape& shape) override {
    return run_.scratch(dtype, shape);
  }
  Array output(std::string_view name) override { return run_.output(name); }

  void measure(const std::function<void()>& work) override {
    if (!mutation_) return run_.measure(work);
    std::vector<Array> outputs;
    for (const kernelbatch::OutputArray& spec : specs_) outputs.push_back(run_.output(spec.name));
    run_.measure([&] {
      work();
      for (std::size_t k = 0; k < specs_.size(); ++k) {
        const Array host = kernelbatch::to_host(outputs[k], run_.stream(0));
        mutation_(specs_[k], host);
        kernelbatch::copy(host, outputs[k], run_.stream(0));
      }
    });
  }

 private:
  kernelbatch::Run& run_;
  std::vector<kernelbatch::OutputArray> specs_;
  Mutation mutation_;  ///< empty: the first operand is wrong instead
  int uploads_ = 0;
};

class MutantWorkload final : public kernelbatch::Workload {
 public:
  const kernelbatch::WorkloadInfo& info() const override { return info_; }
  double device_bytes(const kernelbatch::Params& params) const override {
    return plugin_.workload().device_bytes(params);
  }
  std::unique_ptr<kernelbatch::Problem> make_problem(const kernelbatch::Params& params,
                                                     kernelbatch::Inputs& inputs) const override {
    return plugin_.workload().make_problem(params, inputs);
  }

 private:
  static std::string mutated() {
    const auto file = kernelbatch::environment("KERNELBATCH_MUTATED");
    if (!file) throw kernelbatch::SpecError("mutant: KERNELBATCH_MUTATED names no plugin");
    return *file;
  }

  static kernelbatch::WorkloadInfo make_info(const kernelbatch::WorkloadInfo& right) {
    kernelbatch::WorkloadInfo info = right;
    info.name = "mutant";
    const std::pair<const char*, Mutation> mutations[] = {{"off_by_one", shift_by_one},
                                                          {"missing_last", leave_out_last},
                                                          {"ten_tolerances", move_one},
                                                          {"nan", put_nan},
                                                          {"wrong_operand", nullptr}};
    for (const kernelbatch::VariantDeclaration& variant : right.variants) {
      if (variant.kind != kernelbatch::VariantKind::kJit) continue;
      for (const auto& [name, mutation] : mutations)
        info.variants.push_back(
            {name, variant.kind, "wrong",
             [function = variant.function, own = variant.name, spoil = mutation](
                 const kernelbatch::Problem& problem, kernelbatch::Run& run) {
               WrongRun wrong(run, problem.outputs_of(own), spoil);
               function(problem, wrong);
             }});
      break;
    }
    return info;
  }

  kernelbatch::Plugin plugin_ = kernelbatch::Plugin::load(mutated());
  kernelbatch::WorkloadInfo info_ = make_info(plugin_.workload().info());
};

}  // namespace
}  // namespace mutant

KERNELBATCH_PLUGIN(mutant::MutantWorkload, "mutant");
