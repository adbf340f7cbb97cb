#include "core/inline/wanted_addresses.hpp"

#include <algorithm>
#include <filesystem>

#include "core/base/error.hpp"
#include "core/inline/options.hpp"
#include "core/verify/input_source.hpp"

namespace kernelbatch {
namespace {

/// Name of the input that an array begins with.
std::string source_of(const std::string& array, const InlineSpec& kernels) {
  for (const auto& [name, node] : kernels.outputs)
    if (const YamlNode* const fill = name == array ? node.find("fill") : nullptr) return fill->text;
  return array;
}

std::uint64_t bytes_of(const std::string& array, const WorkloadSpec& spec,
                       const std::string& folder) try {
  const auto input =
      std::ranges::find(spec.inputs, source_of(array, *spec.kernels), &InputSpec::name);
  if (input == spec.inputs.end() || input->kind != InputKind::kFile) return 1;
  return std::max<std::uint64_t>(1, std::filesystem::file_size(find_input_file(*input, folder)));
} catch (const std::exception&) {
  return 1;
}

}  // namespace

std::vector<AddressRange> wanted_addresses(const JobSpec& job) {
  std::vector<AddressRange> ranges;
  const NamedValues no_facts;
  for (const WorkloadSpec& spec : job.workloads) {
    if (!spec.kernels) continue;
    for (const InlineVariant& variant : spec.kernels->variants)
      for (const InlineVariant& kernel : variant.kernels()) try {
          for (const InlineAddress& each : InlineOptions(kernel.options, no_facts).addresses())
            ranges.push_back(
                {each.address, bytes_of(each.array, spec, job.path.parent_path().string())});
        } catch (const SpecError&) {  // an address that cannot be read
        }
  }
  return ranges;
}

}  // namespace kernelbatch
