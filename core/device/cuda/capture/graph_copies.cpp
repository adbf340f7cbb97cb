#include "core/device/cuda/capture/graph_copies.hpp"

#include <cstring>

namespace kernelbatch::capture {
namespace {

/// Neighbours of a node; `get` is one of the driver's two functions for that.
template <class Get>
std::vector<CUgraphNode> neighbours(Get get, CUgraphNode node) {
  std::size_t count = 0;
  if (get(node, nullptr, nullptr, &count) != CUDA_SUCCESS || count == 0) return {};
  std::vector<CUgraphNode> nodes(count);
  std::vector<CUgraphEdgeData> edges(count);
  if (get(node, nodes.data(), edges.data(), &count) != CUDA_SUCCESS) return {};
  return nodes;
}

}  // namespace

GraphCopies::~GraphCopies() {
  for (const Copy& copy : copies_) {
    if (copy.before != nullptr) cuda_.cuMemFreeHost_(copy.before);
    if (copy.after != nullptr) cuda_.cuMemFreeHost_(copy.after);
  }
}

bool GraphCopies::add(CUgraph graph, CUgraphNode kernel, const std::vector<Range>& ranges) {
  for (const Range& range : ranges) {
    Copy copy{.range = range};
    const bool has_memory = cuda_.cuMemHostAlloc_(&copy.before, range.bytes, 0) == CUDA_SUCCESS &&
                            cuda_.cuMemHostAlloc_(&copy.after, range.bytes, 0) == CUDA_SUCCESS;
    copies_.push_back(copy);
    if (!has_memory) return false;
  }
  if (add_nodes(graph, kernel)) return true;
  for (CUgraphNode const node : added_) cuda_.cuGraphDestroyNode_(node);
  return false;
}

bool GraphCopies::add_nodes(CUgraph graph, CUgraphNode kernel) {
  const std::vector<CUgraphNode> earlier = neighbours(cuda_.cuGraphNodeGetDependencies_, kernel);
  const std::vector<CUgraphNode> later = neighbours(cuda_.cuGraphNodeGetDependentNodes_, kernel);
  for (const Copy& copy : copies_) {
    CUgraphNode const before = add_copy(graph, copy.range, copy.before, earlier);
    if (before == nullptr || !order(graph, before, kernel)) return false;
    CUgraphNode const after = add_copy(graph, copy.range, copy.after, {kernel});
    if (after == nullptr) return false;
    for (CUgraphNode const node : later)
      if (!order(graph, after, node)) return false;
  }
  return true;
}

CUgraphNode GraphCopies::add_copy(CUgraph graph, const Range& range, void* to,
                                  const std::vector<CUgraphNode>& after) {
  CUDA_MEMCPY3D copy{};
  copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.srcDevice = range.address;
  copy.dstMemoryType = CU_MEMORYTYPE_HOST;
  copy.dstHost = to;
  copy.WidthInBytes = range.bytes;
  copy.Height = copy.Depth = 1;
  CUcontext context = nullptr;
  CUgraphNode node = nullptr;
  if (cuda_.cuCtxGetCurrent_(&context) != CUDA_SUCCESS ||
      cuda_.cuGraphAddMemcpyNode_(&node, graph, after.data(), after.size(), &copy, context) !=
          CUDA_SUCCESS)
    return nullptr;
  added_.push_back(node);
  return node;
}

bool GraphCopies::order(CUgraph graph, CUgraphNode first, CUgraphNode second) {
  return cuda_.cuGraphAddDependencies_(graph, &first, &second, nullptr, 1) == CUDA_SUCCESS;
}

void GraphCopies::disable(CUgraphExec executable) const {
  for (CUgraphNode const node : added_) cuda_.cuGraphNodeSetEnabled_(executable, node, 0);
}

std::vector<Block> GraphCopies::blocks() const {
  std::vector<Block> blocks;
  for (const Copy& copy : copies_) {
    Block block{.range = copy.range};
    block.before.resize(copy.range.bytes);
    block.after.resize(copy.range.bytes);
    std::memcpy(block.before.data(), copy.before, copy.range.bytes);
    std::memcpy(block.after.data(), copy.after, copy.range.bytes);
    blocks.push_back(std::move(block));
  }
  return blocks;
}

}  // namespace kernelbatch::capture
