/* A program of the kind that runs in the sandbox: threads, epoll, a large mapped file. */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#define BIG ((size_t)1 << 28)

static void *work(void *arg)
{
    (void)arg;
    usleep(1000);
    return malloc(1 << 20);
}

int main(void)
{
    pthread_t thread[8];
    struct epoll_event event = {.events = EPOLLIN};

    for (int i = 0; i < 8; i++)
        if (pthread_create(&thread[i], NULL, work, NULL) != 0)
            return 1;
    for (int i = 0; i < 8; i++)
        pthread_join(thread[i], NULL);
    int epoll = epoll_create1(EPOLL_CLOEXEC), wake = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    epoll_ctl(epoll, EPOLL_CTL_ADD, wake, &event);
    epoll_wait(epoll, &event, 1, 1);
    int fd = open("big", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0 || ftruncate(fd, (off_t)BIG) != 0)
        return 1;
    char *p = mmap(NULL, BIG, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (p == MAP_FAILED)
        return 1;
    memset(p, 1, 1 << 20);
    msync(p, 1 << 20, MS_SYNC);
    madvise(p, BIG, MADV_DONTNEED);
    munmap(p, BIG);
    puts("done");
    return 0;
}
