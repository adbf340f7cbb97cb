// Fuzz targets: every reader of text or bytes from a user, a file or another process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace kernelbatch::fuzz {

using Bytes = std::span<const std::byte>;

/// Reads `input` once and returns. A kernelbatch::Error with an explanation is the correct response
/// to bad input and is caught; any other exception, and every crash, hang or excessive allocation,
/// is a bug.
using Target = void (*)(Bytes input);

void job(Bytes input);         ///< job files, overrides, sweeps, and their resolved form
void inline_job(Bytes input);  ///< the plan of `workload: inline`
void expression(Bytes input);  ///< filters and sizes in jobs
void signature(Bytes input);   ///< parameters of raw and JIT-style sources
void definition(Bytes input);  ///< elementwise and reduction kernels
void fused(Bytes input);       ///< fuse expressions, their types and kernels
void npy(Bytes input);
void npz(Bytes input);
void matrix_market(Bytes input);
void hdf5(Bytes input);     ///< inputs
void shard(Bytes input);    ///< a shard read, and merged
void merged(Bytes input);   ///< a file of results read
void record(Bytes input);   ///< a shard's JSON records
void channel(Bytes input);  ///< frames between supervisor and worker, and their messages

struct NamedTarget {
  std::string_view name;  ///< of the folder of its corpus
  Target run;
};

inline constexpr NamedTarget kTargets[] = {
    {"job", job},
    {"inline_job", inline_job},
    {"expression", expression},
    {"signature", signature},
    {"definition", definition},
    {"fused", fused},
    {"npy", npy},
    {"npz", npz},
    {"matrix_market", matrix_market},
    {"hdf5", hdf5},
    {"shard", shard},
    {"merged", merged},
    {"record", record},
    {"channel", channel},
};

}  // namespace kernelbatch::fuzz
