// Actions around each call, and their order.
#include <algorithm>
#include <memory>
#include <random>
#include <stdexcept>
#include <vector>

#include "core/base/error.hpp"
#include "core/case/variant/stored_answers.hpp"
#include "core/kernel/raw/kernel.hpp"
#include "core/measure/statistics.hpp"
#include "tests/case/small_run.hpp"
#include "tests/support/catch.hpp"

namespace kernelbatch {
namespace {

using test::counting;
using test::device;
using test::stream;

const RawModule& compiled() {
  static const RawModule module{R"(
extern "C" __global__ void twice(const double* x, double* z, int count) {
  for (int k = 0; k < count; ++k) z[k] = 2 * x[k];
}
extern "C" __global__ void add(const double* x, double* z, int count) {
  for (int k = 0; k < count; ++k) z[k] += x[k];
}
extern "C" __global__ void fill(double* z, int count, double value) {
  for (int k = 0; k < count; ++k) z[k] = value;
}
)"};
  return module;
}

constexpr int kCount = 1000;

/// A variant that doubles x, after its first call; with a second set of inputs on request.
struct Doubled {
  NamedArrays first{{"x", Array::from(counting<double>(kCount))}};
  NamedArrays second{{"x", Array::from(counting<double>(kCount, 5000))}};
  std::vector<const std::byte*> drawn{second[0].second.data()};
  PreparedMemory memory{test::check_kernels(), first};
  test::SmallRun run{memory};
  Array x, scratch;
  GuardedOutput output;
  std::unique_ptr<CheckedCalls> calls;
  std::function<void()> work = [this] { twice(); };
  int works = 0;

  explicit Doubled(bool has_second = false, const OutputArray& spec = {.name = "z",
                                                                       .shape = {kCount},
                                                                       .tolerance = {.rtol = 1e-9}})
      : output(device(), spec) {
    const auto preparation = [this](const NamedArrays& in, Run& on) {
      x = on.to_device(in[0].second);
      scratch = on.scratch(DType::kFloat64, {10});
    };
    memory.prepare([&] { preparation(first, run); }, stream());
    output.refill(stream());
    twice();
    stream().synchronize();
    calls = std::make_unique<CheckedCalls>(
        CheckedCalls::Setting{.check = {.kernels = test::check_kernels(),
                                        .outputs = {&output},
                                        .compare = [this] { return compare(); }},
                              .memory = memory,
                              .streams = {&stream()},
                              .work =
                                  [this] {
                                    ++works;
                                    work();
                                  },
                              .first_calls = 5});
    calls->check().learn(stream());
    if (!has_second) return;
    output.add_set(spec);
    REQUIRE(memory
                .prepare_second({.prepare = [&](Run& again) { preparation(second, again); },
                                 .inner = run,
                                 .drawn = drawn,
                                 .may_keep = [](std::size_t) { return true; }},
                                stream())
                .empty());
    calls->use_set(1);
    calls->call("the first one on other inputs");
    calls->check().learn(stream());
  }
  TimedCalls timed(std::function<double()> time_s) {
    return {*calls, memory, stream(), std::move(time_s)};
  }
  void twice() const { compiled().function("twice")(stream(), {}, x, output.array(), kCount); }
  Wrong compare() const {
    std::vector<double> want;
    for (const double value : (memory.set() == 0 ? first : second)[0].second.as<double>())
      want.push_back(2 * value);
    OutputRecord record;
    return verify_output(output.spec(), to_host(output.array(), stream()), Array::from(want),
                         record);
  }
};

/// An exception of a check: its message, then its fault in brackets.
template <class Action>
std::string thrown(Action&& action) {
  try {
    action();
  } catch (const VerificationError& error) {
    return std::string(error.what()) + " [" + error.fault() + "]";
  }
  return "nothing";
}

TEST_CASE("Outputs and scratch memory are refilled before each call, but inputs are not") {
  Doubled doubled;
  int looked_at = 0;
  const std::vector<double> zeros(10), large(kCount, 1.0);
  doubled.work = [&] {
    const Array output = to_host(doubled.output.array(), stream());
    CHECK(count_unwritten(output, Array::from(large)) == kCount);
    CHECK(count_unwritten(to_host(doubled.scratch, stream()), Array::from(zeros)) == 10);
    CHECK(test::values_of<double>(doubled.x) == counting<double>(kCount));
    ++looked_at;
    compiled().function("fill")(stream(), {}, doubled.scratch, 10, 0.0);
    doubled.twice();
  };
  for (int k = 0; k < 5; ++k) doubled.calls->call("one");
  CHECK(looked_at == 5);
  doubled.calls->finish();
}

TEST_CASE("Calls are counted, the first one too, and named") {
  Doubled doubled;
  doubled.calls->call("cold sample 1");
  CHECK(doubled.calls->last_call() == "call 2 (cold sample 1)");
  CHECK(doubled.calls->check().checked_calls() == 1);
  CHECK(doubled.works == 1);
  doubled.work = [] {};
  // One of the two sentinels at random.
  CHECK_THAT(thrown([&] { doubled.calls->call("cold sample 2"); }),
             Contains("call 3 (cold sample 2): output 'z': 1000 of 1000 elements were never "
                      "written; first wrong one at [0]: got ") &&
                 Contains(", expected 0 [never written]"));
}

TEST_CASE("The message of a call names the second set of inputs") {
  Doubled doubled(true);
  CHECK(doubled.calls->input_set() == 1);
  CHECK(doubled.calls->last_call() ==
        "call 2 (the first one on other inputs, on the second set of inputs)");
  CHECK(doubled.calls->check().is_deterministic());
  doubled.calls->use_set(0);
  CHECK(doubled.calls->input_set() == 0);
  doubled.calls->call("one");
  CHECK(doubled.calls->last_call() == "call 3 (one)");
}

TEST_CASE("Without a second set nothing is exchanged") {
  Doubled doubled;
  doubled.calls->use_set(1);
  CHECK(doubled.calls->input_set() == 0);
  doubled.calls->begin_turns();
  for (int k = 0; k < 30; ++k) doubled.calls->call("one");
  CHECK(doubled.calls->input_set() == 0);
}

TEST_CASE("Two sets alternate from the first calls on, and all calls are correct") {
  for (int attempt = 0; attempt < 5; ++attempt) {
    Doubled doubled(true);
    doubled.calls->begin_turns();
    int first_other = -1, on_second = 0;
    for (int k = 0; k < 300; ++k) {
      doubled.calls->call("one");
      if (doubled.calls->input_set() == 0 && first_other < 0) first_other = k;
      on_second += static_cast<int>(doubled.calls->input_set());
    }
    doubled.calls->finish();
    CHECK(first_other >= 0);
    CHECK(first_other < 5);
    CHECK((on_second > 0 && on_second < 300));
    CHECK(doubled.calls->check().is_deterministic());
    CHECK(doubled.calls->check().checked_calls() == 301);
  }
}

TEST_CASE("Work that keeps the answer to one set is found when the other set is used") {
  Doubled doubled(true);
  doubled.calls->begin_turns();
  doubled.calls->use_set(0);
  const Array kept = kernelbatch::to_device(Array::from(counting<double>(kCount)), stream());
  doubled.work = [&] {
    compiled().function("twice")(stream(), {}, kept, doubled.output.array(), kCount);
  };
  CHECK_THAT(thrown([&] {
               for (int k = 0; k < 5; ++k) doubled.calls->call("one");
             }),
             Contains("on the second set of inputs): output 'z': 1000 of 1000 elements are wrong"));
}

TEST_CASE("Work that writes to its input is found at an exchange or at the end") {
  Doubled alone;
  alone.work = [&] {
    alone.twice();
    compiled().function("fill")(stream(), {}, alone.x, 1, 0.0);
    compiled().function("add")(stream(), {}, alone.output.array(), alone.x, 2);
  };
  CHECK_THAT(
      thrown([&] {
        alone.calls->call("one");
        alone.calls->finish();
      }),
      Contains("its calls write into its input 'x', first at [1]") && Contains("[input written]"));

  Doubled both(true);
  both.calls->begin_turns();
  both.work = [&] {
    both.twice();
    compiled().function("fill")(stream(), {}, both.x, 1, 7.0);
  };
  // The next call on the changed input is wrong as well.
  CHECK(thrown([&] {
          for (int k = 0; k < 20; ++k) both.calls->call("one");
        }) != "nothing");
}

TEST_CASE("Writes after the last call are found at the end, and before another variant's turn") {
  Doubled late, leaving;
  for (Doubled* each : {&late, &leaving}) {
    each->calls->call("one");
    compiled().function("fill")(stream(), {}, each->output.array(), 1, 7.0);
  }
  CHECK_THAT(thrown([&] { late.calls->finish(); }),
             Contains("call 2 (one): output 'z': 1 of 1000 elements are wrong"));
  CHECK_THAT(thrown([&] { leaving.calls->hide_outputs(); }),
             Contains("call 2 (one): output 'z': 1 of 1000 elements are wrong"));
}

TEST_CASE("During another variant's turn no answer is in memory") {
  Doubled doubled;
  doubled.calls->call("one");
  const Array answer = to_host(doubled.output.array(), stream());
  doubled.calls->hide_outputs();
  const auto changed = [&] {
    return compare(to_host(doubled.output.array(), stream()), answer, {CompareMode::kExact})
        .mismatches;
  };
  CHECK(changed() == kCount);
  // Hiding twice has no further effect, and the end finds no error.
  doubled.calls->hide_outputs();
  doubled.calls->finish();
  doubled.calls->call("the next one");
  CHECK(changed() == 0);
  doubled.calls->finish();
  // These writes are checked, too.
  compiled().function("fill")(stream(), {}, doubled.output.array(), 1, 7.0);
  CHECK_THAT(thrown([&] { doubled.calls->finish(); }), Contains("1 of 1000 elements are wrong"));
}

TEST_CASE("Back-to-back calls are possible if each one writes all of the output") {
  Doubled doubled;
  CHECK(doubled.calls->why_not_hot().empty());
  CHECK(doubled.works == 0);
}

const OutputArray kBeginsWithZeros{
    .name = "z", .shape = {kCount}, .tolerance = {.rtol = 1e-9}, .fill = 0.0};

TEST_CASE("Back-to-back calls are tried if an output begins with contents") {
  Doubled overwrites(false, kBeginsWithZeros);
  CHECK(overwrites.calls->why_not_hot().empty());
  CHECK(overwrites.works == 2);
  overwrites.calls->call("another");
  CHECK(overwrites.calls->last_call() == "call 4 (another)");

  Doubled adds(false, kBeginsWithZeros);
  adds.work = [&] {
    for (int k = 0; k < 2; ++k)
      compiled().function("add")(stream(), {}, adds.x, adds.output.array(), kCount);
  };
  CHECK(adds.calls->why_not_hot() ==
        "a second call without restoring the outputs gives something else");
  // The trial's outputs are not mistaken for the last call's.
  adds.calls->finish();
  adds.calls->hide_outputs();
  adds.calls->call("one");
  adds.calls->finish();
}

TEST_CASE("Work whose integers begin with contents is not called back to back") {
  Doubled doubled;
  const OutputArray counter{
      .name = "count", .dtype = DType::kInt32, .shape = {1}, .fill = std::int64_t{0}};
  GuardedOutput output(device(), counter);
  CheckedCalls calls({.check = {.kernels = test::check_kernels(),
                                .outputs = {&output},
                                .compare = [] { return Wrong{}; }},
                      .memory = doubled.memory,
                      .streams = {&stream()},
                      .work = [] { FAIL("it is not called"); }});
  CHECK(calls.why_not_hot() ==
        "'count' begins with contents of its own, which calls back to back would not");
}

Summary known_times(std::int64_t samples) {
  Summary known = summarise(std::vector<double>(static_cast<std::size_t>(samples), 1e-3));
  known.iqr = 1e-5;
  return known;
}

/// A call like a timer's. Takes `slow` seconds if the inputs are neither set, else 1 ms.
double timed_call(Doubled& doubled, double slow) {
  CheckedCalls& calls = *doubled.calls;
  calls.prepare(stream());
  doubled.work();
  calls.queue_check(stream());
  stream().synchronize();
  calls.finish_check("one of those");
  const std::vector<double> x = test::values_of<double>(doubled.x);
  const bool is_known = x == counting<double>(kCount) || x == counting<double>(kCount, 5000);
  return is_known ? 1e-3 : slow;
}

TEST_CASE("Work that takes longer on unseen inputs is found") {
  Doubled doubled(true);
  doubled.calls->begin_turns();
  int times = 0;
  const auto time_call = [&] {
    ++times;
    return timed_call(doubled, 5e-3);
  };
  CHECK(look_for_memory(doubled.timed(time_call), known_times(20)) ==
        "calls on inputs that it has not seen before take 5.00 ms or more, others 1.00 ms: it "
        "keeps answers");
  CHECK(times > 3);
  // The state is unchanged.
  doubled.calls->call("one");
  doubled.calls->finish();
}

// Regression: while sets of inputs kept alternating, two exchanges in a row made known inputs look
// new.
TEST_CASE("Work that keeps only the answer to its last inputs is found every time") {
  for (int k = 0; k < 40; ++k) {
    Doubled doubled(true);
    doubled.calls->begin_turns();
    std::vector<double> last;
    const auto time_call = [&] {
      timed_call(doubled, 1e-3);
      std::vector<double> x = test::values_of<double>(doubled.x);
      const bool is_known = x == last;
      last = std::move(x);
      return is_known ? 1e-3 : 5e-3;
    };
    CAPTURE(k);
    CHECK_FALSE(look_for_memory(doubled.timed(time_call), known_times(20)).empty());
    doubled.calls->finish();
  }
}

TEST_CASE("One slow call in ten on a busy machine does not hide stored answers") {
  int missed = 0;
  for (int k = 0; k < 20; ++k) {
    Doubled doubled(true);
    int calls = 0;
    // A fast call on unknown inputs, as if the answer were stored by chance; then slow known ones.
    const auto time_call = [&] {
      ++calls;
      const double time = timed_call(doubled, 5e-3);
      if (calls == 2) return 1e-3;
      return calls >= 8 && calls <= 10 ? 5e-3 : time;
    };
    missed += look_for_memory(doubled.timed(time_call), known_times(20)).empty() ? 1 : 0;
    doubled.calls->finish();
  }
  CHECK(missed == 0);
}

TEST_CASE("Work that takes the same time on all inputs is no finding") {
  for (const double slow : {0.5e-3, 1e-3, 1.6e-3}) {
    Doubled doubled(true);
    CAPTURE(slow);
    CHECK(look_for_memory(doubled.timed([&] { return timed_call(doubled, slow); }), known_times(20))
              .empty());
    doubled.calls->call("one");
    doubled.calls->finish();
  }
}

TEST_CASE("A device that slows down meanwhile is no finding") {
  Doubled doubled(true);
  CHECK(look_for_memory(doubled.timed([&] { return std::max(5e-3, timed_call(doubled, 5e-3)); }),
                        known_times(20))
            .empty());
}

TEST_CASE("Times that vary widely, on any inputs, are no finding") {
  std::mt19937 random(7);
  std::vector<double> times(20);
  for (int k = 0; k < 200; ++k) {
    Doubled doubled(true);
    const auto vary = [&](double) { return random() % 2 == 0 ? 1e-3 : 5e-3; };
    std::ranges::transform(times, times.begin(), vary);
    const auto time_call = [&] { return vary(timed_call(doubled, 1e-3)); };
    CAPTURE(k);
    CHECK(look_for_memory(doubled.timed(time_call), summarise(times)).empty());
  }
}

TEST_CASE("Work that keeps answers is found on a busy machine, too") {
  std::mt19937 random(8);
  int missed = 0;
  for (int k = 0; k < 100; ++k) {
    Doubled doubled(true);
    // One call in five waits for the processor.
    const auto delayed = [&](double time) { return random() % 5 == 0 ? time + 10e-3 : time; };
    const auto time_call = [&] { return delayed(timed_call(doubled, 2.2e-3)); };
    std::vector<double> times(40);
    std::ranges::generate(times, [&] { return delayed(1e-3); });
    missed += look_for_memory(doubled.timed(time_call), summarise(times)).empty() ? 1 : 0;
  }
  CHECK(missed == 0);
}

TEST_CASE("Without inputs that can be mixed no extra calls are made") {
  const auto not_called = []() -> double { throw std::logic_error("it was called"); };
  Doubled alone;
  CHECK(look_for_memory(alone.timed(not_called), known_times(20)).empty());
}

TEST_CASE("Work that keeps answers is found whatever the number and the length of its samples") {
  for (const std::int64_t samples : {0, 1, 2, 3, 4, 20})
    for (const double known : {1e-3, 2.0}) {
      CAPTURE(samples, known);
      Doubled doubled(true);
      doubled.calls->begin_turns();
      Summary summary = known_times(samples);
      summary.median = summary.min = known;
      int times = 0;
      const auto time_call = [&](double slower) {
        ++times;
        return known * (timed_call(doubled, slower * 1e-3) / 1e-3);
      };
      CHECK_THAT(look_for_memory(doubled.timed([&] { return time_call(5); }), summary),
                 Contains("or more, others " + std::string(known < 1 ? "1.00 ms" : "2.00 s")));
      times = 0;
      CHECK(look_for_memory(doubled.timed([&] { return time_call(1); }), summary).empty());
      // Few calls if each takes seconds.
      if (known > 1) CHECK(times <= 2);
      doubled.calls->call("one");
      doubled.calls->finish();
    }
}

TEST_CASE("Sets are timed alternately if there are few samples of one") {
  for (const std::int64_t samples : {0, 1, 2, 4})
    for (const double known : {1e-3, 2.0}) {
      CAPTURE(samples, known);
      const auto by_set = [&](double slower) {
        std::vector<Summary> all;
        for (const double factor : {1.0, slower})
          all.push_back(summarise(std::vector<double>(4, factor * known)));
        all[1].samples = samples;
        if (samples == 0) all.pop_back();
        return all;
      };
      Doubled doubled(true);
      int times = 0;
      const auto time_call = [&](double slower) {
        ++times;
        doubled.calls->call("one of those");
        return known * (doubled.calls->input_set() == 1 ? slower : 1);
      };
      CHECK_THAT(
          compare_sets(doubled.timed([&] { return time_call(4); }), by_set(4)),
          Contains("on another of the same kind " + std::string(known < 1 ? "4.00 ms" : "8.00 s")));
      times = 0;
      CHECK(compare_sets(doubled.timed([&] { return time_call(1); }), by_set(1)).empty());
      CHECK(times == (samples > 0 ? 0 : known > 1 ? 2 : 12));
    }
}

TEST_CASE("The time of a check is measured without affecting calls") {
  Doubled doubled;
  const auto start = device().make_event(), stop = device().make_event();
  const double seconds = check_time(doubled.calls->check(), stream(), *start, *stop);
  CHECK((seconds > 0 && seconds < 1));
  CHECK(doubled.works == 0);
  doubled.calls->call("one");
  doubled.calls->finish();
}

/// Times of cold samples, in seconds, on each set.
std::vector<Summary> times_by_set(double first, double second) {
  std::vector<Summary> by_set;
  for (const double seconds : {first, second})
    by_set.push_back(summarise(std::vector<double>(20, seconds)));
  return by_set;
}

TEST_CASE("A set on which calls repeatedly take longer is found, whichever it is") {
  for (const std::size_t slow : {0u, 1u}) {
    Doubled doubled(true);
    doubled.calls->begin_turns();
    const auto time_call = [&] {
      doubled.calls->call("one of those");
      return doubled.calls->input_set() == slow ? 4e-3 : 1e-3;
    };
    const auto by_set = slow == 0 ? times_by_set(4e-3, 1e-3) : times_by_set(1e-3, 4e-3);
    CHECK_THAT(compare_sets(doubled.timed(time_call), by_set),
               Contains("calls on one set of inputs take 1.00 ms, on another of the same kind "
                        "4.00 ms"));
    doubled.calls->call("one");
    doubled.calls->finish();
  }
}

TEST_CASE("A set on which calls took longer only before is no finding") {
  Doubled doubled(true);
  doubled.calls->begin_turns();
  int times = 0;
  const auto time_call = [&] {
    ++times;
    doubled.calls->call("one of those");
    return 1e-3;
  };
  CHECK(compare_sets(doubled.timed(time_call), times_by_set(1e-3, 4e-3)).empty());
  CHECK(times == 12);
  doubled.calls->finish();
}

TEST_CASE("A set that has too few samples is timed again") {
  for (const bool has_samples : {false, true}) {
    Doubled doubled(true);
    const auto time_call = [&] {
      doubled.calls->call("one of those");
      return doubled.calls->input_set() == 1 ? 4e-3 : 1e-3;
    };
    std::vector<Summary> by_set = times_by_set(1e-3, 4e-3);
    by_set[1].samples = 4;
    if (!has_samples) by_set.pop_back();
    CHECK_THAT(compare_sets(doubled.timed(time_call), by_set),
               Contains("of the same kind 4.00 ms"));
  }
}

TEST_CASE("A set with known answers is found on a busy machine, too") {
  std::mt19937 random(9);
  int missed = 0;
  for (int k = 0; k < 100; ++k) {
    Doubled doubled(true);
    const auto time_call = [&] {
      doubled.calls->call("one of those");
      const double time = doubled.calls->input_set() == 1 ? 4e-3 : 1e-3;
      return random() % 5 == 0 ? time + 10e-3 : time;
    };
    missed += compare_sets(doubled.timed(time_call), times_by_set(1e-3, 4e-3)).empty() ? 1 : 0;
  }
  CHECK(missed == 0);
}

TEST_CASE("Sets that take the same time are not timed again") {
  Doubled doubled(true);
  const auto not_called = []() -> double { throw std::logic_error("it was called"); };
  CHECK(compare_sets(doubled.timed(not_called), times_by_set(1e-3, 1.5e-3)).empty());
}

}  // namespace
}  // namespace kernelbatch
