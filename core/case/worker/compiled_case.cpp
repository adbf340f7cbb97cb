#include "core/case/worker/compiled_case.hpp"

#include <cstddef>

namespace kernelbatch {
namespace {

bool is_large(const LoadedProblem& loaded) {
  constexpr std::size_t kLargest = std::size_t{64} << 20;
  std::size_t bytes = 0;
  for (const HostArrayLog::Memory& memory : loaded.memory) bytes += memory.bytes;
  return bytes > kLargest;
}

}  // namespace

const Problem& CompiledCase::problem(CaseLoader& loader, const RequestedCase& wanted) {
  if (!loaded_.problem || case_id_ != wanted.request.case_id || is_large(loaded_)) {
    forget();
    loaded_ = loader.problem(wanted, [](double) {});
    case_id_ = wanted.request.case_id;
  }
  return *loaded_.problem;
}

}  // namespace kernelbatch
