#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

// A virtual rank can go on in another process where code, statics, the first stack and the C
// library's secrets are as they were where it began. So the processes that host them are made alike
// when they start: docs/decisions/migration.md.

namespace armature::bootstrap {

/// Makes the programs that this process becomes, or starts, alike: addresses are not randomised,
/// and malloc gives each rank memory of its own. Where that cannot be had, ranks stay where they
/// are, and say so when they are to move. `secrets` are 32 digits that all processes of the job
/// have in common.
void fix_address_layout(const std::string& secrets);

/// Whether the library for that is there: a build with a sanitizer has none.
[[nodiscard]] bool has_malloc_of_ranks();
/// Why that library does not go with the address sanitizer's; after the program's name.
inline constexpr const char* address_sanitizer_text =
    "is compiled with the address sanitizer, which knows neither the stacks nor the memory of "
    "virtual ranks: run it as processes or threads, or compile it without -fsanitize=address";

/// Gets new ones from the system.
[[nodiscard]] std::string new_secrets();

/// The kernel puts the program's path and words and its environment above its first stack, and
/// pointers to them below. All processes of virtual ranks get a whole number of these, now and when
/// the job is restarted with another environment. So what lies on that stack lies at the same
/// address. Returns the variables that are missing.
[[nodiscard]] std::vector<std::string> padding_for(std::string_view path,
                                                   std::span<const char* const> words,
                                                   std::span<const char* const> environment);

}  // namespace armature::bootstrap
