#include "core/run/compile_case.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.hpp"

namespace kernelbatch {
namespace {

[[noreturn]] void fail(const WorkerMessage& message) {
  switch (static_cast<ExitCode>(message.exit_code)) {
    case ExitCode::kBadSpec:
      throw SpecError(message.text);
    case ExitCode::kNoDevice:
      throw DeviceError(message.text);
    default:
      throw RunError(message.text);
  }
}

}  // namespace

CaseCompiler::CaseCompiler(std::vector<std::string> worker_command)
    : worker_command_(std::move(worker_command)) {}
CaseCompiler::~CaseCompiler() = default;

void CaseCompiler::compile(CaseRequest request, double timeout_s, const OnCompiled& on_compiled) {
  request.reference.clear();  // nothing is verified
  while (!request.variants.empty()) {
    if (worker_ && worker_->has_unread()) worker_.reset();
    if (!worker_) worker_ = std::make_unique<WorkerProcess>(worker_command_);
    worker_->send(to_json(request));
    std::string variant;
    Patience patience(timeout_s);
    for (bool is_alive = true; is_alive;) {
      WorkerMessage message;
      auto outcome = worker_->receive(patience, -1, message);
      if (outcome == WorkerProcess::Outcome::kMessage) {
        if (message.event == "case_done") return;
        if (message.event == "failed") fail(message);
        try {
          if (std::ranges::find(request.variants, message.variant) == request.variants.end())
            throw RunError(
                fmt::format("it told of a variant '{}' that was not asked for", message.variant));
          if (message.variant != variant || message.event == "built")
            patience = Patience(timeout_s);
          variant = message.variant;
          if (message.event != "built") continue;
          on_compiled(variant, compile_outcome_from_json(message.text));
          std::erase(request.variants, variant);
          continue;
        } catch (const RunError& error) {
          worker_->refuse(error.what());
          outcome = WorkerProcess::Outcome::kDied;
        }
      }
      CompileOutcome lost;
      lost.reason = outcome == WorkerProcess::Outcome::kTimedOut
                        ? fmt::format("no end after {:.4g} s (limits.timeout)", timeout_s)
                        : fmt::format("the compile worker ended: {}", worker_->end());
      worker_.reset();
      is_alive = false;
      // Before the first variant it is the case's own fault, and nothing of it can be compiled.
      if (variant.empty()) throw RunError(fmt::format("making the inputs: {}", lost.reason));
      on_compiled(variant, lost);
      std::erase(request.variants, variant);
    }
  }
}

}  // namespace kernelbatch
