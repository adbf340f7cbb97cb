#include "core/case/compile_run.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "core/base/error.hpp"

namespace kernelbatch {

CompileRun::CompileRun(Device& device, const Params& params,
                       const std::vector<OutputArray>& outputs)
    : device_(device), params_(params), outputs_(outputs) {}

CompileRun::~CompileRun() = default;

Stream& CompileRun::stream(int number) {
  const auto at = static_cast<std::size_t>(number);
  while (streams_.size() <= at) streams_.push_back(device_.make_stream());
  return *streams_[at];
}

Array CompileRun::to_device(const Array& host) { return kernelbatch::to_device(host, stream(0)); }

Array CompileRun::scratch(DType dtype, const Shape& shape) {
  return Array::on_device(device_, dtype, shape);
}

Array CompileRun::output(std::string_view name) {
  const auto found = arrays_.find(name);
  if (found != arrays_.end()) return found->second;
  for (const OutputArray& each : outputs_)
    if (each.name == name)
      return arrays_.emplace(name, Array::on_device(device_, each.dtype, each.shape)).first->second;
  throw std::logic_error(fmt::format("the workload declares no output '{}'", name));
}

CompileOutcome compile_variant(const VariantDeclaration& variant, const Problem& problem,
                               const Params& params, Device& device) {
  CompileOutcome outcome;
  if (variant.kind == VariantKind::kReference || variant.kind == VariantKind::kLibrary) {
    outcome.is_skipped = true;
    if (variant.kind == VariantKind::kLibrary) outcome.reason = "calls a library of the device";
    return outcome;
  }
  take_program_log();
  try {
    const std::vector<OutputArray> outputs = problem.outputs_of(variant.name);
    CompileRun run(device, params, outputs);
    Work work = variant.prepare(problem, run);
    if (!work) throw std::logic_error("the variant returned no work");
    // Its kernels compile when they are launched.
    work(&run.stream(0));
  } catch (const UnsupportedError& error) {
    outcome.is_skipped = true;
    outcome.reason = error.what();
  } catch (const std::exception& error) {
    outcome.reason = error.what();
  } catch (...) {
    outcome.reason = "the variant threw something that is no std::exception";
  }
  outcome.builds = take_program_log().builds;
  return outcome;
}

std::string to_json(const CompileOutcome& outcome) {
  nlohmann::json builds = nlohmann::json::array();
  for (const ProgramLog::Build& build : outcome.builds)
    builds.push_back({build.name, build.key, build.is_from_cache, build.seconds});
  const nlohmann::json whole{
      {"builds", builds}, {"skipped", outcome.is_skipped}, {"reason", outcome.reason}};
  return whole.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

CompileOutcome compile_outcome_from_json(const std::string& text) {
  try {
    const auto whole = nlohmann::json::parse(text);
    CompileOutcome outcome;
    outcome.is_skipped = whole.at("skipped");
    outcome.reason = whole.at("reason");
    for (const auto& build : whole.at("builds"))
      outcome.builds.push_back({build.at(0), build.at(1), build.at(2), build.at(3)});
    return outcome;
  } catch (const nlohmann::json::exception& error) {
    throw RunError(fmt::format("what was compiled cannot be read: {}", error.what()));
  }
}

}  // namespace kernelbatch
