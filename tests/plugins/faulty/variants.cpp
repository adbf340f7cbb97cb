// What the variants of `faulty` do.
#include <spawn.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/process.hpp"
#include "core/kernel/elementwise.hpp"
#include "core/kernel/raw.hpp"
#include "embedded.hpp"
#include "tests/plugins/faulty/faulty.hpp"
#include "tests/support/segfault.hpp"

namespace faulty {
namespace {

using kernelbatch::Problem;
using kernelbatch::Run;
using kernelbatch::VariantKind;

/// Work that launches one of the kernels; one module, so that it is compiled once for all.
std::function<void()> launch(Run& run, const std::string& entry) {
  constexpr std::int64_t kBlock = 64;
  const kernelbatch::RawModule module{
      embedded::kernels_cuh,
      {"good", "out_of_bounds", "out_of_bounds_before", "never_writes", "misses_last", "off_by_one",
       "one_nan", "slightly_wrong", "traps", "illegal_address", "misaligned", "hangs"},
      {.name = "faulty"}};
  const auto y = run.output("y");
  const auto blocks = static_cast<std::uint32_t>(y.size() / kBlock + 1);
  const kernelbatch::LaunchShape shape{.grid = {blocks}, .block = {kBlock}};
  return [&run, y, shape, kernel = module.function(entry)] {
    kernel(run.stream(), shape, y, static_cast<long long>(y.size()));
  };
}

template <const char* kEntry>
void kernel(const Problem&, Run& run) {
  run.measure(launch(run, kEntry));
}

/// Right, once in a process.
void once(const Problem&, Run& run) {
  static bool was_run = false;
  if (std::exchange(was_run, true)) throw std::runtime_error("this process has run it before");
  run.measure(launch(run, "good"));
}

/// Says that it has begun, for tests that wait for that.
void hangs(const Problem&, Run& run) {
  if (const auto marker = kernelbatch::environment("FAULTY_HANGS_MARKER"))
    std::ofstream(*marker) << "x";
  run.measure(launch(run, "hangs"));
}

void segfaults(const Problem&, Run& run) {
  run.output("y");
  run.measure([] {
    std::fputs("about to follow a null pointer\n", stderr);
    kernelbatch::test::follow_null_pointer();
  });
}

void aborts(const Problem&, Run& run) {
  run.measure([] { std::abort(); });
}

void aborts_with_child(const Problem&, Run& run) {
  run.measure([] {
    pid_t child = 0;
    char program[] = "sleep", seconds[] = "300";
    char* const argv[] = {program, seconds, nullptr};
    ::posix_spawnp(&child, program, nullptr, nullptr, argv, environ);
    std::fprintf(stderr, "child %d\n", static_cast<int>(child));
    std::abort();
  });
}

/// Writes over what the allocator keeps beside a block; its free() finds that out and aborts.
void corrupts_heap(const Problem&, Run& run) {
  run.output("y");
  run.measure([] {
    auto* volatile block = static_cast<unsigned char*>(std::malloc(64));
    auto* volatile neighbour = static_cast<unsigned char*>(std::malloc(64));
    for (int k = -16; k < 96; ++k) block[k] = 0xff;
    std::free(neighbour);
    std::free(block);
    std::abort();  // an allocator that did not notice
  });
}

/// Takes host memory until there is none.
void fills_memory(const Problem&, Run& run) {
  run.output("y");
  run.measure([] {
    std::vector<std::vector<char>> blocks;
    for (;;) blocks.emplace_back(std::size_t{64} << 20, 'x');
  });
}

void exits(const Problem&, Run&) { std::exit(0); }

void throws(const Problem&, Run&) {
  throw std::runtime_error("thrown on purpose, in bytes \xff\xfe\nsecond line");
}

void throws_int(const Problem&, Run&) { throw 42; }

void allocates_too_much(const Problem&, Run& run) {
  run.scratch(kernelbatch::DType::kFloat64, {std::int64_t{1} << 50});
}

void no_measure(const Problem&, Run& run) { run.output("y"); }

void measures_twice(const Problem&, Run& run) {
  const auto work = launch(run, "good");
  run.measure(work);
  run.measure(work);
}

/// Right when it is verified, and after that `fail` is called.
void later(Run& run, void (*fail)()) {
  int runs = 0;
  run.measure([&runs, fail, work = launch(run, "good")] {
    if (++runs > 1) fail();
    work();
  });
}

void aborts_later(const Problem&, Run& run) {
  later(run, [] { std::abort(); });
}

void throws_later(const Problem&, Run& run) {
  later(run, [] { throw std::runtime_error("not the first run"); });
}

/// Does what the file says that FAULTY_MOOD names: good, wrong, crash, or crash once.
void moody(const Problem&, Run& run) {
  std::string mood = "good";
  const auto file = kernelbatch::environment("FAULTY_MOOD");
  if (file) std::getline(std::ifstream(*file), mood);
  if (mood == "crash once") std::ofstream(*file) << "good";
  if (mood.starts_with("crash")) std::abort();
  run.measure(launch(run, mood == "wrong" ? "off_by_one" : "good"));
}

void compile_error(const Problem&, Run& run) {
  const auto y = run.output("y");
  const kernelbatch::ElementwiseKernel broken{"float32 x", "float32 y", "y = x +* not C++",
                                              "broken"};
  run.measure([&] { broken(run.stream(), 1.0f, y); });
}

void unsupported(const Problem&, Run&) {
  throw kernelbatch::UnsupportedError("needs a device from the future");
}

#define FAULTY_KERNEL(entry)           \
  constexpr char k_##entry[] = #entry; \
  constexpr auto entry = kernel<k_##entry>

FAULTY_KERNEL(good);
FAULTY_KERNEL(out_of_bounds);
FAULTY_KERNEL(out_of_bounds_before);
FAULTY_KERNEL(never_writes);
FAULTY_KERNEL(misses_last);
FAULTY_KERNEL(off_by_one);
FAULTY_KERNEL(one_nan);
FAULTY_KERNEL(slightly_wrong);
FAULTY_KERNEL(traps);
FAULTY_KERNEL(illegal_address);
FAULTY_KERNEL(misaligned);

}  // namespace

std::function<void()> good_work(Run& run) { return launch(run, "good"); }

std::vector<kernelbatch::VariantDeclaration> faulty_variants() {
  const auto raw = [](std::string name, void (*function)(const Problem&, Run&)) {
    return kernelbatch::VariantDeclaration{std::move(name), VariantKind::kRaw, "", function};
  };
  return {raw("good", good),
          raw("out_of_bounds", out_of_bounds),
          raw("out_of_bounds_before", out_of_bounds_before),
          raw("never_writes", never_writes),
          raw("misses_last", misses_last),
          raw("off_by_one", off_by_one),
          raw("one_nan", one_nan),
          raw("slightly_wrong", slightly_wrong),
          raw("traps", traps),
          raw("hangs", hangs),
          raw("illegal_address", illegal_address),
          raw("misaligned", misaligned),
          raw("corrupts_heap", corrupts_heap),
          raw("fills_memory", fills_memory),
          raw("segfaults", segfaults),
          raw("aborts", aborts),
          raw("aborts_with_child", aborts_with_child),
          raw("exits", exits),
          raw("throws", throws),
          raw("throws_int", throws_int),
          raw("allocates_too_much", allocates_too_much),
          raw("no_measure", no_measure),
          raw("measures_twice", measures_twice),
          raw("compile_error", compile_error),
          raw("unsupported", unsupported),
          raw("moody", moody),
          raw("aborts_later", aborts_later),
          raw("throws_later", throws_later)};
}

std::vector<kernelbatch::VariantDeclaration> last_variants() {
  const auto raw = [](std::string name, void (*function)(const Problem&, Run&)) {
    return kernelbatch::VariantDeclaration{std::move(name), VariantKind::kRaw, "", function};
  };
  return {raw("once", once), raw("once_again", once), raw("good_again", good),
          raw("misses_nothing", good)};
}

}  // namespace faulty
