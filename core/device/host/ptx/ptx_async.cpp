#include "core/device/host/ptx/ptx_writer.hpp"

// Asynchronous copies, and the barriers in memory that count them.
namespace kernelbatch::host {
namespace {

/// Operands without a cache policy, which is the last one.
std::size_t operands_of_copy(const PtxInstruction& i) {
  return i.operands.size() - (i.has("L2::cache_hint") ? 1 : 0);
}

}  // namespace

std::string PtxWriter::copy(const PtxInstruction& i) const {
  if (i.has("multicast::cluster") || !i.has("async")) refuse(i);
  const std::string kind =
      i.has("bulk") ? "kernelbatch_host::kCopyBulk" : "kernelbatch_host::kCopySmall";
  const PtxType& b32 = *ptx_type("b32");
  if (i.has("commit_group")) return fmt::format("__kernelbatch_ptx_copies_commit({});", kind);
  if (i.has("wait_group"))
    return fmt::format("__kernelbatch_ptx_copies_wait({}, {}, {});", value(i, 0, b32), kind,
                       i.has("read"));
  if (i.has("wait_all")) return "__kernelbatch_ptx_copies_wait_all();";
  if (i.has("mbarrier"))
    return fmt::format("__kernelbatch_ptx_mbarrier_arrive_copies({}, {});",
                       address(i, i.operands.at(0)), i.has("noinc"));
  if (i.has("prefetch")) return "";
  if (i.has("tensor")) return tensor_copy(i);
  if (i.has("reduce")) refuse(i);
  if (i.has("bulk")) return bulk_copy(i);
  if (i.has("ignore-src")) refuse(i);
  const std::size_t count = operands_of_copy(i);
  if (count < 3) refuse(i);
  return fmt::format("__kernelbatch_ptx_copy({}, {}, {}, {});", address(i, i.operands.at(0)),
                     address(i, i.operands.at(1), false), value(i, 2, b32),
                     value(i, count > 3 ? 3 : 2, b32));
}

std::string PtxWriter::bulk_copy(const PtxInstruction& i) const {
  if (i.operands.size() < 3) refuse(i);
  const std::string& to = i.parts.at(3);
  const bool is_to_global = to == "global";
  const bool is_from_global = i.parts.at(4) == "global";
  const bool has_barrier = i.has("mbarrier::complete_tx::bytes");
  if (!has_barrier && !i.has("bulk_group")) refuse(i);
  return fmt::format("__kernelbatch_ptx_copy_bulk({}, {}, {}, {});",
                     address(i, i.operands.at(0), !is_to_global),
                     address(i, i.operands.at(1), !is_from_global), value(i, 2, *ptx_type("b32")),
                     has_barrier ? address(i, i.operands.at(3), true) : "nullptr");
}

std::string PtxWriter::memory_barrier(const PtxInstruction& i) const {
  const std::string& what = i.parts.at(1);
  const PtxType& b32 = *ptx_type("b32");
  const auto at = [&](std::size_t k) { return address(i, i.operands.at(k)); };
  if (what == "inval") return "";
  if (what == "init")
    return fmt::format("__kernelbatch_ptx_mbarrier_init({}, {});", at(0), value(i, 1, b32));
  if (what == "expect_tx" || what == "complete_tx")
    return fmt::format("__kernelbatch_ptx_mbarrier_{}({}, {});",
                       what == "expect_tx" ? "expect" : "complete", at(0), value(i, 1, b32));
  if (what == "test_wait" || what == "try_wait")
    return fmt::format("{} = __kernelbatch_ptx_mbarrier_wait({}, {}, {});",
                       target(i.operands.at(0)), at(1), bits(i.operands.at(2), *ptx_type("b64"), i),
                       i.has("parity"));
  if (what == "pending_count")
    return fmt::format("{} = {} & 0xfffffull;", target(i.operands.at(0)),
                       bits(i.operands.at(1), *ptx_type("b64"), i));
  if (what != "arrive" && what != "arrive_drop") refuse(i);
  // The state is missing in the forms without one, such as those for a cluster's other blocks.
  const bool has_state = i.operands.at(0).kind != PtxOperand::Kind::kAddress;
  const std::size_t first = has_state ? 1 : 0;
  const bool expects = i.has("expect_tx");
  const bool has_value = i.operands.size() > first + 1;
  const std::string operand = has_value ? value(i, first + 1, b32) : "1u";
  return fmt::format(
      "{}{}__kernelbatch_ptx_mbarrier_{}({}, {});",
      expects ? fmt::format("__kernelbatch_ptx_mbarrier_expect({}, {}); ", at(first), operand) : "",
      has_state && i.operands[0].kind != PtxOperand::Kind::kNone ? target(i.operands[0]) + " = "
                                                                 : "",
      what == "arrive" ? "arrive" : "drop", at(first), expects ? "1u" : operand);
}

}  // namespace kernelbatch::host
