#include "command/executable/copies_in_gdb.hpp"

#include <fmt/format.h>

namespace armature::command {
namespace {

// A copy's code is mapped from the program's file, from its start on; segments are memory that is
// shared and written to. gdb takes a global variable's name for the first one that it knows, which
// is the original's: $own finds that of the frame's copy.
constexpr const char* script = R"(python
armature_copies, armature_originals = dict(), dict()
def armature_read_copies(event=None):
    process = gdb.selected_inferior().pid
    if not process: return
    with open("/proc/%d/maps" % process) as maps: areas = [line.rstrip("\n").split(None, 5) for line in maps]
    for area in areas:
        if len(area) < 6 or area[1] not in ("r-xp", "r--p") or int(area[2], 16) != 0: continue
        begin, file = int(area[0].split("-")[0], 16), area[5]
        is_copy = {begin:#x} <= begin < {end:#x}
        if not is_copy: armature_originals[file] = begin
        if not is_copy or begin in armature_copies: continue
        armature_copies[begin] = file
        name = file.replace("\\", "\\\\").replace('"', '\\"')
        try: gdb.execute('add-symbol-file "%s" -o %#x' % (name, begin), False, True)
        except gdb.error as error: print("armature: no names of the copy at %#x: %s" % (begin, error))
armature_read_copies()
gdb.events.stop.connect(armature_read_copies)
class ArmatureOwn(gdb.Function):
    "The variable of that name in the copy of the program whose code the frame runs."
    def invoke(self, name):
        pc = gdb.selected_frame().pc()
        begin = max((one for one in armature_copies if one <= pc < {end:#x}), default=None)
        if begin is None: raise gdb.GdbError("The frame runs no copy of the program.")
        found = gdb.parse_and_eval(name.string())
        if found.address is None: raise gdb.GdbError("This is no variable.")
        place = int(found.address)
        if not {begin:#x} <= place < {end:#x}: place += begin - armature_originals[armature_copies[begin]]
        return gdb.Value(place).cast(found.type.pointer()).dereference()
ArmatureOwn("own")
)";

}  // namespace

std::string names_of_copies(const space::ControlHeader& job) {
  const std::uint64_t begin = job.layout.segment_base;
  return fmt::format(fmt::runtime(script), fmt::arg("begin", begin),
                     fmt::arg("end", begin + job.ranks * job.layout.segment_bytes));
}

}  // namespace armature::command
