#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include <armature/rank_local.hpp>
#include <armature/run.hpp>

#include "../departure.hpp"
#include "../fortran.hpp"
#include "../main.hpp"
#include "../synchronization.hpp"
#include "outcome.hpp"
#include "teams.hpp"

// The begin and the end of an image, and statements that synchronize.

namespace caf::prif {
namespace {

/// Compilers pass the length of characters last.
using Callback = void(const bool* is_error, const bool* is_quiet, const int* code, const char* text,
                      std::size_t length);

struct Job {
  bool has_begun = false;
  std::vector<Callback*> callbacks = {};
};

armature::rank_local<Job> job;

void call_back(bool is_error, bool is_quiet, const int* code, const Array* text) {
  // The last one comes first; one that stops the image itself is not called again.
  while (!job->callbacks.empty()) {
    Callback* const callback = job->callbacks.back();
    job->callbacks.pop_back();
    const std::string_view said = text != nullptr ? text_of(*text) : std::string_view();
    callback(&is_error, &is_quiet, code, text != nullptr ? said.data() : nullptr, said.size());
  }
}

}  // namespace
}  // namespace caf::prif

extern "C" {

using caf::image;
using caf::prif::Array;
using caf::prif::perform;

void _QMprifPprif_init(int* stat) {
  caf::leave_at_exit();
  bool was_there = false;
  perform("start", {stat, nullptr, nullptr}, [&] {
    caf::Image& me = image();
    was_there = caf::prif::job->has_begun;
    caf::prif::job->has_begun = true;
    if (!was_there) caf::synchronize(me.initial);
  });
  if (was_there) *stat = caf::prif::status::already_init;
}

/// The name is that of a Fortran procedure outside of a module: a dummy procedure with a
/// `character` argument is none of C's.
void prif_register_stop_callback_(caf::prif::Callback* const* callback) {
  caf::insisted("stop callback", [=] { caf::prif::job->callbacks.push_back(*callback); });
}

[[noreturn]] void _QMprifPprif_stop(const bool* is_quiet, const int* code, const Array* text) {
  caf::prif::call_back(false, *is_quiet, code, text);
  if (!*is_quiet && code != nullptr) std::fprintf(stderr, "STOP %d\n", *code);
  if (!*is_quiet && text != nullptr) {
    const std::string_view said = caf::prif::text_of(*text);
    std::fprintf(stderr, "STOP %.*s\n", static_cast<int>(said.size()), said.data());
  }
  caf::insisted("stop", [] {
    caf::Image& me = image();
    if (!me.is_gone) caf::depart(me, caf::Ending::stopped);
  });
  caf::end_image(code != nullptr ? *code : 0);
}

[[noreturn]] void _QMprifPprif_error_stop(const bool* is_quiet, const int* code,
                                          const Array* text) {
  caf::prif::call_back(true, *is_quiet, code, text);
  caf::flush_units();
  std::string said = "ERROR STOP";
  if (!*is_quiet && code != nullptr) said += " " + std::to_string(*code);
  if (!*is_quiet && text != nullptr) said += " " + std::string(caf::prif::text_of(*text));
  armature::abort(code != nullptr ? *code : 1, said);
}

[[noreturn]] void _QMprifPprif_fail_image() {
  caf::insisted("fail image", [] { caf::depart(image(), caf::Ending::failed); });
  caf::end_image(0);
}

/// `stop` and `error stop` of a program of Flang. A code of 0 without a text is none.
[[noreturn]] void caf_flang_stop(int code, const char* text, std::size_t length, bool is_error,
                                 bool is_quiet) {
  const Array words{const_cast<char*>(text), length, 1, 0, {}, {}};
  const Array* const said = text != nullptr ? &words : nullptr;
  const int* const given = said == nullptr && (code != 0 || is_error) ? &code : nullptr;
  if (is_error) _QMprifPprif_error_stop(&is_quiet, given, said);
  _QMprifPprif_stop(&is_quiet, given, said);
}

void _QMprifPprif_sync_all(int* stat, const Array* message, Array* own_message) {
  perform("sync all", {stat, message, own_message}, [] { caf::synchronize_all(image()); });
}

void _QMprifPprif_sync_memory(int* stat, const Array* message, Array* own_message) {
  perform("sync memory", {stat, message, own_message}, [] { caf::synchronize_memory(); });
}

/// Flang hands over one image as a scalar, and all as none.
void _QMprifPprif_sync_images(const Array* images, int* stat, const Array* message,
                              Array* own_message) {
  perform("sync images", {stat, message, own_message}, [=] {
    if (images == nullptr) return caf::synchronize_with(image(), -1, nullptr);
    std::vector<int> numbers;
    for (std::size_t i = 0; i < images->count(); ++i) numbers.push_back(images->at<int>(i));
    caf::synchronize_with(image(), static_cast<int>(numbers.size()), numbers.data());
  });
}

void _QMprifPprif_sync_team(const Array* team, int* stat, const Array* message,
                            Array* own_message) {
  perform("sync team", {stat, message, own_message},
          [=] { caf::synchronize(caf::prif::team_of(*team)); });
}

}  // extern "C"
