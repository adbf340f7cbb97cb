#include "core/case/case_loader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "core/array/random.hpp"
#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "core/base/memory.hpp"
#include "core/base/quantity.hpp"
#include "core/base/text.hpp"
#include "core/case/memory_budget.hpp"
#include "core/device/device_list.hpp"
#include "core/inline/case.hpp"
#include "core/job/yaml_writer.hpp"
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

/// The plugin's file identifies the reference's code and the inputs that it generates itself.
std::string CaseLoader::reference_key(const RequestedCase& wanted, const JobInputs& inputs) {
  const CaseRequest& request = wanted.request;
  std::string& plugin = plugin_hashes_[request.plugin];
  if (plugin.empty()) plugin = hash_hex(MappedFile(request.plugin).bytes());
  const WorkloadInfo& info = workload(request.plugin).info();
  const auto reference =
      std::ranges::find(info.variants, request.reference, &VariantDeclaration::name);
  // A reference that runs on the device may depend on all tuning parameters.
  const bool is_on_cpu =
      reference != info.variants.end() && reference->kind == VariantKind::kReference;
  NamedValues params;  // those that the outputs depend on
  for (const auto& value : request.params) {
    const auto declared =
        std::ranges::find(info.parameters, value.first, &ParameterDeclaration::name);
    if (declared == info.parameters.end() || !declared->is_tuning || !is_on_cpu)
      params.push_back(value);
  }
  return hash_hex(join(std::vector<std::string>{plugin, info.name, info.version, request.reference,
                                                to_json(params), inputs.content_hash()},
                       "\n"));
}

/// Key of a reference in C++: its text, its inputs, and the parameters except searched ones that
/// neither it nor an output uses.
std::string CaseLoader::inline_reference_key(const RequestedCase& wanted,
                                             const NamedArrays& inputs) {
  const InlineSpec& kernels = *wanted.spec.kernels;
  if (kernels.reference.find("cpp") == nullptr) return "";
  std::string text = write_yaml(kernels.reference);
  for (const auto& [name, output] : kernels.outputs) text += name + ": " + write_yaml(output);
  const auto is_named = [&](const std::string& name) {
    const auto is_letter = [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
    };
    for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
      const std::size_t end = at + name.size();
      if ((at == 0 || !is_letter(text[at - 1])) && (end == text.size() || !is_letter(text[end])))
        return true;
    }
    return false;
  };
  const auto is_searched = [&](const std::string& name) {
    return wanted.spec.tune && std::ranges::find(wanted.spec.tune->params, name, &Scalar::text) !=
                                   wanted.spec.tune->params.end();
  };
  NamedValues params;
  for (const auto& value : wanted.request.params)
    if (!is_searched(value.first) || is_named(value.first)) params.push_back(value);
  text += to_json(params);
  for (const auto& [name, array] : inputs) {
    const Array whole = contiguous(array);
    text += fmt::format("\n{} {} {} {}", name, name_of(array.dtype()), to_text(array.shape()),
                        hash_hex(std::span<const std::byte>(whole.data(), whole.bytes())));
  }
  return hash_hex(text);
}

LoadedProblem CaseLoader::problem(const RequestedCase& wanted,
                                  const std::function<void(double)>& require_memory,
                                  std::uint64_t shift) {
  const HostArrayLog log;
  const CaseRequest& request = wanted.request;
  if (wanted.spec.kernels) {
    RandomSource random(shift);
    auto problem = make_inline_problem(*wanted.spec.kernels, wanted.spec.inputs, request.params,
                                       wanted.job_folder, &random);
    auto arrays = problem->input_arrays();
    std::string key;
    if (shift == 0 && wanted.spec.tune) key = inline_reference_key(wanted, arrays);
    return {.problem = std::move(problem),
            .reference_key = std::move(key),
            .inputs = std::move(arrays),
            .drawn = random.made(),
            .memory = log.made()};
  }
  const Workload& chosen = workload(request.plugin);
  const Params params(request.params, chosen.info().parameters);
  const double device_bytes = chosen.device_bytes(params);
  require_memory(device_bytes);
  JobInputs inputs(wanted.spec.inputs, request.params, wanted.job_folder, shift);
  LoadedProblem loaded;
  loaded.device_bytes = device_bytes;
  loaded.problem = chosen.make_problem(params, inputs);
  inputs.require_all_taken();
  loaded.inputs = inputs.taken();
  loaded.drawn = inputs.random().made();
  loaded.memory = log.made();
  if (shift != 0) return loaded;
  if (!request.reference.empty() && (wanted.spec.tune || reference_folder()))
    loaded.reference_key = reference_key(wanted, inputs);
  return loaded;
}

LoadedProblem load_problem(CaseLoader& loader, const RequestedCase& wanted,
                           const WorkloadInfo& info, const Device& device) {
  const std::string& memory = wanted.job.limits.memory;
  const std::vector<std::string>& variants = wanted.request.variants;
  const DeviceProperties& properties = device.properties();
  const double limit = memory_limit_bytes(memory, properties);
  const bool may_stay_on_host =
      std::ranges::any_of(info.variants, [&](const VariantDeclaration& variant) {
        return traits_of(variant.kind).may_stage &&
               std::ranges::find(variants, variant.name) != variants.end();
      });
  const auto require_memory = [&](double bytes) {
    // With staging, each variant checks by itself what fits on the device; the host must hold
    // everything.
    if (may_stay_on_host) {
      if (const auto available = static_cast<double>(available_memory()); bytes > available)
        throw OutOfHostMemoryError(
            fmt::format("the case needs at least {} of the host's memory; {} are available",
                        format_bytes(static_cast<std::uint64_t>(bytes)),
                        format_bytes(static_cast<std::uint64_t>(available))));
      return;
    }
    if (bytes > std::min(limit, static_cast<double>(device.free_memory())))
      throw OutOfMemoryError(
          fmt::format("the case needs at least {} on {}; {} are free and limits.memory is {}",
                      format_bytes(static_cast<std::uint64_t>(bytes)), device_text(properties),
                      format_bytes(device.free_memory()), memory));
  };
  LoadedProblem loaded = loader.problem(wanted, require_memory);
  for (const VariantDeclaration& variant : info.variants) {
    double output_bytes = 0;
    for (const OutputArray& output : loaded.problem->outputs_of(variant.name))
      output_bytes += static_cast<double>(element_count(output.shape)) *
                      static_cast<double>(size_of(output.dtype));
    require_memory(output_bytes);
  }
  return loaded;
}

}  // namespace kernelbatch
