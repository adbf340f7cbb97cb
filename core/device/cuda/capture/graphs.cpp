#include "core/device/cuda/capture/graphs.hpp"

#include <array>

#include "core/device/cuda/capture/launch_call.hpp"

namespace kernelbatch::capture {
namespace {

CUfunction function_of(const CUDA_KERNEL_NODE_PARAMS& parameters) {
  return parameters.func != nullptr ? parameters.func
                                    : reinterpret_cast<CUfunction>(parameters.kern);
}

Launch launch_of_node(const LoadedCuda& cuda, CUgraphNode node,
                      const CUDA_KERNEL_NODE_PARAMS& parameters) {
  std::array<CUlaunchAttribute, 2> attributes{};
  unsigned count = 0;
  for (const CUlaunchAttributeID id :
       {CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, CU_LAUNCH_ATTRIBUTE_COOPERATIVE}) {
    CUlaunchAttribute& attribute = attributes[count];
    attribute.id = id;
    if (cuda.cuGraphKernelNodeGetAttribute_(node, id, &attribute.value) != CUDA_SUCCESS) continue;
    // The driver returns zeros for a launch without clusters.
    if (id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION && attribute.value.clusterDim.x == 0) continue;
    ++count;
  }
  LaunchCall call{.function = function_of(parameters),
                  .parameters = parameters.kernelParams,
                  .extra = parameters.extra};
  set_shape(call.config, parameters);
  call.config.attrs = attributes.data();
  call.config.numAttrs = count;
  return launch_of(cuda, call, name_of(cuda, call.function));
}

}  // namespace

std::unique_ptr<Graphs::Watched>& Graphs::prepared() {
  thread_local std::unique_ptr<Watched> one;
  return one;
}

void Graphs::add_matching(CUgraph graph, std::vector<Node>& nodes,
                          std::vector<SeenKernel*>& kernels) {
  std::size_t count = 0;
  if (cuda_.cuGraphGetNodes_(graph, nullptr, &count) != CUDA_SUCCESS) return;
  std::vector<CUgraphNode> all(count);
  if (cuda_.cuGraphGetNodes_(graph, all.data(), &count) != CUDA_SUCCESS) return;
  for (CUgraphNode const node : all) {
    CUgraphNodeType type{};
    cuda_.cuGraphNodeGetType_(node, &type);
    CUgraph child = nullptr;
    if (type == CU_GRAPH_NODE_TYPE_GRAPH &&
        cuda_.cuGraphChildGraphNodeGetGraph_(node, &child) == CUDA_SUCCESS)
      add_matching(child, nodes, kernels);
    Node found{.graph = graph, .node = node};
    if (type != CU_GRAPH_NODE_TYPE_KERNEL ||
        cuda_.cuGraphKernelNodeGetParams_(node, &found.parameters) != CUDA_SUCCESS)
      continue;
    SeenKernel& kernel =
        recorder_.selection().kernel(name_of(cuda_, function_of(found.parameters)));
    kernel.in_graphs.fetch_add(1);
    if (!kernel.matches) continue;
    nodes.push_back(found);
    kernels.push_back(&kernel);
  }
}

std::unique_ptr<Graphs::Watched> Graphs::watch(const Node& node) {
  auto watched = std::make_unique<Watched>(cuda_);
  Capture& capture = watched->capture;
  capture.launch = launch_of_node(cuda_, node.node, node.parameters);
  Modules::Found found = modules_.find(function_of(node.parameters), capture.launch.kernel);
  capture.images_of_name = found.candidates;
  if (found.image) capture.image = found.image->bytes;
  capture.ptx = std::move(found.ptx);
  capture.device = device_of(cuda_);
  capture.variables = std::move(found.variables);
  PointerSearch search(memory_);
  search.add_words(capture.launch.bytes);
  capture.pointers = search.pointers();
  std::vector<Range> ranges = search.ranges();
  for (const Variable& variable : capture.variables) ranges.push_back(variable.block.range);
  if (search.bytes() > recorder_.settings().limit ||
      !watched->copies.add(node.graph, node.node, ranges))
    return nullptr;
  return watched;
}

void Graphs::prepare(CUgraph graph) {
  prepared().reset();
  std::vector<Node> nodes;
  std::vector<SeenKernel*> kernels;
  add_matching(graph, nodes, kernels);
  if (nodes.empty() || !recorder_.settings().has_graphs || recorder_.selection().is_finished())
    return;
  // The next launch that is asked for, if this graph has all launches from now on.
  const std::size_t chosen = recorder_.selection().left_before() % nodes.size();
  std::unique_ptr<Watched> watched = watch(nodes[chosen]);
  if (!watched) return;
  watched->kernels = std::move(kernels);
  watched->chosen = chosen;
  prepared() = std::move(watched);
}

void Graphs::instantiated(CUgraphExec executable) {
  if (!prepared()) return;
  const std::lock_guard lock(mutex_);
  watched_[executable] = std::move(prepared());
}

void Graphs::launched(CUgraphExec executable) {
  const std::lock_guard lock(mutex_);
  const auto found = watched_.find(executable);
  if (found == watched_.end()) return;
  Watched& watched = *found->second;
  for (std::size_t k = 0; k < watched.kernels.size(); ++k) {
    if (recorder_.selection().count(*watched.kernels[k]) == 0 || k != watched.chosen) continue;
    if (!memory_.synchronize()) return;
    Capture capture = watched.capture;
    // The last blocks are those of variables.
    capture.blocks = watched.copies.blocks();
    for (std::size_t count = capture.variables.size(); Variable & variable : capture.variables)
      variable.block = std::move(capture.blocks[capture.blocks.size() - count--]);
    capture.blocks.resize(capture.blocks.size() - capture.variables.size());
    recorder_.write(std::move(capture));
  }
  if (recorder_.selection().is_finished()) watched.copies.disable(executable);
}

void Graphs::changed(CUgraphExec executable) {
  {
    const std::lock_guard lock(mutex_);
    const auto found = watched_.find(executable);
    if (found == watched_.end()) return;
    found->second->copies.disable(executable);
  }
  forget(executable);
}

void Graphs::forget(CUgraphExec executable) {
  const std::lock_guard lock(mutex_);
  const auto found = watched_.find(executable);
  if (found == watched_.end()) return;
  retired_.push_back(std::move(found->second));
  watched_.erase(found);
}

}  // namespace kernelbatch::capture
