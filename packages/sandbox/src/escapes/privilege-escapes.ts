import { type Escape, type EscapeTargets, perl } from "./escape.ts";

/** To have more rights than were given, or another view of the machine. */
export function privilegeEscapes(t: EscapeTargets): readonly Escape[] {
  const attempt = (name: string, command: string, needs: readonly string[] = []): Escape => ({
    kind: "privileges",
    name,
    command,
    needs,
  });
  return [
    attempt("be root", '[ "$(id -u)" = 0 ]'),
    attempt("become root with su", "timeout 3 su -c true </dev/null", ["su"]),
    attempt("become root with sudo", "sudo -n true", ["sudo"]),
    attempt("become root with a shell of one's own", 'cp /bin/sh s && chmod 4755 s && [ "$(./s -p -c "id -u")" = 0 ]'),
    attempt("give a file to root", "echo x >g && chown 0 g"),
    attempt("give a program a capability", "cp /bin/sh k && setcap cap_sys_admin+ep k", ["setcap"]),
    perl("privileges", "become root by asking", "exit(syscall(105, 0) == 0 ? 0 : 1)"),
    perl("privileges", "join another group by asking", 'my $g = pack("I", 0); exit(syscall(116, 1, $g) == 0 ? 0 : 1)'),
    attempt("have a capability", "grep '^Cap[EP][fr][fm]:.*[1-9a-f]' /proc/self/status"),
    attempt("gain privileges by a program", "! grep -q '^NoNewPrivs:.*1' /proc/self/status"),
    attempt("make a user namespace", "unshare -Ur true", ["unshare"]),
    attempt("make a mount namespace", "unshare -m true", ["unshare"]),
    attempt("make a network namespace", "unshare -n true", ["unshare"]),
    attempt("enter the first process' namespaces", "nsenter -t 1 -m -n true && ls /root", ["nsenter"]),
    attempt("enter those of a process outside", `nsenter -t ${t.victim} -m -n true`, ["nsenter"]),
    attempt("change the root folder", "chroot / true", ["chroot"]),
    attempt("mount a file system", "mkdir -p m && mount -t tmpfs none m", ["mount"]),
    attempt("mount /proc anew", "mkdir -p m && mount -t proc none m", ["mount"]),
    attempt("mount the machine's settings", "mkdir -p m && mount -t sysfs none m", ["mount"]),
    attempt("mount the root folder elsewhere", "mkdir -p m && mount --bind / m", ["mount"]),
    attempt("make programs writable", "mount -o remount,rw /usr || mount -o remount,rw /", ["mount"]),
    attempt("take a mount away", "umount /tmp || umount /proc", ["umount"]),
    attempt("make a device", "mknod d b 8 0 || mknod d c 1 1", ["mknod"]),
    attempt("bwrap in it", "bwrap --ro-bind / / true", ["bwrap"]),
    perl(
      "privileges",
      "make a user namespace by clone",
      "my $p = syscall(56, 0x10000011, 0, 0, 0, 0); exit 0 if $p >= 0; exit 1",
    ),
    perl(
      "privileges",
      "make one by the newer clone",
      'my $a = pack("Q8", 0x10000000, 0, 0, 0, 17, 0, 0, 0); my $p = syscall(435, $a, 64); exit 0 if $p >= 0; exit 1',
    ),
    perl(
      "privileges",
      "open a file by its handle",
      'my $h = pack("Ii", 8, 1) . pack("II", 2, 0); exit(syscall(304, -100, $h, 0) >= 0 ? 0 : 1)',
    ),
    attempt("run what lies outside", `'${t.openFolder}/program'`),
  ];
}
