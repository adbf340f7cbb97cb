// The timing engine on a real device. Measurements are compared with known values only if noise
// cannot matter; the figures are printed by the benchmarks.
#include "core/measure/timer.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <map>
#include <stdexcept>

#include "core/base/shared_library.hpp"
#include "core/kernel/elementwise/kernel.hpp"
#include "core/kernel/program/program.hpp"
#include "core/measure/calibration.hpp"
#include "core/measure/twins.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/device.hpp"

namespace kernelbatch {
namespace {

using test::device;
using test::stream;

MeasureSpec spec_of(int samples) {
  MeasureSpec spec;
  spec.min_samples = spec.max_samples = samples;
  spec.timeout_s = 20;
  return spec;
}

TimingTools& tools() {
  static TimingTools shared(device(), TimingTools::Style::kShielded);
  return shared;
}

Timing time_work(const std::function<void()>& work, const MeasureSpec& spec,
                 std::vector<Stream*> streams = {&stream()}) {
  work();
  stream().synchronize();
  VariantTimer timer(work, std::move(streams), spec, tools());
  timer.prepare();
  while (timer.wants_cold()) timer.take_cold(true);
  while (timer.wants_hot()) timer.take_hot();
  return timer.finish();
}

/// A kernel that runs for a given number of nanoseconds of the GPU's timer, and records the actual
/// duration.
class Spin {
 public:
  explicit Spin(std::uint64_t ns) : ns_(ns) {}
  void operator()(Stream& on) const {
    std::byte* pointer = spent_.data();
    void* const arguments[] = {const_cast<std::uint64_t*>(&ns_), &pointer};
    program().kernel(device(), "spin").launch({}, arguments, on);
  }
  std::uint64_t spent_ns() const { return test::values_of<std::uint64_t>(spent_)[0]; }

 private:
  static Program& program() {
    static Program spin([] {
      KernelSource source;
      source.name = "spin";
      source.text = R"(
__device__ unsigned long long now() {
  unsigned long long time;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time));
  return time;
}
extern "C" __global__ void spin(unsigned long long ns, unsigned long long* spent) {
  const unsigned long long start = now();
  unsigned long long time;
  do time = now(); while (time - start < ns);
  *spent = time - start;
}
)";
      source.entries = {"spin"};
      return source;
    }());
    return spin;
  }
  std::uint64_t ns_;
  Array spent_ = test::device_array<std::uint64_t>({0});
};

TEST_CASE("The requested number of samples is taken, in order, with their times") {
  int runs = 0;
  MeasureSpec spec = spec_of(25);
  spec.warmup = 2;
  const Timing timing = time_work([&] { ++runs; }, spec);
  CHECK(timing.cold.samples == 25);
  CHECK(timing.cold.dropped == 0);
  CHECK_THAT(timing.stop_reason, Contains("25 samples"));
  CHECK(runs >= 1 + 2 + 25);
  std::int64_t next = 0;
  for (const Sample& sample : timing.samples) {
    if (sample.kind != SampleKind::kCold) continue;
    CHECK(sample.repetition == next++);
    CHECK(sample.time >= 0);
    CHECK(sample.wall_ns > 0);
  }
  CHECK(next == 25);
  // On the host the queueing call is the work itself, and back-to-back runs have no meaning.
  CHECK((timing.hot.samples > 0) == test::on_cuda());
  CHECK((timing.host.samples == 25) == test::on_cuda());
}

TEST_CASE("Work that waits for the device is timed, too") {
  const Timing timing = time_work(
      [] {
        tools().kernels().nothing(stream());
        stream().synchronize();
      },
      spec_of(8));
  CHECK(timing.cold.samples == 8);
  const bool is_noted = std::ranges::any_of(timing.notes, [](const Note& note) {
    return note.text.find("not held back") != std::string::npos;
  });
  CHECK(is_noted == test::on_cuda());
}

TEST_CASE("Work that throws while held back leaves the device usable") {
  int runs = 0;
  VariantTimer timer(
      [&] {
        tools().kernels().nothing(stream());
        if (++runs > 6) throw std::runtime_error("on purpose");
      },
      {&stream()}, spec_of(50), tools());
  timer.prepare();
  CHECK_THROWS_AS(
      [&] {
        while (timer.wants_cold()) timer.take_cold(true);
      }(),
      std::runtime_error);
  stream().synchronize();
  CHECK(time_work([] { tools().kernels().nothing(stream()); }, spec_of(5)).cold.samples == 5);
}

TEST_CASE("Work on several streams is timed to the end of all") {
  if (!test::on_cuda()) return;
  const auto second = device().make_stream();
  const Spin spin(2'000'000);
  const Timing timing = time_work([&] { spin(*second); }, spec_of(5), {&stream(), second.get()});
  CHECK(timing.cold.min > 1.9e-3);
}

TEST_CASE("A spinning kernel is measured with its actual duration") {
  if (!test::on_cuda()) return;
  for (const double us : {20.0, 1000.0}) {
    const Spin spin(static_cast<std::uint64_t>(1000 * us));
    const Timing timing = time_work([&] { spin(stream()); }, spec_of(30));
    CAPTURE(us, timing.cold.median);
    CHECK(timing.cold.min >= 0.95e-6 * us);
    CHECK(timing.cold.median < 1.5e-6 * us + 20e-6);
  }
}

TEST_CASE("A calibration gives plausible figures") {
  MeasureSpec spec;
  spec.preset = Preset::kQuick;
  const DeviceCalibration calibration = calibrate(tools(), spec);
  CAPTURE(calibration.empty_launch, calibration.copy_bandwidth, calibration.read_bandwidth,
          calibration.noise_floor);
  CHECK((calibration.empty_launch >= 0 && calibration.empty_launch < 1));
  CHECK((calibration.copy_bandwidth > 1e8 && calibration.copy_bandwidth < 1e14));
  CHECK((calibration.read_bandwidth > 1e8 && calibration.read_bandwidth < 1e14));
  CHECK((calibration.noise_floor >= 0 && calibration.noise_floor < 1e3));
  CHECK_FALSE(calibration.device.empty());
}

double cold_median(const std::function<void()>& work) {
  MeasureSpec spec = spec_of(300);
  spec.hot = false;
  return time_work(work, spec).cold.median;
}

TEST_CASE("A flush resets persisting cache lines") {
  if (!test::on_cuda()) {
    tools().flush(stream());
    return;
  }
  // Without cuda.h: CU_LIMIT_PERSISTING_L2_CACHE_SIZE.
  constexpr int kPersisting = 6;
  const auto cuda = SharedLibrary("libcuda.so.1", SharedLibrary::Lifetime::kProcess);
  const auto set = reinterpret_cast<int (*)(int, std::size_t)>(cuda.find("cuCtxSetLimit"));
  const auto get = reinterpret_cast<int (*)(std::size_t*, int)>(cuda.find("cuCtxGetLimit"));
  REQUIRE((set != nullptr && get != nullptr));
  std::size_t bytes = 0;
  // Slices have no persisting cache lines.
  if (set(kPersisting, 1 << 20) != 0 || get(&bytes, kPersisting) != 0 || bytes == 0) return;

  tools().flush(stream());

  CHECK(get(&bytes, kPersisting) == 0);
  CHECK(bytes == 0);
  stream().synchronize();
}

TEST_CASE("Time of empty launches and of known durations", "[.][benchmark]") {
  const auto line = [](const std::string& text) { std::printf("%s\n", text.c_str()); };
  const double bare = cold_median([] {});
  const double empty = cold_median([] { tools().kernels().nothing(stream()); });
  line(fmt::format("bare event pair {:.3f} us, empty kernel {:.3f} us: {:.3f} us apart", 1e6 * bare,
                   1e6 * empty, 1e6 * (empty - bare)));
  const LaunchList list =
      record_launches(device(), stream(), [] { tools().kernels().nothing(stream()); });
  for (const Launch& launch : list.launches)
    if (!std::isnan(launch.duration))
      line(fmt::format("only the empty kernel, by {}: {:.3f} us", list.source,
                       1e6 * launch.duration));
  const double after = cold_median([] { tools().kernels().nothing(stream()); });
  line(fmt::format("empty kernel {:.3f} us after its launches were listed by {}", 1e6 * after,
                   list.source));
  if (!test::on_cuda()) return;
  for (const double us : {1.0, 5.0, 20.0, 100.0, 1000.0}) {
    const Spin spin(static_cast<std::uint64_t>(1000 * us));
    const double median = cold_median([&] { spin(stream()); });
    line(fmt::format(
        "spin of {:g} us measures {:.3f} us ({:.3f} us without an empty kernel's "
        "time); the kernel itself counts {:.3f} us",
        us, 1e6 * median, 1e6 * (median - empty), 1e-3 * static_cast<double>(spin.spent_ns())));
  }
}

TEST_CASE("Ceilings of arithmetic and cache are measured unless quick") {
  MeasureSpec spec;
  spec.preset = Preset::kStandard;
  const DeviceCalibration known = calibrate(tools(), spec);
  CHECK(known.float32_rate > 1e9);
  CHECK(known.float64_rate > 1e9);
  // No unit does more float64 than float32 operations; allow for noise of a busy machine.
  CHECK(known.float64_rate < 3 * known.float32_rate);
  CHECK(known.cache_bandwidth > 1e9);
  CHECK((known.tensor_rate > 0) == device().properties().is_gpu);
  spec.preset = Preset::kQuick;
  CHECK(std::isnan(calibrate(tools(), spec).float32_rate));
}

TEST_CASE("Twins are timed after the unmodified work, while there is time") {
  const ElementwiseKernel kernel{
      {.in = "float64 x",
       .out = "float64 z",
       .operation = "z = x; for (int k = 0; k < 400; ++k) z = z * z + 0.1",
       .name = "long_operation"}};
  const Array x = test::device_array(std::vector<double>(1 << 17, 0.5), {1 << 17});
  const Array z = Array::on_device(device(), DType::kFloat64, {1 << 17});
  const MeasureSpec spec = spec_of(5);
  std::map<Twin, int> calls;
  TwinRequest request{.work =
                          [&] {
                            ++calls[stream().context().twin];
                            kernel(stream(), x, z);
                          },
                      .streams = {&stream()},
                      .measure = spec,
                      .twins = {Twin::kNoArithmetic},
                      .budget_s = 1000};
  const std::vector<TwinTime> times = time_twins(request, tools());
  REQUIRE(times.size() == 2);
  CHECK(times[0].twin == Twin::kNone);
  CHECK(times[1].twin == Twin::kNoArithmetic);
  CHECK(calls[Twin::kNone] >= 1);
  CHECK(calls[Twin::kNoArithmetic] >= 1);
  if (test::on_cuda()) CHECK(times[1].time < 0.8 * times[0].time);
  CHECK(stream().context().twin == Twin::kNone);
  request.budget_s = 0;
  CHECK(time_twins(request, tools()).size() == 1);
  request.twins.clear();
  CHECK(time_twins(request, tools()).empty());
}

TEST_CASE("Work that fails as a twin leaves its run in normal mode") {
  const MeasureSpec spec = spec_of(5);
  const TwinRequest request{.work =
                                [&] {
                                  if (stream().context().twin != Twin::kNone)
                                    throw std::runtime_error("a twin");
                                },
                            .streams = {&stream()},
                            .measure = spec,
                            .twins = {Twin::kHalfGrid},
                            .budget_s = 1000};
  CHECK_THROWS_WITH(time_twins(request, tools()), "a twin");
  CHECK(stream().context().twin == Twin::kNone);
}

TEST_CASE("The link to the host", "[.][benchmark]") {
  const std::size_t bytes = std::size_t{512} << 20;
  std::vector<std::byte> host(bytes);
  const auto pinned = device().pin(host.data(), bytes);
  const Array array = Array::on_device(device(), DType::kUInt8, {static_cast<std::int64_t>(bytes)});
  MeasureSpec spec = spec_of(10);
  spec.hot = false;
  const auto rate = [&](void* to, const void* from, Copy kind) {
    return static_cast<double>(bytes) /
           time_work([&] { device().copy(to, from, bytes, kind, stream()); }, spec).cold.median;
  };
  std::printf("%zu MiB of pinned memory: to the device %.1f GB/s, to the host %.1f GB/s\n",
              bytes >> 20, 1e-9 * rate(array.data(), host.data(), Copy::kToDevice),
              1e-9 * rate(host.data(), array.data(), Copy::kToHost));
}

TEST_CASE("Calibration", "[.][benchmark]") {
  for (const Preset preset : {Preset::kQuick, Preset::kStandard}) {
    MeasureSpec spec;
    spec.preset = preset;
    const auto start = std::chrono::steady_clock::now();
    const DeviceCalibration c = calibrate(tools(), spec);
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
    std::printf("%s: %.3f s; empty launch %.3f us, copy %.1f GB/s, read %.1f GB/s, noise %.2g %%\n",
                std::string(name_of(preset)).c_str(), time.count(), 1e6 * c.empty_launch,
                1e-9 * c.copy_bandwidth, 1e-9 * c.read_bandwidth, 100 * c.noise_floor);
  }
}

}  // namespace
}  // namespace kernelbatch
