#include <cstddef>
#include <string>

#include "bench/rows.hpp"

// Strided and scattered transfers: patches of a matrix, every third element of a vector.

namespace armature::bench {

namespace {

constexpr std::size_t patches[] = {1, 8, 64, 256, 512};

void patch_rows_of(Stage& stage, SquarePatch patch, Target target) {
  double* const local = stage.doubles();
  const auto remote = stage.remote();
  double* const plain = remote.direct();
  const std::size_t n = patch.n, width = SquarePatch::matrix_width;
  stage.one_sided(
      {"put2d", patch.bytes()}, target,
      [=] {
        SquarePatch{hidden(n)}.put(remote, local);
        keep(*plain);
      },
      [=] {
        limits::copy_patch(plain, width, local, n, hidden(n));
        keep(*plain);
      });
  stage.one_sided(
      {"get2d", patch.bytes()}, target,
      [=] {
        SquarePatch{hidden(n)}.get(local, remote);
        keep(*local);
      },
      [=] {
        limits::copy_patch(local, n, plain, width, hidden(n));
        keep(*local);
      });
}

void gather_rows_of(Stage& stage, Target target) {
  const Gather gather(stage);
  double* const local = stage.doubles();
  const double* const plain = stage.remote_plain();
  const auto limit = [=] {
    limits::gather(local, plain, hidden(Gather::count));
    keep(*local);
  };
  const auto row = [&](const std::string& op, void (Gather::*form)() const) {
    stage.one_sided(
        {op, Gather::count * sizeof(double)}, target,
        [&gather, form, local] {
          (gather.*form)();
          keep(*local);
        },
        limit);
  };
  row("gather", &Gather::by_vector);
  row("gather.strided", &Gather::by_subarray);
  row("gather.aggregate", &Gather::by_aggregate);
}

}  // namespace

void SquarePatch::put(global_ptr<double> to, const double* from) const {
  const auto row = static_cast<std::ptrdiff_t>(n * sizeof(double));
  put_patch(to, from,
            {.row_bytes = n * sizeof(double),
             .rows = n,
             .to_stride = matrix_width * sizeof(double),
             .from_stride = row});
}

void SquarePatch::get(double* to, global_ptr<double> from) const {
  const auto row = static_cast<std::ptrdiff_t>(n * sizeof(double));
  get_patch(to, from,
            {.row_bytes = n * sizeof(double),
             .rows = n,
             .to_stride = row,
             .from_stride = matrix_width * sizeof(double)});
}

Gather::Gather(const Stage& stage) : to_(stage.doubles()), from_(stage.remote()) {
  for (std::size_t i = 0; i < count; ++i) {
    to_addresses_.push_back(to_ + i);
    from_addresses_.push_back(from_.address() + i * step);
  }
}

void Gather::by_vector() const {
  const Iov iov{.to = to_addresses_, .from = from_addresses_, .bytes = sizeof(double)};
  get_vector(1, {&iov, 1});
}

void Gather::by_subarray() const {
  const std::size_t counts[] = {sizeof(double), count};
  const std::ptrdiff_t to_strides[] = {sizeof(double)};
  const std::ptrdiff_t from_strides[] = {step * sizeof(double)};
  get_strided(to_, from_,
              {.counts = counts, .to_strides = to_strides, .from_strides = from_strides});
}

void Gather::by_aggregate() const {
  double* const to = to_;  // in registers, as those of the limit are
  const global_ptr<double> from = from_;
  Aggregate requests(1);
  // As the compiler unrolls the loop of the limit, which it vectorises.
#pragma GCC unroll 4
  for (std::size_t i = 0; i < count; ++i)
    requests.get(to + i, from + static_cast<std::ptrdiff_t>(i * step));
  requests.wait();
}

void patch_rows(Stage& stage) {
  for (const std::size_t n : patches) patch_rows_of(stage, {n}, Target::waiting);
  patch_rows_of(stage, {64}, Target::computing);
}

void gather_rows(Stage& stage) {
  gather_rows_of(stage, Target::waiting);
  gather_rows_of(stage, Target::computing);
}

}  // namespace armature::bench
