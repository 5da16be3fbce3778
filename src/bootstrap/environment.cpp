#include "bootstrap/environment.hpp"

#include <fcntl.h>

#include <charconv>
#include <cstdlib>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "base/fail.hpp"

namespace armature::bootstrap {
namespace {

using base::fail;

std::optional<int> number(const char* variable) {
  const char* text = std::getenv(variable);
  if (text == nullptr) return std::nullopt;
  const std::string_view view(text);
  int value = -1;
  const auto [end, error] = std::from_chars(view.data(), view.data() + view.size(), value);
  if (error != std::errc{} || end != view.data() + view.size() || value < 0)
    fail(Errc::start,
         fmt::format("{}='{}' is not a number: it is set by armature run and must be left alone",
                     variable, view));
  return value;
}

}  // namespace

bool Environment::take(Environment& out) {
  const auto rank = number(rank_variable);
  const auto hosted = number(hosted_variable);
  const auto control = number(control_variable);
  const auto segments = number(segments_variable);
  const auto process = number(process_variable);
  if (!rank && !hosted && !control && !segments) return false;
  if (!rank || (hosted.value_or(0) == 0) != process.has_value() || !control || !segments)
    fail(Errc::start,
         fmt::format("{}, {}, {} and {} must be set together: they are set by armature run and "
                     "must be left alone",
                     rank_variable, hosted_variable, control_variable, segments_variable));
  if (fcntl(*control, F_GETFD) < 0)
    fail(Errc::start,
         fmt::format(
             "descriptor {} of the job is closed: something between armature run and this program "
             "closes inherited files",
             *control));
  out = {.rank = *rank,
         .hosted = hosted.value_or(0),
         .control_fd = *control,
         .first_segment_fd = *segments,
         .store_fd = number(store_variable).value_or(-1),
         .launcher_fd = number(launcher_variable).value_or(-1),
         .process = process.value_or(-1)};
  for (const char* variable : our_variables) unsetenv(variable);
  unsetenv(secrets_variable);
  return true;
}

}  // namespace armature::bootstrap
