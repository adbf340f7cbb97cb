// Comparison of every call of some work with the first one: detected errors, and accepted
// differences.
#include "core/verify/call_check.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <memory>
#include <optional>

#include "core/base/error.hpp"
#include "core/kernel/raw/kernel.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/device.hpp"
#include "tests/support/error_text.hpp"

namespace kernelbatch {
namespace {

using test::device;
using test::stream;

using Doubles = std::vector<double>;

CheckKernels& check_kernels() {
  static CheckKernels shared(device());
  return shared;
}

const RawModule& module() {
  static const RawModule compiled{R"(
// Elements first … last - 1, each scaled.
extern "C" __global__ void scale(const double* x, double* z, int first, int last, double factor) {
  for (int k = first; k < last; ++k) z[k] = factor * x[k < 0 ? 0 : k];
}
extern "C" __global__ void add(const double* x, double* z, int count) {
  for (int k = 0; k < count; ++k) z[k] += x[k];
}
)"};
  return compiled;
}

struct How {
  std::int64_t n = 1000;
  bool is_large = false;
  bool must_be_deterministic = false;
  OutputArray spec = {.name = "z", .tolerance = {.rtol = 1e-9}};
};

/// Work that doubles its input, with the checks around its calls, after its first call.
struct Doubling {
  How how;
  Array x[2], want[2];
  GuardedOutput output;
  CallCheck check;
  int compared = 0;

  static OutputArray spec_of(How how) {
    how.spec.shape = {how.n};
    return how.spec;
  }
  static Array made(std::int64_t n, double first, double factor) {
    Doubles values;
    // Work that writes past the end also reads more.
    for (std::int64_t k = 0; k < n; ++k)
      values.push_back(factor * (first + static_cast<double>(k)));
    return Array::from(values);
  }

  explicit Doubling(How how_made = {})
      : how(std::move(how_made)),
        x{to_device(made(how.n + 8, 1, 1), stream()), to_device(made(how.n + 8, 7, 1), stream())},
        want{made(how.n, 1, 2), made(how.n, 7, 2)},
        output(device(), spec_of(how)),
        check({.kernels = check_kernels(),
               .outputs = {&output},
               .must_be_deterministic = how.must_be_deterministic,
               .compare = [this] { return compare(); },
               .whole_bytes = how.is_large ? 0 : CallCheck::kWhole}) {
    output.add_set(spec_of(how));
    output.refill(stream());
    write();
    REQUIRE_FALSE(compare());
    check.learn(stream());
  }

  Wrong compare() {
    ++compared;
    OutputRecord record;
    return verify_output(output.spec(), to_host(output.array(), stream()), want[check.set()],
                         record);
  }
  void write(std::optional<std::int64_t> last = {}, double factor = 2, int first = 0) {
    module().function("scale")(stream(), {}, x[check.set()], output.array(), first,
                               static_cast<int>(last.value_or(how.n)), factor);
  }
  /// A call of the given work.
  template <class Work>
  void call(Work&& work, const std::string& name = "call 2") {
    check.poison(stream());
    work();
    check.queue_check(stream());
    stream().synchronize();
    check.finish_check(name, stream());
  }
  void call() {
    call([this] { write(); });
  }
  /// Learns the first answer to the second set.
  void learn_second() {
    check.use_set(1);
    call();
    check.learn(stream());
  }
};

struct Found {
  std::string message, fault;
};

template <class Action>
Found found_by(Action&& action) {
  try {
    action();
  } catch (const VerificationError& error) {
    return {error.what(), error.fault()};
  }
  return {"nothing was found", ""};
}

TEST_CASE("Deterministic calls are all checked and never compared again") {
  for (const std::int64_t n : {0, 1, 3, 1000}) {
    Doubling work({.n = n});
    for (int k = 0; k < 30; ++k) work.call();
    work.check.look_at_last("the last call", stream());
    CAPTURE(n);
    CHECK(work.check.checked_calls() == 30);
    CHECK(work.check.is_deterministic());
    CHECK(work.compared == 1);
  }
}

TEST_CASE("A call that writes nothing is found and named") {
  Doubling work;
  work.call();
  const Found found = found_by([&] { work.call([] {}, "call 3 (cold sample 1)"); });
  CHECK_THAT(found.message, Contains("call 3 (cold sample 1): output 'z': 1000 of 1000 elements "
                                     "were never written"));
  CHECK(found.fault == "never written");
}

TEST_CASE("The first call after the verified one finds unwritten elements whatever their answer") {
  const double sentinel = [] {
    const std::uint64_t bits = 0xE6E6E6E6E6E6E6E6;
    return std::bit_cast<double>(bits);
  }();
  const double usual = [] {
    const std::uint64_t bits = 0x7FF5A5A57FF5A5A5;
    return std::bit_cast<double>(bits);
  }();
  for (const double answer : {std::nan(""), usual}) {
    Doubling doubling;
    doubling.want[0].as<double>()[7] = answer;
    const Found found = found_by([&] {
      doubling.call([&] {
        doubling.write(7);
        doubling.write({}, 2, 8);
      });
    });
    CHECK(found.fault == "never written");
    CHECK(found.message.find("1 of 1000 elements were never written") != std::string::npos);
  }
  // The other call's answer.
  Doubling doubling;
  doubling.want[0].as<double>()[7] = sentinel;
  const auto leaves_one = [&] {
    doubling.write(7);
    doubling.write({}, 2, 8);
  };
  CHECK(found_by([&] {
          for (int k = 0; k < 64; ++k) doubling.call(leaves_one);
        }).fault == "never written");
}

TEST_CASE("An output without reference may stay unwritten") {
  Doubling doubling({.must_be_deterministic = true,
                     .spec = {.name = "z", .tolerance = {.rtol = 1e-9}, .has_reference = false}});
  doubling.output.refill(stream());
  doubling.write(990);
  doubling.check.learn(stream());
  for (int k = 0; k < 16; ++k) doubling.call([&] { doubling.write(990); });
  CHECK(doubling.check.is_deterministic());
}

TEST_CASE("A call that leaves one element unwritten is found") {
  Doubling first, last;
  CHECK_THAT(found_by([&] { first.call([&] { first.write({}, 2, 1); }); }).message,
             Contains("1 of 1000 elements were never written; first wrong one at [0]"));
  CHECK_THAT(found_by([&] { last.call([&] { last.write(999); }); }).message,
             Contains("1 of 1000 elements were never written; first wrong one at [999]"));
}

TEST_CASE("A call that writes outside its output is found although all elements are correct") {
  Doubling behind, before;
  const Found rear = found_by([&] { behind.call([&] { behind.write(1001); }); });
  CHECK(rear.message == "call 2: wrote 1 element (8 bytes) past the end of 'z' (1000 elements)");
  CHECK(rear.fault == "out of bounds");
  const Found front = found_by([&] { before.call([&] { before.write({}, 2, -1); }); });
  CHECK_THAT(front.message, Contains("1 element (8 bytes) before the beginning of 'z'"));
  CHECK(front.fault == "out of bounds");
}

TEST_CASE("A call with a wrong result is found") {
  Doubling work;
  const Found found = found_by([&] { work.call([&] { work.write({}, 3); }); });
  CHECK_THAT(found.message, Contains("call 2: output 'z': 1000 of 1000 elements are wrong"));
  CHECK(found.fault == "1000 wrong");
}

TEST_CASE("Other bits within the tolerance are no failure, and later calls are compared") {
  Doubling work;
  work.call();
  work.call([&] { work.write({}, 2 * (1 + 1e-12)); });
  CHECK_FALSE(work.check.is_deterministic());
  CHECK(work.compared == 2);
  for (int k = 0; k < 4; ++k) work.call([&] { work.write({}, 2 * (1 + 1e-12 * k)); });
  CHECK(work.compared == 6);
  CHECK(work.check.checked_calls() == 6);
  const auto wrong = [&] {
    for (int k = 0; k < 3000; ++k) work.call([&] { work.write({}, 3); });
  };
  CHECK(found_by(wrong).fault == "1000 wrong");
}

TEST_CASE("Guards of nondeterministic work are checked") {
  Doubling work;
  work.call([&] { work.write({}, 2 * (1 + 1e-12)); });
  CHECK(found_by([&] { work.call([&] { work.write(1001); }); }).fault == "out of bounds");
}

TEST_CASE("Calls of nondeterministic work are partly checked, and counted as such") {
  Doubling work;
  work.call([&] { work.write({}, 2 * (1 + 1e-12)); });
  for (int k = 0; k < 500; ++k) work.call();
  CHECK(work.check.checked_calls() >= 5);
  CHECK(work.check.checked_calls() == work.compared - 1);
}

TEST_CASE("Other bits are a failure if the job requires determinism") {
  for (const bool is_large : {false, true}) {
    Doubling work({.is_large = is_large, .must_be_deterministic = true});
    work.call();
    const Found found = found_by([&] { work.call([&] { work.write({}, 2 * (1 + 1e-12)); }); });
    CHECK_THAT(found.message, Contains("verify.determinism is 'required'"));
    CHECK(found.fault == "varies");
  }
}

TEST_CASE("A correct large output passes") {
  for (const std::int64_t n : {1, 1000, 20'000}) {
    Doubling work({.n = n, .is_large = true});
    for (int k = 0; k < 60; ++k) work.call();
    work.check.look_at_last("the last call", stream());
    CAPTURE(n);
    CHECK(work.check.checked_calls() == 60);
    CHECK(work.check.is_deterministic());
    CHECK(work.compared == 1);
  }
}

TEST_CASE("Any call that leaves a large output unchanged is found") {
  // Whether the output is refilled or changed at random places.
  for (int attempt = 0; attempt < 20; ++attempt) {
    Doubling work({.n = 20'000, .is_large = true});
    for (int k = 0; k < attempt % 3; ++k) work.call();
    const Found found = found_by([&] { work.call([] {}); });
    CHECK_THAT(found.message, Contains("output 'z'"));
    CHECK_FALSE(found.fault.empty());
  }
}

TEST_CASE("A large output that is wrong everywhere is found in each call") {
  for (int attempt = 0; attempt < 10; ++attempt) {
    Doubling work({.n = 20'000, .is_large = true});
    CHECK(found_by([&] { work.call([&] { work.write({}, 3); }); }).fault == "20000 wrong");
  }
}

TEST_CASE("Writes past the end of a large output are found after some calls") {
  Doubling work({.n = 20'000, .is_large = true});
  const auto calls = [&] {
    for (int k = 0; k < 200; ++k) work.call([&] { work.write(20'001); });
  };
  CHECK(found_by(calls).fault == "out of bounds");
}

TEST_CASE("Another set's answer in a large output's memory causes no false finding") {
  Doubling work({.n = 2000, .is_large = true});
  work.learn_second();
  for (int k = 0; k < 100; ++k) {
    work.check.use_set(static_cast<std::size_t>(k % 2));
    work.call();
  }
  CHECK(work.check.is_deterministic());
  CHECK(work.compared == 2);
}

TEST_CASE("A hidden large output causes no false finding in the next call") {
  Doubling work({.n = 2000, .is_large = true});
  for (int k = 0; k < 40; ++k) {
    work.check.scramble(stream());
    work.call();
  }
  CHECK(work.check.is_deterministic());
  CHECK(work.compared == 1);
}

TEST_CASE("An unchecked call causes no false finding in the next call") {
  Doubling work({.n = 2000, .is_large = true});
  for (int k = 0; k < 40; ++k) {
    work.check.poison(stream());
    work.write({}, 5);
    work.call();
  }
  CHECK(work.check.is_deterministic());
}

TEST_CASE("Initial contents of outputs are restored before each call") {
  const Array initial = Doubling::made(100, 1, 1);
  How how{.n = 100};
  how.spec.initial = initial;
  for (const bool is_large : {false, true}) {
    how.is_large = is_large;
    Doubling work(how);
    // x + x equals doubling.
    const auto add = [&] {
      module().function("add")(stream(), {}, work.x[0], work.output.array(), 100);
    };
    for (int k = 0; k < 20; ++k) work.call(add);
    CHECK(work.check.is_deterministic());
    CHECK(work.compared == 1);
    CHECK(found_by([&] {
            work.call([&] {
              add();
              add();
            });
          }).fault == "100 wrong");
  }
}

TEST_CASE("Elements changed between two calls must be written again") {
  for (const bool is_large : {false, true})
    for (const std::int64_t n : {1, 2, 1000, 20'000}) {
      How how{.n = n, .is_large = is_large};
      how.spec.tolerance = {CompareMode::kExact};
      Doubling work(how);
      work.call([&] {
        work.write();
        work.check.perturb(stream());
        work.write();
      });
      CAPTURE(is_large, n);
      CHECK(work.check.is_deterministic());
      const auto lazy = [&] {
        work.call([&] {
          work.write();
          work.check.perturb(stream());
        });
      };
      CHECK_THAT(found_by(lazy).fault, Contains("wrong"));
    }
}

TEST_CASE("Outputs with initial contents and empty outputs are not changed") {
  How how{.n = 100};
  how.spec.initial = Doubling::made(100, 1, 1);
  Doubling filled(how);
  filled.check.perturb(stream());
  CHECK(filled.check.is_learned(filled.check.set(), stream()));
  Doubling empty({.n = 0});
  empty.check.perturb(stream());
  CHECK(empty.check.is_learned(empty.check.set(), stream()));
}

TEST_CASE("The answer to one set of inputs is wrong for the other") {
  Doubling work;
  work.learn_second();
  work.check.use_set(0);
  const Array first = work.x[0];
  work.x[0] = work.x[1];
  CHECK(found_by([&] { work.call(); }).fault == "1000 wrong");
  // It is recognized as the other set's answer.
  CHECK(work.check.is_learned(1, stream()));
  CHECK_FALSE(work.check.is_learned(0, stream()));
  CHECK_FALSE(work.check.is_learned(work.check.set(), stream()));
  work.x[0] = first;
  work.call();
  CHECK(work.check.is_learned(0, stream()));
}

TEST_CASE("The first call on another set is compared with its reference") {
  for (const bool is_large : {false, true}) {
    Doubling work({.is_large = is_large, .must_be_deterministic = true});
    work.learn_second();
    CHECK(work.check.is_deterministic());
    CHECK(work.compared == 2);
    CHECK(work.check.checked_calls() == 1);
    work.call();
    CHECK(work.compared == 2);
  }
  Doubling wrong;
  wrong.check.use_set(1);
  CHECK(found_by([&] { wrong.call([&] { wrong.write({}, 3); }); }).fault == "1000 wrong");
}

TEST_CASE("Nothing is learned of a set before its first call") {
  Doubling work;
  CHECK(work.check.is_learned(0, stream()));
  CHECK_FALSE(work.check.is_learned(1, stream()));
}

TEST_CASE("What is written after a call was settled is found at the end") {
  Doubling elements, guards, same;
  for (Doubling* work : {&elements, &guards, &same}) work->call();
  elements.write(1, 3);
  CHECK_THAT(
      found_by([&] { elements.check.look_at_last("call 2 (cold sample 1)", stream()); }).message,
      Contains("call 2 (cold sample 1): output 'z': 1 of 1000 elements are wrong"));
  guards.write(1001);
  CHECK(found_by([&] { guards.check.look_at_last("call 2", stream()); }).fault == "out of bounds");
  same.write();
  same.check.look_at_last("call 2", stream());
  CHECK(same.compared == 1);
}

TEST_CASE("A hidden output does not contain the answer") {
  Doubling work;
  work.check.scramble(stream());
  const Array host = to_host(work.output.array(), stream());
  CHECK(compare(host, work.want[0], {CompareMode::kExact}).mismatches == 1000);
}

TEST_CASE("Digests of learned outputs are the same in every run") {
  Doubling one, other({.must_be_deterministic = true}), third({.n = 999});
  CHECK(one.check.known().size() == 1);
  CHECK(one.check.known() == other.check.known());
  CHECK_FALSE(one.check.known() == third.check.known());
  one.learn_second();
  CHECK(one.check.known().size() == 2);
  CHECK_FALSE(one.check.known()[0] == one.check.known()[1]);
}

TEST_CASE("Each of several outputs is checked") {
  const OutputArray spec{.name = "a", .shape = {10}};
  GuardedOutput outputs[] = {{device(), spec}, {device(), spec}, {device(), spec}};
  const Array x = test::device_array(test::counting<double>(10));
  const auto write = [&](int count) {
    for (int k = 0; k < count; ++k)
      module().function("scale")(stream(), {}, x, outputs[k].array(), 0, 10, 2.0);
  };
  CallCheck check({.kernels = check_kernels(),
                   .outputs = {&outputs[0], &outputs[1], &outputs[2]},
                   .compare = [] {
                     return Wrong{"one of them is wrong", "1 wrong"};
                   }});
  for (GuardedOutput& each : outputs) each.refill(stream());
  write(3);
  check.learn(stream());
  const auto call = [&](int count) {
    check.poison(stream());
    write(count);
    check.queue_check(stream());
    stream().synchronize();
    check.finish_check("call 2", stream());
  };
  call(3);
  CHECK(found_by([&] { call(2); }).message == "call 2: one of them is wrong");
}

/// A staged output, in host memory.
struct Staged {
  OutputArray spec{.name = "z", .shape = {1000}};
  GuardedOutput output{device(), spec, true};
  Array want = Doubling::made(1000, 1, 2);
  CallCheck check;

  explicit Staged(std::size_t whole_bytes)
      : check({.kernels = check_kernels(),
               .outputs = {&output},
               .compare =
                   [this] {
                     OutputRecord record;
                     return verify_output(spec, to_host(output.array(), stream()), want, record);
                   },
               .whole_bytes = whole_bytes}) {
    output.refill(stream());
    write(1000);
    check.learn(stream());
  }
  void write(std::size_t count) {
    double* const elements = reinterpret_cast<double*>(output.array().data());
    for (std::size_t k = 0; k < count; ++k) elements[k] = 2 * static_cast<double>(k + 1);
  }
  void call(std::size_t count) {
    check.poison(stream());
    write(count);
    check.queue_check(stream());
    stream().synchronize();
    check.finish_check("call 2", stream());
  }
};

TEST_CASE("An output in host memory is checked as well") {
  Staged work(CallCheck::kWhole);
  for (int k = 0; k < 10; ++k) work.call(1000);
  CHECK(work.check.checked_calls() == 10);
  CHECK(work.check.is_deterministic());
  CHECK(work.check.known().empty());
  CHECK(found_by([&] { work.call(999); }).fault == "never written");
  work.write(1000);
  CHECK(found_by([&] { work.call(1001); }).fault == "out of bounds");
}

TEST_CASE("A large output in host memory is checked in some of the calls") {
  Staged work(0);
  for (int k = 0; k < 40; ++k) work.call(1000);
  CHECK(work.check.is_deterministic());
  CHECK(found_by([&] {
          for (int k = 0; k < 300; ++k) work.call(999);
        }).fault == "never written");
}

}  // namespace
}  // namespace kernelbatch
