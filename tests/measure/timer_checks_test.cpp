// The timer's hooks around its calls. Back-to-back batches are made if launches return before the
// work is done: here the host pretends that.
#include <algorithm>
#include <memory>
#include <regex>
#include <stdexcept>
#include <vector>

#include "core/base/clock.hpp"
#include "core/measure/timer.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/device.hpp"

namespace kernelbatch {
namespace {

/// The measuring clock is simulated (tests/support/main.cpp).
void pass_ms(double ms) { MeasuringClock::advance(1e-3 * ms); }

/// The host, which can pretend to be asynchronous.
class Disguised final : public Device {
 public:
  const DeviceProperties& properties() const override { return properties_; }
  std::size_t free_memory() const override { return host_->free_memory(); }
  void* allocate(std::size_t bytes) override { return host_->allocate(bytes); }
  void deallocate(void* memory) noexcept override { host_->deallocate(memory); }
  void copy(void* to, const void* from, std::size_t bytes, Copy kind, Stream& on) override {
    host_->copy(to, from, bytes, kind, on);
  }
  void fill(void* memory, std::uint32_t pattern, std::size_t bytes, Stream& on) override {
    host_->fill(memory, pattern, bytes, on);
  }
  std::unique_ptr<Stream> make_stream() override { return host_->make_stream(); }
  std::unique_ptr<Event> make_event() override { return host_->make_event(); }
  Compiler& compiler() override { return host_->compiler(); }
  std::unique_ptr<Module> load(const Image& image) override { return host_->load(image); }

  void disguise() { properties_.is_asynchronous = true; }

 private:
  std::unique_ptr<Device> host_ = open_device(choose_device("host"));
  DeviceProperties properties_ = host_->properties();
};

/// One letter for each event: prepare, work, look, settle, disturb.
struct Noted final : CallChecks {
  void prepare(Stream&) override { note('p'); }
  void queue_check(Stream&) override { note('l'); }
  void finish_check(const std::string& name) override {
    note('s');
    names.push_back(name);
    if (name == fails_at) throw std::runtime_error("on purpose");
  }
  std::size_t input_set() const override { return names.size() % 3 == 0 ? 1 : 0; }
  std::string why_not_hot() override {
    note('?');
    return no_hot;
  }
  void perturb(Stream&) override { note('d'); }

  void note(char letter) {
    letters += letter;
    pass_ms(delay_ms);
  }

  std::string letters, no_hot, fails_at;
  std::vector<std::string> names;
  double delay_ms = 0;
};

struct Timed {
  bool is_disguised = false;
  double work_ms = 0;
  MeasureSpec spec;
  Noted checks;

  explicit Timed(bool is_gpu) : is_disguised(is_gpu) {
    spec.min_samples = spec.max_samples = 12;
    spec.warmup = 2;
    spec.timeout_s = 20;
    spec.telemetry = false;
  }
  Timing run() {
    Disguised device;
    TimingTools tools(device, TimingTools::Style::kShielded);
    if (is_disguised) device.disguise();
    const auto stream = device.make_stream();
    VariantTimer timer(
        [this] {
          checks.letters += 'w';
          pass_ms(work_ms);
        },
        {stream.get()}, spec, tools, &checks);
    timer.prepare();
    while (timer.wants_cold()) timer.take_cold(true);
    while (timer.wants_hot()) timer.take_hot();
    return timer.finish();
  }
};

std::string repeated(const std::string& text, int times) {
  std::string all;
  for (int k = 0; k < times; ++k) all += text;
  return all;
}

TEST_CASE("Each call is prepared, made, checked and settled, in this order") {
  Timed timed(false);
  const Timing timing = timed.run();
  CHECK(timing.cold.samples == 12);
  CHECK(timed.checks.letters == repeated("pwls", 2 + 12));
  CHECK(timed.checks.names[0] == "a warm-up call");
  CHECK(timed.checks.names[2] == "cold sample 1");
  CHECK(timed.checks.names.back() == "cold sample 12");
}

TEST_CASE("Hooks around a call are not part of its time") {
  for (const bool is_gpu : {false, true}) {
    Timed timed(is_gpu);
    timed.checks.delay_ms = 20;
    timed.spec.hot = false;
    timed.spec.min_samples = timed.spec.max_samples = 3;
    const Timing timing = timed.run();
    CAPTURE(is_gpu, timing.cold.max);
    CHECK(timing.cold.min < 5e-3);
    if (is_gpu) CHECK(timing.host.min < 5e-3);
  }
}

TEST_CASE("Samples are distinguished by their set of inputs") {
  Timed timed(false);
  timed.spec.warmup = 0;
  const Timing timing = timed.run();
  REQUIRE(timing.by_set.size() == 2);
  CHECK(timing.by_set[0].samples == 8);
  CHECK(timing.by_set[1].samples == 4);
}

TEST_CASE("A wrong call ends the timing") {
  Timed timed(false);
  timed.checks.fails_at = "cold sample 5";
  CHECK_THROWS_WITH(timed.run(), "on purpose");
  CHECK(timed.checks.letters == repeated("pwls", 2 + 5));
}

TEST_CASE("In a batch the first call is prepared and the last is checked") {
  Timed timed(true);
  timed.work_ms = 0.5;
  const Timing timing = timed.run();
  const std::string& letters = timed.checks.letters;
  const std::size_t hot = letters.find('?');
  REQUIRE(hot != std::string::npos);
  // One separate call warms up for each batch.
  const std::string batches = letters.substr(hot + 1);
  CHECK(std::regex_match(batches, std::regex("(pwlspw+(dw+)?ls){10}")));
  CHECK(timing.hot.samples == 10);
  CHECK_THAT(timed.checks.names.back(), Contains("the last of ") && Contains(" back to back"));
  CHECK(batches.find('?') == std::string::npos);
  // At a random place between its calls; in batches of this length almost always present.
  CHECK(batches.find("wdw") != std::string::npos);
}

TEST_CASE("Changes between back-to-back calls are not part of their time") {
  Timed timed(true);
  timed.work_ms = 0.5;
  timed.checks.delay_ms = 20;
  timed.spec.min_samples = timed.spec.max_samples = 3;
  const Timing timing = timed.run();
  CAPTURE(timing.hot.median);
  CHECK(timed.checks.letters.find("wdw") != std::string::npos);
  // A batch has about ten calls: 20 ms would add 2 ms to each.
  CHECK(timing.hot.median < 1.5e-3);
  CHECK(timing.hot.median > 0.4e-3);
}

TEST_CASE("A batch of one call is not disturbed") {
  Timed timed(true);
  timed.work_ms = 6;
  timed.spec.min_samples = timed.spec.max_samples = 3;
  CHECK(timed.run().hot.samples == 10);
  CHECK(timed.checks.letters.find('d') == std::string::npos);
}

TEST_CASE("Work that cannot be called back to back has no hot samples, but a note") {
  Timed timed(true);
  timed.checks.no_hot = "it counts";
  const Timing timing = timed.run();
  CHECK(timing.hot.samples == 0);
  REQUIRE(timing.notes.size() == 1);
  CHECK(timing.notes[0] == Note{NoteKind::kHotSamples, "it counts"});
  CHECK(std::ranges::count(timed.checks.letters, '?') == 1);
}

TEST_CASE("A separate call is prepared and settled like a sample, but is none") {
  Disguised device;
  TimingTools tools(device, TimingTools::Style::kShielded);
  const auto stream = device.make_stream();
  Noted checks;
  VariantTimer timer([&] { checks.letters += 'w'; }, {stream.get()}, Timed(false).spec, tools,
                     &checks);
  CHECK(timer.time_apart() < 1);
  CHECK(checks.letters == "pwls");
  CHECK(timer.finish().cold.samples == 0);
}

TEST_CASE("A reference is prepared and checked around each call, outside of its time") {
  std::string letters;
  MeasureSpec spec;
  spec.min_samples = spec.max_samples = 4;
  const auto note = [&](char letter) {
    letters += letter;
    pass_ms(20);
  };
  const Timing timing =
      time_on_cpu([&] { letters += 'w'; }, spec, [&] { note('p'); }, [&] { note('c'); });
  CHECK(letters == repeated("pwc", 4));
  CHECK(timing.cold.samples == 4);
  CHECK(timing.cold.max < 10e-3);
}

TEST_CASE("An empty launch is timed once for all variants") {
  Disguised device;
  TimingTools tools(device, TimingTools::Style::kShielded);
  const auto stream = device.make_stream();
  const Summary first = tools.nothing(*stream);
  CHECK(first.samples >= 5);
  CHECK(first.median >= 0);
  CHECK(tools.nothing(*stream).mean == first.mean);
  CHECK(tools.nothing(*stream, true).samples >= 5);
}

}  // namespace
}  // namespace kernelbatch
