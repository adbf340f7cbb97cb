#include "core/device/host/checks/access_counts.hpp"

#include <algorithm>

#include "core/device/host/checks/shadow.hpp"

namespace kernelbatch::host {
namespace {

constexpr std::uintptr_t kSectorBytes = 32, kBankBytes = 4, kBanks = 32;
constexpr unsigned kMostAccesses = 256;  ///< of a thread at a place

std::uint64_t key_of(unsigned number, std::uint16_t site, unsigned access) noexcept {
  return (std::uint64_t{number} << 16 | site) << 16 | access;
}

}  // namespace

void AccessCounts::add_sector(Request& request, std::uintptr_t sector, KernelCounts& counts) {
  if (std::ranges::find(request.units, sector) != request.units.end()) return;
  request.units.push_back(sector);
  ++counts.sectors;
}

/// Threads that use different words of one bank take turns.
void AccessCounts::add_word(Request& request, std::uintptr_t word, KernelCounts& counts) {
  if (std::ranges::find(request.units, word) != request.units.end()) return;
  request.units.push_back(word);
  const auto in_bank = static_cast<unsigned>(std::ranges::count_if(
      request.units, [&](std::uintptr_t other) { return other % kBanks == word % kBanks; }));
  const auto needed = static_cast<unsigned>((request.units.size() + kBanks - 1) / kBanks);
  counts.bank_conflicts -= request.conflicts;
  request.passes = std::max(request.passes, in_bank);
  request.conflicts = request.passes - std::min(request.passes, needed);
  counts.bank_conflicts += request.conflicts;
}

void AccessCounts::add(unsigned thread, std::uint16_t site, std::uintptr_t address,
                       std::size_t bytes, bool is_shared, KernelCounts& counts) {
  if (site == 0 || bytes == 0) return;
  const unsigned access = accesses_[key_of(thread, site, 0)]++;
  if (access >= kMostAccesses) return;
  const auto [found, is_new] = requests_.try_emplace(key_of(thread / kWarp, site, access));
  if (is_new) ++(is_shared ? counts.shared_requests : counts.requests);
  const std::uintptr_t size = is_shared ? kBankBytes : kSectorBytes;
  for (std::uintptr_t unit = address / size; unit <= (address + bytes - 1) / size; ++unit)
    is_shared ? add_word(found->second, unit, counts) : add_sector(found->second, unit, counts);
}

}  // namespace kernelbatch::host
