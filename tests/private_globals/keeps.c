/* The C library keeps some memory for its process when it is asked the first time. A rank asks, and
   goes to another node, which takes its memory along. Then the ranks that have stayed ask. */
#include <armci.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <grp.h>
#include <iconv.h>
#include <libintl.h>
#include <locale.h>
#include <message.h>
#include <mntent.h>
#include <netdb.h>
#include <netinet/in.h>
#include <pthread.h>
#include <pwd.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>
#include <wordexp.h>

#include "job.h"

static int me;

static void ask_for_users(void) {
  char room[4096];
  struct passwd user, *found = NULL;
  struct group users, *found_users = NULL;
  gid_t groups[64];
  int count = 64;
  job_need(getpwnam_r("root", &user, room, sizeof room, &found) == 0 && found != NULL &&
               user.pw_uid == 0,
           "a user by name");
  job_need(getpwuid_r(0, &user, room, sizeof room, &found) == 0 && found != NULL,
           "a user by number");
  job_need(getgrnam_r("root", &users, room, sizeof room, &found_users) == 0 && found_users != NULL,
           "a group");
  job_need(getgrouplist("root", 0, groups, &count) >= 1, "groups of a user");
  setpwent();
  job_need(getpwent() != NULL, "the first user");
  endpwent();
  setusershell();
  (void)getusershell();
  endusershell();
  (void)getlogin();
}

static void ask_for_paths(void) {
  glob_t paths;
  wordexp_t words;
  job_need(glob("~root", GLOB_TILDE, NULL, &paths) == 0 && paths.gl_pathv[0][0] == '/',
           "a user's folder");
  globfree(&paths);
  job_need(wordexp("~root word", &words, 0) == 0 && words.we_wordc == 2, "words");
  wordfree(&words);
}

static struct addrinfo* addresses; /* they go with the rank */

static void ask_for_hosts(void) {
  char room[4096];
  struct hostent host, *found = NULL;
  struct protoent protocol, *found_protocol = NULL;
  struct servent service, *found_service = NULL;
  int error = 0;
  (void)gethostbyname_r("127.0.0.1", &host, room, sizeof room, &found, &error);
  job_need(found != NULL, "a host");
  (void)gethostbyname_r("localhost", &host, room, sizeof room, &found, &error);
  (void)getprotobyname_r("tcp", &protocol, room, sizeof room, &found_protocol);
  (void)getservbyname_r("ssh", "tcp", &service, room, sizeof room, &found_service);
  if (addresses != NULL) freeaddrinfo(addresses);
  const struct addrinfo wanted = {.ai_flags = AI_NUMERICHOST | AI_CANONNAME, .ai_family = AF_INET};
  job_need(getaddrinfo("127.0.0.1", "80", &wanted, &addresses) == 0, "addresses");
}

static void check_addresses(void) {
  int count = 0;
  for (const struct addrinfo* one = addresses; one != NULL; one = one->ai_next) {
    const struct sockaddr_in* to = (const struct sockaddr_in*)one->ai_addr;
    job_need(one->ai_addrlen == sizeof *to && to->sin_port == htons(80) &&
                 to->sin_addr.s_addr == htonl(0x7f000001),
             "an address");
    ++count;
  }
  job_need(count > 0 && strcmp(addresses->ai_canonname, "127.0.0.1") == 0,
           "the name of an address");
  char room[64];
  job_need(getnameinfo(addresses->ai_addr, addresses->ai_addrlen, room, sizeof room, NULL, 0,
                       NI_NUMERICHOST) == 0 &&
               strcmp(room, "127.0.0.1") == 0,
           "the text of an address");
}

static void ask_for_texts(void) {
  char room[64];
  struct tm parts = {0};
  setlocale(LC_ALL, "C.UTF-8");
  (void)bindtextdomain("armature-test", "/nowhere");
  (void)textdomain("armature-test");
  job_need(strcmp(gettext("a text"), "a text") == 0, "a text that nobody translates");
  job_need(strcmp(strerror_r(ENOENT, room, sizeof room), "No such file or directory") == 0,
           "the text of an error");
  const iconv_t conversion = iconv_open("UTF-16LE", "UTF-8");
  job_need(conversion != (iconv_t)-1 && iconv_close(conversion) == 0, "a conversion");
  job_need(strptime("2026-02-03", "%Y-%m-%d", &parts) != NULL && parts.tm_mday == 3,
           "the parts of a date");
  job_need(rpmatch("yes") == 1, "an answer");
  openlog("armature-test", 0, LOG_USER);
  closelog();
  (void)ungetc('a', stdin);
  job_need(getc(stdin) == 'a', "a letter that was put back");
  job_need(fwprintf(stderr, L"%ls", L"") == 0, "wide characters");
}

static void note(union sigval value) { (void)value; }

/* A thread that is cancelled in such a call has ended for its rank, too, which goes on to move. */
static void* say_something(void* unused) {
  pthread_cancel(pthread_self());
  syslog(LOG_DEBUG, "a thread that is cancelled");
  return unused;
}

static void ask_for_others(void) {
  enum { KEYS = 40 }; /* the first 32 take no memory */
  pthread_key_t keys[KEYS];
  char name[64];
  timer_t timer;
  struct sigevent by_thread = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = note};
  for (int i = 0; i < KEYS; ++i)
    job_need(pthread_key_create(&keys[i], NULL) == 0 && pthread_setspecific(keys[i], name + i) == 0,
             "a key");
  job_need(pthread_getspecific(keys[KEYS - 1]) == name + KEYS - 1, "the value of a key");
  for (int i = 0; i < KEYS; ++i) pthread_key_delete(keys[i]);
  sprintf(name, "/armature-test-%d-%d", (int)getpid(), me);
  sem_t* const semaphore = sem_open(name, O_CREAT | O_EXCL, 0600, 1);
  job_need(semaphore != SEM_FAILED && sem_trywait(semaphore) == 0, "a semaphore with a name");
  sem_close(semaphore);
  sem_unlink(name);
  FILE* const mounts = setmntent("/proc/self/mounts", "r");
  job_need(mounts != NULL && getmntent(mounts) != NULL, "what is mounted");
  endmntent(mounts);
  job_need(timer_create(CLOCK_MONOTONIC, &by_thread, &timer) == 0, "a timer");
  timer_delete(timer);
  pthread_t thread;
  void* result = NULL;
  job_need(pthread_create(&thread, NULL, say_something, NULL) == 0 &&
               pthread_join(thread, &result) == 0 && result == PTHREAD_CANCELED,
           "a thread that is cancelled");
}

static void ask(void) {
  ask_for_users();
  ask_for_paths();
  ask_for_hosts();
  ask_for_texts();
  ask_for_others();
}

/* The files are open while the rank moves. */
static FILE *users, *table;
static void read_files(int round) {
  if (round == 0) users = fopen("/etc/passwd", "r");
  if (round == 0) table = fopen("/etc/passwd", "r");
  job_need(users != NULL && (round > 1 || fgetpwent(users) != NULL), "a user of a file");
  job_need(table != NULL && getmntent(table) != NULL, "a line of a table");
}

int main(void) {
  ARMCI_Init();
  me = armci_msg_me();
  for (int round = 0; round < 4; ++round) {
    /* In each process one asks before all others do, and goes. */
    if (me % 2 == round % 2) ask();
    if (me % 2 == round % 2) read_files(round / 2);
    job_move(2 * round);
    if (addresses != NULL) check_addresses();
    ask();
  }
  fclose(users);
  job_need(endmntent(table) == 1, "the end of a table");
  job_well(me);
  ARMCI_Finalize();
  return 0;
}
