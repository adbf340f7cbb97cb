#include "core/case/case_loader.hpp"

#include "core/array/random.hpp"
#include "core/base/file.hpp"
#include "core/base/text.hpp"
#include "core/inline/case.hpp"
#include "core/result/json.hpp"
#include "core/verify/reference_cache.hpp"

namespace kernelbatch {

const Workload& CaseLoader::workload(const std::string& path) {
  auto found = plugins_.find(path);
  if (found == plugins_.end()) found = plugins_.emplace(path, Plugin::load(path)).first;
  return found->second.workload();
}

const WorkloadInfo& CaseLoader::info(const RequestedCase& wanted) {
  if (!wanted.spec.kernels) return workload(wanted.request.plugin).info();
  inline_info_ = inline_info(wanted.spec);
  return inline_info_;
}

/// The plugin's file stands for the reference's code and for inputs that it makes by itself.
std::string CaseLoader::reference_key(const RequestedCase& wanted, const JobInputs& inputs) {
  const CaseRequest& request = wanted.request;
  std::string& plugin = plugin_hashes_[request.plugin];
  if (plugin.empty()) plugin = hash_hex(MappedFile(request.plugin).bytes());
  const WorkloadInfo& info = workload(request.plugin).info();
  NamedValues params;  // those that the outputs depend on
  for (const auto& value : request.params) {
    const auto declared =
        std::ranges::find(info.parameters, value.first, &ParameterDeclaration::name);
    if (declared == info.parameters.end() || !declared->is_tuning) params.push_back(value);
  }
  return hash_hex(join(std::vector<std::string>{plugin, info.name, info.version, request.reference,
                                                to_json(params), inputs.content_hash()},
                       "\n"));
}

LoadedProblem CaseLoader::problem(const RequestedCase& wanted,
                                  const std::function<void(double)>& require_memory,
                                  std::uint64_t shift) {
  const SeedShift other_seeds(shift);
  const CaseRequest& request = wanted.request;
  if (wanted.spec.kernels) {
    auto problem = make_inline_problem(*wanted.spec.kernels, wanted.spec.inputs, request.params,
                                       wanted.job_folder, MakeInputs::kWhole);
    auto arrays = problem->input_arrays();
    return {.problem = std::move(problem),
            .reference_key = "",
            .inputs = std::move(arrays),
            .drawn = other_seeds.made()};
  }
  const Workload& chosen = workload(request.plugin);
  const Params params(request.params, chosen.info().parameters);
  const double device_bytes = chosen.device_bytes(params);
  require_memory(device_bytes);
  JobInputs inputs(wanted.spec.inputs, request.params, wanted.job_folder);
  LoadedProblem loaded;
  loaded.device_bytes = device_bytes;
  loaded.problem = chosen.make_problem(params, inputs);
  inputs.require_all_taken();
  loaded.inputs = inputs.taken();
  loaded.drawn = other_seeds.made();
  if (shift != 0) return loaded;
  if (!request.reference.empty() && reference_folder())
    loaded.reference_key = reference_key(wanted, inputs);
  return loaded;
}

}  // namespace kernelbatch
