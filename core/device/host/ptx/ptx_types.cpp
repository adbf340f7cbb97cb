#include "core/device/host/ptx/ptx_types.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace kernelbatch::host {
namespace {

constexpr std::array<PtxType, 24> kTypes{{
    {"pred", "bool", 'p', 1},
    {"b8", "unsigned char", 'b', 8},
    {"u8", "unsigned char", 'u', 8},
    {"s8", "signed char", 's', 8},
    {"b16", "unsigned short", 'b', 16},
    {"u16", "unsigned short", 'u', 16},
    {"s16", "short", 's', 16},
    {"b32", "unsigned", 'b', 32},
    {"u32", "unsigned", 'u', 32},
    {"s32", "int", 's', 32},
    {"b64", "unsigned long long", 'b', 64},
    {"u64", "unsigned long long", 'u', 64},
    {"s64", "long long", 's', 64},
    {"f16", "__half", 'f', 16},
    {"bf16", "__nv_bfloat16", 'f', 16},
    {"f16x2", "__half2", 'f', 32},
    {"bf16x2", "__nv_bfloat162", 'f', 32},
    {"tf32", "float", 'f', 32},
    {"f32", "float", 'f', 32},
    {"f64", "double", 'f', 64},
    // Pairs of integers.
    {"s16x2", "unsigned", 'b', 32},
    {"u16x2", "unsigned", 'b', 32},
    {"u4", "unsigned", 'b', 32},
    {"s4", "unsigned", 'b', 32},
}};

constexpr std::array<std::pair<std::string_view, std::string_view>, 44> kSpecial{{
    {"%tid.x", "threadIdx.x"},
    {"%tid.y", "threadIdx.y"},
    {"%tid.z", "threadIdx.z"},
    {"%ntid.x", "blockDim.x"},
    {"%ntid.y", "blockDim.y"},
    {"%ntid.z", "blockDim.z"},
    {"%ctaid.x", "blockIdx.x"},
    {"%ctaid.y", "blockIdx.y"},
    {"%ctaid.z", "blockIdx.z"},
    {"%nctaid.x", "gridDim.x"},
    {"%nctaid.y", "gridDim.y"},
    {"%nctaid.z", "gridDim.z"},
    {"%laneid", "__kernelbatch_ptx_lane()"},
    {"%warpid", "__kernelbatch_ptx_warp()"},
    {"%nwarpid", "__kernelbatch_ptx_warps()"},
    {"%smid", "0u"},
    {"%nsmid", "1u"},
    {"%gridid", "0ull"},
    {"%lanemask_eq", "(1u << __kernelbatch_ptx_lane())"},
    {"%lanemask_lt", "((1u << __kernelbatch_ptx_lane()) - 1u)"},
    {"%lanemask_le", "((2u << __kernelbatch_ptx_lane()) - 1u)"},
    {"%lanemask_gt", "~((2u << __kernelbatch_ptx_lane()) - 1u)"},
    {"%lanemask_ge", "~((1u << __kernelbatch_ptx_lane()) - 1u)"},
    {"%clock", "(unsigned)__kernelbatch_ptx_clock()"},
    {"%clock_hi", "(unsigned)(__kernelbatch_ptx_clock() >> 32)"},
    {"%clock64", "__kernelbatch_ptx_clock()"},
    {"%globaltimer", "__kernelbatch_ptx_timer()"},
    {"%globaltimer_lo", "(unsigned)__kernelbatch_ptx_timer()"},
    {"%globaltimer_hi", "(unsigned)(__kernelbatch_ptx_timer() >> 32)"},
    {"%dynamic_smem_size", "__kernelbatch_ptx_dynamic_shared()"},
    {"%is_explicit_cluster", "(__kernelbatch_ptx_cluster_size() > 1)"},
    {"%cluster_ctarank", "__kernelbatch_ptx_cluster_rank()"},
    {"%cluster_nctarank", "__kernelbatch_ptx_cluster_size()"},
    {"%cluster_ctaid.x", "__kernelbatch_cluster_index().x"},
    {"%cluster_ctaid.y", "__kernelbatch_cluster_index().y"},
    {"%cluster_ctaid.z", "__kernelbatch_cluster_index().z"},
    {"%cluster_nctaid.x", "__kernelbatch_cluster_dim().x"},
    {"%cluster_nctaid.y", "__kernelbatch_cluster_dim().y"},
    {"%cluster_nctaid.z", "__kernelbatch_cluster_dim().z"},
    {"%clusterid.x", "(blockIdx.x / __kernelbatch_cluster_dim().x)"},
    {"%clusterid.y", "(blockIdx.y / __kernelbatch_cluster_dim().y)"},
    {"%clusterid.z", "(blockIdx.z / __kernelbatch_cluster_dim().z)"},
    {"%nclusterid.x", "(gridDim.x / __kernelbatch_cluster_dim().x)"},
    {"WARP_SZ", "32u"},
}};

}  // namespace

const PtxType* ptx_type(std::string_view name) {
  const auto found = std::ranges::find(kTypes, name, &PtxType::name);
  return found == kTypes.end() ? nullptr : &*found;
}

std::optional<std::string> special_register(std::string_view name) {
  const auto found =
      std::ranges::find(kSpecial, name, &std::pair<std::string_view, std::string_view>::first);
  if (found == kSpecial.end()) return std::nullopt;
  return std::string(found->second);
}

}  // namespace kernelbatch::host
