// A place in a text that somebody wrote.
#pragma once

#include <string>

namespace kernelbatch {

/// A place in a job file (lines and columns from 1) or on the command line (line 0).
struct SourcePlace {
  std::string file;
  int line = 0;
  int column = 0;

  bool operator==(const SourcePlace&) const = default;
};

/// "jobs/mse.yaml:7:3"; just the file's name where there is no line.
std::string to_text(const SourcePlace& place);

}  // namespace kernelbatch
