/** What a test holds ready outside of the boundary, for attempts to reach. */
export interface EscapeTargets {
  /** A file that every account of this machine may read, and what it holds. */
  readonly secretFile: string;
  readonly secret: string;
  /** A folder that every account of this machine may write in. */
  readonly openFolder: string;
  /** The folder of all workspaces, and, as a pattern, a file in that of another session, which holds `secret` too. */
  readonly dataFolder: string;
  readonly otherFile: string;
  /** A variable of the worker and its value. */
  readonly variable: string;
  readonly value: string;
  /** A process of this machine with `victimWord` among its arguments. */
  readonly victim: number;
  readonly victimWord: string;
  /** Ports and sockets of this machine on which something answers. */
  readonly tcpPort: number;
  readonly ownAddress: string;
  readonly socketFile: string;
  readonly abstractSocket: string;
}

export interface Escape {
  readonly name: string;
  /** Ends with success if, and only if, it got through. */
  readonly command: string;
  /** Programs without which it can't be tried. */
  readonly needs?: readonly string[];
}

/** Attempts to get out, each one command. */
export function escapes(targets: EscapeTargets): readonly Escape[] {
  return [...files(targets), ...processes(targets), ...networks(targets), ...privileges(targets), ...kernel()];
}

function files(t: EscapeTargets): readonly Escape[] {
  const reads = (name: string, path: string) => ({ name, command: `grep -q '${t.secret}' ${path}` });
  const writes = (name: string, path: string) => ({ name, command: `echo x >'${path}'` });
  return [
    reads("read a file outside", t.secretFile),
    reads("read it through /proc/self/root", `/proc/self/root${t.secretFile}`),
    reads("read it through the first process' root", `/proc/1/root${t.secretFile}`),
    reads("read it through the shell's own folder", `/proc/$$/cwd/../../../../../..${t.secretFile}`),
    reads("read it with many ..", `../../../../../../../..${t.secretFile}`),
    { name: "read it through a link", command: `ln -sf '${t.secretFile}' l && grep -q '${t.secret}' l` },
    { name: "read it through a link to /", command: `ln -sfn / r && grep -q '${t.secret}' r${t.secretFile}` },
    { name: "make a hard link to it", command: `ln -f '${t.secretFile}' h && grep -q '${t.secret}' h` },
    {
      name: "find it anywhere",
      command: `grep -rqs '${t.secret}' /tmp /var /srv /opt /mnt /media /run /etc 2>/dev/null`,
    },
    { name: "copy it with tar", command: `tar cf - -P '${t.secretFile}' | grep -q '${t.secret}'`, needs: ["tar"] },
    { name: "read the passwords of the machine", command: "grep -q '^[a-z]*:[$*!]' /etc/shadow" },
    { name: "read the groups' passwords", command: "grep -q : /etc/gshadow" },
    { name: "list root's home", command: "ls -A /root 2>/dev/null | grep -q ." },
    { name: "list people's homes", command: "ls -A /home/* 2>/dev/null | grep -q ." },
    { name: "list all workspaces", command: `ls -A '${t.dataFolder}' 2>/dev/null | grep -q .` },
    reads("read another session's file", t.otherFile),
    writes("write to a file outside", t.secretFile),
    writes("write to a folder outside", `${t.openFolder}/new`),
    writes("write in the root folder", "/new"),
    writes("write in /etc", "/etc/new"),
    writes("name a library that everything loads", "/etc/ld.so.preload"),
    writes("add a cron table", "/etc/cron.d/new"),
    writes("write beside programs", "/usr/bin/new"),
    writes("write in /usr/local", "/usr/local/bin/new"),
    writes("write in /var", "/var/tmp/new"),
    writes("replace a device", "/dev/new"),
    { name: "change a program's mode", command: "chmod 777 /usr/bin/env" },
    { name: "delete a program", command: 'p=$(command -v yes); [ -e "$p" ] && rm -f $p && ! [ -e $p ]' },
  ];
}

function processes(t: EscapeTargets): readonly Escape[] {
  return [
    { name: "see a variable of the worker", command: `env | grep -q '^${t.variable}='` },
    { name: "see it in /proc", command: `cat /proc/[0-9]*/environ 2>/dev/null | grep -q '${t.value}'` },
    {
      name: "see a process outside",
      command: `cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' '\\n' | grep -q '^${t.victimWord}$'`,
    },
    { name: "signal a process outside", command: `kill -0 ${t.victim}` },
    { name: "kill a process outside", command: `kill -9 ${t.victim}` },
    { name: "slow a process outside down", command: `renice -n 19 -p ${t.victim}`, needs: ["renice"] },
    { name: "read a process' memory map outside", command: `head -c 1 /proc/${t.victim}/maps | grep -q .` },
    { name: "read memory of the first process", command: "head -c 1 /proc/1/mem | grep -q ." },
    { name: "raise the limit on processes", command: "ulimit -u unlimited" },
    { name: "raise the limit on files' size", command: "ulimit -f unlimited", needs: ["bash"] },
    { name: "be killed last", command: "echo -900 >/proc/self/oom_score_adj" },
    { name: "run before everything else", command: "chrt -f 50 true", needs: ["chrt"] },
    perl("trace a process outside", `exit(syscall(101, 16, ${t.victim}, 0, 0) == 0 ? 0 : 1)`),
  ];
}

function networks(t: EscapeTargets): readonly Escape[] {
  const reaches = (name: string, host: string, port: number): Escape => ({
    name,
    command: `if [ -x /bin/bash ]; then timeout 3 bash -c '</dev/tcp/${host}/${port}'; else timeout 3 nc ${host} ${port} </dev/null; fi`,
  });
  const socket = (family: string, kind: string) => `socket(my $s, ${family}, ${kind}, 0)`;
  return [
    reaches("reach the metadata address", "169.254.169.254", 80),
    reaches("reach the worker's machine at 127.0.0.1", "127.0.0.1", t.tcpPort),
    reaches("reach it by name", "localhost", t.tcpPort),
    reaches("reach it at 0.0.0.0", "0.0.0.0", t.tcpPort),
    reaches("reach it at ::1", "::1", t.tcpPort),
    reaches("reach it at its own address", t.ownAddress, t.tcpPort),
    reaches("reach a private network", "10.0.0.1", 80),
    reaches("reach a name server", "1.1.1.1", 53),
    { name: "resolve a name", command: "timeout 5 getent hosts example.com", needs: ["getent"] },
    {
      name: "send a packet to a name server",
      command: "timeout 3 bash -c 'echo x >/dev/udp/8.8.8.8/53'",
      needs: ["bash"],
    },
    perl(
      "reach a socket in a folder outside",
      `use Socket; ${socket("AF_UNIX", "SOCK_STREAM")}; exit(connect($s, pack_sockaddr_un("${t.socketFile}")) ? 0 : 1)`,
    ),
    perl(
      "reach a socket without a folder",
      `use Socket; ${socket("AF_UNIX", "SOCK_STREAM")}; exit(connect($s, pack("Sa*", 1, "\\0${t.abstractSocket}")) ? 0 : 1)`,
    ),
    { name: "find Docker's socket", command: "ls /var/run/docker.sock /run/docker.sock 2>/dev/null | grep -q ." },
    { name: "find the system's bus", command: "ls /run/dbus/* /run/systemd/* 2>/dev/null | grep -q ." },
    { name: "add a network device", command: "ip link add dummy0 type dummy", needs: ["ip"] },
    perl("open a packet socket", `exit(${socket("17", "3")} ? 0 : 1)`),
    perl("open a raw socket", `exit(socket(my $s, 2, 3, 1) ? 0 : 1)`),
  ];
}

function privileges(t: EscapeTargets): readonly Escape[] {
  return [
    { name: "be root", command: '[ "$(id -u)" = 0 ]' },
    { name: "become root with su", command: "timeout 3 su -c true </dev/null", needs: ["su"] },
    { name: "become root with sudo", command: "sudo -n true", needs: ["sudo"] },
    {
      name: "become root with a shell of one's own",
      command: 'cp /bin/sh s && chmod 4755 s && [ "$(./s -p -c "id -u")" = 0 ]',
    },
    perl("become root by asking", "exit(syscall(105, 0) == 0 ? 0 : 1)"),
    { name: "have a capability", command: "grep -q '^Cap[EP][fr][fm]:.*[1-9a-f]' /proc/self/status" },
    { name: "gain privileges by a program", command: "! grep -q '^NoNewPrivs:.*1' /proc/self/status" },
    { name: "make a user namespace", command: "unshare -Ur true", needs: ["unshare"] },
    { name: "make a mount namespace", command: "unshare -m true", needs: ["unshare"] },
    { name: "enter the first process' namespaces", command: "nsenter -t 1 -m -n true && ls /root", needs: ["nsenter"] },
    { name: "change the root folder", command: "chroot / true", needs: ["chroot"] },
    { name: "mount a file system", command: "mkdir -p m && mount -t tmpfs none m", needs: ["mount"] },
    { name: "mount /proc anew", command: "mkdir -p m && mount -t proc none m", needs: ["mount"] },
    { name: "mount the root folder elsewhere", command: "mkdir -p m && mount --bind / m", needs: ["mount"] },
    { name: "make programs writable", command: "mount -o remount,rw /usr || mount -o remount,rw /", needs: ["mount"] },
    { name: "take a mount away", command: "umount /tmp || umount /proc", needs: ["umount"] },
    { name: "make a device", command: "mknod d b 8 0 || mknod d c 1 1", needs: ["mknod"] },
    { name: "bwrap in it", command: "bwrap --ro-bind / / true", needs: ["bwrap"] },
    perl("make a user namespace by clone", "my $p = syscall(56, 0x10000011, 0, 0, 0, 0); exit 0 if $p >= 0; exit 1"),
    perl(
      "open a file by its handle",
      `my $h = pack("Ii", 8, 1) . pack("II", 2, 0); exit(syscall(304, -100, $h, 0) >= 0 ? 0 : 1)`,
    ),
    { name: "run what lies outside", command: `'${t.openFolder}/program'` },
  ];
}

function kernel(): readonly Escape[] {
  const writes = (name: string, path: string) => ({ name, command: `cat ${path} >was && cat was >${path}` });
  return [
    writes("set the program for crashes", "/proc/sys/kernel/core_pattern"),
    writes("change a setting of the kernel", "/proc/sys/vm/overcommit_memory"),
    { name: "ask the kernel for a service", command: "echo h >/proc/sysrq-trigger" },
    {
      name: "read the machine's memory",
      command: "head -c 1 /proc/kcore | grep -q . || head -c 1 /dev/mem | grep -q .",
    },
    { name: "read a disk", command: "head -c 1 /dev/sda | grep -q . || head -c 1 /dev/vda | grep -q ." },
    {
      name: "read the kernel's log",
      command: "dmesg | grep -q . || head -c 1 /dev/kmsg | grep -q .",
      needs: ["dmesg"],
    },
    { name: "make a control group", command: "mkdir /sys/fs/cgroup/new || mkdir /sys/fs/cgroup/memory/new" },
    { name: "rename the machine", command: "hostname evil", needs: ["hostname"] },
    { name: "set the clock", command: 'date -s "$(date)"' },
    perl(
      "load a program into the kernel",
      'my $a = pack("IIQQIIQ", 1, 2, 0, 0, 0, 0, 0); exit(syscall(321, 5, $a, length $a) >= 0 ? 0 : 1)',
    ),
    perl("use io_uring", `my $p = "\\0" x 120; exit(syscall(425, 1, $p) >= 0 ? 0 : 1)`),
    perl("use keys of the kernel", "exit(syscall(250, 0, -3, 1) >= 0 ? 0 : 1)"),
    perl("handle page faults", "exit(syscall(323, 1) >= 0 ? 0 : 1)"),
    perl(
      "watch the processor",
      'my $a = pack("II", 1, 112) . "\\0" x 104; exit(syscall(298, $a, 0, -1, -1, 0) >= 0 ? 0 : 1)',
    ),
    perl("reach the machine beneath by vsock", "exit(socket(my $s, 40, 1, 0) ? 0 : 1)"),
    perl("use the kernel's ciphers", "exit(socket(my $s, 38, 5, 0) ? 0 : 1)"),
    perl("load a module", 'my $a = ""; exit(syscall(175, $a, 0, $a) == 0 ? 0 : 1)'),
  ];
}

/** Calls the kernel itself, by the numbers of x86-64. */
function perl(name: string, code: string): Escape {
  return { name, command: `[ "$(uname -m)" = x86_64 ] && perl -e '${code}'`, needs: ["perl"] };
}
