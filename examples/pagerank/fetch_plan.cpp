#include "fetch_plan.hpp"

#include <algorithm>
#include <span>

namespace pagerank {
namespace {

// The parts, with an element for every entry or for every distinct column.
std::vector<FetchPlan::Part> make_parts(const RowBlocks& blocks,
                                        std::span<const std::uint32_t> columns, int rank,
                                        Fetching fetching) {
  std::vector<FetchPlan::Part> parts;
  for (int owner = 0; owner < blocks.blocks(); ++owner) {
    FetchPlan::Part part{owner, {}};
    if (owner == rank) continue;
    const std::uint32_t first = blocks.first(owner);
    for (const std::uint32_t column : columns) {
      if (column - first < blocks.rows(owner)) part.elements.push_back(column - first);
    }
    if (fetching == Fetching::aggregated) {
      std::sort(part.elements.begin(), part.elements.end());
      part.elements.erase(std::unique(part.elements.begin(), part.elements.end()),
                          part.elements.end());
    }
    if (!part.elements.empty()) parts.push_back(std::move(part));
  }
  return parts;
}

}  // namespace

FetchPlan plan_fetching(const DistributedMatrix& matrix, int rank, Fetching fetching) {
  const auto columns = matrix.columns.local();
  FetchPlan plan{fetching, make_parts(matrix.blocks, columns, rank, fetching), {}, 0, 0};
  plan.own = plan.buffer_size = matrix.blocks.rows(rank);

  // Finds, for each owner, the factor of its next entry, or of its entry for a given element.
  struct Begin {
    const FetchPlan::Part* part = nullptr;
    std::size_t slot = 0;
  };
  std::vector<Begin> begins(static_cast<std::size_t>(matrix.blocks.blocks()));
  for (const FetchPlan::Part& part : plan.parts) {
    begins[static_cast<std::size_t>(part.owner)] = {&part, plan.buffer_size};
    plan.buffer_size += part.elements.size();
  }
  plan.slots.reserve(columns.size());
  for (const std::uint32_t column : columns) {
    const int owner = matrix.blocks.owner(column);
    const std::uint32_t element = column - matrix.blocks.first(owner);
    Begin& begin = begins[static_cast<std::size_t>(owner)];
    std::size_t slot = element;
    if (owner != rank && fetching == Fetching::one_by_one) {
      slot = begin.slot++;
    } else if (owner != rank) {
      const auto& elements = begin.part->elements;
      const auto found = std::lower_bound(elements.begin(), elements.end(), element);
      slot = begin.slot + static_cast<std::size_t>(found - elements.begin());
    }
    plan.slots.push_back(static_cast<std::uint32_t>(slot));
  }
  return plan;
}

void fetch(const FetchPlan& plan, const armature::Piece<double>& x, std::vector<double>& buffer) {
  double* to = buffer.data() + plan.own;
  for (const FetchPlan::Part& part : plan.parts) {
    const auto from = x.on(part.owner);
    if (plan.fetching == Fetching::one_by_one) {
      for (const std::uint32_t element : part.elements) armature::get_nbi(to++, from + element);
    } else {
      armature::Aggregate requests(part.owner);
      for (const std::uint32_t element : part.elements) requests.get(to++, from + element);
      requests.wait();
    }
  }
  armature::wait_all();
}

}  // namespace pagerank
