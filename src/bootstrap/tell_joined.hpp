#pragma once

namespace armature::bootstrap {

/// Set by `armature outlive`: a descriptor on which it hears that the process has joined its job,
/// and that it has left it. Before the one a death is the whole job's; in between the job may go on
/// without it; after the other the exit status is the program's own.
inline constexpr const char* joined_variable = "ARMATURE_JOINED_FD";
inline constexpr char word_joined = 'j';
inline constexpr char word_left = 'l';

/// Says so, once, to who wants to hear it; false when nobody does.
bool tell_joined();
/// Says after that, to the same listener, that the process has left.
void tell_left();

}  // namespace armature::bootstrap
