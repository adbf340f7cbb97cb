// A place in a source text.
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

/// "jobs/mse.yaml:7:3"; only the file's name if there is no line.
std::string to_text(const SourcePlace& place);

}  // namespace kernelbatch
