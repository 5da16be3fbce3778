// A catch clause does not see where an exception was thrown: the stack has been unwound. Before it
// is, the unwinder asks each catch clause, from the throw outwards, whether it is of the
// exception's type; and it asks the type_info that the clause names. So ThrownHere has a type_info
// of its own, which notes the stack, and answers that it is not of the type.
//
// A function that must not throw would end the process with the stack as it is, but also where the
// rank has a handler of errors; and to replace __cxa_throw would be to meet the throws of all.
#include "rmi/thrown_here.hpp"

#include <typeinfo>

#include "rmi/call_failures.hpp"

namespace armature::rmi {

class NotesThrow final : public std::type_info {
 public:
  bool __do_catch(const std::type_info* thrown, void** object, unsigned outer) const override;
};

bool NotesThrow::__do_catch(const std::type_info* /*thrown*/, void** /*object*/,
                            unsigned /*outer*/) const {
  CallFailures::of_this_rank().note_throw();
  return false;
}

// The object: a table of functions, which begins behind two words, and a name. A constant.
extern "C" {
__attribute__((visibility("hidden"))) extern const void* const functions_of_notes_throw[] __asm__(
    "_ZTVN8armature3rmi10NotesThrowE");
__attribute__((visibility("hidden"))) extern const void* const type_info_of_thrown_here[2] __asm__(
    "_ZTIN8armature3rmi10ThrownHereE");
const void* const type_info_of_thrown_here[2] = {&functions_of_notes_throw[2],
                                                 "N8armature3rmi10ThrownHereE"};
}

}  // namespace armature::rmi
