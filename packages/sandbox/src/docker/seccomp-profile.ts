/**
 * The system calls that a container's programs have. Docker's own profile depends on its version, and that of Debian 12 lets
 * through io_uring, and vsock, which knows no network namespace. This list is that of Linux' `arch/x86/entry/syscalls/syscall_64.tbl`
 * without what `../sandbox/seccomp.ts` refuses too and what Docker's documentation names as dangerous
 * (https://docs.docker.com/engine/security/seccomp/). What later kernels add is refused.
 */
const allowed = `
  accept accept4 access alarm arch_prctl bind brk cachestat capget capset chdir chmod chown clock_getres clock_gettime clock_nanosleep close
  close_range connect copy_file_range creat dup dup2 dup3 epoll_create epoll_create1 epoll_ctl epoll_pwait epoll_pwait2 epoll_wait eventfd eventfd2
  execve execveat exit exit_group faccessat faccessat2 fadvise64 fallocate fchdir fchmod fchmodat fchmodat2 fchown fchownat fcntl fdatasync
  fgetxattr flistxattr flock fork fremovexattr fsetxattr fstat fstatfs fsync ftruncate futex futex_requeue futex_wait futex_waitv futex_wake
  futimesat get_robust_list get_thread_area getcpu getcwd getdents getdents64 getegid geteuid getgid getgroups getitimer getpeername getpgid getpgrp
  getpid getppid getpriority getrandom getresgid getresuid getrlimit getrusage getsid getsockname getsockopt gettid gettimeofday getuid getxattr
  inotify_add_watch inotify_init inotify_init1 inotify_rm_watch io_cancel io_destroy io_getevents io_pgetevents io_setup io_submit ioctl ioprio_get
  ioprio_set kill landlock_add_rule landlock_create_ruleset landlock_restrict_self lchown lgetxattr link linkat listen listxattr llistxattr
  lremovexattr lseek lsetxattr lstat madvise map_shadow_stack membarrier memfd_create mincore mkdir mkdirat mknod mknodat mlock mlock2 mlockall mmap
  mprotect mq_getsetattr mq_notify mq_open mq_timedreceive mq_timedsend mq_unlink mremap mseal msgctl msgget msgrcv msgsnd msync munlock munlockall
  munmap nanosleep newfstatat open openat openat2 pause pidfd_open pidfd_send_signal pipe pipe2 pkey_alloc pkey_free pkey_mprotect poll ppoll prctl
  pread64 preadv preadv2 prlimit64 process_mrelease process_vm_readv process_vm_writev pselect6 ptrace pwrite64 pwritev pwritev2 read readahead
  readlink readlinkat readv recvfrom recvmmsg recvmsg remap_file_pages removexattr rename renameat renameat2 restart_syscall rmdir rseq rt_sigaction
  rt_sigpending rt_sigprocmask rt_sigqueueinfo rt_sigreturn rt_sigsuspend rt_sigtimedwait rt_tgsigqueueinfo sched_get_priority_max
  sched_get_priority_min sched_getaffinity sched_getattr sched_getparam sched_getscheduler sched_rr_get_interval sched_setaffinity sched_setattr
  sched_setparam sched_setscheduler sched_yield seccomp select semctl semget semop semtimedop sendfile sendmmsg sendmsg sendto set_robust_list
  set_thread_area set_tid_address setfsgid setfsuid setgid setgroups setitimer setpgid setpriority setregid setresgid setresuid setreuid setrlimit
  setsid setsockopt setuid setxattr shmat shmctl shmdt shmget shutdown sigaltstack signalfd signalfd4 socketpair splice stat statfs statx symlink
  symlinkat sync sync_file_range syncfs sysinfo tee tgkill time timer_create timer_delete timer_getoverrun timer_gettime timer_settime
  timerfd_create timerfd_gettime timerfd_settime times tkill truncate umask uname unlink unlinkat utime utimensat utimes vfork vmsplice wait4 waitid
  write writev
`;

/** Unix, IPv4, IPv6, netlink. */
const socketFamilies = [1, 2, 10, 16];
/** CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID and NEWNET. */
const newNamespaces = 0x7e020000;
/** To ask, and to be a plain Linux program. */
const personalities = [0, 0xffffffff];

const [eperm, enosys] = [1, 38];

/** What bubblewrap and `nsenter` need for namespaces and for a view of the file system. */
const nesting = "clone mount pivot_root sethostname setns umount2 unshare".split(" ");

/** As Docker reads it after `seccomp=`: for every container that commands run in. */
export function seccompProfile(): string {
  return JSON.stringify(profile([cloneWithoutNamespaces]));
}

/** For a container in which a worker runs commands behind bubblewrap, which refuses them what is allowed more here. */
export function nestingProfile(): object {
  return profile([{ names: nesting, action: allow }]);
}

const allow = "SCMP_ACT_ALLOW";
const cloneWithoutNamespaces = {
  names: ["clone"],
  action: allow,
  args: [{ index: 0, value: newNamespaces, valueTwo: 0, op: "SCMP_CMP_MASKED_EQ" }],
};

function profile(more: readonly object[]): object {
  const equal = (value: number) => [{ index: 0, value, op: "SCMP_CMP_EQ" }];
  return {
    defaultAction: "SCMP_ACT_ERRNO",
    defaultErrnoRet: eperm,
    archMap: [{ architecture: "SCMP_ARCH_X86_64" }, { architecture: "SCMP_ARCH_AARCH64" }],
    syscalls: [
      { names: allowed.trim().split(/\s+/), action: allow },
      ...socketFamilies.map((family) => ({ names: ["socket"], action: allow, args: equal(family) })),
      ...personalities.map((personality) => ({ names: ["personality"], action: allow, args: equal(personality) })),
      ...more,
      // Its flags lie in memory, where no filter sees them; programs then take clone.
      { names: ["clone3"], action: "SCMP_ACT_ERRNO", errnoRet: enosys },
    ],
  };
}
