#include "core/kernel/program/program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "core/base/cache_folder.hpp"
#include "core/base/error.hpp"
#include "core/base/file_lock.hpp"
#include "core/base/text.hpp"
#include "core/device/compile_options.hpp"
#include "core/kernel/program/cache.hpp"
#include "core/kernel/program/cache_key.hpp"
#include "core/kernel/program/compile_process.hpp"
#include "core/kernel/program/diagnostic.hpp"
#include "core/kernel/program/kept_source.hpp"
#include "core/kernel/text/tokens.hpp"

namespace kernelbatch {
namespace {

/// Longer than any compile; a suspended holder blocks the others no longer than this.
constexpr std::chrono::milliseconds kLockPatience = std::chrono::minutes(5);

/// One per process on purpose, like the disk cache behind it: kernels with equal keys are equal for
/// all users, so devices share compiled kernels.
struct ProcessState {
  std::mutex mutex;
  std::condition_variable finished;
  std::unordered_set<std::string> in_progress;
  std::unordered_map<std::string, Image> images;
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

/// A key that this thread is compiling; others wait for it.
class InProgress {
 public:
  InProgress(ProcessState& state, std::string key) : state_(state), key_(std::move(key)) {}
  InProgress(const InProgress&) = delete;
  InProgress& operator=(const InProgress&) = delete;
  ~InProgress() {
    const std::lock_guard lock(state_.mutex);
    state_.in_progress.erase(key_);
    state_.finished.notify_all();
  }

 private:
  ProcessState& state_;
  std::string key_;
};

std::optional<Image> look_up(const std::filesystem::path& folder, const std::string& key) {
  std::optional<Image> image = load_cached(folder, key);
  if (image) mark_used(folder, key);
  return image;
}

Image compile(const KernelSource& source, Compiler& compiler) {
  try {
    return compiler.compile(source);
  } catch (const CompileError& error) {
    throw explained(error, source);
  }
}

struct Built {
  Image image;
  bool is_from_cache = false;
};

/// Reads the disk cache and compiles if the entry is missing. Processes with the same key wait for
/// each other.
Built look_up_or_compile(const KernelSource& source, Compiler& compiler, const CacheKey& key) {
  const auto folder = key.is_shareable ? cache_folder() : std::nullopt;
  if (key.is_shareable) require_trusted_caches();
  if (folder)
    if (auto image = look_up(*folder, key.digest)) return {std::move(*image), true};
  if (const auto shared = shared_cache_folder(); shared && key.is_shareable)
    if (auto image = load_cached(*shared, key.digest, Owner::kUserOrRoot))
      return {std::move(*image), true};
  if (!folder) return {compile(source, compiler), false};

  const std::uint64_t limit = cache_limit();
  std::optional<Image> made_by_other;
  const auto is_there = [&] {
    made_by_other = look_up(*folder, key.digest);
    return made_by_other.has_value();
  };
  make_own_folder(lock_path(*folder, key.digest).parent_path());
  const FileLock lock(lock_path(*folder, key.digest), kLockPatience, is_there);
  // It may have been stored between the first lookup and the lock.
  if (made_by_other || (lock.is_held() && is_there())) return {std::move(*made_by_other), true};
  Built built{compile(source, compiler), false};
  // Precompiled images are already in their plugin.
  if (source.prebuilt.empty() || built.image.bytes != source.prebuilt)
    store_cached(*folder, key.digest, built.image, limit);
  return built;
}

/// True if the text includes files with unknown content.
bool includes_others(std::string_view text) {
  constexpr std::string_view kInclude = "#include";
  for (std::size_t at = text.find(kInclude); at != std::string_view::npos;
       at = text.find(kInclude, at + 1))
    if (!text.substr(at + kInclude.size()).starts_with(" \"kernelbatch/device.hpp\"")) return true;
  return false;
}

/// True if blocks may wait for each other, which requires repeated reads of memory.
bool may_wait(std::string_view text) {
  constexpr std::string_view kWords[] = {"volatile", "asm",    "__asm__",
                                         "__asm",    "cuda",   "cooperative_groups",
                                         "__ldcv",   "__ldcg", "__nanosleep"};
  return includes_others(text) || std::ranges::any_of(read_tokens(text), [&](const Token& token) {
           return token.text.starts_with("atomic") ||
                  std::ranges::find(kWords, token.text) != std::end(kWords);
         });
}

/// True if a block may depend on the number of blocks: by reading it, or through device code of the
/// prelude that does.
bool knows_grid(std::string_view text) {
  constexpr std::string_view kWords[] = {"gridDim",   "nctaid",      "KERNELBATCH_FOR",
                                         "grid_size", "grid_stride", "gridsize",
                                         "this_grid", "grid_group"};
  return includes_others(text) ||
         std::ranges::any_of(kWords, [&](std::string_view word) { return mentions(text, word); });
}

}  // namespace

struct Program::Loaded {
  std::unique_ptr<Module> module;
  std::map<std::string, std::unique_ptr<Kernel>> kernels;
};

Program::Program(KernelSource source) : source_(std::move(source)) {}
Program::Program(Program&&) noexcept = default;
Program& Program::operator=(Program&&) noexcept = default;
Program::~Program() = default;

CachedImage compile_cached(const KernelSource& source, Compiler& compiler) {
  if (CompileProcess* const outside = compile_process())
    return outside->compile(source, compiler.identity());
  require_no_response_files(source.options);
  if (source.backend == CompilerBackend::kNvrtc) require_known_options(source.options);
  ProcessState& state = process_state();
  const CacheKey key = make_cache_key(source, compiler);
  {
    std::unique_lock lock(state.mutex);
    for (;;) {
      if (const auto found = state.images.find(key.digest); found != state.images.end())
        return {found->second};
      if (state.in_progress.insert(key.digest).second) break;
      state.finished.wait(lock);
    }
  }
  const InProgress mine(state, key.digest);
  keep_source(source, key.digest);
  const Stopwatch stopwatch;
  Built built = look_up_or_compile(source, compiler, key);
  const double seconds = stopwatch.seconds();
  const std::lock_guard lock(state.mutex);
  CachedImage cached{state.images.emplace(key.digest, std::move(built.image)).first->second};
  if (source.prebuilt.empty() || cached.image.bytes != source.prebuilt)
    cached.build = {source.name, key.digest, built.is_from_cache, seconds};
  return cached;
}

namespace {

void add(ProgramLog& log, ProgramLog::Build build) {
  if (build.is_from_cache) {
    ++log.from_cache;
    // Also the wait for another process that compiles it.
    log.load_s += build.seconds;
  } else {
    ++log.compiled;
    log.compile_s += build.seconds;
  }
  log.builds.push_back(std::move(build));
}

}  // namespace

Program::Loaded& Program::load(Device& device) {
  std::unique_ptr<Loaded>& slot = loaded_[&device];
  if (slot) return *slot;
  CachedImage cached = compile_cached(source_, device.compiler());
  ProgramLog& log = device.program_log();
  if (cached.build) add(log, std::move(*cached.build));
  const Stopwatch stopwatch;
  auto loaded = std::make_unique<Loaded>();
  loaded->module = device.load(cached.image);
  log.load_s += stopwatch.seconds();
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
    record.mix = loaded.module->instruction_mix(entry);
    record.may_wait = may_wait(source_.text);
    record.knows_grid = knows_grid(source_.text);
    device.program_log().kernels.push_back(std::move(record));
  }
  return *slot;
}

ProgramLog take_program_log(Device& device) { return std::exchange(device.program_log(), {}); }

}  // namespace kernelbatch
