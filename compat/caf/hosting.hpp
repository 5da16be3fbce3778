#pragma once

namespace caf {

/// Whether the job's launcher has told this process to host virtual ranks or threads. Then images
/// run in caf_run_main, each with globals of its own. Joins the job otherwise.
[[nodiscard]] bool hosts_ranks();

/// Whether an image calls. In a process that hosts ranks no constructor of the program itself does:
/// the images' constructors are those of their copies.
[[nodiscard]] bool is_image();

}  // namespace caf
