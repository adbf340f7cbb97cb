// CaseRun: the reference, and the second set of inputs that it answers.
#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.hpp"
#include "core/case/case_run.hpp"
#include "core/device/annotation.hpp"
#include "core/verify/known_answers.hpp"
#include "core/verify/reference_cache.hpp"
#include "core/verify/reference_file.hpp"
#include "core/verify/verify.hpp"

namespace kernelbatch {

void CaseRun::run_reference() {
  if (verify_.reference_file)
    want_ = read_reference_file(*verify_.reference_file, problem_.outputs(), wanted_.job_folder);
  if (request_.reference.empty()) return;
  const VariantDeclaration* reference = declared(request_.reference);
  if (reference == nullptr)
    throw SpecError(
        fmt::format("'{}' has no variant '{}' to verify against", info_.name, request_.reference));
  if (!is_wanted(reference->name) && take_cached_reference()) return;
  place_.references.drop_others(reference_key_);
  std::unique_ptr<PreparedVariant> prepared = make(*reference, problem_);
  running_ = reference->name;
  {
    const AnnotatedRange range(reference->name);
    attempt(*prepared, [&] {
      prepared->prepare(problem_);
      prepared->verify();
    });
  }
  finish(std::move(prepared), nullptr);
  if (!reference_key_.empty() && !want_.empty()) place_.references.keep(reference_key_, want_);
  const auto folder = reference_folder();
  if (folder && !wanted_.spec.kernels && !reference_key_.empty() && !want_.empty() &&
      is_worth_keeping(reference_s_, want_))
    store_reference(*folder, reference_key_, want_, reference_limit());
}

void CaseRun::make_second() {
  const bool has_variants = std::ranges::any_of(
      request_.variants, [&](const std::string& name) { return name != request_.reference; });
  if (is_bare() || !has_variants) return;
  if (verify_.input_sets < 2) {
    second_.why_not = "verify.input_sets is 1";
    return;
  }
  const VariantDeclaration* reference = declared(request_.reference);
  if (reference == nullptr || want_.empty() || !problem_.reference_follows_inputs()) {
    second_.why_not = "no reference computes from the inputs";
    return;
  }
  // Two random sums may be equal within the tolerance by chance.
  constexpr int kDraws = 3;
  for (int draw = 0; draw < kDraws; ++draw) {
    SecondSet drawn = draw_second(*reference);
    if (draw > 0 && !drawn.is_there()) return;
    second_ = std::move(drawn);
    if (!second_.is_there() || compare_answers()) return;
  }
}

bool CaseRun::compare_answers() {
  known_.clear();
  for (const std::string& name : request_.variants)
    if (name != request_.reference && declared(name) != nullptr)
      known_[name] = known_answers(outputs_of(name, *second_.loaded.problem), want_, second_.want);
  return std::ranges::all_of(known_, [](const auto& each) { return each.second.vacuous.empty(); });
}

SecondSet CaseRun::draw_second(const VariantDeclaration& reference) {
  SecondSet made = load_second_set(inputs_, want_, place_.load_again);
  if (made.why_not.empty()) {
    std::unique_ptr<PreparedVariant> prepared = make(reference, *made.loaded.problem);
    running_ = reference.name;
    const bool is_made = attempt(*prepared, [&] {
      prepared->prepare(*made.loaded.problem);
      prepared->verify();
    });
    if (!is_made || prepared->record().status != Status::kOk)
      made.why_not = "the reference fails on a second one: " + prepared->record().reason;
    made.want = prepared->take_outputs();
  }
  return made;
}

/// Takes the outputs of the same reference for the same inputs from a cache, if they are complete.
bool CaseRun::take_cached_reference() {
  if (const OutputArrays* const known = place_.references.find(reference_key_)) {
    want_ = *known;
    return true;
  }
  const auto folder = reference_folder();
  if (!folder || reference_key_.empty() || wanted_.spec.kernels) return false;
  auto cached = load_reference(*folder, reference_key_);
  if (!cached) return false;
  for (const OutputArray& output : problem_.outputs_of(request_.reference)) {
    const auto found = cached->find(output.name);
    if (found == cached->end() || found->second.dtype() != output.dtype ||
        !(found->second.shape() == output.shape))
      return false;
  }
  want_ = std::move(*cached);
  place_.references.keep(reference_key_, want_);
  return true;
}

}  // namespace kernelbatch
