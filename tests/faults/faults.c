/* SPDX-License-Identifier: Apache-2.0 */
/* A library to be preloaded that makes calls of a program fail.
 *
 *   ASPERITY_FAULT=KIND:N[:HOW]   the N-th call of KIND since main() began fails by HOW; with
 *                                 "N+" that one and all after it
 *   ASPERITY_FAULT_COUNTS=FILE    writes how many calls of each kind there were, a line each
 *
 * KIND is memory (malloc and its like), write, sync, rename, open or folder (mkdir). HOW is ENOSPC,
 * EIO, EINTR, ENOMEM or, for write, short: half of what was asked for is written. Without HOW it is
 * ENOMEM for memory and EIO elsewhere. The standard streams never fail, so that the program can say
 * what is wrong, and programs that it starts are left alone. Where a signal ends the program, the
 * standard error says where that was, and where the call that failed before. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum kind { memory, write_call, sync_call, rename_call, open_call, folder_call, kinds };
static const char* const names[kinds] = {"memory", "write", "sync", "rename", "open", "folder"};

static atomic_long counts[kinds];
static atomic_int armed;
static int wanted_kind = -1, and_all_after, short_write, error_number = EIO;
static long wanted_call;

static void read_wish(void) {
  static const struct {
    const char* name;
    int number;
  } errors[] = {{"ENOSPC", ENOSPC}, {"EIO", EIO}, {"EINTR", EINTR}, {"ENOMEM", ENOMEM}};
  const char* wish = getenv("ASPERITY_FAULT");
  if (wish == NULL) return;
  for (int i = 0; i < kinds; ++i) {
    const size_t length = strlen(names[i]);
    if (strncmp(wish, names[i], length) != 0 || wish[length] != ':') continue;
    char* rest = NULL;
    wanted_kind = i;
    wanted_call = strtol(wish + length + 1, &rest, 10);
    if (*rest == '+') and_all_after = 1, ++rest;
    if (i == memory) error_number = ENOMEM;
    if (*rest != ':') return;
    for (size_t k = 0; k < sizeof errors / sizeof *errors; ++k)
      if (strcmp(rest + 1, errors[k].name) == 0) error_number = errors[k].number;
    short_write = strcmp(rest + 1, "short") == 0;
    return;
  }
}

/* ---- where it went wrong --------------------------------------------------------------------- */

enum { most_frames = 64 };
static void* failed_at[most_frames];
static int failed_frames;
static _Thread_local int looks_back; /* which may need memory itself */

static void say(const char* text) {
  if (write(STDERR_FILENO, text, strlen(text)) < 0) return;
}

static void ended_by(int number) {
  void* here[most_frames];
  atomic_store(&armed, 0);
  say("faults: a signal came here:\n");
  backtrace_symbols_fd(here, backtrace(here, most_frames), STDERR_FILENO);
  say("faults: the last call that failed:\n");
  backtrace_symbols_fd(failed_at, failed_frames, STDERR_FILENO);
  signal(number, SIG_DFL);
  raise(number);
}

static void watch_signals(void) {
  static const int numbers[] = {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL};
  backtrace(failed_at, most_frames); /* loads what it needs */
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i) signal(numbers[i], ended_by);
}

/* Whether this call is to fail; errno is set then. */
static int fails(int kind) {
  if (!atomic_load(&armed) || looks_back) return 0;
  const long number = atomic_fetch_add(&counts[kind], 1) + 1;
  if (kind != wanted_kind) return 0;
  if (number != wanted_call && !(and_all_after && number > wanted_call)) return 0;
  looks_back = 1;
  failed_frames = backtrace(failed_at, most_frames);
  looks_back = 0;
  errno = error_number;
  return 1;
}

#define REAL(name, type)   \
  static type real = NULL; \
  if (real == NULL) *(void**)(&real) = dlsym(RTLD_NEXT, name)

/* ---- from main() on -------------------------------------------------------------------------- */

static int (*real_main)(int, char**, char**);

static int watched_main(int count, char** arguments, char** environment) {
  const char* counts_file = getenv("ASPERITY_FAULT_COUNTS");
  read_wish();
  unsetenv("LD_PRELOAD");
  watch_signals();
  atomic_store(&armed, 1);
  const int result = real_main(count, arguments, environment);
  atomic_store(&armed, 0);
  FILE* file = counts_file == NULL ? NULL : fopen(counts_file, "w");
  for (int i = 0; file != NULL && i < kinds; ++i)
    fprintf(file, "%s %ld\n", names[i], atomic_load(&counts[i]));
  if (file != NULL) fclose(file);
  return result;
}

int __libc_start_main(int (*program)(int, char**, char**), int count, char** arguments,
                      void (*start)(void), void (*end)(void), void (*loader_end)(void),
                      void* stack) {
  typedef int (*type)(int (*)(int, char**, char**), int, char**, void (*)(void), void (*)(void),
                      void (*)(void), void*);
  REAL("__libc_start_main", type);
  real_main = program;
  return real(watched_main, count, arguments, start, end, loader_end, stack);
}

/* ---- memory: glibc's own names, since looking one up would need memory ------------------------
 */

void* __libc_malloc(size_t);
void* __libc_calloc(size_t, size_t);
void* __libc_realloc(void*, size_t);
void* __libc_memalign(size_t, size_t);

void* malloc(size_t size) { return fails(memory) ? NULL : __libc_malloc(size); }
void* calloc(size_t count, size_t size) {
  return fails(memory) ? NULL : __libc_calloc(count, size);
}
void* realloc(void* old, size_t size) { return fails(memory) ? NULL : __libc_realloc(old, size); }
void* aligned_alloc(size_t alignment, size_t size) {
  return fails(memory) ? NULL : __libc_memalign(alignment, size);
}
int posix_memalign(void** result, size_t alignment, size_t size) {
  if (fails(memory)) return ENOMEM;
  *result = __libc_memalign(alignment, size);
  return *result == NULL ? ENOMEM : 0;
}

/* ---- files ------------------------------------------------------------------------------------
 */

ssize_t write(int file, const void* bytes, size_t size) {
  typedef ssize_t (*type)(int, const void*, size_t);
  REAL("write", type);
  if (file <= STDERR_FILENO || !fails(write_call)) return real(file, bytes, size);
  return short_write && size > 1 ? real(file, bytes, size / 2) : -1;
}
ssize_t writev(int file, const struct iovec* parts, int count) {
  typedef ssize_t (*type)(int, const struct iovec*, int);
  REAL("writev", type);
  if (file <= STDERR_FILENO || !fails(write_call)) return real(file, parts, count);
  if (!short_write || parts[0].iov_len < 2) return -1;
  const struct iovec half = {parts[0].iov_base, parts[0].iov_len / 2};
  return real(file, &half, 1);
}
ssize_t pwrite64(int file, const void* bytes, size_t size, off64_t at) {
  typedef ssize_t (*type)(int, const void*, size_t, off64_t);
  REAL("pwrite64", type);
  if (!fails(write_call)) return real(file, bytes, size, at);
  return short_write && size > 1 ? real(file, bytes, size / 2, at) : -1;
}
ssize_t pwrite(int file, const void* bytes, size_t size, off_t at) {
  return pwrite64(file, bytes, size, at);
}

int fsync(int file) {
  typedef int (*type)(int);
  REAL("fsync", type);
  return fails(sync_call) ? -1 : real(file);
}
int fdatasync(int file) {
  typedef int (*type)(int);
  REAL("fdatasync", type);
  return fails(sync_call) ? -1 : real(file);
}

int rename(const char* from, const char* to) {
  typedef int (*type)(const char*, const char*);
  REAL("rename", type);
  return fails(rename_call) ? -1 : real(from, to);
}
int renameat(int from_folder, const char* from, int to_folder, const char* to) {
  typedef int (*type)(int, const char*, int, const char*);
  REAL("renameat", type);
  return fails(rename_call) ? -1 : real(from_folder, from, to_folder, to);
}
int renameat2(int from_folder, const char* from, int to_folder, const char* to, unsigned flags) {
  typedef int (*type)(int, const char*, int, const char*, unsigned);
  REAL("renameat2", type);
  return fails(rename_call) ? -1 : real(from_folder, from, to_folder, to, flags);
}

/* Folders can be opened on a full disk, too: to be tidied up. */
static int is_file(int flags) { return (flags & O_DIRECTORY) == 0; }
static int mode_of(int flags, va_list more) {
  return (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(more, int) : 0;
}
#define OPEN(name)                                                            \
  int name(const char* path, int flags, ...) {                                \
    typedef int (*type)(const char*, int, ...);                               \
    REAL(#name, type);                                                        \
    va_list more;                                                             \
    va_start(more, flags);                                                    \
    const int mode = mode_of(flags, more);                                    \
    va_end(more);                                                             \
    return is_file(flags) && fails(open_call) ? -1 : real(path, flags, mode); \
  }
OPEN(open)
OPEN(open64)
#define OPEN_AT(name)                                                                 \
  int name(int folder, const char* path, int flags, ...) {                            \
    typedef int (*type)(int, const char*, int, ...);                                  \
    REAL(#name, type);                                                                \
    va_list more;                                                                     \
    va_start(more, flags);                                                            \
    const int mode = mode_of(flags, more);                                            \
    va_end(more);                                                                     \
    return is_file(flags) && fails(open_call) ? -1 : real(folder, path, flags, mode); \
  }
OPEN_AT(openat)
OPEN_AT(openat64)
#define FOPEN(name)                                    \
  FILE* name(const char* path, const char* mode) {     \
    typedef FILE* (*type)(const char*, const char*);   \
    REAL(#name, type);                                 \
    return fails(open_call) ? NULL : real(path, mode); \
  }
FOPEN(fopen)
FOPEN(fopen64)
int mkdir(const char* path, mode_t mode) {
  typedef int (*type)(const char*, mode_t);
  REAL("mkdir", type);
  return fails(folder_call) ? -1 : real(path, mode);
}
