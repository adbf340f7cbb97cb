// The JSON Schema of jobs, generated from the tables of keys.
#pragma once

#include <string>
#include <string_view>

namespace kernelbatch {

/// The schema (draft 7) as indented JSON, with a line end.
std::string job_schema();

/// Schemas that are not tables, by name, as one JSON mapping.
std::string_view schema_parts();

}  // namespace kernelbatch
