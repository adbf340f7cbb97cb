#include "core/device/host/stack.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include "core/base/error.hpp"

#if defined(KERNELBATCH_ASAN)
#include <sanitizer/asan_interface.h>
#endif

namespace kernelbatch::host {
namespace {

constexpr std::size_t kStackBytes = 256 * 1024;

}  // namespace

Stack::Stack(std::size_t colour) {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  bytes_ = kStackBytes + page;
  void* memory = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (memory == MAP_FAILED) throw OutOfMemoryError("no memory for the stacks of a block's threads");
  memory_ = static_cast<char*>(memory);
  ::mprotect(memory_, page, PROT_NONE);
  usable_ = memory_ + page;
  usable_bytes_ = kStackBytes - (colour % 31) * 192;
}

Stack::~Stack() {
#if defined(KERNELBATCH_ASAN)
  // A deadlocked thread never left its frames; the next mapping here must not inherit their
  // poisoned shadow.
  __asan_unpoison_memory_region(memory_, bytes_);
#endif
  ::munmap(memory_, bytes_);
}

}  // namespace kernelbatch::host
