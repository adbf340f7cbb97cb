#include "core/job/sbatch_body.hpp"

#include <string_view>

namespace kernelbatch {
namespace {

constexpr std::string_view kNameLines =
    "# By its place in the array: the last task bears the id of the whole array.\n"
    "id=${SLURM_ARRAY_JOB_ID:-$SLURM_JOB_ID}${SLURM_ARRAY_TASK_ID:+_$SLURM_ARRAY_TASK_ID}\n"
    "export KERNELBATCH_RESTART_LOG=\"$logs/$id.restarts\"\n";

constexpr std::string_view kWaitLines =
    " &\n"
    "child=$!\n"
    "stopped_by=\n"
    "# Before the time limit, and on scancel or preemption: finish, and exit with status 75.\n"
    "trap 'stopped_by=limit; kill -USR1 \"$child\" 2>/dev/null' USR1\n"
    "trap 'stopped_by=scancel; kill -TERM \"$child\" 2>/dev/null' TERM\n"
    "wait \"$child\"\n"
    "status=$?\n"
    "while kill -0 \"$child\" 2>/dev/null; do  # a signal ended the wait, not the program\n"
    "  wait \"$child\"\n"
    "  status=$?\n"
    "done\n";

/// The log has a line `RESTART_COUNT NEW_RESULTS …` of each process.
constexpr std::string_view kRequeueLines =
    "# True if the last two restarts gave no new result: another one would not help.\n"
    "is_stuck() {\n"
    "  awk -v last=\"${SLURM_RESTART_COUNT:-0}\" '\n"
    "    $1 > 0 && $1 > last - 2 {runs += !seen[$1]++; new += $2; if (NF > 2) why = $0}\n"
    "    END {sub(/^[0-9]+ [0-9]+ /, \"\", why)\n"
    "      if (runs < 2 || new) exit 1\n"
    "      print \"kernelbatch: not requeued, two restarts gave no new result: \" why}\n"
    "  ' \"$KERNELBATCH_RESTART_LOG\" >&2\n"
    "}\n"
    "if [ \"$status\" -eq 75 ] && [ \"$stopped_by\" != scancel ] && ! is_stuck; then\n"
    "  scontrol requeue \"$id\"\n"
    "fi\n";

}  // namespace

std::string run_body(const Submission& submission, bool is_requeued) {
  std::string text = "cd " + shell_quoted(submission.folder) + " || exit 1\n";
  text += "logs=" + shell_quoted(submission.log_folder) + "\n";
  text += kNameLines;
  text += quoted_command(submission.command) + " --resume";
  text += kWaitLines;
  if (is_requeued) text += kRequeueLines;
  return text + "exit \"$status\"\n";
}

}  // namespace kernelbatch
