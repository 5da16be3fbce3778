// Files, streams and directories that a virtual rank has open go where it goes.
//
//   virtual_files moves FOLDER | moves_by_name FOLDER | saves FOLDER | is_refused FOLDER | recovers
//   FOLDER
#include <dirent.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>

#include <armature/armature.hpp>
#include <armature/checkpoint.hpp>
#include <armature/virtual.hpp>

#include "../harness/forbidden_call.hpp"
#include "checks.hpp"

#ifdef HAS_FORTRAN
extern "C" {
void open_unit(const char* path, int length);
void close_unit();
}
#endif

namespace {

using armature::World;

std::string folder;
bool are_handed_over = true;

/// Forbids the process to take others' descriptors, as a container's policy may.
void forbid_handing_over() {
  if (!armature::harness::forbid_system_call(SYS_pidfd_getfd)) std::abort();
  are_handed_over = false;
}

bool on_one_node() { return armature::domain_count(armature::Domain::smp) == 1; }

/// All ranks call it.
void move_on(World& world) {
  const int here = armature::process_of(world.rank()).number();
  const armature::ProcessId next((here + 1) % armature::hosting_processes());
  on_one_node() ? armature::migrate(next) : armature::migrate_together(next);
  require(armature::process_of(world.rank()).number() == next.number(), "the rank has moved");
}

std::string path_of(const World& world, const char* name) {
  return folder + "/" + name + "." + std::to_string(world.rank());
}

std::string contents(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

void put(int file, const std::string& text) {
  require(write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size()),
          "what is written comes into the file");
}

std::string take(int file, std::size_t bytes) {
  std::string text(bytes, '\0');
  const ssize_t got = read(file, text.data(), bytes);
  text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  return text;
}

void descriptors_go_along(World& world) {
  const std::string path = path_of(world, "descriptor");
  const int file = open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  require(file >= 0, "there is a file");
  put(file, "one,");
  move_on(world);
  put(file, "two,");
  const int second = dup(file);
  const int appends = open(path.c_str(), O_WRONLY | O_APPEND);
  move_on(world);
  require((fcntl(file, F_GETFD) & FD_CLOEXEC) != 0 && (fcntl(second, F_GETFD) & FD_CLOEXEC) == 0,
          "with what was set of them");
  put(second, "three,");
  put(file, "four,");  // they share their position
  put(appends, "five");
  move_on(world);
  require(lseek(second, 0, SEEK_SET) == 0 && take(file, 100) == "one,two,three,four,five",
          "all of it is there");
  require(dup2(appends, second) == second, "a number can be used again");
  move_on(world);
  put(second, "!");
  require(close(file) == 0 && close(second) == 0 && close(appends) == 0, "they can be closed");
  require(contents(path) == "one,two,three,four,five!", "once each, in their order");
  require(write(file, "x", 1) < 0 && errno == EBADF, "then they are closed");
}

void ranges_are_closed(World& world) {
  const std::string path = path_of(world, "range");
  const auto make = [&] { return open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC, 0644); };
  const int first = make(), second = make();
  const auto lowest = static_cast<unsigned>(std::min(first, second));
  int pipes[2];
  require(pipe(pipes) == 0, "there is a pipe");
  world.barrier();
  require(close_range(lowest, ~0U, CLOSE_RANGE_CLOEXEC) == 0 && fcntl(first, F_GETFD) == FD_CLOEXEC,
          "they are marked");
  require(close_range(5, 4, 0) < 0, "a range that ends before it begins");
  if (world.rank() % 2 == 0) {
    closefrom(3);
    for (const int number : {first, second, pipes[0], pipes[1]})
      require(fcntl(number, F_GETFD) < 0 && errno == EBADF, "all of the rank's are closed");
  }
  world.barrier();
  if (world.rank() % 2 == 1) {
    put(first, "here");
    require(write(pipes[1], "x", 1) == 1, "another rank's pipe is open");
    require(close_range(lowest, ~0U, 0) == 0 && fcntl(second, F_GETFD) < 0, "a range is closed");
    require(contents(path) == "here", "another rank's file was open");
    require(close(pipes[0]) == 0 && close(pipes[1]) == 0, "nothing below the range");
  }
  world.barrier();
  move_on(world);  // no pipe keeps it
}

void streams_go_along(World& world) {
  const std::string path = path_of(world, "stream");
  std::FILE* const out = std::fopen(path.c_str(), "w");
  std::ofstream also(path + ".cpp");
  for (int i = 0; i < 2000; ++i) {
    std::fprintf(out, "line %d\n", i);
    also << "line " << i << '\n';
    if (i % 400 == 0) {
      move_on(world);
      std::fflush(nullptr);  // of all streams of a process: each is in one process
    }
  }
  require(std::fclose(out) == 0, "it can be closed");
  also.close();
  std::string lines;
  for (int i = 0; i < 2000; ++i) lines += "line " + std::to_string(i) + "\n";
  require(contents(path) == lines && contents(path + ".cpp") == lines, "every line, once");

  std::FILE* const in = std::fopen(path.c_str(), "r");
  char line[64];
  int count = 0;
  for (; std::fgets(line, sizeof line, in) != nullptr; ++count) {
    require("line " + std::to_string(count) + "\n" == line, "where it was");
    if (count % 700 == 0) move_on(world);
  }
  require(count == 2000, "to the end");
  std::FILE* const again = std::freopen((path + ".cpp").c_str(), "r", in);
  move_on(world);
  require(again != nullptr && std::fgets(line, sizeof line, again) != nullptr &&
              line == std::string("line 0\n"),
          "it is another file then");
  require(std::fclose(again) == 0, "it can be closed");
}

void directories_go_along(World& world) {
  const std::string path = path_of(world, "directory");
  std::set<std::string> names{".", ".."};
  std::filesystem::create_directory(path);
  for (int i = 0; i < 50; ++i) {
    names.insert("f" + std::to_string(i));
    std::ofstream(path + "/f" + std::to_string(i)) << i;
  }
  DIR* const all = opendir(path.c_str());
  std::set<std::string> seen;
  while (const dirent* const entry = readdir(all)) {
    seen.insert(entry->d_name);
    if (seen.size() == 10) move_on(world);
  }
  require(seen == names && closedir(all) == 0, "each entry once");
}

void files_without_a_name_go_along_on_a_node(World& world) {
  if (!on_one_node() || !are_handed_over) return;
  std::FILE* const file = std::tmpfile();
  std::fputs("text", file);
  move_on(world);
  std::rewind(file);
  char text[8] = {};
  require(std::fgets(text, sizeof text, file) != nullptr && text == std::string("text"),
          "what was written is there");
  std::fclose(file);
}

void require_to_stay(World& world, const char* what) {
  if (!on_one_node() || armature::hosting_processes() == 1) return;
  require(!armature::can_migrate(), what);
  try {
    move_on(world);
  } catch (const armature::Error& error) {
    require(std::string(error.what()).find("open that is its process's") != std::string::npos,
            what);
    return;
  }
  require(false, what);
}

void others_keep_the_rank(World& world) {
  int both[2];
  require(pipe(both) == 0, "there is a pipe");
  require_to_stay(world, "a pipe is the process's");
  close(both[0]);
  require_to_stay(world, "and the other end of it, too");
  close(both[1]);
  require(armature::can_migrate(), "then it can move");
  require(socketpair(AF_UNIX, SOCK_STREAM, 0, both) == 0, "there is a socket");
  require_to_stay(world, "a socket is, too");
  close(both[0]);
  close(both[1]);
  std::FILE* const child = popen("true", "r");
  require_to_stay(world, "and a child");
  pclose(child);
  require(armature::can_migrate(), "then it can move");
}

void locks_keep_the_rank(World& world) {
  const std::string path = path_of(world, "lock");
  const int file = open(path.c_str(), O_RDWR | O_CREAT, 0644);
  struct flock whole {};
  whole.l_type = F_WRLCK;
  require(fcntl(file, F_SETLK, &whole) == 0, "records can be locked");
  require_to_stay(world, "locks of records are the process's");
  close(file);
  require(armature::can_migrate(), "until the file is closed");
  const int other = open(path.c_str(), O_RDWR);
  require(flock(other, LOCK_EX) == 0, "a file can be locked");
  require_to_stay(world, "which no other node would know of");
  require(flock(other, LOCK_UN) == 0 && armature::can_migrate(), "until it is not");
  close(other);
}

void units_of_fortran([[maybe_unused]] World& world) {
#ifdef HAS_FORTRAN
  const std::string path = path_of(world, "unit");
  open_unit(path.data(), static_cast<int>(path.size()));
  const char* const own_globals = std::getenv("ARMATURE_PRIVATE_GLOBALS");
  if (own_globals != nullptr && std::string(own_globals) == "on")
    move_on(world);  // its copy of the library comes along
  else
    require_to_stay(world, "what a unit is, the process's library knows");
  close_unit();
  require(contents(path) == " a line\n", "what was written to the unit");
  require(!on_one_node() || armature::can_migrate(), "then it can move");
#endif
}

/// The process's descriptors that are ranks'.
int open_here() {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd"))
    if (std::stoi(entry.path().filename()) >= 4096) ++count;
  return count - 1;  // the folder's own
}

void nothing_is_left(World& world) {
  for (int i = 0; i < armature::hosting_processes(); ++i) {
    world.barrier();
    for (int round = 0; round < 100'000 && open_here() > 0; ++round) armature::yield();
    require(open_here() == 0, "what ranks have left and closed is closed in every process");
    world.barrier();
    move_on(world);
  }
}

/// A rank that leaves it open: it is written at the end.
void ends_with_an_open_stream(World& world) {
  std::FILE* const out = std::fopen(path_of(world, "open").c_str(), "w");
  std::fputs("first,", out);
  move_on(world);
  std::fputs("last", out);
}

void saves(World& world) {
  const std::string path = path_of(world, "saved");
  std::ofstream(path + ".read") << "0123456789";
  std::FILE* const out = std::fopen(path.c_str(), "w");
  const int in = open((path + ".read").c_str(), O_RDONLY);
  require(take(in, 3) == "012", "it can be read");
  std::fputs("bef", out);
  std::fflush(out);
  std::fputs("ore,", out);  // is still to be written when all is saved
  if (!armature::checkpoint()) {
    std::fputs("lost", out);
    std::fflush(out);
    require(take(in, 3) == "345", "it is read on");
    world.barrier();
    if (world.rank() == 0) armature::abort(77, "it goes on from the checkpoint");
    world.barrier();
  }
  require(take(in, 100) == "3456789", "from where it was");
  std::fputs("after", out);
  std::fclose(out);
  require(contents(path) == "before,after", "as if nothing had happened");
  world.barrier();
  if (world.rank() == 0) std::puts("all is there");
}

void is_refused(World& world) {
  std::FILE* const file = std::tmpfile();
  try {
    (void)armature::checkpoint();
    require(false, "a file without a name cannot be opened again");
  } catch (const armature::Error& error) {
    require(std::string(error.what()).find("has no name any more") != std::string::npos,
            error.what());
  }
  std::fclose(file);
  const int locked = open(path_of(world, "lock").c_str(), O_RDWR | O_CREAT, 0644);
  require(flock(locked, LOCK_EX) == 0, "a file can be locked");
  try {
    (void)armature::checkpoint();
    require(false, "a lock cannot be had again");
  } catch (const armature::Error& error) {
    require(std::string(error.what()).find("open that is its process's") != std::string::npos,
            error.what());
  }
  close(locked);
  require(armature::can_migrate(), "the lock has ended with its file");
  require(!armature::checkpoint(), "without it a checkpoint is written");
  world.barrier();
  if (world.rank() == 0) std::puts("refused");
}

/// A process dies, once; all go on from a copy in memory.
void recovers(World& world) {
  std::FILE* const out = std::fopen(path_of(world, "steps").c_str(), "w");
  std::ofstream also(path_of(world, "also"));
  for (int step = 0; step < 200; ++step) {
    if (step % 20 == 0) (void)armature::checkpoint_in_memory();
    std::fprintf(out, "step %d\n", step);
    also << step << std::endl;
    if (step % 7 == 0) std::fflush(out);
    const int its = on_one_node() ? static_cast<int>(world.rank()) : 13;
    if (step < 110 && step % 50 == its) move_on(world);
    world.barrier();
    const std::string once = folder + "/died";
    if (step == 110 && armature::process_of(world.rank()).number() == 1 &&
        mkdir(once.c_str(), 0755) == 0)
      (void)raise(SIGKILL);
    world.barrier();
  }
  std::fclose(out);
  also.close();
  std::string lines, numbers;
  for (int step = 0; step < 200; ++step) {
    lines += "step " + std::to_string(step) + "\n";
    numbers += std::to_string(step) + "\n";
  }
  require(contents(path_of(world, "steps")) == lines, "as if nobody had died");
  require(contents(path_of(world, "also")) == numbers, "as if nobody had died");
  world.barrier();
  if (world.rank() == 0) std::puts("all is there");
}

void moves(World& world) {
  descriptors_go_along(world);
  ranges_are_closed(world);
  streams_go_along(world);
  directories_go_along(world);
  files_without_a_name_go_along_on_a_node(world);
  others_keep_the_rank(world);
  locks_keep_the_rank(world);
  units_of_fortran(world);
  nothing_is_left(world);
  ends_with_an_open_stream(world);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 2 ? argv[1] : "";
  folder = argc > 2 ? argv[2] : "";
  if (what == "moves_by_name") forbid_handing_over();
  return armature::run(argc, argv, [&](World& world) {
    if (what == "moves" || what == "moves_by_name") moves(world);
    if (what == "saves") saves(world);
    if (what == "is_refused") is_refused(world);
    if (what == "recovers") recovers(world);
    world.barrier();
  });
}
