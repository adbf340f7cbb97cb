#include "core/run/compile_case.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.hpp"

namespace kernelbatch {
namespace {

[[noreturn]] void fail(const Failed& failed) {
  switch (failed.cause) {
    case FailureCause::kBadSpec:
      throw SpecError(failed.reason);
    case FailureCause::kNoDevice:
      throw DeviceError(failed.reason);
    case FailureCause::kCase:
      break;
  }
  throw RunError(failed.reason);
}

void require_asked(const CaseRequest& request, const std::string& variant) {
  if (std::ranges::find(request.variants, variant) == request.variants.end())
    throw RunError(fmt::format("it reported a variant '{}' that was not requested", variant));
}

}  // namespace

CaseCompiler::CaseCompiler(WorkerCommand worker_command, int interrupt)
    : workers_(std::move(worker_command), interrupt) {}

CaseCompiler::CaseCompiler(WorkerCommand worker_command, const JobSpec& job, int interrupt)
    : CaseCompiler(std::move(worker_command), interrupt) {
  use_job(job);
}

void CaseCompiler::use_job(const JobSpec& job) {
  timeout_s_ = job.limits.timeout_s;
  workers_.use_job(job);
}

void CaseCompiler::compile(CaseRequest request, const OnCompiled& on_compiled) {
  request.reference.clear();  // nothing is verified
  while (!request.variants.empty()) {
    workers_.send(CompileRequest{request, device_});
    if (!serve(request, on_compiled)) return;
  }
}

void CaseCompiler::compile_harness(const std::string& device, std::size_t part) {
  workers_.send(CompileHarnessRequest{device, device_, part});
  Reply reply;
  Patience patience(timeout_s_);
  if (workers_.receive(patience, reply) != WorkerProcess::Outcome::kMessage) workers_.reset();
}

/// Handles one worker's messages. Returns whether another worker is needed for the remaining
/// variants.
bool CaseCompiler::serve(CaseRequest& request, const OnCompiled& on_compiled) {
  std::string variant;
  Patience patience(timeout_s_);
  for (;;) {
    Reply reply;
    auto outcome = workers_.receive(patience, reply);
    if (outcome == WorkerProcess::Outcome::kMessage) {
      if (std::holds_alternative<CaseDone>(reply)) return false;
      if (const auto* failed = std::get_if<Failed>(&reply)) fail(*failed);
      try {
        if (const auto* change = std::get_if<PhaseChange>(&reply)) {
          require_asked(request, change->variant);
          variant = change->variant;
        } else if (const auto* compiled = std::get_if<Compiled>(&reply)) {
          require_asked(request, compiled->variant);
          on_compiled(compiled->variant, compiled->outcome);
          std::erase(request.variants, compiled->variant);
        } else {
          throw RunError("it answered a request that was not sent");
        }
        patience = Patience(timeout_s_);
        continue;
      } catch (const RunError& error) {
        workers_.worker().refuse(error.what());
        outcome = WorkerProcess::Outcome::kDied;
      }
    }
    CompileOutcome lost;
    lost.reason = outcome == WorkerProcess::Outcome::kTimedOut
                      ? fmt::format("still running after {:.4g} s (limits.timeout)", timeout_s_)
                      : fmt::format("the worker ended: {}", workers_.worker().end());
    workers_.reset();
    // Before the first variant the case itself fails, and none of it can be compiled.
    if (variant.empty()) throw RunError(fmt::format("making the inputs: {}", lost.reason));
    on_compiled(variant, lost);
    std::erase(request.variants, variant);
    return true;
  }
}

}  // namespace kernelbatch
