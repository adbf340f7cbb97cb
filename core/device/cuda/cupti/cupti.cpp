#include "core/device/cuda/cupti/cupti.hpp"

#include "core/device/cuda/cupti/cupti_library.hpp"

#if __has_include(<cupti.h>)
#include <cupti.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>
#include <mutex>

#include "core/device/cuda/driver.hpp"

namespace kernelbatch::cuda {
namespace {

struct Cupti {
  decltype(&cuptiGetResultString) result_text = nullptr;
  decltype(&cuptiActivityRegisterCallbacks) set_callbacks = nullptr;
  decltype(&cuptiActivityEnable) enable = nullptr;
  decltype(&cuptiActivityDisable) disable = nullptr;
  decltype(&cuptiActivityFlushAll) flush = nullptr;
  decltype(&cuptiActivityGetNextRecord) next = nullptr;
  std::string reason;  ///< empty if it can be used
};

/// Filled by the callbacks, which have no reference to a session.
struct Received {
  std::mutex mutex;
  // With their starts in ns.
  std::vector<std::pair<std::uint64_t, Launch>> launches;
  std::vector<std::pair<std::uint64_t, Transfer>> transfers;
  const Cupti* cupti = nullptr;
};

Received& received() {
  // Never destroyed: CUPTI may deliver buffers while the process ends.
  static Received& all = *std::make_unique<Received>().release();
  return all;
}

constexpr std::size_t kBufferBytes = std::size_t{1} << 20;
constexpr std::size_t kBufferAlignment = 64;

void CUPTIAPI give_buffer(std::uint8_t** buffer, std::size_t* bytes, std::size_t* records) {
  *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(kBufferAlignment, kBufferBytes));
  *bytes = *buffer != nullptr ? kBufferBytes : 0;
  *records = 0;
}

constexpr std::array kTransferKinds{CUPTI_ACTIVITY_KIND_MEMCPY, CUPTI_ACTIVITY_KIND_MEMCPY2,
                                    CUPTI_ACTIVITY_KIND_MEMSET};

TransferKind kind_of_copy(std::uint8_t kind) noexcept {
  switch (kind) {
    case CUPTI_ACTIVITY_MEMCPY_KIND_HTOD:
    case CUPTI_ACTIVITY_MEMCPY_KIND_HTOA:
      return TransferKind::kFromHost;
    case CUPTI_ACTIVITY_MEMCPY_KIND_DTOH:
    case CUPTI_ACTIVITY_MEMCPY_KIND_ATOH:
      return TransferKind::kToHost;
    case CUPTI_ACTIVITY_MEMCPY_KIND_ATOA:
    case CUPTI_ACTIVITY_MEMCPY_KIND_ATOD:
    case CUPTI_ACTIVITY_MEMCPY_KIND_DTOA:
    case CUPTI_ACTIVITY_MEMCPY_KIND_DTOD:
      return TransferKind::kOnDevice;
    default:
      return TransferKind::kUnknown;
  }
}

void add_transfer(TransferKind kind, std::uint64_t bytes, std::uint64_t start, std::uint64_t end,
                  std::uint32_t stream) {
  Transfer transfer;
  transfer.kind = kind;
  transfer.bytes = static_cast<std::int64_t>(bytes);
  if (end > start) transfer.duration = 1e-9 * static_cast<double>(end - start);
  transfer.stream = stream;
  received().transfers.emplace_back(start, transfer);
}

void add(const CUpti_Activity* record) {
  // All libraries of this generation have the same record layout up to the stream (copies) or the
  // name (kernels); fields appended by later versions are not read.
  if (record->kind == CUPTI_ACTIVITY_KIND_MEMCPY || record->kind == CUPTI_ACTIVITY_KIND_MEMCPY2) {
    const auto& copy = *reinterpret_cast<const CUpti_ActivityMemcpy5*>(record);
    const bool is_peer = record->kind == CUPTI_ACTIVITY_KIND_MEMCPY2;
    add_transfer(is_peer ? TransferKind::kOnDevice : kind_of_copy(copy.copyKind), copy.bytes,
                 copy.start, copy.end, copy.streamId);
    return;
  }
  if (record->kind == CUPTI_ACTIVITY_KIND_MEMSET) {
    const auto& fill = *reinterpret_cast<const CUpti_ActivityMemset4*>(record);
    add_transfer(TransferKind::kFill, fill.bytes, fill.start, fill.end, fill.streamId);
    return;
  }
  if (record->kind != CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL &&
      record->kind != CUPTI_ACTIVITY_KIND_KERNEL)
    return;
  const auto& k = *reinterpret_cast<const CUpti_ActivityKernel9*>(record);
  Launch launch;
  launch.kernel = demangled(k.name);
  const auto extent = [](std::int32_t value) { return static_cast<std::uint32_t>(value); };
  launch.grid = {extent(k.gridX), extent(k.gridY), extent(k.gridZ)};
  launch.block = {extent(k.blockX), extent(k.blockY), extent(k.blockZ)};
  launch.shared_dynamic = k.dynamicSharedMemory;
  launch.shared_static = k.staticSharedMemory;
  launch.registers = k.registersPerThread;
  launch.local_bytes = k.localMemoryPerThread;
  launch.duration = k.end > k.start ? 1e-9 * static_cast<double>(k.end - k.start) : launch.duration;
  launch.stream = k.streamId;
  received().launches.emplace_back(k.start, std::move(launch));
}

void CUPTIAPI take_buffer(CUcontext, std::uint32_t, std::uint8_t* buffer, std::size_t,
                          std::size_t valid) {
  {
    const std::lock_guard lock(received().mutex);
    CUpti_Activity* record = nullptr;
    while (valid > 0 && received().cupti != nullptr &&
           received().cupti->next(buffer, valid, &record) == CUPTI_SUCCESS)
      add(record);
  }
  std::free(buffer);
}

Cupti find_functions() {
  Cupti cupti;
  const CuptiLibrary& library = cupti_library();
  cupti.reason = library.reason;
  if (!cupti.reason.empty()) return cupti;
  library.find(cupti.result_text, "cuptiGetResultString", cupti.reason);
  library.find(cupti.set_callbacks, "cuptiActivityRegisterCallbacks", cupti.reason);
  library.find(cupti.enable, "cuptiActivityEnable", cupti.reason);
  library.find(cupti.disable, "cuptiActivityDisable", cupti.reason);
  library.find(cupti.flush, "cuptiActivityFlushAll", cupti.reason);
  library.find(cupti.next, "cuptiActivityGetNextRecord", cupti.reason);
  return cupti;
}

const Cupti& activity_functions() {
  static const Cupti cupti = find_functions();
  return cupti;
}

CUptiResult disable_all(const Cupti& cupti) {
  for (const auto kind : kTransferKinds) cupti.disable(kind);
  return cupti.disable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
}

/// Records in the order of their starts, each with its start in s after `first`.
template <class Record>
std::vector<Record> in_order(std::vector<std::pair<std::uint64_t, Record>>& records,
                             std::uint64_t first) {
  std::ranges::stable_sort(records, {}, [](const auto& each) { return each.first; });
  std::vector<Record> list;
  for (auto& [start, record] : records) {
    record.start = 1e-9 * static_cast<double>(start - first);
    list.push_back(std::move(record));
  }
  records.clear();
  return list;
}

}  // namespace

std::unique_ptr<CuptiSession> CuptiSession::open(std::string& reason) {
  if (is_cupti_off()) {
    reason = "KERNELBATCH_CUPTI=0";
    return nullptr;
  }
  const Cupti& cupti = activity_functions();
  reason = cupti.reason;
  if (!reason.empty()) return nullptr;
  CUptiResult result = cupti.set_callbacks(give_buffer, take_buffer);
  // Discard records of an earlier session.
  if (result == CUPTI_SUCCESS) result = cupti.flush(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  {
    const std::lock_guard lock(received().mutex);
    received().launches.clear();
    received().transfers.clear();
    received().cupti = &cupti;
  }
  if (result == CUPTI_SUCCESS) result = cupti.enable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
  if (result == CUPTI_SUCCESS) {
    std::unique_ptr<CuptiSession> session(new CuptiSession);
    // Without transfers the list of kernels is still correct.
    session->lists_transfers_ = std::ranges::all_of(
        kTransferKinds, [&](auto kind) { return cupti.enable(kind) == CUPTI_SUCCESS; });
    return session;
  }
  const char* text = nullptr;
  cupti.result_text(result, &text);
  reason = fmt::format("CUPTI refuses ({})", text != nullptr ? text : "unknown error");
  return nullptr;
}

CuptiSession::~CuptiSession() {
  if (!is_listening_) return;
  // Records of launches still running would arrive after this session.
  driver().cuCtxSynchronize_();
  disable_all(activity_functions());
  activity_functions().flush(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
}

LaunchList CuptiSession::finish(std::string& reason) {
  const Cupti& cupti = activity_functions();
  CUptiResult result = cupti.flush(0);
  is_listening_ = false;
  const CUptiResult disabled = disable_all(cupti);
  if (result == CUPTI_SUCCESS) result = disabled;
  // Records incomplete at the first flush are complete now.
  const CUptiResult flushed = cupti.flush(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  if (result == CUPTI_SUCCESS) result = flushed;
  if (result != CUPTI_SUCCESS) {
    const char* text = nullptr;
    cupti.result_text(result, &text);
    reason = fmt::format("CUPTI fails ({})", text != nullptr ? text : "unknown error");
  }
  const std::lock_guard lock(received().mutex);
  std::uint64_t first = std::numeric_limits<std::uint64_t>::max();
  for (const auto& [start, launch] : received().launches) first = std::min(first, start);
  for (const auto& [start, transfer] : received().transfers) first = std::min(first, start);
  LaunchList list;
  list.launches = in_order(received().launches, first);
  list.transfers = in_order(received().transfers, first);
  list.lists_transfers = lists_transfers_;
  list.source = "CUPTI";
  return list;
}

bool describe_cupti(std::string& text) {
  if (is_cupti_off()) {
    text = "switched off (KERNELBATCH_CUPTI=0)";
    return false;
  }
  const Cupti& cupti = activity_functions();
  text = cupti.reason.empty() ? cupti_library().path : cupti.reason;
  return cupti.reason.empty();
}

}  // namespace kernelbatch::cuda

#else  // a toolkit without CUPTI's headers

namespace kernelbatch::cuda {

std::unique_ptr<CuptiSession> CuptiSession::open(std::string& reason) {
  reason = cupti_library().reason;
  return nullptr;
}
CuptiSession::~CuptiSession() = default;
LaunchList CuptiSession::finish(std::string&) { return {}; }
bool describe_cupti(std::string& text) {
  text = cupti_library().reason;
  return false;
}

}  // namespace kernelbatch::cuda
#endif
