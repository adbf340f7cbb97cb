// Operations of the running block, as kernels call them: plain functions without arguments of ours.
#include "core/device/host/block.hpp"

namespace kernelbatch::host {
namespace {

/// Fibers never move to another CPU thread.
thread_local BlockRunner::Block* running = nullptr;

int do_barrier(int kind, int predicate) {
  return running->barrier(kind, predicate, __builtin_return_address(0));
}
kernelbatch_host::WarpValues do_warp_exchange(unsigned mask, unsigned long long value) {
  return running->warp_exchange(mask, value, __builtin_return_address(0));
}
unsigned do_active_mask() { return running->active_mask(__builtin_return_address(0)); }
void do_yield() { running->yield(); }
void do_spread_arrive(int scope) { running->spread_arrive(scope); }
void do_spread_wait(int scope) { running->spread_wait(scope); }
void* do_spread_shared(const void* mine, unsigned rank) {
  return running->spread_shared(mine, rank);
}
void do_named_barrier(unsigned number, unsigned count, bool waits) {
  running->named_barrier(number, count, waits);
}
void do_begin_copy(const kernelbatch_host::AsyncCopy& copy) {
  running->begin_copy(copy, __builtin_return_address(0));
}
unsigned long do_begin_tensor_copy(const kernelbatch_host::TensorCopy& copy, const char** error) {
  return running->begin_tensor_copy(copy, error, __builtin_return_address(0));
}
void do_commit_copies(int kind) { running->commit_copies(kind); }
void do_wait_copies(unsigned prior, int kind, bool of_sources) {
  running->wait_copies(prior, kind, of_sources);
}
void do_bind_copies(void* barrier, unsigned round, bool is_mbarrier, bool arrives) {
  running->bind_copies(barrier, round, is_mbarrier, arrives, __builtin_return_address(0));
}
void do_receive_copies(void* barrier, unsigned round, bool has_passed) {
  running->receive_copies(barrier, round, has_passed);
}
unsigned long long do_mbarrier(int action, void* at, unsigned long long value) {
  return running->mbarrier(action, at, value, __builtin_return_address(0));
}
void do_launch_child(const kernelbatch_host::Index3& grid, const kernelbatch_host::Index3& block,
                     unsigned long long shared_bytes, void (*call)(void* const*), void* closure,
                     unsigned long closure_bytes, void (*destroy)(void*)) {
  LaunchShape shape;
  shape.grid = {grid.x, grid.y, grid.z};
  shape.block = {block.x, block.y, block.z};
  shape.shared_bytes = shared_bytes;
  running->add_child({shape, call, {closure, closure_bytes}, destroy});
}

void do_access(const void* address, unsigned long bytes, unsigned flags, const void* place) {
  running->access(address, bytes, flags, place);
}
void do_enter(const void* caller) { running->enter(caller); }
void do_leave() { running->leave(); }
void do_fence(bool is_block_scope) { running->fence(is_block_scope); }
void do_arrive(const void* barrier, unsigned round) { running->arrive_at(barrier, round); }
void do_go_on(const void* barrier, unsigned round) { running->go_on_from(barrier, round); }
void do_index_outside(long long index, const void* place) { running->index_outside(index, place); }
void do_misaligned(const void* address, unsigned long alignment, const void* place) {
  running->misaligned(address, alignment, place);
}

void do_product_in_flight(const void* place) { running->product_in_flight(place); }

constexpr kernelbatch_host::CheckOperations kCheckOperations{
    do_access, do_fence, do_enter, do_leave, do_index_outside, do_misaligned, do_product_in_flight,
    do_arrive, do_go_on};

constexpr kernelbatch_host::Operations operations_with(
    const kernelbatch_host::CheckOperations* checks) {
  return {do_barrier,
          do_warp_exchange,
          do_active_mask,
          do_yield,
          do_spread_arrive,
          do_spread_wait,
          do_spread_shared,
          do_named_barrier,
          do_launch_child,
          do_begin_copy,
          do_begin_tensor_copy,
          do_commit_copies,
          do_wait_copies,
          do_bind_copies,
          do_receive_copies,
          do_mbarrier,
          checks};
}
constexpr kernelbatch_host::Operations kOperations = operations_with(nullptr);
constexpr kernelbatch_host::Operations kCheckedOperations = operations_with(&kCheckOperations);

}  // namespace

BlockRunner::Block*& current_block() noexcept { return running; }

const kernelbatch_host::Operations& operations_of_kernels(bool are_checked) noexcept {
  return are_checked ? kCheckedOperations : kOperations;
}

}  // namespace kernelbatch::host
