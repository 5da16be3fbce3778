#pragma once

namespace caf {

/// Has exit() in an image that is a process stop the image first.
void leave_at_exit();

/// Ends the image with that status, where its `main` was called.
[[noreturn]] void end_image(int status);

}  // namespace caf
