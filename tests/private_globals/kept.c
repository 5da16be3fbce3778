/* Each rank has for itself what functions of the C library keep, or return pointers to: it is there
   when other ranks of the process have called them, and in another process. */
#include <armci.h>
#include <arpa/inet.h>
#include <getopt.h>
#include <grp.h>
#include <message.h>
#include <pwd.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#include "job.h"

static int me;

/* The options "-cba -n RANK --word=RANK one", of which each rank reads one in a round. */
static char number[12], word[24];
static char* options[] = {"program", "first", "-cba", "-n", number, word, "last", NULL};
static const struct option words[] = {{"word", required_argument, NULL, 'w'}, {NULL, 0, NULL, 0}};
static char found[8];

static void read_option(int round) {
  const int one = getopt_long(7, options, "abcn:", words, NULL);
  found[round] = (char)(one == -1 ? '.' : one);
  if (one == 'n' || one == 'w') job_need(atoi(optarg) == me, "the argument of an option");
}

static const char *of_errors, *of_address, *of_digits, *of_number, *of_time;
static const struct tm* parts;
static const struct passwd* user;
static const struct group* users;

static void ask(void) {
  const time_t when = 86400 * (time_t)me;
  struct in_addr address = {htonl((unsigned)me)};
  int point = 0, sign = 0;
  of_errors = strerror(10000 + me);
  of_address = inet_ntoa(address);
  of_digits = l64a(1 + me);
  of_number = ecvt(100.0 + me, 3, &point, &sign);
  parts = gmtime(&when);
  of_time = asctime(parts);
  user = getpwuid(0);
  users = getgrgid(0);
}

static void check_answers(void) {
  char text[64];
  sprintf(text, "Unknown error %d", 10000 + me);
  job_need(strcmp(of_errors, text) == 0, "the text of an error");
  sprintf(text, "0.0.0.%d", me);
  job_need(strcmp(of_address, text) == 0, "the text of an address");
  job_need(a64l(of_digits) == 1 + me, "digits");
  job_need(atoi(of_number) == 100 + me, "a number");
  job_need(parts->tm_yday == me, "the parts of a time");
  sprintf(text, "%2d 00:00:00 1970\n", 1 + me);
  job_need(strstr(of_time, text) != NULL, "the text of a time");
  job_need(user != NULL && strcmp(user->pw_name, "root") == 0, "a user");
  job_need(users != NULL && users->gr_gid == 0, "a group");
}

static char keys[2][12];

static void begin_states(void) {
  unsigned short seed[3] = {1, 2, (unsigned short)me};
  job_need(hcreate(10) != 0, "a table");
  for (int i = 0; i < 2; ++i) {
    sprintf(keys[i], "%d", i * 100 + me);
    const ENTRY entry = {keys[i], (void*)(size_t)(i * 100 + me)};
    job_need(hsearch(entry, ENTER) != NULL, "an entry");
  }
  seed48(seed);
}

static void check_states(int round) {
  static unsigned short same[3];
  if (round == 0) memcpy(same, (unsigned short[]){1, 2, (unsigned short)me}, sizeof same);
  job_need(drand48() == erand48(same), "a random number");
  char other[12];
  sprintf(other, "%d", me + 1);
  const ENTRY mine = {keys[1], NULL}, none = {other, NULL};
  const ENTRY* const entry = hsearch(mine, FIND);
  job_need(entry != NULL && (size_t)entry->data == (size_t)(100 + me), "an entry of the table");
  job_need(hsearch(none, FIND) == NULL, "no entry of another rank");
}

int main(void) {
  ARMCI_Init();
  me = armci_msg_me();
  sprintf(number, "%d", me);
  sprintf(word, "--word=%d", me);
  begin_states();
  ask();
  for (int round = 0; round < 6; ++round) {
    read_option(round);
    check_states(round);
    job_move(round);
    check_answers();
  }
  job_need(strcmp(found, "cbanw.") == 0, "the order of options");
  job_need(optind == 5 && strcmp(options[optind], "first") == 0, "operands");
  hdestroy();
  job_well(me);
  ARMCI_Finalize();
  return 0;
}
