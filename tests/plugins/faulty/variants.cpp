// The variants of `faulty`.
#include <spawn.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/process.hpp"
#include "core/kernel/elementwise/kernel.hpp"
#include "core/kernel/raw/kernel.hpp"
#include "embedded.hpp"
#include "tests/plugins/faulty/faulty.hpp"
#include "tests/support/segfault.hpp"

namespace faulty {
namespace {

using kernelbatch::Problem;
using kernelbatch::Run;
using kernelbatch::Stream;
using kernelbatch::VariantKind;
using kernelbatch::Work;

/// Work that launches one of the kernels. All are in one module, which is compiled once.
Work launch(Run& run, const std::string& entry) {
  constexpr std::int64_t kBlock = 64;
  const kernelbatch::RawModule module{
      embedded::kernels_cuh,
      {"good", "out_of_bounds", "out_of_bounds_before", "never_writes", "misses_last", "off_by_one",
       "one_nan", "slightly_wrong", "traps", "illegal_address", "misaligned", "hangs"},
      {.name = "faulty"}};
  const auto y = run.output("y");
  const auto blocks = static_cast<std::uint32_t>(y.size() / kBlock + 1);
  const kernelbatch::LaunchShape shape{.grid = {blocks}, .block = {kBlock}};
  return [y, shape, kernel = module.function(entry)](Stream& stream) {
    kernel(stream, shape, y, static_cast<long long>(y.size()));
  };
}

template <const char* kEntry>
Work kernel(const Problem&, Run& run) {
  return launch(run, kEntry);
}

/// Correct, but only the first time in a process.
Work once(const Problem&, Run& run) {
  static bool was_run = false;
  if (std::exchange(was_run, true)) throw std::runtime_error("this process has run it before");
  return launch(run, "good");
}

/// Creates a marker file when it begins, for tests that wait for that.
Work hangs(const Problem&, Run& run) {
  if (const auto marker = kernelbatch::environment("FAULTY_HANGS_MARKER"))
    std::ofstream(*marker) << "x";
  return launch(run, "hangs");
}

Work segfaults(const Problem&, Run& run) {
  run.output("y");
  return [] {
    std::fputs("about to follow a null pointer\n", stderr);
    kernelbatch::test::follow_null_pointer();
  };
}

Work aborts(const Problem&, Run&) {
  return [] { std::abort(); };
}

Work aborts_with_child(const Problem&, Run&) {
  return [] {
    pid_t child = 0;
    char program[] = "sleep", seconds[] = "300";
    char* const argv[] = {program, seconds, nullptr};
    ::posix_spawnp(&child, program, nullptr, nullptr, argv, environ);
    std::fprintf(stderr, "child %d\n", static_cast<int>(child));
    std::abort();
  };
}

/// Overwrites the allocator's data next to a block; its free() detects that and aborts.
Work corrupts_heap(const Problem&, Run& run) {
  run.output("y");
  return [] {
    auto* volatile block = static_cast<unsigned char*>(std::malloc(64));
    auto* volatile neighbour = static_cast<unsigned char*>(std::malloc(64));
    for (int k = -16; k < 96; ++k) block[k] = 0xff;
    std::free(neighbour);
    std::free(block);
    std::abort();  // if the allocator did not detect it
  };
}

/// Allocates host memory until there is none left.
Work fills_memory(const Problem&, Run& run) {
  run.output("y");
  return [] {
    std::vector<std::vector<char>> blocks;
    for (;;) blocks.emplace_back(std::size_t{64} << 20, 'x');
  };
}

[[noreturn]] Work exits(const Problem&, Run&) { std::exit(0); }

[[noreturn]] Work throws(const Problem&, Run&) {
  throw std::runtime_error("thrown on purpose, in bytes \xff\xfe\nsecond line");
}

[[noreturn]] Work throws_int(const Problem&, Run&) { throw 42; }

Work allocates_too_much(const Problem&, Run& run) {
  run.scratch(kernelbatch::DType::kFloat64, {std::int64_t{1} << 50});
  return {};
}

Work no_work(const Problem&, Run& run) {
  run.output("y");
  return {};
}

Work unknown_output(const Problem&, Run& run) {
  run.output("zz");
  return launch(run, "good");
}

/// Correct, with memory that is allocated by each call, or only by the first one as in kernels.
template <bool kOnce>
Work allocates(const Problem&, Run& run) {
  return [array = kernelbatch::Array(), work = launch(run, "good")](Stream& stream) mutable {
    if (!kOnce || array.size() == 0)
      array = kernelbatch::Array::on_device(stream.device(), kernelbatch::DType::kFloat32, {100});
    work(&stream);
  };
}

/// The same, with memory from run.scratch().
Work takes_scratch(const Problem&, Run& run) {
  return [&run, work = launch(run, "good")](Stream& stream) mutable {
    run.scratch(kernelbatch::DType::kFloat32, {100});
    work(&stream);
  };
}

/// Correct when it is verified; after that it calls `fail`.
Work later(Run& run, void (*fail)()) {
  return [runs = 0, fail, work = launch(run, "good")](Stream& stream) mutable {
    if (++runs > 1) fail();
    work(&stream);
  };
}

Work aborts_later(const Problem&, Run& run) {
  return later(run, [] { std::abort(); });
}

Work throws_later(const Problem&, Run& run) {
  return later(run, [] { throw std::runtime_error("not the first run"); });
}

/// Behaves according to the file named by FAULTY_MOOD: good, wrong, crash, or crash once.
Work moody(const Problem&, Run& run) {
  std::string mood = "good";
  const auto file = kernelbatch::environment("FAULTY_MOOD");
  if (file) std::getline(std::ifstream(*file), mood);
  if (mood == "crash once") std::ofstream(*file) << "good";
  if (mood.starts_with("crash")) std::abort();
  return launch(run, mood == "wrong" ? "off_by_one" : "good");
}

/// Each process takes the first line of the file named by FAULTY_MOODS: good, wrong, crash or
/// throw.
Work changes_mood(const Problem&, Run& run) {
  static const std::string mood = [] {
    const auto file = kernelbatch::environment("FAULTY_MOODS");
    if (!file) return std::string("good");
    std::ifstream moods(*file);
    std::string first, rest;
    std::getline(moods, first);
    for (std::string line; std::getline(moods, line);) rest += line + "\n";
    std::ofstream(*file) << rest;
    return first;
  }();
  if (mood == "crash") std::abort();
  if (mood == "throw") throw std::runtime_error("not in this process");
  return launch(run, mood == "wrong" ? "off_by_one" : "good");
}

Work compile_error(const Problem&, Run& run) {
  const auto y = run.output("y");
  const kernelbatch::ElementwiseKernel broken{
      {.in = "float32 x", .out = "float32 y", .operation = "y = x +* not C++", .name = "broken"}};
  return [=](Stream& stream) { broken(stream, 1.0f, y); };
}

[[noreturn]] Work unsupported(const Problem&, Run&) {
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

Work good_work(Run& run) { return launch(run, "good"); }

std::vector<kernelbatch::VariantDeclaration> faulty_variants() {
  const auto raw = [](std::string name, Work (*prepare)(const Problem&, Run&)) {
    return kernelbatch::VariantDeclaration{std::move(name), VariantKind::kRaw, "", prepare};
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
          raw("no_work", no_work),
          raw("unknown_output", unknown_output),
          raw("allocates", allocates<false>),
          raw("takes_scratch", takes_scratch),
          raw("allocates_once", allocates<true>),
          raw("compile_error", compile_error),
          raw("unsupported", unsupported),
          raw("moody", moody),
          raw("changes_mood", changes_mood),
          raw("aborts_later", aborts_later),
          raw("throws_later", throws_later)};
}

/// Correct, except for the twin that only explains its time.
template <bool kThrows>
Work fails_as_twin(const Problem&, Run& run) {
  Work right = launch(run, "good");
  return [work = std::make_shared<Work>(std::move(right))](Stream& stream) {
    if (stream.context().twin != kernelbatch::Twin::kNone) {
      if (kThrows) throw std::runtime_error("it knows that it is a twin");
      std::abort();
    }
    (*work)(&stream);
  };
}

std::vector<kernelbatch::VariantDeclaration> last_variants() {
  const auto raw = [](std::string name, Work (*prepare)(const Problem&, Run&)) {
    return kernelbatch::VariantDeclaration{std::move(name), VariantKind::kRaw, "", prepare};
  };
  // Kernels of this kind have a twin on every device.
  const auto elementwise = [](std::string name, Work (*prepare)(const Problem&, Run&)) {
    return kernelbatch::VariantDeclaration{std::move(name), VariantKind::kElementwise, "", prepare};
  };
  return {raw("once", once),
          raw("once_again", once),
          raw("good_again", good),
          raw("misses_nothing", good),
          elementwise("aborts_as_twin", fails_as_twin<false>),
          elementwise("throws_as_twin", fails_as_twin<true>)};
}

}  // namespace faulty
