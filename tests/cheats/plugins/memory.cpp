#include "tests/cheats/plugins/memory.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>

namespace cheats {

std::vector<std::byte> read_memory(std::uintptr_t address, std::size_t count) {
  // A file, so that freed memory gives an error instead of a signal.
  static const int file = ::open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
  std::vector<std::byte> bytes(count);
  const ssize_t got = ::pread(file, bytes.data(), count, static_cast<off_t>(address));
  bytes.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  return bytes;
}

void find_bytes(std::span<const std::byte> bytes, std::size_t step,
                const std::function<bool(std::uintptr_t)>& found) {
  constexpr std::size_t kPiece = std::size_t{1} << 20;
  std::ifstream maps("/proc/self/maps");
  std::vector<std::pair<std::uintptr_t, std::uintptr_t>> ranges;
  for (std::string line; std::getline(maps, line);) {
    unsigned long begin = 0, end = 0;
    char access[8] = {};
    if (std::sscanf(line.c_str(), "%lx-%lx %7s", &begin, &end, access) == 3 &&
        std::strncmp(access, "rw-p", 4) == 0)
      ranges.emplace_back(begin, end);
  }
  for (const auto& [begin, end] : ranges)
    for (std::uintptr_t at = begin; at < end; at += kPiece) {
      // Pieces overlap, so that nothing between them is missed.
      const std::vector<std::byte> piece =
          read_memory(at, std::min<std::size_t>(kPiece + bytes.size(), end - at));
      for (std::size_t k = 0; k + bytes.size() <= piece.size(); k += step)
        if (std::memcmp(piece.data() + k, bytes.data(), bytes.size()) == 0 && found(at + k)) return;
    }
}

}  // namespace cheats
