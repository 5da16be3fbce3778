#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include <armature/layer/races.hpp>
#include <armature/run.hpp>

#include "calls.hpp"
#include "departure.hpp"
#include "fortran.hpp"
#include "libcaf.hpp"
#include "main.hpp"

// The begin and the end of an image, and its number.

namespace {

using caf::image;
using caf::insisted;

/// Normal termination: the image waits until all have got there (Fortran 2018, 5.3.7).
[[noreturn]] void stop(int status) {
  insisted("stop", [] {
    caf::Image& me = image();
    if (!me.is_gone) caf::depart(me, caf::Ending::stopped);
  });
  caf::end_image(status);
}

[[noreturn]] void stop_all(int status, std::string_view said, bool is_quiet) {
  if (!is_quiet) caf::report_exceptions();
  caf::flush_units();
  armature::abort(status, is_quiet ? std::string("ERROR STOP") : "ERROR STOP" + std::string(said));
}

}  // namespace

extern "C" {

void _gfortran_caf_init(int* /*argc*/, char*** /*argv*/) {
  caf::leave_at_exit();
  // The initial values of all images' coarrays are there when one goes on.
  insisted("start", [] {
    armature::layer::do_not_look_for_races();
    caf::synchronize(image().initial);
  });
}

void _gfortran_caf_finalize() {
  insisted("end program", [] {
    caf::Image& me = image();
    if (!me.is_gone) caf::depart(me, caf::Ending::stopped);
  });
}

void _gfortran_caf_stop_numeric(int code, bool is_quiet) {
  if (!is_quiet) {
    caf::report_exceptions();
    std::fprintf(stderr, "STOP %d\n", code);
  }
  stop(code);
}

void _gfortran_caf_stop_str(const char* text, std::size_t length, bool is_quiet) {
  if (!is_quiet) {
    caf::report_exceptions();
    if (length > 0) std::fprintf(stderr, "STOP %.*s\n", static_cast<int>(length), text);
  }
  stop(0);
}

void _gfortran_caf_error_stop(int code, bool is_quiet) {
  stop_all(code, " " + std::to_string(code), is_quiet);
}

void _gfortran_caf_error_stop_str(const char* text, std::size_t length, bool is_quiet) {
  stop_all(1, length == 0 ? std::string() : " " + std::string(text, length), is_quiet);
}

void _gfortran_caf_fail_image() {
  insisted("fail image", [] { caf::depart(image(), caf::Ending::failed); });
  caf::end_image(0);
}

}  // extern "C"
