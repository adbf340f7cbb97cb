// A worker's sandbox: it is entered before the first case whose kernels are texts of the job.
#pragma once

#include "core/case/case_loader.hpp"
#include "core/case/requested_case.hpp"

namespace kernelbatch {

/// True if the case's kernels are texts that run on the host device, and the sandbox is on. Kernels
/// on a GPU cannot call the system; plugins are the user's own programs.
bool needs_sandbox(const RequestedCase& wanted);

/// True if the job's inputs or expected outputs are files, which a confined worker cannot open: it
/// reads them before, so it can run only this case.
bool reads_files(const RequestedCase& wanted);

/// Confines this process, whose device must be closed. Before that it reads the case's files and
/// starts the process that compiles. Throws what loading the case throws; EnvironmentError.
void confine_for(const RequestedCase& wanted, CaseLoader& loader);

}  // namespace kernelbatch
