// CaseRun: the reference, and the second set of inputs that it answers.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "core/base/error.hpp"
#include "core/case/case_run.hpp"
#include "core/device/annotation.hpp"
#include "core/verify/known_answers.hpp"
#include "core/verify/reference_cache.hpp"
#include "core/verify/reference_file.hpp"
#include "core/verify/verify.hpp"

namespace kernelbatch {
namespace {

/// The outputs of the same reference for the same inputs, from a folder of earlier runs; nothing if
/// they are not complete.
std::optional<OutputArrays> stored_outputs(const std::string& key,
                                           const std::vector<OutputArray>& outputs) {
  const auto folder = reference_folder();
  if (!folder) return std::nullopt;
  auto stored = load_reference(*folder, key);
  if (!stored) return std::nullopt;
  for (const OutputArray& output : outputs) {
    const auto found = stored->find(output.name);
    if (found == stored->end() || found->second.dtype() != output.dtype ||
        !(found->second.shape() == output.shape))
      return std::nullopt;
  }
  return stored;
}

/// Compares the answers to both sets with each variant's tolerance. False if one accepts the answer
/// to the first set for the second.
bool compare_answers(const CaseVariants& variants, const CaseRequest& request,
                     CaseAnswers& answers) {
  answers.known.clear();
  const OutputArrays first = shown(answers.want), second = shown(answers.second.want);
  for (const std::string& name : request.variants)
    if (name != request.reference && variants.declared(name) != nullptr)
      answers.known[name] =
          known_answers(variants.outputs_of(name, *answers.second.loaded.problem), first, second);
  return std::ranges::all_of(answers.known,
                             [](const auto& each) { return each.second.vacuous.empty(); });
}

}  // namespace

void CaseRun::run_reference() {
  if (verify_.reference_file)
    answers_.want = hidden(
        read_reference_file(*verify_.reference_file, problem_.outputs(), wanted_.job_folder));
  if (request_.reference.empty()) return;
  const VariantDeclaration* reference = variants_.declared(request_.reference);
  if (reference == nullptr)
    throw SpecError(
        fmt::format("'{}' has no variant '{}' to verify against", info_.name, request_.reference));
  const std::string& key = loaded_.reference_key;
  ReferenceMemo& memo = place_.references;
  const bool is_stored = !key.empty() && !wanted_.spec.kernels;
  if (!variants_.is_wanted(reference->name)) {
    if (const HiddenOutputs* const known = memo.find(key)) {
      answers_.want = *known;
      return;
    }
    auto stored =
        is_stored ? stored_outputs(key, problem_.outputs_of(reference->name)) : std::nullopt;
    if (stored) {
      answers_.want = hidden(*stored);
      return memo.keep(key, answers_.want);
    }
  }
  memo.drop_others(key);
  std::unique_ptr<PreparedVariant> prepared = variants_.make(*reference, loaded_, nullptr);
  process_.run(reference->name);
  {
    const AnnotatedRange range(reference->name);
    attempt(*prepared, [&] {
      prepared->prepare(problem_);
      prepared->verify();
    });
  }
  finish_reference(std::move(prepared));
  if (key.empty() || answers_.want.empty()) return;
  memo.keep(key, answers_.want);
  const auto folder = reference_folder();
  if (!folder || !is_stored) return;
  if (const OutputArrays want = shown(answers_.want); is_worth_keeping(reference_s_, want))
    store_reference(*folder, key, want, reference_limit());
}

void CaseRun::make_second() {
  const bool has_variants =
      times_reference_ || std::ranges::any_of(request_.variants, [&](const std::string& name) {
        return name != request_.reference;
      });
  if (variants_.are_bare() || !has_variants) return;
  if (verify_.input_sets < 2) {
    answers_.second.why_not = "verify.input_sets is 1";
    return;
  }
  const VariantDeclaration* reference = variants_.declared(request_.reference);
  if (reference == nullptr || answers_.want.empty() || !problem_.reference_follows_inputs()) {
    answers_.second.why_not = "no reference computes from the inputs";
    return;
  }
  // Two random sums may be equal within the tolerance by chance.
  constexpr int kDraws = 3;
  for (int draw = 0; draw < kDraws; ++draw) {
    SecondSet drawn = draw_second(*reference);
    if (draw > 0 && !drawn.is_there()) break;
    answers_.second = std::move(drawn);
    if (!answers_.second.is_there() || compare_answers(variants_, request_, answers_)) break;
  }
  if (!answers_.second.is_there()) return;
  for (int set = 3; set <= verify_.input_sets; ++set) {
    SecondSet drawn = draw_second(*reference);
    if (!drawn.is_there()) return;
    answers_.further.push_back(std::move(drawn));
  }
}

SecondSet CaseRun::draw_second(const VariantDeclaration& reference) {
  SecondSet made = load_second_set(loaded_.inputs, answers_.want, place_.load_again);
  if (made.why_not.empty()) {
    std::unique_ptr<PreparedVariant> prepared = variants_.make(reference, made.loaded, nullptr);
    process_.run(reference.name);
    const bool is_made = attempt(*prepared, [&] {
      prepared->prepare(*made.loaded.problem);
      prepared->verify();
    });
    if (!is_made || prepared->record().status != Status::kOk)
      made.why_not = "the reference fails on a second one: " + prepared->record().reason;
    made.want = hidden(prepared->take_outputs());
  }
  return made;
}

}  // namespace kernelbatch
