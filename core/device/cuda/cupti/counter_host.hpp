// The half of CUPTI's profiler that needs no device: which counters a chip has, which of them are
// read, and their values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

struct CUpti_Profiler_Host_Object;

namespace kernelbatch::cuda {

/// What counters are read of.
struct CounterChip {
  std::string name;  ///< as CUPTI has it: GH100
  /// CUPTI's image of what can be counted on the device; empty: whatever such chips have.
  std::vector<std::uint8_t> availability;
};

/// Counters that are read together.
struct CounterChoice {
  std::vector<std::string> names, left_out;
  std::vector<std::uint8_t> configuration;  ///< CUPTI's image of how `names` are read
  std::size_t passes = 0;                   ///< calls of the work that this takes
};

/// Of the names that CounterRequest::names has, those that the chip has, as far as no more than
/// `most_passes` are needed: a name that would need more is left out, a later one may fit. What is
/// left out is told by its alternatives where the chip has none of them, else by the one that it
/// has. The same question is answered from memory. Throws CounterRefusal.
CounterChoice choose_counters(const CounterChip& chip, const std::vector<std::string>& names,
                              int most_passes);

/// CUPTI's object of that half, for one set of names.
class CounterHost {
 public:
  /// Throws CounterRefusal. The chip must outlive this.
  explicit CounterHost(const CounterChip& chip);
  ~CounterHost();
  CounterHost(const CounterHost&) = delete;
  CounterHost& operator=(const CounterHost&) = delete;

  /// Whether the chip has all of these. Once, and before the rest: names that are added one after
  /// the other never share a pass, and what was refused spoils the object.
  bool add(const std::vector<std::string>& names);
  /// How these are read. Throws CounterRefusal, as does what follows.
  std::vector<std::uint8_t> configuration() const;
  /// Values of the names, of one range of the counters' data.
  std::vector<double> evaluate(const std::vector<std::uint8_t>& data, std::size_t range) const;

 private:
  std::vector<const char*> pointers() const;

  CUpti_Profiler_Host_Object* handle_ = nullptr;
  std::vector<std::string> names_;
};

/// Calls of the work that a configuration needs.
std::size_t passes_of(std::vector<std::uint8_t>& configuration);

}  // namespace kernelbatch::cuda
