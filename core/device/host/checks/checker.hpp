// The checks of the host device: every access that a kernel makes, held against what is known of
// its memory and of the order of threads.
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

/// What can be wrong; those of one place that are the same are one finding.
enum class Fault : std::uint8_t {
  kOutside,
  kIndex,
  kMisaligned,
  kInput,
  kRace,
  kSameValue,
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

/// Where an instruction stands, and what it touched last.
struct Site {
  const void* place = nullptr;
  Region* region = nullptr;
  std::uint64_t layout = 0;  ///< of memory, when `region` was found
  std::uint16_t number = 0;  ///< of the launch; 0: it has no more numbers
  Range ignored;             ///< what it touched last of nobody's business
  unsigned outside = 0;      ///< how often it left its arrays
  enum class Whose : std::uint8_t {
    kUnknown,
    kUsers,
    kGenerated,  ///< loads and stores around the user's text
    kOurs        ///< a header of ours
  } whose = Whose::kUnknown;
};

/// What a thread did, for a finding.
struct Action {
  ThreadPlace thread;
  const void* place = nullptr;  ///< in the code
};

/// Of one device. Only one CPU thread runs a block at a time: who holds `turn()`.
class Checker final : public AccessChecks {
 public:
  explicit Checker(CheckKinds kinds) : kinds_(std::move(kinds)) {}

  void describe(const void* memory, std::size_t bytes, std::size_t item, const std::string& name,
                ArrayUse use) override;
  void on_finding(std::function<void(const KernelFinding&)> told) override {
    told_ = std::move(told);
  }
  std::vector<KernelFinding> take_findings() override;

  void add_allocation(const void* memory, std::size_t bytes);
  void remove_allocation(const void* memory) noexcept;
  /// What a copy or a fill wrote.
  void set_values(const void* memory, std::size_t bytes);
  /// A library of kernels that was loaded at `base`.
  void add_library(const void* base, CodePlaces places);
  void remove_library(const void* base) noexcept;
  /// Another number after another library was loaded: one may come to the address of one before.
  std::uint64_t libraries_seen() const noexcept { return libraries_seen_; }

  void begin_launch(const std::string& kernel);
  /// Of this launch: memory that is nobody's business, such as what the kernel is called with.
  void ignore(const void* memory, std::size_t bytes);
  /// The range that an address is in; an empty one where it is in none.
  Range ignored_at(std::uintptr_t address) const noexcept;
  /// All threads of the grid have waited for each other: what they did before is in order.
  /// `phase` is the barrier's, which each block tells of.
  void pass_grid_barrier(std::uint64_t phase);

  bool looks_for(CheckKind kind) const { return kinds_.contains(kind); }
  std::mutex& turn() noexcept { return turn_; }

  /// Valid until the next call.
  Site& site_of(const void* place);
  const void* place_of(std::uint16_t site) const noexcept;
  /// Whether code there comes from headers of ours, and no function of the user's is inlined
  /// around it.
  bool is_ours(Site& site) { return whose(site) == Site::Whose::kOurs; }
  bool is_ours(const void* place) { return is_ours(site_of(place)); }
  bool is_generated(const void* place) { return whose(site_of(place)) == Site::Whose::kGenerated; }
  /// The memory that an address is in; null where no kernel has anything to do.
  Region* region_of(std::uintptr_t address) const;
  std::uint64_t layout() const noexcept { return layout_; }
  /// Memory of a block or a launch, which is the caller's to remove.
  Region& add_region(std::unique_ptr<Region> region);
  void remove_region(const Region& region) noexcept;
  std::vector<std::pair<ImageVariable, std::uintptr_t>> thread_locals_of(const void* code) const;

  /// The word's publication; made on demand.
  Publication& publication_of(std::uintptr_t address) { return publications_[address]; }
  const Publication* find_publication(std::uintptr_t address) const;

  /// "x[35]" or "shared memory at byte 140": how messages call what `bytes` at an address are.
  std::string name_of(const Region& region, std::uintptr_t address, std::size_t bytes,
                      KernelFinding& finding) const;
  /// "x[64], past the end of its 64 elements": how messages call memory that is in no array.
  std::string surroundings_of(std::uintptr_t address, std::size_t bytes,
                              KernelFinding& finding) const;
  /// Counts the finding; what the first one of its kind, place and other place says is kept.
  /// `what` writes its words only then.
  void report(Fault fault, const Action& here, const void* other_place,
              const std::function<void(KernelFinding&)>& write);
  CodePlace code_place(const void* place) const;

 private:
  static constexpr std::size_t kMostSites = 1023;  ///< that a word can name
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
  std::uint64_t grid_phases_ = 0;  ///< that were passed
  std::map<std::tuple<Fault, const void*, const void*>, std::size_t> known_;
  std::vector<Found> found_;
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
