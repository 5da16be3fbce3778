// A function that returns a pointer to memory of the C library's own is called once more by another
// rank before the first one has read what is there. And the first one may be in another process by
// then. So the memory is the rank's: the library fills it by the functions whose names end in _r,
// or what it has returned is copied.
#include "fibers/replaced_results.hpp"

#include <arpa/inet.h>
#include <grp.h>
#include <netdb.h>
#include <pwd.h>
#include <search.h>
#include <time.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#include "fibers/replaced_attributes.hpp"

namespace armature::fibers {

/// Results that were returned last, of each kind.
struct OwnResults {
  tm parts = {};            // localtime, gmtime
  char zone[32] = {};       // of these
  char time_text[64] = {};  // asctime, ctime
  char error_text[128] = {};
  char signal_text[128] = {};
  char address_text[INET_ADDRSTRLEN] = {};
  char digits[16] = {};     // l64a
  char number[512] = {};    // ecvt, fcvt
  hsearch_data table = {};  // of hcreate
  passwd user = {};
  group users = {};
  hostent host = {};
  char* memory[3] = {};  // of these three
};

namespace {

/// The calling rank's; nullptr where no rank calls, or memory is short: then the library's serve.
OwnResults* own_results() {
  OwnAttributes* const mine = find_or_make_attributes();
  if (mine == nullptr) return nullptr;
  if (mine->results == nullptr) mine->results = new (std::nothrow) OwnResults;
  return mine->results;
}

/// Copies a text there.
template <std::size_t Bytes>
char* keep_text(char (&to)[Bytes], const char* text) {
  if (text == nullptr) return nullptr;
  const std::size_t length = strnlen(text, Bytes - 1);
  std::memcpy(to, text, length);
  to[length] = '\0';
  return to;
}

// -- times ----------------------------------------------------------------------------------------

tm* local_time(const time_t* time) {
  OwnResults* const mine = own_results();
  if (mine == nullptr) return localtime(time);
  tzset();  // the rank may have another TZ than who asked before it
  tm* const parts = localtime_r(time, &mine->parts);
  // The library's text of it is the process's.
  if (parts != nullptr && parts->tm_zone != nullptr)
    parts->tm_zone = keep_text(mine->zone, parts->tm_zone);
  return parts;
}

tm* universal_time(const time_t* time) {
  OwnResults* const mine = own_results();
  return mine == nullptr ? gmtime(time) : gmtime_r(time, &mine->parts);
}

char* time_as_text(const tm* parts) {
  OwnResults* const mine = own_results();
  char* const text = asctime(parts);
  return mine == nullptr ? text : keep_text(mine->time_text, text);
}

char* local_time_as_text(const time_t* time) {
  const tm* const parts = local_time(time);
  return parts == nullptr ? nullptr : time_as_text(parts);
}

// -- texts ----------------------------------------------------------------------------------------

char* text_of_error(int number) {
  OwnResults* const mine = own_results();
  return mine == nullptr ? std::strerror(number)
                         : strerror_r(number, mine->error_text, sizeof mine->error_text);
}

char* text_of_signal(int number) {
  OwnResults* const mine = own_results();
  char* const text = strsignal(number);
  return mine == nullptr ? text : keep_text(mine->signal_text, text);
}

char* text_of_address(in_addr address) {
  OwnResults* const mine = own_results();
  char* const text = inet_ntoa(address);
  return mine == nullptr ? text : keep_text(mine->address_text, text);
}

char* digits_of(long number) {
  OwnResults* const mine = own_results();
  char* const text = l64a(number);
  return mine == nullptr ? text : keep_text(mine->digits, text);
}

char* number_as_digits(double number, int digits, int* point, int* is_negative) {
  OwnResults* const mine = own_results();
  char* const text = ecvt(number, digits, point, is_negative);
  return mine == nullptr ? text : keep_text(mine->number, text);
}

char* number_as_fraction(double number, int digits, int* point, int* is_negative) {
  OwnResults* const mine = own_results();
  char* const text = fcvt(number, digits, point, is_negative);
  return mine == nullptr ? text : keep_text(mine->number, text);
}

// -- users, groups, hosts -------------------------------------------------------------------------

/// Asks with more and more room until the answer fits; `ask` returns an error number.
template <class Ask>
int ask_with_room(char*& memory, Ask ask) {
  constexpr std::size_t least = 1024, most = std::size_t{1} << 24;
  int error = ERANGE;
  for (std::size_t bytes = least; error == ERANGE && bytes <= most; bytes *= 4) {
    void* const more = std::realloc(memory, bytes);
    if (more == nullptr) return ENOMEM;
    memory = static_cast<char*>(more);
    error = ask(memory, bytes);
  }
  return error;
}

/// For functions that set errno where they have failed, and leave it where nobody has that name.
template <class Result, class Ask>
Result* find(char*& memory, Ask ask) {
  Result* found = nullptr;
  const int error = ask_with_room(
      memory, [&](char* room, std::size_t bytes) { return ask(room, bytes, &found); });
  if (error != 0) errno = error;
  return found;
}

passwd* user_of_name(const char* name) {
  OwnResults* const mine = own_results();
  if (mine == nullptr) return getpwnam(name);
  return find<passwd>(mine->memory[0], [&](char* room, std::size_t bytes, passwd** found) {
    return getpwnam_r(name, &mine->user, room, bytes, found);
  });
}

passwd* user_of_number(uid_t number) {
  OwnResults* const mine = own_results();
  if (mine == nullptr) return getpwuid(number);
  return find<passwd>(mine->memory[0], [&](char* room, std::size_t bytes, passwd** found) {
    return getpwuid_r(number, &mine->user, room, bytes, found);
  });
}

group* group_of_name(const char* name) {
  OwnResults* const mine = own_results();
  if (mine == nullptr) return getgrnam(name);
  return find<group>(mine->memory[1], [&](char* room, std::size_t bytes, group** found) {
    return getgrnam_r(name, &mine->users, room, bytes, found);
  });
}

group* group_of_number(gid_t number) {
  OwnResults* const mine = own_results();
  if (mine == nullptr) return getgrgid(number);
  return find<group>(mine->memory[1], [&](char* room, std::size_t bytes, group** found) {
    return getgrgid_r(number, &mine->users, room, bytes, found);
  });
}

hostent* host_of_name(const char* name) {
  OwnResults* const mine = own_results();
  if (mine == nullptr) return gethostbyname(name);
  int error = 0;
  hostent* const found =
      find<hostent>(mine->memory[2], [&](char* room, std::size_t bytes, hostent** to) {
        return gethostbyname_r(name, &mine->host, room, bytes, to, &error);
      });
  if (found == nullptr) h_errno = error;
  return found;
}

// -- a hash table ---------------------------------------------------------------------------------

int make_hash_table(std::size_t count) {
  OwnResults* const mine = own_results();
  return mine == nullptr ? hcreate(count) : hcreate_r(count, &mine->table);
}

void remove_hash_table() {
  OwnResults* const mine = own_results();
  mine == nullptr ? hdestroy() : hdestroy_r(&mine->table);
}

ENTRY* search_hash_table(ENTRY entry, ACTION action) {
  OwnResults* const mine = own_results();
  if (mine == nullptr) return hsearch(entry, action);
  ENTRY* found = nullptr;
  (void)hsearch_r(entry, action, &found, &mine->table);
  return found;
}

// -- random numbers of 48 bits --------------------------------------------------------------------

unsigned short* seed_48_by(unsigned short* seed) {
  OwnAttributes* const mine = find_or_make_attributes();
  if (mine == nullptr) return seed48(seed);
  (void)seed48_r(seed, &mine->random_48);
  return mine->random_48.__old_x;
}

void set_48(unsigned short* parameters) {
  OwnAttributes* const mine = find_or_make_attributes();
  mine == nullptr ? lcong48(parameters) : (void)lcong48_r(parameters, &mine->random_48);
}

double next_real_of(unsigned short* state) {
  OwnAttributes* const mine = find_or_make_attributes();
  if (mine == nullptr) return erand48(state);
  double number = 0;
  (void)erand48_r(state, &mine->random_48, &number);
  return number;
}

long next_natural_of(unsigned short* state) {
  OwnAttributes* const mine = find_or_make_attributes();
  if (mine == nullptr) return nrand48(state);
  long number = 0;
  (void)nrand48_r(state, &mine->random_48, &number);
  return number;
}

long next_integer_of(unsigned short* state) {
  OwnAttributes* const mine = find_or_make_attributes();
  if (mine == nullptr) return jrand48(state);
  long number = 0;
  (void)jrand48_r(state, &mine->random_48, &number);
  return number;
}

}  // namespace

void replace_results(image::Plan& plan) {
  plan.replace("localtime", local_time);
  plan.replace("gmtime", universal_time);
  plan.replace("asctime", time_as_text);
  plan.replace("ctime", local_time_as_text);
  plan.replace("strerror", text_of_error);
  plan.replace("strsignal", text_of_signal);
  plan.replace("inet_ntoa", text_of_address);
  plan.replace("l64a", digits_of);
  plan.replace("ecvt", number_as_digits);
  plan.replace("fcvt", number_as_fraction);
  plan.replace("getpwnam", user_of_name);
  plan.replace("getpwuid", user_of_number);
  plan.replace("getgrnam", group_of_name);
  plan.replace("getgrgid", group_of_number);
  plan.replace("gethostbyname", host_of_name);
  plan.replace("hcreate", make_hash_table);
  plan.replace("hdestroy", remove_hash_table);
  plan.replace("hsearch", search_hash_table);
  plan.replace("seed48", seed_48_by);
  plan.replace("lcong48", set_48);
  plan.replace("erand48", next_real_of);
  plan.replace("nrand48", next_natural_of);
  plan.replace("jrand48", next_integer_of);
}

}  // namespace armature::fibers
