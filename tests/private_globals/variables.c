/* Variables of every kind that C has. Each rank gives them values of its own; they must have them
   whoever runs in between, and wherever the rank goes on. */
#include <armcix.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "job.h"

typedef int taker(void);
typedef struct {
  int* where;
  taker* take;
  const char* name;
} entry;

static int take_first(void);
static int take_second(void);

int zero, first = 7;
static int of_file = 8, large[20000];
const int constant = 9;
static int* pointer = &first;
int** pointer_to_pointer = &pointer;
static entry entries[] = {{&first, take_first, "first"}, {&of_file, take_second, "second"}};
static taker* function = take_first;
static size_t (*of_library)(const char*) = strlen;
static _Thread_local int of_thread = 11;
static __thread char text_of_thread[40];
static int constructed, rank;

static int take_first(void) { return first; }
static int take_second(void) { return of_file; }

__attribute__((constructor)) static void construct(void) { ++constructed; }

static int count(void) {
  static int calls = 100;
  return ++calls;
}

static int compare(const void* left, const void* right) {
  ++zero;
  return *(const int*)left - *(const int*)right;
}

static int is_rank, ended;
static void end_first(void) { job_need(of_file == -rank, "of_file at the end"); }
static void end_last(void) {
  job_need(first == rank && constructed == 1, "first at the end");
  ended = 1;
}
/* The process's original has been no rank. */
__attribute__((destructor)) static void destroy(void) {
  if (is_rank == 0) return;
  job_need(ended == 1, "what atexit calls");
  printf("rank %d ended\n", rank);
}

static void check_beginning(void) {
  job_need(zero == 0 && first == 7 && of_file == 8 && constant == 9, "plain ones at first");
  job_need(pointer == &first && *pointer_to_pointer == &first, "pointers at first");
  job_need(entries[1].where == &of_file && entries[1].take == take_second, "a table at first");
  job_need(constructed == 1 && of_thread == 11 && text_of_thread[0] == 0, "others at first");
  job_need(of_library("four") == 4, "a library's function");
}

static void check(int round) {
  job_need(first == rank && of_file == -rank && large[19999] == rank, "plain ones");
  job_need(*pointer == rank && **pointer_to_pointer == rank, "pointers");
  job_need(*entries[0].where == rank && strcmp(entries[1].name, "second") == 0, "a table");
  job_need(entries[0].take() == rank && entries[1].take() == -rank, "functions of a table");
  job_need(function() == -rank && of_library(text_of_thread) == 6, "functions");
  job_need(of_thread == rank && atoi(text_of_thread) == 100000 + rank, "thread-local ones");
  job_need(count() == 101 + round, "a function's static");
  int sorted[] = {3, 1, 2};
  const int before = zero;
  qsort(sorted, 3, sizeof sorted[0], compare);
  job_need(sorted[0] == 1 && zero > before, "a function that a library calls");
}

/* Attributes of a process, and states that the C library keeps for one. */
static const char* const directories[] = {"/", "/usr", "/usr/bin", "/usr/share", "/etc"};
static char words[] = "0 1 2 3 4 5 6 7";
static struct random_data same;
static char state_of_same[128];

static void set_attributes(void) {
  char value[20];
  sprintf(value, "%d", rank);
  job_need(chdir(directories[rank % 5]) == 0, "a directory");
  umask((mode_t)(rank % 8));
  job_need(setenv("ARMATURE_TEST_RANK", value, 1) == 0 && unsetenv("HOME") == 0, "setenv");
  srand((unsigned)rank);
  initstate_r((unsigned)rank, state_of_same, sizeof state_of_same, &same);
}

static void check_attributes(int round) {
  char now[200], number[4];
  job_need(getcwd(now, sizeof now) != NULL && strcmp(now, directories[rank % 5]) == 0,
           "the directory");
  const mode_t mask = umask(0);
  job_need((int)mask == rank % 8, "the mask");
  umask(mask);
  const char* const value = getenv("ARMATURE_TEST_RANK");
  job_need(value != NULL && atoi(value) == rank, "a variable of the environment");
  job_need(getenv("PATH") != NULL && getenv("HOME") == NULL, "others");
  int32_t random = 0;
  random_r(&same, &random);
  job_need(rand() == random, "a random number");
  sprintf(number, "%d", round);
  job_need(strcmp(strtok(round == 0 ? words : NULL, " "), number) == 0, "a token");
}

/* None of that is left when the job has gone back. */
static void spoil(void) {
  zero = first = of_file = of_thread = -1000;
  memset(large, 1, sizeof large);
  memset(entries, 0, sizeof entries);
  memset(text_of_thread, 'x', sizeof text_of_thread - 1);
  pointer = &zero;
  pointer_to_pointer = NULL;
  function = take_first;
  of_library = NULL;
  count();
  job_need(chdir("/tmp") == 0, "another directory");
  umask(0777);
  job_need(setenv("ARMATURE_TEST_RANK", "x", 1) == 0 && setenv("HOME", "/", 1) == 0, "setenv");
  unsetenv("PATH");
  rand();
  strtok(NULL, " ");
  optind = 1000;
}

/* Each with arguments of its own. */
static void read_options(int argc, char** argv) {
  int letters = 0;
  for (int letter = 0; (letter = getopt(argc, argv, "ab:")) >= 0; ++letters)
    if (letter == 'b') job_need(strcmp(optarg, "3") == 0, "the argument of an option");
  job_need(letters == 2 && optind == 4 && strcmp(argv[optind], "rest") == 0, "options");
  optind += rank;
}

int main(int argc, char** argv) {
  ARMCI_Init();
  rank = armci_msg_me();
  is_rank = 1;
  job_count_areas(rank, &first);
  check_beginning();
  read_options(argc, argv);
  atexit(end_last);
  atexit(end_first);
  first = large[19999] = of_thread = rank;
  of_file = -rank;
  function = take_second;
  sprintf(text_of_thread, "%d", 100000 + rank);
  set_attributes();
  job_spoil_by(spoil);
  for (int round = 0; round < 8; ++round) {
    if (round == 3) job_stop(rank);
    job_move(round);
    check(round);
    check_attributes(round);
  }
  job_count_areas(rank, &first);
  job_need(optind == 4 + rank, "options, later");
  job_well(rank);
  ARMCI_Finalize();
  armci_msg_finalize();
  return 0;
}
