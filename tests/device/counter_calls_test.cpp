// The CUPTI calls for counting launches, and their order, recorded by fake_cupti.
#include <stdexcept>
#include <type_traits>

#include "core/base/shared_library.hpp"
#include "core/base/text.hpp"
#include "core/device/cuda/cupti/range_profiler.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/device.hpp"

namespace kernelbatch {
namespace {

constexpr int kInsufficientPrivileges = 35, kUnknown = 999;

class FakeCupti {
 public:
  /// Null, with a warning, if this was built with headers before CUDA 12.6.
  static const FakeCupti* find() {
    static const FakeCupti fake;
    if (fake.begin_ == nullptr) WARN("not checked: there is no fake CUPTI");
    return fake.begin_ != nullptr ? &fake : nullptr;
  }
  void begin(const char* failing = "", int result = 0, std::size_t extra_passes = 0) const {
    begin_(failing, result, extra_passes);
  }
  void note(const char* name) const { note_(name); }
  std::vector<std::string> calls() const { return split(calls_() + 1, ' '); }
  std::ptrdiff_t count(const char* name) const { return std::ranges::count(calls(), name); }

 private:
  FakeCupti() {
    const auto file = SharedLibrary::try_open("libcupti.so.13", SharedLibrary::Lifetime::kProcess);
    if (!file) return;
    find_in(*file, begin_, "fake_cupti_begin");
    find_in(*file, note_, "fake_cupti_note");
    find_in(*file, calls_, "fake_cupti_calls");
  }
  template <class F>
  static void find_in(const SharedLibrary& file, F& function, const char* name) {
    function = reinterpret_cast<F>(file.find(name));
  }

  void (*begin_)(const char*, int, std::size_t) = nullptr;
  void (*note_)(const char*) = nullptr;
  const char* (*calls_)() = nullptr;
};

CounterList counted(const FakeCupti& cupti, const std::function<void()>& work, int most_calls = 3) {
  CounterRequest request;
  request.names = {"as_many_passes_2.sum", "as_many_passes_9.sum", "none.sum|as_many_passes_1.sum",
                   "none.sum"};
  request.most_calls = most_calls;
  request.launches = 2;
  request.prepare = [&] { cupti.note("prepare"); };
  request.work = work;
  return cuda::read_counters(test::device(), {&test::stream()}, request);
}

/// Checks that everything enabled is disabled again.
void check_ended(const FakeCupti& cupti, const char* failing = "") {
  const auto began = [&](const char* name) {
    return cupti.count(name) - (std::string(failing) == name ? 1 : 0);
  };
  CHECK(cupti.count("DeInitialize") == began("Initialize"));
  CHECK(cupti.count("Disable") == began("Enable"));
  CHECK(cupti.count("Stop") == began("Start"));
}

TEST_CASE("CUPTI is called in the required order, and values belong to their launches") {
  const FakeCupti* const cupti = FakeCupti::find();
  if (cupti == nullptr) return;
  cupti->begin();
  const CounterList list = counted(*cupti, [&] { cupti->note("work"); });
  CHECK(list.reason.empty());
  CHECK((list.calls == 2 && list.launches == 2 && list.dropped == 0));
  CHECK(list.left_out == std::vector<std::string>{"none.sum", "as_many_passes_9.sum"});
  CHECK(join(cupti->calls(), " ") ==
        "Initialize DeviceSupported GetChipName GetCounterAvailability GetCounterAvailability "
        "Enable GetCounterDataSize CounterDataImageInitialize SetConfig "
        "prepare Start work Stop prepare Start work Stop "
        "DecodeData GetCounterDataInfo GetRangeInfo GetRangeInfo Evaluate Evaluate "
        "Disable DeInitialize");
  REQUIRE(list.values.size() == 4);
  const double expected[] = {102, 101, 2, 1};  // the range of launch 0 is the second
  for (std::size_t k = 0; k < 4; ++k) {
    CHECK(list.values[k].launch == static_cast<std::int64_t>(k / 2));
    CHECK(list.values[k].name == (k % 2 == 0 ? "as_many_passes_2.sum" : "as_many_passes_1.sum"));
    CHECK(list.values[k].value == expected[k]);
  }
}

TEST_CASE("Launches that only settle the caches are left out of the results") {
  const FakeCupti* const cupti = FakeCupti::find();
  if (cupti == nullptr) return;
  cupti->begin();
  CounterRequest request;
  request.names = {"as_many_passes_1.sum"};
  request.launches = 1;
  request.prepare = [&] { cupti->note("prepare"); };
  request.after_flush = [&] {
    cupti->note("settle");
    return std::size_t{1};
  };
  request.work = [&] { cupti->note("work"); };
  const CounterList list = cuda::read_counters(test::device(), {&test::stream()}, request);
  CHECK_THAT(join(cupti->calls(), " "), Contains("prepare Start settle work Stop"));
  REQUIRE(list.values.size() == 1);
  CHECK(list.launches == 1);
  CHECK(list.values[0].launch == 0);
  CHECK(list.values[0].value == 1);
}

TEST_CASE("A CUPTI error is a reason, and nothing stays enabled") {
  const FakeCupti* const cupti = FakeCupti::find();
  if (cupti == nullptr) return;
  for (const char* failing :
       {"Initialize", "DeviceSupported", "GetChipName", "GetCounterAvailability", "Enable",
        "GetCounterDataSize", "CounterDataImageInitialize", "SetConfig", "Start", "Stop",
        "DecodeData", "GetCounterDataInfo", "GetRangeInfo", "Evaluate"}) {
    CAPTURE(failing);
    for (const int result : {kInsufficientPrivileges, kUnknown}) {
      cupti->begin(failing, result);
      const CounterList list = counted(*cupti, [] {});
      CHECK(list.values.empty());
      CHECK(list.launches == 0);
      if (result == kInsufficientPrivileges)
        CHECK_THAT(list.reason, Contains("NVreg_RestrictProfilingToAdminUsers=0"));
      else
        CHECK_THAT(list.reason, Contains(failing) && Contains("an error of the fake CUPTI"));
      check_ended(*cupti, failing);
    }
  }
}

TEST_CASE("Exceptions of the work propagate, and the pass ends") {
  const FakeCupti* const cupti = FakeCupti::find();
  if (cupti == nullptr) return;
  cupti->begin();
  CHECK_THROWS_AS(counted(*cupti, [] { throw std::runtime_error("on purpose"); }),
                  std::runtime_error);
  CHECK(cupti->count("Stop") == 1);
  check_ended(*cupti);
}

TEST_CASE("The work is called at most the allowed number of times") {
  const FakeCupti* const cupti = FakeCupti::find();
  if (cupti == nullptr) return;
  cupti->begin("", 0, 5);
  const CounterList list = counted(*cupti, [] {});
  CHECK(list.calls == 3);
  CHECK(list.reason == "CUPTI wants more calls of the work than it had announced");
  check_ended(*cupti);
  cupti->begin();
  const CounterList none = counted(
      *cupti, [] {}, 0);
  CHECK(none.calls == 0);
  CHECK_THAT(none.reason, Contains("none that 0 calls of the work can count"));
  check_ended(*cupti);
}

}  // namespace
}  // namespace kernelbatch
