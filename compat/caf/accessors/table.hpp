#pragma once

namespace caf {

using Accessor = void();

/// The program's accessors, by the numbers that its compiler has given them. They are registered by
/// constructors, and are the same at all images. Of images with copies of the program the first
/// one's are kept, which is always there: an accessor uses no variables.
void register_accessor(int hash, Accessor* accessor);
/// The place of the accessor of that number, in this process; -1 where there is none.
[[nodiscard]] int place_of_accessor(int hash);
[[nodiscard]] int hash_of_accessor(int place);
/// Throws Refusal.
[[nodiscard]] Accessor* accessor_at(int place);

}  // namespace caf
