// CUB's warp scans on the host device: in the order of shuffles upwards.
#pragma once

#include "cub/warp/warp_reduce.cuh"

namespace cub {

template <class T, int LogicalWarpThreads = 32, int LegacyArch = 0>
class WarpScan {
  using Group = detail::LaneGroup<LogicalWarpThreads>;

 public:
  using TempStorage = Uninitialized<NullType>;
  WarpScan() = default;
  explicit WarpScan(TempStorage&) {}

  void InclusiveSum(T input, T& output) { InclusiveScan(input, output, cuda::std::plus<>()); }
  void InclusiveSum(T input, T& output, T& aggregate) {
    InclusiveScan(input, output, cuda::std::plus<>(), aggregate);
  }
  void ExclusiveSum(T input, T& output) { ExclusiveScan(input, output, T{}, cuda::std::plus<>()); }
  void ExclusiveSum(T input, T& output, T& aggregate) {
    ExclusiveScan(input, output, T{}, cuda::std::plus<>(), aggregate);
  }
  template <class Op>
  void InclusiveScan(T input, T& output, Op op) {
    T aggregate;
    InclusiveScan(input, output, op, aggregate);
  }
  template <class Op>
  void InclusiveScan(T input, T& output, Op op, T& aggregate) {
    Row row(input, op);
    output = row.inclusive();
    aggregate = row.all();
  }
  template <class Op>
  void InclusiveScan(T input, T& output, T initial, Op op) {
    T aggregate;
    InclusiveScan(input, output, initial, op, aggregate);
  }
  template <class Op>
  void InclusiveScan(T input, T& output, T initial, Op op, T& aggregate) {
    Row row(input, op);
    output = op(initial, row.inclusive());
    aggregate = row.all();
  }
  /// Without an initial value the first lane's output is left as it is.
  template <class Op>
  void ExclusiveScan(T input, T& output, Op op) {
    T aggregate;
    ExclusiveScan(input, output, op, aggregate);
  }
  template <class Op>
  void ExclusiveScan(T input, T& output, Op op, T& aggregate) {
    Row row(input, op);
    if (Group::rank() > 0) output = row.before();
    aggregate = row.all();
  }
  template <class Op>
  void ExclusiveScan(T input, T& output, T initial, Op op) {
    T aggregate;
    ExclusiveScan(input, output, initial, op, aggregate);
  }
  template <class Op>
  void ExclusiveScan(T input, T& output, T initial, Op op, T& aggregate) {
    Row row(input, op);
    output = Group::rank() == 0 ? initial : op(initial, row.before());
    aggregate = row.all();
  }
  template <class Op>
  void Scan(T input, T& inclusive, T& exclusive, Op op) {
    Row row(input, op);
    inclusive = row.inclusive();
    if (Group::rank() > 0) exclusive = row.before();
  }
  template <class Op>
  void Scan(T input, T& inclusive, T& exclusive, T initial, Op op) {
    Row row(input, op);
    inclusive = op(initial, row.inclusive());
    exclusive = Group::rank() == 0 ? initial : op(initial, row.before());
  }
  T Broadcast(T input, unsigned source) {
    kernelbatch::lanes::Row<T> row;
    Group::gather(input, row);
    return row[source];
  }

 private:
  struct Row {
    kernelbatch::lanes::Row<T> values;
    template <class Op>
    Row(const T& input, Op op) {
      Group::gather(input, values);
      detail::scan_row(&values[0], LogicalWarpThreads, op);
    }
    T inclusive() const { return values[unsigned(Group::rank())]; }
    T before() const { return values[unsigned(Group::rank() - 1)]; }
    T all() const { return values[LogicalWarpThreads - 1]; }
  };
};

}  // namespace cub
