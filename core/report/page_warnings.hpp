// What the page says first: what limits what its numbers say.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/result/reader.hpp"

namespace kernelbatch {

/// Warnings of all files, each once, with how many results it is of. They come from what the files
/// hold alone: devices, calibration, suspect results, shares of ceilings, notes of results.
class PageWarnings {
 public:
  void add(const ResultFile& file);

  /// A list of [kind, text], the gravest first. Kinds: simulation, noise, suspect, ceiling, and
  /// note.
  std::string list() const;

 private:
  /// Results that the same is said of.
  struct Said {
    std::string text;                ///< of the first of them
    std::vector<std::string> names;  ///< "mse raw", each once
    std::size_t results = 0;
  };
  /// In the order in which they are met; texts that differ in numbers alone are one.
  class Texts {
   public:
    void add(std::string_view text, const ResultRecord& record);
    const std::vector<Said>& all() const noexcept { return all_; }

   private:
    std::vector<Said> all_;
    std::map<std::string, std::size_t> places_;
  };

  std::vector<std::string> noise_, simulated_devices_;
  Texts suspects_, notes_, beyond_;
  std::size_t timed_ = 0, simulated_ = 0;
  double highest_share_ = 0;
};

}  // namespace kernelbatch
