#include "core/case/case_variants.hpp"

#include <algorithm>
#include <utility>

#include "core/case/variant/checked_variant.hpp"
#include "core/case/variant/cpu_variant.hpp"
#include "core/verify/vacuity.hpp"
#include "core/verify/verify.hpp"

namespace kernelbatch {

CaseVariants::CaseVariants(const CasePlace& place, const RequestedCase& wanted,
                           const WorkloadInfo& info, const LoadedProblem& loaded,
                           const CaseAnswers& answers)
    : place_(place),
      wanted_(wanted),
      request_(wanted.request),
      info_(info),
      loaded_(loaded),
      answers_(answers),
      params_(wanted.request.params, info.parameters),
      shared_(place.checks, {.limit = memory_limit(), .used = &memory_used_}) {}

double CaseVariants::memory_limit() const {
  return memory_limit_bytes(wanted_.job.limits.memory, place_.device.properties());
}

const VariantDeclaration* CaseVariants::declared(const std::string& name) const {
  const auto found = std::ranges::find(info_.variants, name, &VariantDeclaration::name);
  return found == info_.variants.end() ? nullptr : &*found;
}

bool CaseVariants::is_wanted(const std::string& name) const {
  return std::ranges::find(request_.variants, name) != request_.variants.end();
}

bool CaseVariants::are_bare() const noexcept {
  return request_.is_profile || request_.is_single_call || !request_.sanitize.empty();
}

ResultRecord CaseVariants::begin_record(const VariantDeclaration& variant) const {
  ResultRecord record;
  record.case_id = request_.case_id;
  record.workload = info_.name;
  record.workload_version = info_.version;
  record.variant = variant.name;
  record.kind = variant.kind;
  record.params = request_.params;
  record.attempt = request_.attempt;
  record.start_ns = unix_time_ns();
  record.status = Status::kOk;
  const bool on_cpu = variant.kind == VariantKind::kReference;
  record.device = on_cpu ? place_.cpu : device_text(place_.device.properties());
  return record;
}

std::vector<OutputArray> CaseVariants::outputs_of(const std::string& variant,
                                                  const Problem& problem) const {
  const VerifySpec& verify = wanted_.spec.verify;
  std::vector<OutputArray> outputs = problem.outputs_of(variant);
  change_tolerances(outputs, verify.tolerance, verify.outputs);
  // A file may contain only some of the outputs.
  if (verify.reference_file)
    for (OutputArray& output : outputs)
      output.has_reference = answers_.want.contains(name_of_want(output));
  return outputs;
}

RunSetting CaseVariants::setting_of(const VariantDeclaration& variant, const LoadedProblem& of,
                                    const HiddenOutputs* want) {
  const VerifySpec& verify = wanted_.spec.verify;
  const bool is_reference = want == nullptr;
  return {.outputs = outputs_of(variant.name, *of.problem),
          .params = params_,
          .measure = wanted_.measure,
          .shared = shared_,
          // The others are compared with the reference's, whether or not they are stored.
          .kept = is_reference         ? KeptArrays::kAll
                  : request_.is_repeat ? KeptArrays::kNone
                                       : wanted_.job.output.arrays,
          .repeat = request_.is_repeat || request_.is_single_call ? 1 : verify.repeat,
          .must_be_deterministic = verify.determinism == Determinism::kRequired,
          .inputs = of.inputs,
          .problem = of.memory,
          .want = want,
          .is_timed = is_wanted(variant.name) && &of == &loaded_ && request_.sanitize.empty() &&
                      !request_.is_single_call &&
                      (!is_reference || variant.kind == VariantKind::kReference),
          .drop_above = request_.drop_above,
          .lists_launches = !request_.is_repeat,
          .is_explained =
              std::ranges::find(request_.unexplained, variant.name) == request_.unexplained.end(),
          .spent_s = [this] { return seconds() / static_cast<double>(request_.variants.size()); },
          .memory = {.limit = memory_limit(),
                     .may_stage = traits_of(variant.kind).may_stage,
                     .case_bytes = loaded_.device_bytes,
                     .used = &memory_used_},
          .on_phase = [this, &variant](Phase phase) { place_.on_phase(variant.name, phase); }};
}

std::unique_ptr<PreparedVariant> CaseVariants::make(const VariantDeclaration& variant,
                                                    const LoadedProblem& of,
                                                    const HiddenOutputs* want) {
  ResultRecord record = begin_record(variant);
  const Cost cost = of.problem->cost_of(variant.name);
  record.bytes_read = cost.bytes_read;
  record.bytes_written = cost.bytes_written;
  record.flops = cost.flops;
  RunSetting setting = setting_of(variant, of, want);
  if (variant.name != request_.reference) {
    setting.vacuous = vacuous_tolerance(setting.outputs, shown(answers_.want), loaded_.inputs);
    if (const auto known = answers_.known.find(variant.name);
        answers_.second.is_there() && known != answers_.known.end()) {
      setting.known = known->second.vacuous;
      record.add_note(NoteKind::kOther, known->second.note);
    }
  }
  if (variant.kind == VariantKind::kReference)
    return std::make_unique<CpuVariant>(variant, std::move(setting), std::move(record));
  if (are_bare())
    return std::make_unique<BareVariant>(variant, place_.device, std::move(setting),
                                         std::move(record));
  return std::make_unique<CheckedVariant>(variant, place_.device, place_.checks, std::move(setting),
                                          std::move(record));
}

}  // namespace kernelbatch
