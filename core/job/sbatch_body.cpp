#include "core/job/sbatch_body.hpp"

#include <fmt/format.h>

#include <string_view>

namespace kernelbatch {
namespace {

constexpr std::string_view kNameLines =
    "# By its place in the array: the last task bears the id of the whole array.\n"
    "id=${SLURM_ARRAY_JOB_ID:-$SLURM_JOB_ID}${SLURM_ARRAY_TASK_ID:+_$SLURM_ARRAY_TASK_ID}\n"
    "export KERNELBATCH_RESTART_LOG=\"$logs/$id.restarts\"\n";

/// A rank that ends must not end the others.
constexpr std::string_view kStartLines =
    "start=()\n"
    "if [ \"${SLURM_NNODES:-1}\" -gt 1 ] || [ \"${SLURM_NTASKS:-1}\" -gt 1 ]; then\n"
    "  # All nodes and ranks claim cases from one queue.\n"
    "  start=(srun --kill-on-bad-exit=0 --wait=0)\n"
    "  [ -z \"$SLURM_CPUS_PER_TASK\" ] || start+=(\"--cpus-per-task=$SLURM_CPUS_PER_TASK\")\n"
    "fi\n"
    "\"${start[@]}\" ";

constexpr std::string_view kWaitLines =
    " &\n"
    "child=$!\n"
    "was_cancelled=\n"
    "# Before the time limit, and on scancel or preemption: finish, and exit with status 75.\n"
    "trap 'kill -USR1 \"$child\" 2>/dev/null' USR1\n"
    "trap 'was_cancelled=yes; kill -TERM \"$child\" 2>/dev/null' TERM\n"
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
    "if [ \"$status\" -eq 75 ] && [ -z \"$was_cancelled\" ] && ! is_stuck; then\n"
    "  scontrol requeue \"$id\"";

/// The last line of a run counts. After the requeue: once a file has the line of a run, Slurm
/// counts a requeued task's next run.
constexpr std::string_view kExitLines =
    "echo \"${SLURM_RESTART_COUNT:-0} $status\" >>\"$logs/$id.exit\"\n";

constexpr std::string_view kLastLines =
    "# True while other tasks of the array are to run. A task has ended if its exit file has a "
    "line\n"
    "# for its present run. One that is completing (CG) may be requeued: that shows within a "
    "minute.\n"
    "has_others() {\n"
    "  local tasks task restarts state waits\n"
    "  [ -n \"$SLURM_ARRAY_JOB_ID\" ] || return 1\n"
    "  for _ in {1..30}; do\n"
    "    tasks=$(squeue -h -r -j \"$SLURM_ARRAY_JOB_ID\" -O "
    "ArrayTaskID:12,RestartCnt:12,StateCompact:4)\n"
    "    [ -n \"$tasks\" ] || return 0  # squeue failed: this task is one of them\n"
    "    waits=\n"
    "    while read -r task restarts state; do\n"
    "      grep -qs \"^$restarts \" \"$logs/${SLURM_ARRAY_JOB_ID}_$task.exit\" && continue\n"
    "      [ \"$state\" = CG ] || return 0\n"
    "      waits=yes\n"
    "    done <<<\"$tasks\"\n"
    "    [ -n \"$waits\" ] || return 1\n"
    "    sleep 2\n"
    "  done\n"
    "  return 1\n"
    "}\n";

/// Without the variable that only the requeue reads.
std::string without_unused(std::string_view lines, bool is_requeued) {
  std::string text(lines);
  if (!is_requeued)
    for (const std::string_view unused : {"was_cancelled=\n", "was_cancelled=yes; "})
      text.erase(text.find(unused), unused.size());
  return text;
}

}  // namespace

std::string merge_commands(const Submission& submission) {
  std::vector<std::string> state = submission.merge;
  state[1] = "status";
  return fmt::format("{} && {}", quoted_command(submission.merge), quoted_command(state));
}

std::string run_body(const Submission& submission, bool is_requeued, bool is_merged) {
  std::string text = "cd " + shell_quoted(submission.folder) + " || exit 1\n";
  text += "logs=" + shell_quoted(submission.log_folder) + "\n";
  text += kNameLines;
  text += kStartLines;
  text += quoted_command(submission.command) + " --resume";
  text += without_unused(kWaitLines, is_requeued);
  if (is_requeued) {
    text += kRequeueLines;
    text += is_merged ? " && is_requeued=yes\nfi\n" : "\nfi\n";
  }
  text += kExitLines;
  if (is_merged) {
    text += kLastLines;
    text += is_requeued ? "if [ -z \"$is_requeued\" ] && ! has_others; then\n"
                        : "if ! has_others; then\n";
    text += "  " + merge_commands(submission) + "\n";
    text += "  merged=$?\n";
    text += "  if [ \"$status\" -eq 0 ] && [ \"$merged\" -ne 0 ]; then\n    status=$merged\n    ";
    text += kExitLines;
    text += "  fi\nfi\n";
  }
  return text + "exit \"$status\"\n";
}

}  // namespace kernelbatch
