#include "core/measure/calibration.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "core/base/statistics.hpp"
#include "core/kernel/program/program.hpp"
#include "core/measure/ceiling_kernels.hpp"
#include "core/measure/statistics.hpp"

namespace kernelbatch {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;

/// Bytes of one array, large enough that almost none of it stays in the cache. On the host two
/// arrays must leave memory for others, and one core uses only a part of a large cache.
std::size_t array_bytes(Device& device, bool is_quick) {
  const DeviceProperties& properties = device.properties();
  const std::size_t caches = properties.is_gpu ? 8 : is_quick ? 2 : 4;
  const std::size_t most = properties.is_gpu ? 1024 * kMiB : 64 * kMiB;
  const std::size_t wanted = std::clamp(caches * properties.shared_cache, 32 * kMiB, most);
  return std::min(wanted, device.free_memory() / 8) / sizeof(std::int64_t) * sizeof(std::int64_t);
}

/// Three quarters of an array, starting at 0, 1/8 or 1/4 of it (`place` 0, 1, 2).
Array part_of(const Array& array, std::int64_t place) {
  constexpr std::int64_t kAligned = 1024;  // elements: all parts are read by the same kernel
  const std::int64_t count = array.shape()[0];
  return array.slice(0, count / 8 * place / kAligned * kAligned, count - count / 4, 1);
}

class Calibration {
 public:
  Calibration(TimingTools& tools, const MeasureSpec& measure)
      : tools_(tools),
        stream_(tools.device().make_stream()),
        is_quick_(measure.preset == Preset::kQuick) {
    spec_.warmup = 1;
    spec_.hot = false;
    spec_.telemetry = false;
    spec_.flush_l2 = measure.flush_l2;
    spec_.noise = 0;  // as many samples as asked for
    spec_.min_samples = spec_.max_samples = is_quick_ ? 3 : 5;
    spec_.timeout_s = is_quick_ ? 0.05 : 0.15;
  }

  DeviceCalibration run() {
    Device& device = tools_.device();
    DeviceCalibration result;
    result.device = device_text(device.properties());

    const std::size_t bytes = array_bytes(device, is_quick_);
    const auto count = static_cast<std::int64_t>(bytes / sizeof(std::int64_t));
    const Array from = Array::on_device(device, DType::kInt64, {count});
    const Array to = Array::on_device(device, DType::kInt64, {count});
    const Array sum = Array::on_device(device, DType::kInt64, {});
    device.fill(from.data(), 1, bytes, *stream_);
    const double copy = median_of([&] { tools_.kernels().copy(*stream_, from, to); });
    result.copy_bandwidth = 2 * static_cast<double>(bytes) / copy;

    // Each block reads other memory, after launches that change clocks and caches, so that blocks
    // differ like arrays and moments of a job.
    std::vector<double> launches, reads;
    for (int block = 0; block < (is_quick_ ? 4 : 5); ++block) {
      launches.push_back(median_of([&] { tools_.kernels().nothing(*stream_); }));
      const Array part = part_of(block % 2 == 0 ? from : to, block / 2);
      reads.push_back(median_of([&] { tools_.kernels().read(*stream_, part, sum); }));
    }
    result.empty_launch = summarise(launches).median;
    result.launch_jitter = expected_difference(launches);
    const double read = summarise(reads).median;
    result.read_bandwidth = static_cast<double>(part_of(from, 0).bytes()) / read;
    result.noise_floor = expected_difference(reads) / read;
    if (!is_quick_) add_ceilings(result);
    return result;
  }

 private:
  void add_ceilings(DeviceCalibration& result) {
    using Kind = CeilingKernels::Kind;
    CeilingKernels kernels(tools_.device().properties());
    const auto rate = [&](Kind kind) {
      if (!kernels.has(kind)) return kMissing;
      double amount = 0;
      // Data of the previous call must be in the cache.
      spec_.flush_l2 = false;
      const double time = median_of([&] { amount = kernels.launch(kind, *stream_); });
      return amount / time;
    };
    result.float32_rate = rate(Kind::kFloat32);
    result.float64_rate = rate(Kind::kFloat64);
    result.float16_rate = rate(Kind::kFloat16);
    result.tensor_rate = rate(Kind::kTensor);
    result.cache_bandwidth = rate(Kind::kCache);
  }

  double median_of(const std::function<void()>& work) {
    work();  // compiles, loads, touches memory
    stream_->synchronize();
    VariantTimer timer(work, {stream_.get()}, spec_, tools_);
    timer.prepare();
    while (timer.wants_cold()) timer.take_cold(true);
    return timer.finish().cold.median;
  }

  TimingTools& tools_;
  std::unique_ptr<Stream> stream_;
  bool is_quick_;
  MeasureSpec spec_;
};

/// Arrays of the sizes that calibrations use.
void for_each_size(Device& device, const std::function<void(const Array&)>& work) {
  for (const bool is_quick : {true, false})
    work(Array::on_device(
        device, DType::kInt64,
        {static_cast<std::int64_t>(array_bytes(device, is_quick) / sizeof(std::int64_t))}));
}

}  // namespace

double expected_difference(std::span<const double> medians) {
  if (medians.size() < 2) return kMissing;
  const auto n = static_cast<double>(medians.size());
  const double mean = std::accumulate(medians.begin(), medians.end(), 0.0) / n;
  double squares = 0;
  for (const double median : medians) squares += (median - mean) * (median - mean);
  return student_half_width(medians.size() - 1) * std::sqrt(2 * squares / (n - 1));
}

DeviceCalibration calibrate(TimingTools& tools, const MeasureSpec& measure) {
  Calibration calibration(tools, measure);
  const DeviceCalibration result = quietest([&] { return calibration.run(); });
  take_program_log(tools.device());  // no variant's business
  return result;
}

DeviceCalibration quietest(const std::function<DeviceCalibration()>& calibrate_once) {
  const auto noise = [](const DeviceCalibration& calibration) {
    return calibration.noise_floor >= 0 ? calibration.noise_floor
                                        : std::numeric_limits<double>::infinity();
  };
  DeviceCalibration best = calibrate_once();
  for (int k = 1; k < kCalibrations && !best.is_quiet(); ++k) {
    DeviceCalibration next = calibrate_once();
    if (noise(next) < noise(best)) best = std::move(next);
  }
  return best;
}

std::vector<std::function<void(Device&)>> calibration_parts(const MeasureSpec& measure) {
  std::vector<std::function<void(Device&)>> parts;
  parts.emplace_back([](Device& device) {
    const std::unique_ptr<Stream> stream = device.make_stream();
    CalibrationKernels kernels;
    kernels.nothing(*stream);
    if (device.properties().is_simt()) {
      const Array sum = Array::on_device(device, DType::kInt64, {});
      kernels.displace(*stream, sum, sum);
    }
    for_each_size(device, [&](const Array& from) {
      kernels.copy(*stream, from, Array::on_device(device, DType::kInt64, from.shape()));
    });
  });
  parts.emplace_back([](Device& device) {
    const std::unique_ptr<Stream> stream = device.make_stream();
    const CalibrationKernels kernels;
    const Array sum = Array::on_device(device, DType::kInt64, {});
    for_each_size(device, [&](const Array& from) { kernels.read(*stream, part_of(from, 0), sum); });
  });
  if (measure.preset == Preset::kQuick) return parts;
  parts.emplace_back([](Device& device) {
    CeilingKernels ceilings(device.properties());
    const std::unique_ptr<Stream> stream = device.make_stream();
    using Kind = CeilingKernels::Kind;
    for (const Kind kind :
         {Kind::kFloat32, Kind::kFloat64, Kind::kFloat16, Kind::kTensor, Kind::kCache})
      if (ceilings.has(kind)) ceilings.launch(kind, *stream);
  });
  return parts;
}

}  // namespace kernelbatch
