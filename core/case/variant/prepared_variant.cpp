#include "core/case/variant/prepared_variant.hpp"

#include <unistd.h>

#include <cstdio>
#include <exception>
#include <stdexcept>
#include <utility>

#include "core/case/failure.hpp"
#include "core/device/address_hint.hpp"

namespace kernelbatch {

PreparedVariant::PreparedVariant(const VariantDeclaration& variant, RunSetting setting,
                                 ResultRecord record)
    : variant_(variant),
      setting_(std::move(setting)),
      record_(std::move(record)),
      budget_(setting_.memory),
      outputs_({setting_.shared, setting_.kept, budget_, record_}, setting_.outputs,
               setting_.want) {}

PreparedVariant::~PreparedVariant() = default;

void PreparedVariant::enter(Phase phase) {
  range_.reset();
  range_.emplace(std::string(name_of(phase)));
  phase_ = phase;
  setting_.on_phase(phase);
}

void PreparedVariant::suspect(const std::string& reason) {
  if (reason.empty() || record_.status != Status::kOk) return;
  record_.status = Status::kSuspect;
  record_.phase = Phase::kMeasure;
  record_.reason = reason;
}

void PreparedVariant::suspect_vacuous() {
  for (const std::string& vacuous : {setting_.vacuous, setting_.known}) {
    suspect(vacuous);
    if (!vacuous.empty()) record_.verified = false;
  }
}

bool attempt(PreparedVariant& prepared, const std::function<void()>& step) {
  try {
    step();
    return true;
  } catch (const AddressError& error) {
    // The next worker has another layout: `limits.retries` tries.
    std::fprintf(stderr, "%s\n", error.what());
    std::fflush(stderr);
    ::_exit(static_cast<int>(ExitCode::kCaseFailed));
  } catch (const std::exception& error) {
    record_failure(error, prepared.phase(), prepared.record());
  } catch (...) {
    record_failure(std::runtime_error("the variant threw something that is no std::exception"),
                   prepared.phase(), prepared.record());
  }
  return false;
}

}  // namespace kernelbatch
