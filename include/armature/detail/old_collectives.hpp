#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <type_traits>
#include <vector>

#include "armature/detail/collective.hpp"
#include "armature/operators.hpp"

// Collectives were members of Team before they were free functions. These members are deprecated,
// and go in a later version; the contract of each is that of the free function of the same name
// (collectives.hpp).

namespace armature::detail {

template <class Self>
class OldCollectives {
 public:
  template <Transferable T>
  [[deprecated("armature::broadcast(team, data, root)")]] void broadcast(std::span<T> data,
                                                                         int root) const {
    broadcast_bytes(team(), data.data(), data.size_bytes(), root);
  }
  template <Single T>
  [[deprecated("armature::broadcast(team, value, root)")]] T broadcast(T value, int root) const {
    broadcast_bytes(team(), &value, sizeof value, root);
    return value;
  }
  template <Single T>
  [[deprecated("armature::allgather(team, mine)")]] std::vector<T> allgather(const T& mine) const {
    std::vector<T> all(static_cast<std::size_t>(team().size()));
    allgather_bytes(team(), &mine, sizeof(T), all.data());
    return all;
  }
  template <Transferable T>
  [[deprecated("armature::allgather(team, mine, all)")]] void allgather(std::span<const T> mine,
                                                                        std::span<T> all) const {
    expect_elements("allgather", all.size(), mine.size() * static_cast<std::size_t>(team().size()));
    allgather_bytes(team(), mine.data(), mine.size_bytes(), all.data());
  }
  template <Transferable T>
  [[deprecated("armature::gather(team, mine, all, root)")]] void gather(std::span<const T> mine,
                                                                        std::span<T> all,
                                                                        int root) const {
    if (team().rank() == root)
      expect_elements("gather", all.size(), mine.size() * static_cast<std::size_t>(team().size()));
    gather_bytes(team(), mine.data(), mine.size_bytes(), all.data(), root);
  }
  template <Single T>
  [[deprecated("armature::gather(team, mine, root)")]] std::vector<T> gather(const T& mine,
                                                                             int root) const {
    std::vector<T> all(team().rank() == root ? static_cast<std::size_t>(team().size()) : 0);
    gather_bytes(team(), &mine, sizeof(T), all.data(), root);
    return all;
  }
  template <Transferable T>
  [[deprecated("armature::scatter(team, all, mine, root)")]] void scatter(std::span<const T> all,
                                                                          std::span<T> mine,
                                                                          int root) const {
    if (team().rank() == root)
      expect_elements("scatter", all.size(), mine.size() * static_cast<std::size_t>(team().size()));
    scatter_bytes(team(), all.data(), mine.size_bytes(), mine.data(), root);
  }
  template <Single T>
  [[deprecated("armature::scatter(team, all, root)")]] T scatter(std::span<const T> all,
                                                                 int root) const {
    if (team().rank() == root)
      expect_elements("scatter", all.size(), static_cast<std::size_t>(team().size()));
    T mine{};
    scatter_bytes(team(), all.data(), sizeof(T), &mine, root);
    return mine;
  }
  template <Transferable T>
  [[deprecated("armature::alltoall(team, mine, all)")]] void alltoall(std::span<const T> mine,
                                                                      std::span<T> all) const {
    expect_elements("alltoall", all.size(), mine.size());
    expect_elements("alltoall", mine.size() % static_cast<std::size_t>(team().size()), 0);
    alltoall_bytes(team(), mine.data(), mine.size_bytes() / static_cast<std::size_t>(team().size()),
                   all.data());
  }
  template <Transferable T, class Op = std::plus<>>
  [[deprecated("armature::allreduce(team, data, op)")]] void allreduce(std::span<T> data,
                                                                       Op op = {}) const {
    allreduce_bytes(team(), data.data(), reduction_of<T>(data.size(), op));
  }
  template <Single T, class Op = std::plus<>>
  [[deprecated("armature::allreduce(team, value, op)")]] T allreduce(T value, Op op = {}) const {
    allreduce_bytes(team(), &value, reduction_of<T>(1, op));
    return value;
  }
  template <Transferable T, class Op = std::plus<>>
  [[deprecated("armature::reduce(team, data, root, op)")]] void reduce(std::span<T> data, int root,
                                                                       Op op = {}) const {
    reduce_bytes(team(), data.data(), reduction_of<T>(data.size(), op), root);
  }
  template <Single T, class Op = std::plus<>>
  [[deprecated("armature::reduce(team, value, root, op)")]] T reduce(T value, int root,
                                                                     Op op = {}) const {
    reduce_bytes(team(), &value, reduction_of<T>(1, op), root);
    return value;
  }
  template <Transferable T, class Op = std::plus<>>
  [[deprecated("armature::scan(team, data, op)")]] void scan(std::span<T> data, Op op = {}) const {
    scan_bytes(team(), data.data(), reduction_of<T>(data.size(), op), nullptr);
  }
  template <Single T, class Op = std::plus<>>
  [[deprecated("armature::scan(team, value, op)")]] T scan(T value, Op op = {}) const {
    scan_bytes(team(), &value, reduction_of<T>(1, op), nullptr);
    return value;
  }
  template <Transferable T, class Op = std::plus<>>
  [[deprecated("armature::exclusive_scan(team, data, first, op)")]] void exclusive_scan(
      std::span<T> data, std::type_identity_t<T> first, Op op = {}) const {
    scan_bytes(team(), data.data(), reduction_of<T>(data.size(), op), &first);
  }
  template <Single T, class Op = std::plus<>>
  [[deprecated("armature::exclusive_scan(team, value, first, op)")]] T exclusive_scan(
      T value, std::type_identity_t<T> first, Op op = {}) const {
    scan_bytes(team(), &value, reduction_of<T>(1, op), &first);
    return value;
  }

 private:
  [[nodiscard]] const Self& team() const { return static_cast<const Self&>(*this); }
};

}  // namespace armature::detail
