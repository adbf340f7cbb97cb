// The part of CUPTI's profiler that needs no device: which counters a chip has, which of them are
// read, and their values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

struct CUpti_Profiler_Host_Object;

namespace kernelbatch::cuda {

/// The chip whose counters are read.
struct CounterChip {
  std::string name;  ///< CUPTI's name: GH100
  /// CUPTI's image of the counters available on the device; empty: those of all such chips.
  std::vector<std::uint8_t> availability;
};

/// Counters that are read together.
struct CounterChoice {
  std::vector<std::string> names, left_out;
  std::vector<std::uint8_t> configuration;  ///< CUPTI's configuration image for reading `names`
  std::size_t passes = 0;                   ///< required calls of the work
};

/// Chooses from the names (form of CounterRequest::names) those that the chip has, as long as at
/// most `most_passes` passes are needed: a name that would need more is left out, a later one may
/// fit. A name left out is listed with all its alternatives if the chip has none of them, else as
/// the one that the chip has. Repeated questions are answered from memory. Throws CounterRefusal.
CounterChoice choose_counters(const CounterChip& chip, const std::vector<std::string>& names,
                              int most_passes);

/// CUPTI's object for that part, for one set of names.
class CounterHost {
 public:
  /// Throws CounterRefusal. The chip must outlive this.
  explicit CounterHost(const CounterChip& chip);
  ~CounterHost();
  CounterHost(const CounterHost&) = delete;
  CounterHost& operator=(const CounterHost&) = delete;

  /// True if the chip has all of these. Call it once and first: names added one after the other
  /// never share a pass, and a refused name makes the object unusable.
  bool add(const std::vector<std::string>& names);
  /// Configuration image for reading them. Throws CounterRefusal, as do the functions below.
  std::vector<std::uint8_t> configuration() const;
  /// Values of the names for one range of the counter data.
  std::vector<double> evaluate(const std::vector<std::uint8_t>& data, std::size_t range) const;

 private:
  std::vector<const char*> pointers() const;

  CUpti_Profiler_Host_Object* handle_ = nullptr;
  std::vector<std::string> names_;
};

/// Calls of the work that a configuration needs.
std::size_t passes_of(std::vector<std::uint8_t>& configuration);

}  // namespace kernelbatch::cuda
