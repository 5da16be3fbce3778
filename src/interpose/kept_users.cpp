// Users, groups, hosts, networks and services are found by modules that the C library loads, and by
// a list of them that it reads when it is first asked. Both are the process's. Results for which
// the caller brings room are the caller's, and getaddrinfo's list, too. The headers that declare
// these functions are not included: they disagree about exceptions.
#include <sys/socket.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "interpose/current.hpp"
#include "interpose/kept.hpp"

struct passwd;
struct group;
struct spwd;
struct sgrp;
struct hostent;
struct netent;
struct protoent;
struct servent;
struct rpcent;
struct aliasent;
struct ether_addr;

namespace {

using Text = const char*;
using Room = char*;
using Bytes = std::size_t;

}  // namespace

// Users and groups, by name, by number, one after the other.
ARMATURE_KEPT_1(passwd*, getpwnam, Text);
ARMATURE_KEPT_1(passwd*, getpwuid, unsigned);
ARMATURE_KEPT_5(int, getpwnam_r, Text, passwd*, Room, Bytes, passwd**);
ARMATURE_KEPT_5(int, getpwuid_r, unsigned, passwd*, Room, Bytes, passwd**);
ARMATURE_KEPT_0(passwd*, getpwent);
ARMATURE_KEPT_4(int, getpwent_r, passwd*, Room, Bytes, passwd**);
ARMATURE_KEPT_0(void, setpwent);
ARMATURE_KEPT_0(void, endpwent);
ARMATURE_KEPT_FROM_STREAM(passwd, fgetpwent);
ARMATURE_KEPT_2(int, getpw, unsigned, Room);
ARMATURE_KEPT_1(group*, getgrnam, Text);
ARMATURE_KEPT_1(group*, getgrgid, unsigned);
ARMATURE_KEPT_5(int, getgrnam_r, Text, group*, Room, Bytes, group**);
ARMATURE_KEPT_5(int, getgrgid_r, unsigned, group*, Room, Bytes, group**);
ARMATURE_KEPT_0(group*, getgrent);
ARMATURE_KEPT_4(int, getgrent_r, group*, Room, Bytes, group**);
ARMATURE_KEPT_0(void, setgrent);
ARMATURE_KEPT_0(void, endgrent);
ARMATURE_KEPT_FROM_STREAM(group, fgetgrent);
ARMATURE_KEPT_4(int, getgrouplist, Text, unsigned, unsigned*, int*);
ARMATURE_KEPT_2(int, initgroups, Text, unsigned);
ARMATURE_KEPT_1(spwd*, getspnam, Text);
ARMATURE_KEPT_5(int, getspnam_r, Text, spwd*, Room, Bytes, spwd**);
ARMATURE_KEPT_0(spwd*, getspent);
ARMATURE_KEPT_4(int, getspent_r, spwd*, Room, Bytes, spwd**);
ARMATURE_KEPT_0(void, setspent);
ARMATURE_KEPT_0(void, endspent);
ARMATURE_KEPT_FROM_STREAM(spwd, fgetspent);
ARMATURE_KEPT_1(spwd*, sgetspent, Text);
ARMATURE_KEPT_1(sgrp*, getsgnam, Text);
ARMATURE_KEPT_5(int, getsgnam_r, Text, sgrp*, Room, Bytes, sgrp**);
ARMATURE_KEPT_0(sgrp*, getsgent);
ARMATURE_KEPT_4(int, getsgent_r, sgrp*, Room, Bytes, sgrp**);
ARMATURE_KEPT_0(void, setsgent);
ARMATURE_KEPT_0(void, endsgent);
ARMATURE_KEPT_FROM_STREAM(sgrp, fgetsgent);
ARMATURE_KEPT_1(sgrp*, sgetsgent, Text);
ARMATURE_KEPT_4(int, innetgr, Text, Text, Text, Text);
ARMATURE_KEPT_1(int, setnetgrent, Text);
ARMATURE_KEPT_3(int, getnetgrent, char**, char**, char**);
ARMATURE_KEPT_5(int, getnetgrent_r, char**, char**, char**, Room, Bytes);
ARMATURE_KEPT_0(void, endnetgrent);
ARMATURE_KEPT_0(char*, getlogin);
ARMATURE_KEPT_2(int, getlogin_r, Room, Bytes);
ARMATURE_KEPT_1(char*, cuserid, Room);
ARMATURE_KEPT_0(char*, getusershell);
ARMATURE_KEPT_0(void, setusershell);
ARMATURE_KEPT_0(void, endusershell);

// Hosts, networks, protocols, services.
ARMATURE_KEPT_1(hostent*, gethostbyname, Text);
ARMATURE_KEPT_2(hostent*, gethostbyname2, Text, int);
ARMATURE_KEPT_3(hostent*, gethostbyaddr, const void*, socklen_t, int);
ARMATURE_KEPT_6(int, gethostbyname_r, Text, hostent*, Room, Bytes, hostent**, int*);
ARMATURE_KEPT_7(int, gethostbyname2_r, Text, int, hostent*, Room, Bytes, hostent**, int*);
ARMATURE_KEPT_8(int, gethostbyaddr_r, const void*, socklen_t, int, hostent*, Room, Bytes, hostent**,
                int*);
ARMATURE_KEPT_0(hostent*, gethostent);
ARMATURE_KEPT_5(int, gethostent_r, hostent*, Room, Bytes, hostent**, int*);
ARMATURE_KEPT_1(void, sethostent, int);
ARMATURE_KEPT_0(void, endhostent);
ARMATURE_KEPT_0(long, gethostid);
ARMATURE_KEPT_1(netent*, getnetbyname, Text);
ARMATURE_KEPT_2(netent*, getnetbyaddr, unsigned, int);
ARMATURE_KEPT_6(int, getnetbyname_r, Text, netent*, Room, Bytes, netent**, int*);
ARMATURE_KEPT_7(int, getnetbyaddr_r, unsigned, int, netent*, Room, Bytes, netent**, int*);
ARMATURE_KEPT_0(netent*, getnetent);
ARMATURE_KEPT_5(int, getnetent_r, netent*, Room, Bytes, netent**, int*);
ARMATURE_KEPT_1(void, setnetent, int);
ARMATURE_KEPT_0(void, endnetent);
ARMATURE_KEPT_1(protoent*, getprotobyname, Text);
ARMATURE_KEPT_1(protoent*, getprotobynumber, int);
ARMATURE_KEPT_5(int, getprotobyname_r, Text, protoent*, Room, Bytes, protoent**);
ARMATURE_KEPT_5(int, getprotobynumber_r, int, protoent*, Room, Bytes, protoent**);
ARMATURE_KEPT_0(protoent*, getprotoent);
ARMATURE_KEPT_4(int, getprotoent_r, protoent*, Room, Bytes, protoent**);
ARMATURE_KEPT_1(void, setprotoent, int);
ARMATURE_KEPT_0(void, endprotoent);
ARMATURE_KEPT_2(servent*, getservbyname, Text, Text);
ARMATURE_KEPT_2(servent*, getservbyport, int, Text);
ARMATURE_KEPT_6(int, getservbyname_r, Text, Text, servent*, Room, Bytes, servent**);
ARMATURE_KEPT_6(int, getservbyport_r, int, Text, servent*, Room, Bytes, servent**);
ARMATURE_KEPT_0(servent*, getservent);
ARMATURE_KEPT_4(int, getservent_r, servent*, Room, Bytes, servent**);
ARMATURE_KEPT_1(void, setservent, int);
ARMATURE_KEPT_0(void, endservent);
ARMATURE_KEPT_1(rpcent*, getrpcbyname, Text);
ARMATURE_KEPT_1(rpcent*, getrpcbynumber, int);
ARMATURE_KEPT_5(int, getrpcbyname_r, Text, rpcent*, Room, Bytes, rpcent**);
ARMATURE_KEPT_5(int, getrpcbynumber_r, int, rpcent*, Room, Bytes, rpcent**);
ARMATURE_KEPT_0(rpcent*, getrpcent);
ARMATURE_KEPT_4(int, getrpcent_r, rpcent*, Room, Bytes, rpcent**);
ARMATURE_KEPT_1(void, setrpcent, int);
ARMATURE_KEPT_0(void, endrpcent);
ARMATURE_KEPT_1(aliasent*, getaliasbyname, Text);
ARMATURE_KEPT_5(int, getaliasbyname_r, Text, aliasent*, Room, Bytes, aliasent**);
ARMATURE_KEPT_0(aliasent*, getaliasent);
ARMATURE_KEPT_4(int, getaliasent_r, aliasent*, Room, Bytes, aliasent**);
ARMATURE_KEPT_0(void, setaliasent);
ARMATURE_KEPT_0(void, endaliasent);
ARMATURE_KEPT_2(int, ether_ntohost, Room, const ether_addr*);
ARMATURE_KEPT_2(int, ether_hostton, Text, ether_addr*);
ARMATURE_KEPT_7(int, getnameinfo, const sockaddr*, socklen_t, Room, socklen_t, Room, socklen_t,
                int);
ARMATURE_KEPT_2(int, __nss_configure_lookup, Text, Text);

// Names of hosts, asked for by hand. What is known of the servers is kept for the thread.
ARMATURE_KEPT_0(int, __res_init);
ARMATURE_KEPT_5(int, res_query, Text, int, int, unsigned char*, int);
ARMATURE_KEPT_5(int, res_search, Text, int, int, unsigned char*, int);
ARMATURE_KEPT_6(int, res_querydomain, Text, Text, int, int, unsigned char*, int);
ARMATURE_KEPT_4(int, res_send, const unsigned char*, int, unsigned char*, int);

// Paths that begin with a user's name. The results are the caller's, so they are not looked for
// with the process's memory: what is known of users is made ready instead.

namespace {

void look_up_users() {
  const armature::interpose::ProcessHeap kept;
  alignas(16) char user[256];
  char room[1024];
  passwd* found = nullptr;
  (void)original_getpwuid_r(0, reinterpret_cast<passwd*>(user), room, sizeof room, &found);
  (void)original_getpwnam_r("root", reinterpret_cast<passwd*>(user), room, sizeof room, &found);
}

}  // namespace

#define ARMATURE_WITH_USERS(name, flags_bit, parameters, flags, arguments) \
  ARMATURE_ORIGINAL(int, name, parameters);                                \
  ARMATURE_EXPORT int name parameters {                                    \
    if (armature::interpose::current_rank_heap() != nullptr &&             \
        ((flags) & (flags_bit)) == (flags_bit))                            \
      look_up_users();                                                     \
    return original_##name arguments;                                      \
  }                                                                        \
  static_assert(true)

namespace {

using OnError = int(Text, int);
constexpr int glob_tilde = 1 << 12;

}  // namespace

ARMATURE_WITH_USERS(glob, glob_tilde, (Text pattern, int flags, OnError* on_error, void* found),
                    flags, (pattern, flags, on_error, found));
ARMATURE_WITH_USERS(glob64, glob_tilde, (Text pattern, int flags, OnError* on_error, void* found),
                    flags, (pattern, flags, on_error, found));
ARMATURE_WITH_USERS(wordexp, 0, (Text words, void* found, int flags), flags, (words, found, flags));

// The list of getaddrinfo is the caller's, as freeaddrinfo frees it: each address lies behind what
// is said of it.

namespace {

struct AddressInfo {
  int flags, family, type, protocol;
  socklen_t bytes;
  sockaddr* address;
  char* name;
  AddressInfo* next;
};

}  // namespace

ARMATURE_ORIGINAL(void, freeaddrinfo, (AddressInfo * list));

namespace {

AddressInfo* copy_of(const AddressInfo& one) {
  void* const memory = std::malloc(sizeof one + one.bytes);
  if (memory == nullptr) return nullptr;
  auto* const copy = static_cast<AddressInfo*>(memory);
  *copy = one;
  copy->next = nullptr;
  if (one.address != nullptr) {
    copy->address = reinterpret_cast<sockaddr*>(copy + 1);
    std::memcpy(copy->address, one.address, one.bytes);
  }
  if (one.name != nullptr) copy->name = strdup(one.name);
  return copy;
}

AddressInfo* copy_all(const AddressInfo* list) {
  AddressInfo* first = nullptr;
  AddressInfo** last = &first;
  for (; list != nullptr; list = list->next) {
    *last = copy_of(*list);
    if (*last == nullptr) {
      if (first != nullptr) original_freeaddrinfo(first);
      return nullptr;
    }
    last = &(*last)->next;
  }
  return first;
}

}  // namespace

ARMATURE_ORIGINAL(int, getaddrinfo,
                  (Text node, Text service, const AddressInfo* wanted, AddressInfo** found));
ARMATURE_EXPORT int getaddrinfo(Text node, Text service, const AddressInfo* wanted,
                                AddressInfo** found) {
  if (armature::interpose::current_rank_heap() == nullptr)
    return original_getaddrinfo(node, service, wanted, found);
  constexpr int no_memory = -10;  // EAI_MEMORY
  AddressInfo* list = nullptr;
  int status = 0;
  {
    const armature::interpose::ProcessHeap kept;
    status = original_getaddrinfo(node, service, wanted, &list);
  }
  if (status != 0) return status;
  *found = copy_all(list);
  original_freeaddrinfo(list);
  return *found != nullptr ? 0 : no_memory;
}
