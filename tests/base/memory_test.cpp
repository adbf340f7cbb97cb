// Available memory, and operations on large blocks.
#include "core/base/memory.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <memory>
#include <sstream>
#include <vector>

#include "core/array/array.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temporary_folder.hpp"

namespace kernelbatch {
namespace {

TEST_CASE("Available memory is positive, and no more than the total") {
  const auto pages = static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES));
  const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  CHECK(available_memory() > 0);
  CHECK(available_memory() <= pages * page);
}

void write_group(const std::filesystem::path& folder, const std::string& limit_name,
                 const std::string& limit, const std::string& used_name, const std::string& used) {
  std::filesystem::create_directories(folder);
  std::ofstream(folder / limit_name) << limit;
  std::ofstream(folder / used_name) << used;
}

std::uint64_t left(const std::string& groups, const test::TemporaryFolder& root) {
  std::istringstream lines(groups);
  return memory_of_groups(lines, root.path().string());
}

TEST_CASE("The strictest of a process's control groups counts") {
  constexpr std::uint64_t kNone = std::numeric_limits<std::uint64_t>::max();
  const test::TemporaryFolder root;
  CHECK(left("", root) == kNone);
  CHECK(left("0::/slurm/job_7/step_0\n", root) == kNone);
  write_group(root / "slurm/job_7/step_0", "memory.max", "max", "memory.current", "300");
  CHECK(left("0::/slurm/job_7/step_0\n", root) == kNone);
  write_group(root / "slurm/job_7", "memory.max", "1000", "memory.current", "400");
  CHECK(left("0::/slurm/job_7/step_0\n", root) == 600);
  CHECK(left("0::/\n", root) == kNone);
  // File pages are released.
  std::ofstream(root / "slurm/job_7/memory.stat") << "anon 100\ninactive_file 250\n";
  CHECK(left("0::/slurm/job_7/step_0\n", root) == 850);
  write_group(root / "slurm/job_7", "memory.max", "1000", "memory.current", "1300");
  CHECK(left("0::/slurm/job_7/step_0\n", root) == 0);
}

TEST_CASE("Control groups of version 1 count, too") {
  const test::TemporaryFolder root;
  write_group(root / "memory/slurm/job_7", "memory.limit_in_bytes", "5000", "memory.usage_in_bytes",
              "2000");
  CHECK(left("11:cpuset:/other\n9:memory:/slurm/job_7\n1:name=systemd:/x\n", root) == 3000);
  CHECK(left("9:hugetlb,memory:/slurm/job_7/step\n", root) == 3000);
  write_group(root.path(), "memory.max", "2500", "memory.current", "0");
  CHECK(left("9:memory:/slurm/job_7\n0::/\n", root) == 2500);
}

TEST_CASE("An array that the host cannot hold is refused instead of killing the process") {
  CHECK_THROWS_WITH(Array::on_host(DType::kFloat64, {std::int64_t{1} << 45}),
                    Contains("cannot give 256 TiB for an array of float64 (35184372088832,): "));
}

TEST_CASE("Blocks of any size are copied, filled and compared whole") {
  constexpr std::size_t kMiB = std::size_t{1} << 20;
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, 4 * kMiB - 1, 4 * kMiB, 8 * kMiB,
                                  8 * kMiB + 1, 33 * kMiB + 7}) {
    CAPTURE(bytes);
    std::vector<std::byte> from(bytes + 1), to(bytes + 1, std::byte{0xEE});
    for (std::size_t k = 0; k < bytes; ++k) from[k] = static_cast<std::byte>(k * 31 % 251);
    copy_bytes(to.data(), from.data(), bytes);
    CHECK(std::equal(from.begin(), from.end() - 1, to.begin()));
    CHECK(to[bytes] == std::byte{0xEE});
    CHECK(equal_bytes(from.data(), to.data(), bytes));
    for (const std::size_t at : {std::size_t{0}, bytes / 2, bytes - 1}) {
      if (bytes == 0) break;
      to[at] ^= std::byte{1};
      CHECK_FALSE(equal_bytes(from.data(), to.data(), bytes));
      to[at] ^= std::byte{1};
    }
    fill_bytes(to.data(), std::byte{7}, bytes);
    CHECK(std::all_of(to.begin(), to.end() - 1, [](std::byte b) { return b == std::byte{7}; }));
    CHECK(to[bytes] == std::byte{0xEE});
  }
}

// AddressSanitizer has its own allocator.
#if defined(__SANITIZE_ADDRESS__) || !defined(__GLIBC__)
#define OTHER_ALLOCATOR 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define OTHER_ALLOCATOR 1
#endif
#endif

#ifndef OTHER_ALLOCATOR
/// Pages that this process gets from the system while it uses 16 MiB in blocks of several sizes.
long new_pages() {
  rusage begin{}, end{};
  ::getrusage(RUSAGE_SELF, &begin);
  std::vector<std::unique_ptr<char[]>> blocks;
  for (std::size_t size = 1 << 10; size <= std::size_t{2} << 20; size *= 2)
    for (std::size_t used = 0; used < std::size_t{2} << 20; used += size) {
      blocks.emplace_back(new char[size]);
      for (std::size_t k = 0; k < size; k += 512)
        static_cast<volatile char*>(blocks.back().get())[k] = 1;
    }
  blocks.clear();
  ::getrusage(RUSAGE_SELF, &end);
  return end.ru_minflt - begin.ru_minflt;
}

TEST_CASE("Freed memory is used again without new pages") {
  keep_freed_memory();
  new_pages();
  CHECK(new_pages() < 100);
}
#endif

}  // namespace
}  // namespace kernelbatch
