#include "core/case/variant/variant_evidence.hpp"

#include "core/case/variant/device_variant.hpp"

namespace kernelbatch {

void gather_evidence(const ExplainedCalls& calls, ResultRecord& record) {
  const DeviceProperties& device = calls.device.properties();
  const MeasureSpec& measure = calls.measure;
  add_static_evidence(record, device, calls.kernels, calls.arrays);
  Stream& first = *calls.streams.front();
  RestoredOutputs restored(calls.outputs);
  if (measure.counters == EvidenceChoice::kAuto && device.is_gpu)
    add_counters(
        record, calls.device, calls.streams,
        // In the state of a cold sample, which is ranked.
        {.prepare =
             [&] {
               restored.prepare(first);
               if (measure.flush_l2) calls.tools.flush(first);
             },
         .after_flush = [&] { return measure.flush_l2 ? calls.tools.read_flushed(first) : 0; },
         .work = calls.work});
  if (measure.twins == EvidenceChoice::kOff || calls.is_staged) return;
  // Twins may take 30 % of the case's time without them; the time so far includes those of earlier
  // variants.
  constexpr double kTwinShare = 0.23;
  add_twins(record, time_twins({.work = calls.work,
                                .streams = calls.streams,
                                .checks = &restored,
                                .measure = measure,
                                .twins = possible_twins(record, device, calls.kernels),
                                .budget_s = kTwinShare * calls.spent_s},
                               calls.tools));
}

}  // namespace kernelbatch
