// A child of vfork closes what it has of its parent before it starts a program: the rank has it
// still, and takes it along.
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include <armature/armature.hpp>
#include <armature/virtual.hpp>

namespace {

void require(bool good, const char* what) {
  if (!good) armature::abort(1, what);
}

/// The status of a child that has closed all files.
int status_of_child(int file) {
  const pid_t child = vfork();
  if (child == 0) {
    closefrom(3);
    _exit(fcntl(file, F_GETFD) < 0 ? 6 : 1);
  }
  int status = 0;
  require(waitpid(child, &status, 0) == child, "there is a child");
  return WEXITSTATUS(status);
}

}  // namespace

int main(int argc, char** argv) {
  return armature::run(argc, argv, [](armature::World& world) {
    const char* const folder = std::getenv("TMPDIR");
    std::string path = std::string(folder != nullptr ? folder : "/tmp") + "/children.XXXXXX";
    const int file = mkstemp(path.data());
    require(file >= 0, "there is a file");
    require(status_of_child(file) == 6, "the child's is closed");
    const int here = armature::process_of(world.rank()).number();
    armature::migrate(armature::ProcessId((here + 1) % armature::hosting_processes()));
    require(write(file, "here", 4) == 4 && lseek(file, 0, SEEK_CUR) == 4, "the rank's came along");
    require(close(file) == 0 && unlink(path.c_str()) == 0, "it was open");
    world.barrier();
    if (world.rank() == 0) std::puts("all is as it should be");
  });
}
