#include "core/device/cuda/cuda_gate.hpp"

#include <array>
#include <atomic>
#include <cstring>
#include <limits>
#include <string>

#include "core/base/unique_handle.hpp"
#include "core/device/cuda/check.hpp"

namespace kernelbatch::cuda {
namespace {

// PTX, because the driver compiles this little code quickly, for every GPU and without NVRTC. In
// C++:
//   hold: t = globaltimer; while (int(*opened - ticket) < 0)
//           if (globaltimer - t > patience) { *late = ticket; return; }
//   read_clock: if (smid < units) readings[smid] = {globaltimer, clock64};
constexpr const char* kKernels = R"(
.version 6.3
.target sm_70
.address_size 64
.visible .entry hold(.param .u64 opened, .param .u32 ticket, .param .u64 patience,
                     .param .u64 late)
{
  .reg .pred %p<3>;
  .reg .b32 %r<4>;
  .reg .b64 %rd<9>;
  ld.param.u64 %rd1, [opened];
  ld.param.u32 %r1, [ticket];
  ld.param.u64 %rd2, [patience];
  ld.param.u64 %rd3, [late];
  cvta.to.global.u64 %rd4, %rd1;
  cvta.to.global.u64 %rd5, %rd3;
  mov.u64 %rd6, %globaltimer;
look:
  ld.volatile.global.u32 %r2, [%rd4];
  sub.s32 %r3, %r2, %r1;
  setp.ge.s32 %p1, %r3, 0;
  @%p1 bra done;
  mov.u64 %rd7, %globaltimer;
  sub.s64 %rd8, %rd7, %rd6;
  setp.le.u64 %p2, %rd8, %rd2;
  @%p2 bra look;
  st.volatile.global.u32 [%rd5], %r1;
done:
  ret;
}
.visible .entry read_clock(.param .u64 readings, .param .u32 units)
{
  .reg .pred %p<2>;
  .reg .b32 %r<3>;
  .reg .b64 %rd<6>;
  ld.param.u64 %rd1, [readings];
  ld.param.u32 %r1, [units];
  mov.u32 %r2, %smid;
  setp.ge.u32 %p1, %r2, %r1;
  @%p1 bra done;
  mov.u64 %rd2, %globaltimer;
  mov.u64 %rd3, %clock64;
  cvta.to.global.u64 %rd4, %rd1;
  mad.wide.u32 %rd5, %r2, 16, %rd4;
  st.global.u64 [%rd5], %rd2;
  st.global.u64 [%rd5+8], %rd3;
done:
  ret;
}
)";

/// Multiprocessor numbers of a slice may have gaps.
constexpr std::uint32_t kUnits = 1024;

struct Reading {
  std::uint64_t time_ns, cycles;
};

/// Data shared by host and device; in host memory.
struct Shared {
  std::uint32_t opened, late;
  std::array<std::array<Reading, kUnits>, 2> readings;
};

void free_shared(Shared* memory) noexcept {
  check_in_destructor(driver_state().functions.cuMemFreeHost_(memory), "cuMemFreeHost");
}

class CudaGate final : public Gate {
 public:
  explicit CudaGate(Device& device)
      : units_(static_cast<std::uint32_t>(device.properties().compute_units)),
        module_(device.load({device.properties().target, kKernels, {}})),
        hold_(module_->kernel("hold")),
        read_clock_(module_->kernel("read_clock")) {
    void* memory = nullptr;
    check(driver().cuMemHostAlloc_(&memory, sizeof(Shared),
                                   CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP),
          "cuMemHostAlloc");
    std::memset(memory, 0, sizeof(Shared));
    shared_ = SharedHandle{static_cast<Shared*>(memory)};
    // Launch once now: lazy loading at the first launch would wait for a hold in progress.
    const std::unique_ptr<Stream> stream = device.make_stream();
    close(*stream, 0);
    read_clock(*stream, Moment::kBefore);
    open();
    stream->synchronize();
  }

  void close(Stream& stream, double patience_s) override {
    const std::uint32_t ticket = ++ticket_;
    std::uint32_t* opened = &shared_.get()->opened;
    std::uint32_t* late = &shared_.get()->late;
    auto patience = static_cast<std::uint64_t>(1e9 * patience_s);
    std::uint32_t number = ticket;
    void* const arguments[] = {&opened, &number, &patience, &late};
    hold_->launch({}, arguments, stream);
  }

  void open() noexcept override {
    std::atomic_ref(shared_.get()->opened).store(ticket_, std::memory_order_release);
  }

  bool was_late() const override {
    return std::atomic_ref(shared_.get()->late).load(std::memory_order_acquire) == ticket_ &&
           ticket_ != 0;
  }

  void read_clock(Stream& stream, Moment moment) override {
    auto& readings = shared_.get()->readings[moment == Moment::kBefore ? 0 : 1];
    readings.fill({0, 0});
    Reading* memory = readings.data();
    std::uint32_t units = kUnits;
    void* const arguments[] = {&memory, &units};
    read_clock_->launch({.grid = {units_}}, arguments, stream);
  }

  double clock() const override {
    double cycles = 0;
    double time_ns = 0;
    const auto& [before, after] = shared_.get()->readings;
    for (std::size_t k = 0; k < kUnits; ++k) {
      if (before[k].time_ns == 0 || after[k].time_ns <= before[k].time_ns) continue;
      cycles += static_cast<double>(after[k].cycles - before[k].cycles);
      time_ns += static_cast<double>(after[k].time_ns - before[k].time_ns);
    }
    return time_ns > 0 ? 1e9 * cycles / time_ns : std::numeric_limits<double>::quiet_NaN();
  }

 private:
  using SharedHandle = UniqueHandle<Shared*, free_shared>;

  std::uint32_t units_, ticket_ = 0;
  std::unique_ptr<Module> module_;
  std::unique_ptr<Kernel> hold_, read_clock_;
  SharedHandle shared_;
};

}  // namespace

std::unique_ptr<Gate> make_gate(Device& device) { return std::make_unique<CudaGate>(device); }

}  // namespace kernelbatch::cuda
