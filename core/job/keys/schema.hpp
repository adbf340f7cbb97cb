// The JSON Schema of jobs, generated from the tables of keys.
#pragma once

#include <string>

namespace kernelbatch {

/// The schema (draft 7) as indented JSON, with a line end.
std::string job_schema();

}  // namespace kernelbatch
