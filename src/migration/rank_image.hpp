#pragma once

#include <array>
#include <functional>

#include "space/mapping.hpp"
#include "transport/links.hpp"

namespace armature::migration {

class PageCache;

/// Sends all that a rank of this process has to the process that it goes to. These are the pages of
/// its segment that were touched, and what the control block knows of it. `file` is that of the
/// segments.
void send_rank(const space::Mapping& mapping, int file, int rank, PageCache& left);

/// How often others have notified a rank of this process: their counts are kept on the node where
/// they run. To the processes, on other nodes, that this names for them; -1: not told.
void send_notifications(const space::Mapping& mapping, int file, int rank,
                        const std::function<int(int by)>& process_of);

/// Has what comes written into that file; as soon as segments can be touched, also to the pages
/// that this process has left of them, where they lie.
void receive_into(int file);
void receive_into_cache(const PageCache& left);
extern const std::array<transport::Handling, 3> rank_image_handlers;

}  // namespace armature::migration
