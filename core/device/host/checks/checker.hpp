// Checks of the host device: compares every memory access of a kernel with the recorded state of
// its memory and the order of threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/device/access_checks.hpp"
#include "core/device/host/checks/clocks.hpp"
#include "core/device/host/checks/code_places.hpp"
#include "core/device/host/checks/shadow.hpp"

namespace kernelbatch::host {

/// Kinds of faults. The same fault at the same place is one finding.
enum class Fault : std::uint8_t {
  kOutside,
  kIndex,
  kMisaligned,
  kInput,
  kRace,
  kSameValue,
  kCopyInFlight,
  kProductInFlight,
  kNoValue,
  kOtherBarrier,
  kEndedBeforeBarrier,
  kOutsideOfMask,
  kEndedInMask,
  kDeadlock,
  kWaitsForEver,
};
CheckKind kind_of(Fault fault) noexcept;

/// "1 byte", "12 bytes"
std::string counted(std::size_t count, std::string_view what);

/// A range of memory.
struct Range {
  std::uintptr_t begin = 0;
  std::size_t bytes = 0;
  bool holds(std::uintptr_t address) const noexcept { return address - begin < bytes; }
};

/// The place of an instruction and the memory that it touched last.
struct Site {
  const void* place = nullptr;
  Region* region = nullptr;
  std::uint64_t layout = 0;  ///< of memory, when `region` was found
  std::uint16_t number = 0;  ///< number within the launch; 0: no numbers were left
  Range ignored;             ///< unchecked range that it touched last
  unsigned outside = 0;      ///< number of accesses outside arrays
  enum class Whose : std::uint8_t {
    kUnknown,
    kUsers,
    kGenerated,  ///< loads and stores around the user's text
    kOurs        ///< a header of ours
  } whose = Whose::kUnknown;
};

/// A thread's action, for a finding.
struct Action {
  ThreadPlace thread;
  const void* place = nullptr;  ///< in the code
};

/// Checker of one device. Only one CPU thread runs a block at a time: the one that holds `turn()`.
class Checker final : public AccessChecks {
 public:
  explicit Checker(CheckKinds kinds) : kinds_(std::move(kinds)) {}

  void describe(const void* memory, std::size_t bytes, std::size_t item, const std::string& name,
                ArrayUse use) override;
  void on_finding(std::function<void(const KernelFinding&)> told) override {
    told_ = std::move(told);
  }
  std::vector<KernelFinding> take_findings() override;
  std::vector<KernelCounts> take_counts() override { return std::exchange(counts_, {}); }

  void add_allocation(const void* memory, std::size_t bytes);
  void remove_allocation(const void* memory) noexcept;
  /// Marks bytes as written by a copy or a fill.
  void set_values(const void* memory, std::size_t bytes);
  /// A library of kernels that was loaded at `base`.
  void add_library(const void* base, CodePlaces places);
  void remove_library(const void* base) noexcept;
  /// Changes when a library is loaded: a library may get the address of an earlier one.
  std::uint64_t libraries_seen() const noexcept { return libraries_seen_; }

  void begin_launch(const std::string& kernel);
  /// Excludes memory from the checks of this launch, such as the kernel's arguments.
  void ignore(const void* memory, std::size_t bytes);
  /// The excluded range that contains an address; an empty range if there is none.
  Range ignored_at(std::uintptr_t address) const noexcept;
  /// All threads of the grid have waited for each other: their earlier actions are ordered. `phase`
  /// is the barrier's; each block reports it.
  void pass_grid_barrier(std::uint64_t phase);

  bool looks_for(CheckKind kind) const { return kinds_.contains(kind); }
  std::mutex& turn() noexcept { return turn_; }
  /// Counts of the launched kernel.
  KernelCounts& counts() { return counts_[counted_]; }

  /// Valid until the next call.
  Site& site_of(const void* place);
  const void* place_of(std::uint16_t site) const noexcept;
  /// True if the code comes from a prelude header and is not inlined into a function of the user's.
  bool is_ours(Site& site) { return whose(site) == Site::Whose::kOurs; }
  bool is_ours(const void* place) { return is_ours(site_of(place)); }
  bool is_generated(const void* place) { return whose(site_of(place)) == Site::Whose::kGenerated; }
  /// The memory region of an address; null if kernels may not access it.
  Region* region_of(std::uintptr_t address) const;
  std::uint64_t layout() const noexcept { return layout_; }
  /// Memory of a block or a launch; the caller must remove it.
  Region& add_region(std::unique_ptr<Region> region);
  void remove_region(const Region& region) noexcept;
  std::vector<std::pair<ImageVariable, std::uintptr_t>> thread_locals_of(const void* code) const;

  /// The word's publication; created on demand.
  Publication& publication_of(std::uintptr_t address) { return publications_[address]; }
  const Publication* find_publication(std::uintptr_t address) const;

  /// "x[35]" or "shared memory at byte 140": name in messages of `bytes` at an address.
  std::string name_of(const Region& region, std::uintptr_t address, std::size_t bytes,
                      KernelFinding& finding) const;
  /// "x[64], past the end of its 64 elements": name in messages of memory outside all arrays.
  std::string place_near(std::uintptr_t address, std::size_t bytes, KernelFinding& finding) const;
  /// Counts the finding; the text of the first one of its kind, place and other place is kept.
  /// `write` is called only then.
  void report(Fault fault, const Action& here, const void* other_place,
              const std::function<void(KernelFinding&)>& write);
  CodePlace code_place(const void* place) const;

 private:
  static constexpr std::size_t kMostSites = 1023;  ///< limit of a word's site field
  struct Library {
    Range range;
    CodePlaces places;
    std::vector<const Region*> variables;
  };
  struct Found {
    Fault fault = Fault::kOutside;
    KernelFinding finding = {};
    std::uint64_t last_block = ~0ull;
  };
  void change_layout() noexcept { ++layout_; }
  void forget_accesses();

  CheckKinds kinds_;
  std::mutex turn_;
  std::map<std::uintptr_t, std::unique_ptr<Region>> regions_;
  std::map<std::uintptr_t, std::size_t> allocations_;  ///< bytes
  std::map<std::uintptr_t, Library> libraries_;
  std::uint64_t layout_ = 1, libraries_seen_ = 0;
  std::vector<Site> sites_ = std::vector<Site>(1 << 10);  ///< by a hash of the place
  void grow_sites();
  Site::Whose whose(Site& site) {
    if (site.whose == Site::Whose::kUnknown) find_whose(site);
    return site.whose;
  }
  void find_whose(Site& site) const;
  std::vector<const void*> places_;  ///< by the number of a site
  std::unordered_map<std::uintptr_t, Publication> publications_;
  std::vector<Range> ignored_;
  std::string kernel_;
  std::int64_t launches_ = 0;
  std::uint64_t grid_phases_ = 0;  ///< passed
  std::map<std::tuple<Fault, const void*, const void*>, std::size_t> known_;
  std::vector<Found> found_;
  std::vector<KernelCounts> counts_;
  std::size_t counted_ = 0;  ///< index of the launched kernel's
  void count_launch();
  std::function<void(const KernelFinding&)> told_;
};

inline Site& Checker::site_of(const void* place) {
  const std::size_t mask = sites_.size() - 1;
  std::size_t at = (reinterpret_cast<std::uintptr_t>(place) * 0x9e3779b97f4a7c15ull >> 32) & mask;
  while (sites_[at].place != place) {
    if (sites_[at].place == nullptr) {
      if (2 * places_.size() >= sites_.size()) {
        grow_sites();
        return site_of(place);
      }
      places_.push_back(place);
      sites_[at].place = place;
      sites_[at].number =
          static_cast<std::uint16_t>(places_.size() <= kMostSites ? places_.size() : 0);
      break;
    }
    at = (at + 1) & mask;
  }
  return sites_[at];
}

}  // namespace kernelbatch::host
