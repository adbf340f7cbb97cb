#include "core/device/cuda/cuda_launch_log.hpp"

#include <algorithm>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <utility>

#include "core/base/error.hpp"
#include "core/device/cuda/cuda_launch.hpp"
#include "core/device/cuda/cupti/cupti.hpp"

namespace kernelbatch::cuda {
namespace {

/// Sets a pointer to a list for its own lifetime.
class Replaced {
 public:
  Replaced(std::vector<Launch>*& place, std::vector<Launch>& list)
      : place_(place), before_(std::exchange(place, &list)) {}
  ~Replaced() { place_ = before_; }
  Replaced(const Replaced&) = delete;
  Replaced& operator=(const Replaced&) = delete;

 private:
  std::vector<Launch>*& place_;
  std::vector<Launch>* before_;
};

/// Symbols of functions by handle. The driver may reuse a handle after its module was unloaded, and
/// may then still return the old name. One table, since handles are per process.
struct Names {
  std::mutex mutex;
  std::map<CUfunction, std::string> symbols;
};
Names& names() {
  static Names all;
  return all;
}

std::string name_of(CUfunction function) {
  {
    const std::lock_guard lock(names().mutex);
    const auto known = names().symbols.find(function);
    if (known != names().symbols.end()) return demangled(known->second.c_str());
  }
  const char* name = nullptr;
  return driver().cuFuncGetName_(&name, function) == CUDA_SUCCESS ? demangled(name) : "unknown";
}

Launch describe(CUfunction function, const Dim3& grid, const Dim3& block, std::size_t shared,
                const DeviceProperties& properties) {
  const Driver& cu = driver();
  Launch launch;
  launch.kernel = name_of(function);
  launch.grid = grid;
  launch.block = block;
  launch.shared_dynamic = static_cast<std::int64_t>(shared);
  const auto attribute = [&](CUfunction_attribute which) -> std::int64_t {
    int value = 0;
    return cu.cuFuncGetAttribute_(&value, which, function) == CUDA_SUCCESS ? value : -1;
  };
  launch.registers = attribute(CU_FUNC_ATTRIBUTE_NUM_REGS);
  launch.shared_static = attribute(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
  launch.local_bytes = attribute(CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
  int blocks = 0;
  const auto threads = static_cast<int>(block.count());
  if (cu.cuOccupancyMaxActiveBlocksPerMultiprocessor_(&blocks, function, threads, shared) ==
          CUDA_SUCCESS &&
      properties.max_threads_per_unit > 0)
    launch.occupancy = static_cast<double>(blocks) * threads /
                       static_cast<double>(properties.max_threads_per_unit);
  return launch;
}

/// Ends a stream's capture, also if an exception is thrown.
class Capture {
 public:
  explicit Capture(CUstream stream) : stream_(stream) {
    check(driver().cuStreamBeginCapture_(stream_, CU_STREAM_CAPTURE_MODE_RELAXED),
          "cuStreamBeginCapture");
  }
  ~Capture() {
    if (!is_open_) return;
    CUgraph graph = nullptr;
    // An invalidated capture yields no graph and an error that is known already.
    driver_state().functions.cuStreamEndCapture_(stream_, &graph);
    const GraphHandle owner{graph};
  }
  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;
  GraphHandle end() {
    is_open_ = false;
    CUgraph graph = nullptr;
    const CUresult result = driver().cuStreamEndCapture_(stream_, &graph);
    GraphHandle owner{graph};
    check(result, "cuStreamEndCapture");
    return owner;
  }

 private:
  CUstream stream_;
  bool is_open_ = true;
};

void list_kernels(CUgraph graph, const DeviceProperties& properties, std::vector<Launch>& list) {
  const Driver& cu = driver();
  std::size_t count = 0;
  check(cu.cuGraphGetNodes_(graph, nullptr, &count), "cuGraphGetNodes");
  std::vector<CUgraphNode> nodes(count);
  if (count > 0) check(cu.cuGraphGetNodes_(graph, nodes.data(), &count), "cuGraphGetNodes");
  for (const CUgraphNode node : nodes) {
    CUgraphNodeType type{};
    check(cu.cuGraphNodeGetType_(node, &type), "cuGraphNodeGetType");
    if (type == CU_GRAPH_NODE_TYPE_GRAPH) {
      CUgraph child = nullptr;
      check(cu.cuGraphChildGraphNodeGetGraph_(node, &child), "cuGraphChildGraphNodeGetGraph");
      list_kernels(child, properties, list);
    } else if (type == CU_GRAPH_NODE_TYPE_KERNEL) {
      CUDA_KERNEL_NODE_PARAMS p{};
      check(cu.cuGraphKernelNodeGetParams_(node, &p), "cuGraphKernelNodeGetParams");
      // A kernel handle of a library object is accepted as a function.
      const auto function = p.func != nullptr ? p.func : reinterpret_cast<CUfunction>(p.kern);
      list.push_back(describe(function, {p.gridDimX, p.gridDimY, p.gridDimZ},
                              {p.blockDimX, p.blockDimY, p.blockDimZ}, p.sharedMemBytes,
                              properties));
    }
  }
}

/// Queues the work into a graph that is never run. Throws if the work cannot be captured.
std::vector<Launch> captured_launches(Stream& stream, const DeviceProperties& properties,
                                      const std::function<void()>& work) {
  Capture capture(static_cast<CudaStream&>(stream).handle());
  work();
  const GraphHandle graph = capture.end();
  std::vector<Launch> list;
  list_kernels(graph.get(), properties, list);
  return list;
}

/// Fills in data that only the driver has, from another list of the same work.
void complete(std::vector<Launch>& launches, const std::vector<Launch>& known) {
  for (Launch& launch : launches) {
    if (launch.occupancy == launch.occupancy) continue;
    const auto same = std::ranges::find_if(known, [&](const Launch& other) {
      return other.kernel == launch.kernel && other.block.count() == launch.block.count() &&
             other.shared_dynamic == launch.shared_dynamic;
    });
    if (same == known.end()) continue;
    launch.occupancy = same->occupancy;
    if (launch.shared_static < 0) launch.shared_static = same->shared_static;
  }
}

bool lacks_occupancy(const std::vector<Launch>& launches) {
  return std::ranges::any_of(launches,
                             [](const Launch& each) { return each.occupancy != each.occupancy; });
}

/// Marker kernels around the work. Their two launch shapes are unique and chosen again for each
/// list. Names cannot identify them, because CUPTI may report a kernel's name from an unloaded
/// module.
class Markers {
 public:
  explicit Markers(Device& device, Kernel& kernel) : device_(device), kernel_(kernel) {
    std::random_device random;
    const auto draw = [&](std::uint32_t from, std::uint32_t to) {
      return std::uniform_int_distribution<std::uint32_t>(from, to)(random);
    };
    for (LaunchShape* shape : {&before_, &after_}) {
      shape->block = {draw(2, 31), draw(2, 31), 1};
      shape->shared_bytes = 16 * draw(1, 3000);
    }
    after_.block.x = before_.block.x % 31 + 1;
  }

  /// All streams begin after the marker on the first, as they do after the start event.
  void begin(const std::vector<Stream*>& streams) const {
    kernel_.launch(before_, {}, *streams.front());
    if (streams.size() == 1) return;
    const std::unique_ptr<Event> start = device_.make_event();
    streams.front()->record(*start);
    for (std::size_t k = 1; k < streams.size(); ++k) streams[k]->wait(*start);
  }
  void end(const std::vector<Stream*>& streams) const {
    for (std::size_t k = 1; k < streams.size(); ++k) {
      const std::unique_ptr<Event> join = device_.make_event();
      streams[k]->record(*join);
      streams.front()->wait(*join);
    }
    kernel_.launch(after_, {}, *streams.front());
  }
  bool place(LaunchList& list) const { return place_in_interval(list, before_, after_); }

 private:
  Device& device_;
  Kernel& kernel_;
  LaunchShape before_, after_;
};

/// Nothing if markers are unavailable: then the interval is unknown.
std::optional<Markers> make_markers(Device& device, LaunchSource& source) {
  try {
    return Markers(device, source.marker());
  } catch (const RunError&) {
    return std::nullopt;
  }
}

std::string first_line(const std::exception& error) {
  const std::string text = error.what();
  return text.substr(0, text.find('\n'));
}

}  // namespace

const char* const kMarkerEntry = "kernelbatch_marker";
const char* const kMarkerText = R"(
.version 6.3
.target sm_70
.address_size 64
.visible .entry kernelbatch_marker()
{
  ret;
}
)";

void name_function(CUfunction function, const std::string& symbol) {
  const std::lock_guard lock(names().mutex);
  names().symbols.insert_or_assign(function, symbol);
}

std::vector<Launch> LaunchCalls::list(const std::function<void()>& work) {
  std::vector<Launch> launches;
  const Replaced listing(launches_, launches);
  work();
  return launches;
}

void LaunchCalls::add(CUfunction function, const LaunchShape& shape) {
  launches_->push_back(
      describe(function, shape.grid, shape.block, shape.shared_bytes, properties_));
}

void LaunchCalls::add(CUgraph graph) { list_kernels(graph, properties_, *launches_); }

LaunchList record_launches(Device& device, const std::vector<Stream*>& streams,
                           const std::function<void()>& work) {
  const DeviceProperties& properties = device.properties();
  auto& source = dynamic_cast<LaunchSource&>(device);
  const auto wait = [] { check(driver().cuCtxSynchronize_(), "waiting for the device's work"); };
  LaunchList list;
  std::vector<Launch> calls;
  std::string cupti_reason;
  bool has_run = false, is_placed = false;
  wait();  // what came before is not this work's
  const std::optional<Markers> markers = make_markers(device, source);
  if (auto session = CuptiSession::open(cupti_reason)) {
    if (markers) markers->begin(streams);
    calls = source.calls().list(work);
    if (markers) markers->end(streams);
    wait();
    has_run = true;
    list = session->finish(cupti_reason);
    is_placed = markers && markers->place(list);
  }
  if (has_run && list.launches.empty() && !calls.empty() && cupti_reason.empty())
    cupti_reason = "CUPTI reported nothing";
  correct_names(list.launches, calls);
  complete(list.launches, calls);
  // If both markers are present and nothing else is listed, then nothing else was launched.
  const bool is_listed = !list.launches.empty() || (is_placed && calls.empty());
  if (is_listed && !lacks_occupancy(list.launches)) return list;

  std::string capture_reason;
  try {
    const std::vector<Launch> captured = captured_launches(*streams.front(), properties, work);
    complete(list.launches, captured);
    if (list.launches.empty()) {
      list = {};
      list.launches = captured;
      list.source = "captured graph";
      list.reason = cupti_reason;
    }
    if (!list.launches.empty()) return list;
  } catch (const std::exception& error) {
    capture_reason = first_line(error);
  }
  if (!list.launches.empty()) return list;
  if (!has_run) {
    calls = source.calls().list(work);
    wait();
  }
  list = {};
  list.launches = std::move(calls);
  list.source = "launch calls";
  list.reason = cupti_reason;
  if (!capture_reason.empty())
    list.reason += (list.reason.empty() ? "" : "; ") + std::string("no capture: ") + capture_reason;
  return list;
}

}  // namespace kernelbatch::cuda
