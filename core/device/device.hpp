// The device interface: small abstract classes without any backend's types.
//
// A Device is one allocated GPU, one MIG slice, or the host CPU. Backends implement mechanisms
// (memory, copies, launches), never algorithms. Launch geometry in higher layers depends only on
// DeviceProperties. Objects of one device may be used from one thread at a time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/compiler_backend.hpp"
#include "core/device/instruction_mix.hpp"
#include "core/device/run_context.hpp"

namespace kernelbatch {

/// Private to core/device; other code uses DeviceProperties.
struct Backend;

/// Properties needed for launches and records. Sizes in bytes, clocks in Hz, 0 = unknown.
struct DeviceProperties {
  const Backend* backend = nullptr;  ///< the device's backend; set by every backend
  /// True for a GPU or a slice of one. False if the host's cores simulate kernels for checking:
  /// their times do not predict a GPU's.
  bool is_gpu = false;
  /// Launches return before the work is done, and events use the device's own clock.
  bool is_asynchronous = false;
  /// The host can access device arrays in place.
  bool shares_host_memory = false;
  /// After a kernel has crashed, no device call succeeds in this process; a new process is needed.
  bool is_lost_by_crash = false;
  bool has_cuda_libraries = false;  ///< cuBLAS and the like work on its memory and streams
  std::string selector;             ///< its name on command lines: host, cuda:1, MIG-…
  int ordinal = 0;                  ///< within this process
  std::string name;
  std::string uuid;  ///< GPU-… or MIG-…; empty on the host
  /// For a MIG slice: its GPU's UUID, the profile (2g.10gb), its GPU's index on the node, and the
  /// ids of its GPU instance and compute instance. Numbers are -1 and texts empty if NVML does not
  /// report them.
  std::string parent_uuid, mig_profile;
  int parent_index = -1, gpu_instance = -1, compute_instance = -1;
  std::string ecc;  ///< "on" or "off"; empty if unknown
  std::string pci;
  std::string target;     ///< what the compiler compiles for: sm_90, host-x86-64…
  std::string driver;     ///< version of the driver
  int compute_units = 1;  ///< SMs of the GPU or slice; cores this process may use
  int capability_major = 0, capability_minor = 0;
  std::size_t memory = 0;
  std::size_t shared_cache = 0;  ///< bytes that all units share: a GPU's L2, the host's L3
  double clock = 0, memory_clock = 0;
  int warp_size = 32;  ///< threads of a warp
  int max_threads_per_block = 1;
  int max_threads_per_unit = 1;            ///< resident at once on one compute unit
  std::size_t shared_per_block = 0;        ///< without asking
  std::size_t shared_per_block_optin = 0;  ///< at most, after raising the kernel's limit
  std::size_t shared_per_unit = 0;

  // Best layout of generated loops on this device.
  int loop_block = 1;    ///< threads of a block of a generated loop
  int loop_lanes = 1;    ///< threads of a warp that a generated loop may combine values over
  int loop_blocks = 1;   ///< blocks that keep the whole device busy with such a loop
  int loop_grain = 1;    ///< iterations that justify a further block
  int vector_bytes = 0;  ///< width of one thread's widest load; 0 = the compiler vectorises itself
  int streams_per_thread = 1;  ///< contiguous ranges one thread reduces side by side
  /// True if a block of a generated loop has several threads, in warps; otherwise it has one
  /// thread.
  bool is_simt() const noexcept { return loop_block > 1; }
};

/// "NVIDIA H200", "host AMD EPYC": text of the column `device` of results.
std::string device_text(const DeviceProperties& device);

/// x, y, z extents of a grid or block.
struct Dim3 {
  std::uint32_t x = 1, y = 1, z = 1;
  std::uint64_t count() const noexcept { return std::uint64_t{x} * y * z; }
};

struct LaunchShape {
  Dim3 grid = {}, block = {};
  std::size_t shared_bytes = 0;
  bool cooperative = false;  ///< all blocks are resident at once and may wait for each other
  Dim3 cluster = {};         ///< blocks of a cluster, whose shared memory they can reach
  bool fits_device = false;  ///< blocks loop over work: launch no more than run at once
};

/// Marks a point in a stream's work.
class Event {
 public:
  virtual ~Event();
  /// Blocks the caller until the work before the event is done.
  virtual void synchronize() = 0;
  /// True if that work is done. Does not wait if the backend can query the state.
  virtual bool is_done();
  /// Seconds of device time from `start` to this event; both must have happened.
  virtual double seconds_since(const Event& start) const = 0;
};

class Device;

class Stream;

/// Work that was captured once and can be queued repeatedly as a unit.
class StreamGraph {
 public:
  virtual ~StreamGraph();
  /// Queues all of it. The kernels and the memory that it uses must still exist.
  virtual void launch(Stream& stream) = 0;
};

/// A queue of work in order.
class Stream {
 public:
  virtual ~Stream();
  virtual Device& device() const noexcept = 0;
  virtual void synchronize() = 0;
  virtual void record(Event& event) = 0;
  /// Later work of this stream starts only after the event.
  virtual void wait(const Event& event) = 0;
  /// Until end_capture(), work given to this stream is recorded and not run. The same applies to
  /// streams that wait for an event recorded in a capturing stream; they must be joined before the
  /// end. Arguments of kernels are copied. Nothing may be synchronised, compiled or allocated
  /// meanwhile. Throws UnsupportedError if the backend has no graphs.
  virtual void begin_capture();
  virtual std::unique_ptr<StreamGraph> end_capture();
  /// The backend's native stream (a CUstream), for vendor libraries; null if there is none.
  virtual void* native() const noexcept;

  /// The stream's own until it joins the run of another stream.
  RunContext& context() noexcept { return *context_; }
  void join_run_of(const Stream& other) noexcept { context_ = other.context_; }

 private:
  std::shared_ptr<RunContext> context_ = std::make_shared<RunContext>();
};

/// A kernel's text and its compile settings.
struct KernelSource {
  std::string name;  ///< for messages and files
  std::string text;
  std::vector<std::string>
      entries;  ///< functions or name expressions to be found: "sqd", "f<float>"
  std::vector<std::string> options;  ///< compiler options, as given by the user
  /// True if the entries are plain `extern "C"` names of generated text: then symbols equal names,
  /// which may also be overloads of CUDA's own functions (`any`, `all`).
  bool has_plain_names = false;
  /// Precompiled images for some backend (a fatbin); a backend that cannot use them compiles
  /// `text`.
  std::string_view prebuilt;
  CompilerBackend backend = CompilerBackend::kNvrtc;
};

/// A compiled kernel, usable on every device of its target.
struct Image {
  std::string target;
  std::string bytes;
  std::map<std::string, std::string> symbols;  ///< entry → symbol, if they differ
};

/// Compiles kernels. Needs no device: a login node can fill the kernel cache.
class Compiler {
 public:
  virtual ~Compiler();
  /// "sm_90", "host-znver3": part of the cache key.
  virtual std::string_view target() const = 0;
  /// Compiler, its version, and the prelude's hash: part of the cache key.
  virtual std::string identity() const = 0;
  /// Throws CompileError with the compiler's log.
  virtual Image compile(const KernelSource& source) = 0;
};

/// Attributes of one loaded kernel; -1 = unknown.
struct KernelAttributes {
  int registers = -1;
  std::int64_t shared_static = -1, local_bytes = -1, const_bytes = -1;
  int max_threads = -1;
  int ptx_version = -1, binary_version = -1;  ///< 90 = compute capability 9.0
  int cache_mode_ca = -1;                     ///< 1 if compiled to cache global loads in L1
  int max_dynamic_shared = -1;                ///< bytes; may be set
  int shared_carveout = -1;                   ///< percent of L1 that is shared memory; may be set
  int blocks_per_unit = -1;                   ///< resident at the block size asked about
};

/// Compiling and loading of kernels for one device.
struct ProgramLog {
  double compile_s = 0;  ///< in compilers; 0 if all came from a cache
  double load_s = 0;     ///< loading images into the device
  std::int64_t compiled = 0, from_cache = 0;
  /// One source that was looked up or compiled; sources that this process already had are omitted.
  struct Build {
    std::string name, key;
    bool is_from_cache = false;
    double seconds = 0;
  };
  std::vector<Build> builds;
  struct Entry {
    std::string name, hash, target, options;
    KernelAttributes attributes;
    std::optional<InstructionMix> mix = {};
    /// The text has words by which blocks wait for each other: the launch may need all of its
    /// blocks resident, and exactly the original number of them.
    bool may_wait = true;
    /// The text reads the number of blocks: fewer blocks may do the same work.
    bool knows_grid = true;
  };
  std::vector<Entry> kernels;
};

/// One function of a loaded module.
class Kernel {
 public:
  virtual ~Kernel();
  /// Queues one launch. `arguments[k]` points to the bytes of the k-th argument, which are copied
  /// before the call returns. Throws RunError if the launch is refused.
  virtual void launch(const LaunchShape& shape, std::span<void* const> arguments,
                      Stream& stream) = 0;
  /// Bytes of each parameter; empty if the backend does not know.
  virtual std::span<const std::size_t> parameter_sizes() const = 0;
  virtual KernelAttributes attributes(int block_threads, std::size_t shared_bytes) const = 0;
  /// Maximum number of resident blocks of such a launch, in whole clusters; the number of blocks
  /// launched if the backend does not know.
  virtual std::uint64_t blocks_at_once(const LaunchShape& shape);
  /// Sets the dynamic shared memory that launches may request; otherwise launches raise the limit
  /// automatically. Throws SpecError if it is negative or exceeds the device's limit for a block,
  /// UnsupportedError if the backend has no such setting.
  virtual void set_max_dynamic_shared(std::int64_t bytes);
  /// Percent of the L1 cache that should be shared memory; -1 = the device's choice.
  virtual void set_shared_carveout(int percent);
};

/// Compiled code on one device.
class Module {
 public:
  virtual ~Module();
  /// Throws SpecError naming the function if it does not exist. The module must outlive the kernel.
  virtual std::unique_ptr<Kernel> kernel(const std::string& entry) = 0;
  /// The kernel's instruction counts by kind; nothing if the backend does not know.
  virtual std::optional<InstructionMix> instruction_mix(const std::string& entry);
  /// Memory of a __device__ or __constant__ variable. Throws SpecError if it does not exist.
  virtual std::span<std::byte> global(const std::string& name) = 0;
};

enum class Copy : std::uint8_t { kToDevice, kToHost, kOnDevice };

class TextureFactory;
class AccessChecks;
struct TensorMap;
struct TensorMapForm;

class Device {
 public:
  virtual ~Device();
  virtual const DeviceProperties& properties() const = 0;
  /// Bytes that could be allocated now.
  virtual std::size_t free_memory() const = 0;
  /// Memory aligned to 256 bytes. Throws OutOfMemoryError with the requested and the free amount.
  virtual void* allocate(std::size_t bytes) = 0;
  virtual void deallocate(void* memory) noexcept = 0;
  /// Queues a copy; host memory must stay valid until the stream has reached it.
  virtual void copy(void* to, const void* from, std::size_t bytes, Copy kind, Stream& stream) = 0;
  /// Queues filling `bytes` from an address aligned to 4 with a 32-bit pattern. Bytes after the
  /// last whole word get the first bytes of the pattern.
  virtual void fill(void* memory, std::uint32_t pattern, std::size_t bytes, Stream& stream) = 0;
  /// Pins host memory while the result lives, so that copies run at the link's speed and overlap
  /// with kernels. Null if pinning has no effect or fails.
  virtual std::shared_ptr<void> pin(void* memory, std::size_t bytes);
  /// Frees the part of the L2 cache that earlier work set aside for persisting lines, and
  /// makes these like others. No effect if nothing is set aside.
  virtual void reset_persisting_cache() noexcept;
  virtual std::unique_ptr<Stream> make_stream() = 0;
  virtual std::unique_ptr<Event> make_event() = 0;
  virtual Compiler& compiler() = 0;
  virtual std::unique_ptr<Module> load(const Image& image) = 0;
  /// Factory for textures (core/device/texture.hpp). Throws UnsupportedError if there are none.
  virtual TextureFactory& textures();
  /// Encodes a valid form (core/device/tensor_map.hpp). Throws UnsupportedError if the device has
  /// no such tensor maps, RunError if it refuses this one.
  virtual TensorMap tensor_map(const TensorMapForm& form);
  /// Checks of kernels' memory accesses (core/device/access_checks.hpp); null if the device was not
  /// opened with checks.
  virtual AccessChecks* access_checks() noexcept;

  /// Log of compiles and loads for this device.
  ProgramLog& program_log() noexcept { return program_log_; }

  /// Number of arrays allocated on the device. Arrays need no stream, so the count is not part of a
  /// RunContext.
  std::int64_t arrays_made() const noexcept { return arrays_made_; }
  void count_array() noexcept { ++arrays_made_; }

 private:
  std::int64_t arrays_made_ = 0;
  ProgramLog program_log_;
};

}  // namespace kernelbatch
