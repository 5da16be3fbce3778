// A rank with a copy of the program has a working directory, permissions mask, environment, and
// random numbers of its own, as a process has. What a rank changes stands in its record; a switch
// between ranks exchanges it (stacks.hpp). Threads that a rank has started change the process's.
#include "fibers/replaced_attributes.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>

#include "fibers/rank_scheduler.hpp"
#include "wait/running_rank.hpp"
#include "wait/wait.hpp"

namespace armature::fibers {

OwnAttributes* find_or_make_attributes() {
  if (!wait::runs_rank()) return nullptr;
  OwnProgram& program = RankScheduler::here().ranks().stacks.running().program;
  if (program.attributes == nullptr) {
    program.attributes = new (std::nothrow) OwnAttributes;
    if (program.attributes != nullptr)
      (void)initstate_r(1, program.attributes->random_state,
                        sizeof program.attributes->random_state, &program.attributes->random);
  }
  return program.attributes;
}

namespace {

/// Finds them for what a switch exchanges: the process notes its own.
OwnAttributes* find_or_make_exchanged() {
  OwnAttributes* const mine = find_or_make_attributes();
  if (mine != nullptr) RankScheduler::here().ranks().stacks.use_attributes();
  return mine;
}

int fail_with(int error) {
  errno = error;
  return -1;
}

// -- the working directory ------------------------------------------------------------------------

template <class Change>
int change_directory(Change change) {
  OwnAttributes* const mine = find_or_make_exchanged();
  if (change() != 0) return -1;
  if (mine == nullptr) return 0;
  char* const now = getcwd(nullptr, 0);
  if (now == nullptr) return -1;
  std::free(mine->directory);
  mine->directory = now;
  return 0;
}

int change_to(const char* path) {
  return change_directory([&] { return chdir(path); });
}

int change_to_open(int number) {
  return change_directory([&] { return fchdir(number); });
}

mode_t set_mask(mode_t mask) {
  if (OwnAttributes* const mine = find_or_make_exchanged()) {
    mine->has_mask = true;
    mine->mask = mask & 0777;
  }
  return umask(mask);
}

// -- the environment ------------------------------------------------------------------------------

/// Makes a table of the variables that there are. Their texts are copied where they are not the
/// rank's: the process has its own at its beginning, where the rank may leave it.
bool make_table(OwnAttributes& mine, std::size_t count) {
  const std::size_t room = 2 * count + 16;
  auto** const table = static_cast<char**>(std::malloc(room * sizeof(char*)));
  if (table == nullptr) return false;
  const bool are_mine = environ == mine.environment;
  for (std::size_t i = 0; i < count; ++i) {
    table[i] = are_mine ? environ[i] : strdup(environ[i]);
    if (table[i] == nullptr) return false;
  }
  table[count] = nullptr;
  std::free(mine.environment);
  mine.environment = table;
  mine.room = room;
  environ = table;
  return true;
}

/// The calling rank's table, with room for one variable more. nullptr where no rank calls, or
/// memory is short.
OwnAttributes* own_environment(bool& is_short) {
  is_short = false;
  OwnAttributes* const mine = find_or_make_exchanged();
  if (mine == nullptr) return nullptr;
  std::size_t count = 0;
  if (environ != nullptr)
    while (environ[count] != nullptr) ++count;
  // The program may have set `environ` itself.
  const bool fits = environ == mine->environment && count + 1 < mine->room;
  is_short = !fits && !make_table(*mine, count);
  mine->variables = count;
  return is_short ? nullptr : mine;
}

/// The place of a variable in the table; its end where there is none.
std::size_t place_of(const OwnAttributes& mine, const char* name, std::size_t bytes) {
  std::size_t place = 0;
  while (place < mine.variables && (std::strncmp(mine.environment[place], name, bytes) != 0 ||
                                    mine.environment[place][bytes] != '='))
    ++place;
  return place;
}

void put_at(OwnAttributes& mine, std::size_t place, char* text) {
  mine.environment[place] = text;
  if (place == mine.variables) mine.environment[++mine.variables] = nullptr;
}

bool is_name(const char* name) {
  return name != nullptr && *name != '\0' && std::strchr(name, '=') == nullptr;
}

int put_variable(char* text) {
  bool is_short = false;
  const char* const equals = std::strchr(text, '=');
  if (equals == nullptr) return unsetenv(text);
  OwnAttributes* const mine = own_environment(is_short);
  if (is_short) return fail_with(ENOMEM);
  if (mine == nullptr) return putenv(text);
  put_at(*mine, place_of(*mine, text, static_cast<std::size_t>(equals - text)), text);
  return 0;
}

// A text that was there before stays: pointers from getenv may lead to it, as in the C library.
int set_variable(const char* name, const char* value, int replaces) {
  if (!is_name(name)) return fail_with(EINVAL);
  bool is_short = false;
  OwnAttributes* const mine = own_environment(is_short);
  if (is_short) return fail_with(ENOMEM);
  if (mine == nullptr) return setenv(name, value, replaces);
  const std::size_t bytes = std::strlen(name), place = place_of(*mine, name, bytes);
  if (place < mine->variables && replaces == 0) return 0;
  const std::size_t value_bytes = std::strlen(value);
  auto* const text = static_cast<char*>(std::malloc(bytes + value_bytes + 2));
  if (text == nullptr) return fail_with(ENOMEM);
  std::memcpy(text, name, bytes);
  text[bytes] = '=';
  std::memcpy(text + bytes + 1, value, value_bytes + 1);
  put_at(*mine, place, text);
  return 0;
}

int unset_variable(const char* name) {
  if (!is_name(name)) return fail_with(EINVAL);
  bool is_short = false;
  OwnAttributes* const mine = own_environment(is_short);
  if (is_short) return fail_with(ENOMEM);
  if (mine == nullptr) return unsetenv(name);
  const std::size_t bytes = std::strlen(name);
  for (std::size_t place = place_of(*mine, name, bytes); place < mine->variables;
       place = place_of(*mine, name, bytes)) {
    std::memmove(mine->environment + place, mine->environment + place + 1,
                 (mine->variables - place) * sizeof(char*));
    --mine->variables;
  }
  return 0;
}

int clear_variables() {
  bool is_short = false;
  OwnAttributes* const mine = own_environment(is_short);
  if (is_short) return fail_with(ENOMEM);
  if (mine == nullptr) return clearenv();
  mine->variables = 0;
  mine->environment[0] = nullptr;
  return 0;
}

// -- states of the C library ----------------------------------------------------------------------

char* next_token(char* text, const char* delimiters) {
  OwnAttributes* const mine = find_or_make_attributes();
  return mine != nullptr ? strtok_r(text, delimiters, &mine->token) : std::strtok(text, delimiters);
}

long next_random() {
  OwnAttributes* const mine = find_or_make_attributes();
  if (mine == nullptr) return random();
  std::int32_t number = 0;
  (void)random_r(&mine->random, &number);
  return number;
}

int next_rand() { return static_cast<int>(next_random()); }

void seed_random(unsigned seed) {
  if (OwnAttributes* const mine = find_or_make_attributes())
    (void)srandom_r(seed, &mine->random);
  else
    srandom(seed);
}

/// The state that numbers came from before, as initstate and setstate return it.
char* state_of(const random_data& random) { return reinterpret_cast<char*>(random.state - 1); }

char* begin_state(unsigned seed, char* state, std::size_t bytes) {
  OwnAttributes* const mine = find_or_make_attributes();
  if (mine == nullptr) return initstate(seed, state, bytes);
  char* const before = state_of(mine->random);
  return initstate_r(seed, state, bytes, &mine->random) == 0 ? before : nullptr;
}

char* set_state(char* state) {
  OwnAttributes* const mine = find_or_make_attributes();
  if (mine == nullptr) return setstate(state);
  char* const before = state_of(mine->random);
  return setstate_r(state, &mine->random) == 0 ? before : nullptr;
}

double next_real() {
  OwnAttributes* const mine = find_or_make_attributes();
  if (mine == nullptr) return drand48();
  double number = 0;
  (void)drand48_r(&mine->random_48, &number);
  return number;
}

long next_natural() {
  OwnAttributes* const mine = find_or_make_attributes();
  if (mine == nullptr) return lrand48();
  long number = 0;
  (void)lrand48_r(&mine->random_48, &number);
  return number;
}

long next_integer() {
  OwnAttributes* const mine = find_or_make_attributes();
  if (mine == nullptr) return mrand48();
  long number = 0;
  (void)mrand48_r(&mine->random_48, &number);
  return number;
}

void seed_48(long seed) {
  if (OwnAttributes* const mine = find_or_make_attributes())
    (void)srand48_r(seed, &mine->random_48);
  else
    srand48(seed);
}

}  // namespace

void replace_attributes(image::Plan& plan) {
  plan.replace("chdir", change_to);
  plan.replace("fchdir", change_to_open);
  plan.replace("umask", set_mask);
  plan.replace("putenv", put_variable);
  plan.replace("setenv", set_variable);
  plan.replace("unsetenv", unset_variable);
  plan.replace("clearenv", clear_variables);
  plan.replace("strtok", next_token);
  plan.replace("rand", next_rand);
  plan.replace("srand", seed_random);
  plan.replace("random", next_random);
  plan.replace("srandom", seed_random);
  plan.replace("initstate", begin_state);
  plan.replace("setstate", set_state);
  plan.replace("drand48", next_real);
  plan.replace("lrand48", next_natural);
  plan.replace("mrand48", next_integer);
  plan.replace("srand48", seed_48);
}

}  // namespace armature::fibers
