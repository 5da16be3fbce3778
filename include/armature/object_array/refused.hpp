#pragma once

#include <exception>
#include <string>

#include "armature/error.hpp"

// The way of a failed call of an element.

namespace armature::detail {

/// Thrown by what is done to an element when it cannot be done, for its caller.
struct Refused {
  Errc code;
  std::string text;
};

/// On the rank that is to hear of it.
struct ThrowReported {
  void operator()(Errc code, const std::string& text) const { throw Error(code, text); }
};

/// Calls tell(code, text) with what is being handled.
template <class F>
void tell_exception(F tell) {
  try {
    throw;
  } catch (const Refused& refused) {
    tell(refused.code, refused.text);
  } catch (const Error& error) {
    tell(error.code(), std::string(error.what()));
  } catch (const std::exception& error) {
    tell(Errc::remote, std::string(error.what()));
  } catch (...) {
    if (std::current_exception() == nullptr) throw;  // none of C++: the thread is being cancelled
    tell(Errc::remote, std::string("an exception that is no std::exception"));
  }
}

}  // namespace armature::detail
