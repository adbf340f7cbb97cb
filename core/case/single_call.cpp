#include "core/case/single_call.hpp"

#include <memory>
#include <utility>
#include <variant>

#include "core/case/case_loader.hpp"
#include "core/case/case_run.hpp"
#include "core/device/device_list.hpp"

namespace kernelbatch {

std::vector<ResultRecord> call_once(CaseRequest request, const JobSpec& job) {
  request.is_single_call = true;
  const RequestedCase wanted = requested_case(request, job);
  CaseLoader loader;
  const WorkloadInfo& info = loader.info(wanted);
  const std::unique_ptr<Device> device = open_device(choose_device(request.device));
  TimingTools tools(*device, TimingTools::Style::kPlain);
  CheckKernels checks(*device);
  ReferenceMemo references;
  const auto any_memory = [](double) {};
  const LoadedProblem loaded = loader.problem(wanted, any_memory);
  std::vector<ResultRecord> results;
  CaseRun run(
      {.device = *device,
       .tools = tools,
       .checks = checks,
       .load_again = [&](std::uint64_t shift) { return loader.problem(wanted, any_memory, shift); },
       .references = references,
       .cpu = device_text(list_devices().devices.back()),
       .evidence_s = 0,
       .send =
           [&](Reply reply) {
             if (auto* result = std::get_if<Result>(&reply))
               results.push_back(std::move(result->record));
           },
       .on_phase = [](const std::string&, Phase) {}},
      wanted, info, loaded);
  run.run();
  return results;
}

}  // namespace kernelbatch
