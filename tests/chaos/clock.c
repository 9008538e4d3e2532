/* Shifts the time of day of the process that it is preloaded into, by the nanoseconds that stand in the file named by
 * CHAOS_CLOCK. Another process may rewrite them at any moment, and the clock jumps. Clocks that only count are left alone:
 * nothing makes those of a real machine jump either. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define SECOND 1000000000LL
#define TIME_OF_DAY 1000000000 /* seconds: the year 2001 */

static const volatile int64_t *shift_ns;

__attribute__((constructor)) static void begin(void) {
    const char *path = getenv("CHAOS_CLOCK");
    int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (file < 0) return;
    void *page = mmap(NULL, sizeof(int64_t), PROT_READ, MAP_SHARED, file, 0);
    close(file);
    if (page != MAP_FAILED) shift_ns = page;
}

static void move(struct timespec *moment, int sign) {
    if (!shift_ns) return;
    int64_t sum = moment->tv_sec * SECOND + moment->tv_nsec + sign * *shift_ns;
    moment->tv_sec = sum / SECOND;
    moment->tv_nsec = sum % SECOND;
}

int clock_gettime(clockid_t clock, struct timespec *moment) {
    int failed = (int)syscall(SYS_clock_gettime, clock, moment);
    if (!failed && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) move(moment, 1);
    return failed;
}

time_t time(time_t *out) {
    struct timespec moment;
    clock_gettime(CLOCK_REALTIME, &moment);
    if (out) *out = moment.tv_sec;
    return moment.tv_sec;
}

int gettimeofday(struct timeval *restrict out, void *restrict zone) {
    struct timespec moment;
    (void)zone;
    clock_gettime(CLOCK_REALTIME, &moment);
    out->tv_sec = moment.tv_sec;
    out->tv_usec = moment.tv_nsec / 1000;
    return 0;
}

/* Whoever waits until a time of day has worked it out by the shifted clock; the kernel's is the true one. Conditions may
 * wait by a clock that counts from the machine's start as well: its moments are decades smaller. */
int pthread_cond_timedwait(pthread_cond_t *restrict condition, pthread_mutex_t *restrict mutex,
                           const struct timespec *restrict until) {
    static int (*next)(pthread_cond_t *, pthread_mutex_t *, const struct timespec *);
    if (!next) *(void **)&next = dlvsym(RTLD_NEXT, "pthread_cond_timedwait", "GLIBC_2.3.2");
    struct timespec moment = *until;
    if (moment.tv_sec > TIME_OF_DAY) move(&moment, -1);
    return next(condition, mutex, &moment);
}

int sem_timedwait(sem_t *restrict semaphore, const struct timespec *restrict until) {
    static int (*next)(sem_t *, const struct timespec *);
    if (!next) *(void **)&next = dlsym(RTLD_NEXT, "sem_timedwait");
    struct timespec moment = *until;
    move(&moment, -1);
    return next(semaphore, &moment);
}
