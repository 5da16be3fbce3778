"""How calls of VICTIM end for survivors, whatever has started the job."""

import re

# How the survivors fare when the victim died inside the call, and when it never made the call. What
# is not listed needs the victim: lost. Either: it depends on the moment.
DONE, LOST, EITHER = "done", "lost", "either"
FATES = {
    "scan": (EITHER, EITHER),  # on one node, as above
    "broadcast": (EITHER, EITHER),  # on one node the root alone is needed
    "lock_held": (LOST, LOST),
    "lock_awaited": (DONE, DONE),
    "notify": (DONE, DONE),
    "accumulate": (EITHER, DONE),
    "put": (DONE, DONE),
    "get": (DONE, DONE),
    "fence": (DONE, DONE),
    "atomic": (DONE, DONE),
    "finalize": (DONE, DONE),
    "async": (EITHER, EITHER),  # done as long as there is room
    "forward": (DONE, DONE),
    "called_by_victim": (DONE, DONE),
    "asked_by_victim": (DONE, DONE),
}

# Those before the victim do not need it.
SCANS = ("scan_async", "exclusive_scan_async")
# The root, rank 0, needs all others; these may have sent all that they send.
TO_ROOT = ("reduce_async", "gather_async", "gatherv_async")

# At survivors on another node than the victim, whose memory is gone with it.
FATES_FROM_AFAR = {
    "put": (LOST, LOST),
    "get": (LOST, LOST),
    "atomic": (LOST, LOST),
}


def wrong_with(text, rank, call, moment, near, dead):
    """What that survivor should have said in a job that goes on, and has not; or nothing. `near`: it is on the node of the dead ranks."""
    fates = FATES.get(call, (LOST, LOST))
    few_or_many = call.removesuffix("_large")
    if few_or_many in SCANS or (few_or_many in TO_ROOT and rank != 0):
        fates = (EITHER, EITHER)
    if not near:
        fates = FATES_FROM_AFAR.get(call, fates)
    fate = fates[moment == "missing"]
    found = re.search(rf"survivor {rank}: (\w+).*", text)
    if not found:
        return f"survivor {rank} does not say how it went"
    if fate not in (EITHER, found[1]):
        return f"survivor {rank}: {found[1]}, not {fate}"
    if found[1] == LOST and not any(re.search(rf"rank {one}\b", found[0]) for one in dead):
        return f"the error does not name the rank: {found[0]}"
    return "" if f"survivor {rank}: goes on, well" in text else f"survivor {rank} does not go on"
