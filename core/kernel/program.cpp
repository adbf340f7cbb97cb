#include "core/kernel/program.hpp"

#include <fmt/format.h>

#include <chrono>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/text.hpp"
#include "core/kernel/cache.hpp"

namespace kernelbatch {
namespace {

/// One per process, like the disk cache that it fronts: kernels with equal keys are equal.
struct ProcessState {
  std::mutex mutex;
  std::unordered_map<std::string, Image> images;
  ProgramLog log;
};

ProcessState& process_state() {
  static ProcessState state;
  return state;
}

class Stopwatch {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace

struct Program::Loaded {
  std::unique_ptr<Module> module;
  std::map<std::string, std::unique_ptr<Kernel>> kernels;
};

Program::Program(KernelSource source) : source_(std::move(source)) {}
Program::Program(Program&&) noexcept = default;
Program& Program::operator=(Program&&) noexcept = default;
Program::~Program() = default;

Image compile_cached(const KernelSource& source, Compiler& compiler) {
  ProcessState& state = process_state();
  const std::string key = cache_key(source, compiler);
  {
    const std::lock_guard lock(state.mutex);
    if (const auto found = state.images.find(key); found != state.images.end())
      return found->second;
  }
  const auto folder = cache_folder();
  std::optional<Image> image = folder ? load_cached(*folder, key) : std::nullopt;
  const bool was_cached = image.has_value();
  const Stopwatch stopwatch;
  if (!image) {
    image = compiler.compile(source);
    if (folder && source.prebuilt.empty()) store_cached(*folder, key, *image);
  }
  const std::lock_guard lock(state.mutex);
  if (was_cached)
    ++state.log.from_cache;
  else if (source.prebuilt.empty() || image->bytes != source.prebuilt) {
    ++state.log.compiled;
    state.log.compile_s += stopwatch.seconds();
  }
  return state.images.emplace(key, std::move(*image)).first->second;
}

Program::Loaded& Program::load(Device& device) {
  std::unique_ptr<Loaded>& slot = loaded_[&device];
  if (slot) return *slot;
  const Image image = compile_cached(source_, device.compiler());
  const Stopwatch stopwatch;
  auto loaded = std::make_unique<Loaded>();
  loaded->module = device.load(image);
  const std::lock_guard lock(process_state().mutex);
  process_state().log.load_s += stopwatch.seconds();
  slot = std::move(loaded);
  return *slot;
}

Module& Program::module(Device& device) { return *load(device).module; }

Kernel& Program::kernel(Device& device, const std::string& entry) {
  Loaded& loaded = load(device);
  std::unique_ptr<Kernel>& slot = loaded.kernels[entry];
  if (!slot) {
    slot = loaded.module->kernel(entry);
    ProgramLog::Entry record;
    record.name = entry;
    record.hash = hash_hex(source_.text);
    record.target = device.compiler().target();
    record.options = join(source_.options, " ");
    record.attributes = slot->attributes(256, 0);
    const std::lock_guard lock(process_state().mutex);
    process_state().log.kernels.push_back(std::move(record));
  }
  return *slot;
}

ProgramLog take_program_log() {
  ProcessState& state = process_state();
  const std::lock_guard lock(state.mutex);
  return std::exchange(state.log, {});
}

}  // namespace kernelbatch
