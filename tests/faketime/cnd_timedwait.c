/* Preloaded beside Debian's libfaketime (0.9.10), which moves the clock that `timespec_get` reads and mends the waits of
 * pthreads for it, but not those of C11: librdkafka then waits for a moment that is as far away as the clock was moved.
 * In glibc both kinds of condition and mutex are the same objects. */

#include <errno.h>
#include <pthread.h>
#include <threads.h>

int cnd_timedwait(cnd_t *condition, mtx_t *mutex, const struct timespec *until)
{
    switch (pthread_cond_timedwait((pthread_cond_t *)condition, (pthread_mutex_t *)mutex, until)) {
    case 0:
        return thrd_success;
    case ETIMEDOUT:
        return thrd_timedout;
    default:
        return thrd_error;
    }
}
