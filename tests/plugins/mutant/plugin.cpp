// The workload of another plugin, which KERNELBATCH_MUTATED names, with variants that run one of
// its variants and introduce an error: verification has to detect each of them.
#include "core/base/error.hpp"
#include "core/base/process.hpp"
#include "core/workload/loader.hpp"
#include "tests/plugins/mutant/mutation.hpp"

namespace mutant {
namespace {

using kernelbatch::Array;

/// A run whose first operand is wrong.
class WrongRun final : public kernelbatch::Run {
 public:
  explicit WrongRun(kernelbatch::Run& run) : run_(run) {}

  const kernelbatch::Params& params() const override { return run_.params(); }
  kernelbatch::Device& device() override { return run_.device(); }
  kernelbatch::Stream& stream(int number) override { return run_.stream(number); }
  Array to_device(const Array& host) override {
    return run_.to_device(uploads_++ == 0 ? reversed(host) : host);
  }
  Array scratch(kernelbatch::DType dtype, const kernelbatch::Shape& shape) override {
    return run_.scratch(dtype, shape);
  }
  Array output(std::string_view name) override { return run_.output(name); }

 private:
  kernelbatch::Run& run_;
  int uploads_ = 0;
};

/// Work whose outputs are changed after each call.
kernelbatch::Work spoilt(kernelbatch::Work work, std::vector<kernelbatch::OutputArray> specs,
                         const Mutation& mutation, kernelbatch::Run& run) {
  std::vector<Array> outputs;
  for (const kernelbatch::OutputArray& spec : specs) outputs.push_back(run.output(spec.name));
  return [work = std::move(work), specs = std::move(specs), outputs,
          mutation](kernelbatch::Stream& stream) mutable {
    work(&stream);
    for (std::size_t k = 0; k < specs.size(); ++k) {
      const Array host = kernelbatch::to_host(outputs[k], stream);
      mutation(specs[k], host);
      kernelbatch::copy(host, outputs[k], stream);
    }
  };
}

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
        info.variants.push_back({name, variant.kind, "wrong",
                                 [prepare = variant.prepare, own = variant.name, spoil = mutation](
                                     const kernelbatch::Problem& problem, kernelbatch::Run& run) {
                                   // Without a mutation the first operand is wrong.
                                   if (spoil)
                                     return spoilt(prepare(problem, run), problem.outputs_of(own),
                                                   spoil, run);
                                   WrongRun wrong(run);
                                   return prepare(problem, wrong);
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
