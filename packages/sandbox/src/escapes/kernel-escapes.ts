import { type Escape, perl, reading } from "./escape.ts";

/** To change the kernel's settings, or to reach parts of it that no command needs. */
export function kernelEscapes(): readonly Escape[] {
  const attempt = (name: string, command: string, needs: readonly string[] = []): Escape => ({
    kind: "kernel",
    name,
    command,
    needs,
  });
  const sets = (name: string, path: string) => attempt(name, `cat ${path} >was && cat was >${path}`);
  return [
    sets("set the program for crashes", "/proc/sys/kernel/core_pattern"),
    sets("set the program for modules", "/proc/sys/kernel/modprobe"),
    sets("change a setting of the kernel", "/proc/sys/vm/overcommit_memory"),
    sets("change how the network routes", "/proc/sys/net/ipv4/ip_forward"),
    attempt("ask the kernel for a service", "echo h >/proc/sysrq-trigger"),
    attempt("read the machine's memory", `${reading("/proc/kcore")} || ${reading("/dev/mem")}`),
    attempt("read a disk", `${reading("/dev/sda")} || ${reading("/dev/vda")} || ${reading("/dev/nvme0n1")}`),
    attempt("read the kernel's log", `dmesg | grep . || ${reading("/dev/kmsg")}`, ["dmesg"]),
    attempt("read where the kernel's functions are", "grep -v '^0* ' /proc/kallsyms"),
    attempt("reach the firmware", "ls /sys/firmware/efi /sys/firmware/acpi/tables 2>/dev/null | grep ."),
    attempt("make a control group", "mkdir /sys/fs/cgroup/new || mkdir /sys/fs/cgroup/memory/new"),
    attempt("rename the machine", "hostname evil", ["hostname"]),
    attempt("set the clock", 'date -s "$(date)"'),
    perl(
      "kernel",
      "load a program into the kernel",
      'my $a = pack("IIQQIIQ", 1, 2, 0, 0, 0, 0, 0); exit(syscall(321, 5, $a, length $a) >= 0 ? 0 : 1)',
    ),
    perl("kernel", "use io_uring", `my $p = "\\0" x 120; exit(syscall(425, 1, $p) >= 0 ? 0 : 1)`),
    perl("kernel", "use keys of the kernel", "exit(syscall(250, 0, -3, 1) >= 0 ? 0 : 1)"),
    perl("kernel", "handle page faults", "exit(syscall(323, 1) >= 0 ? 0 : 1)"),
    perl(
      "kernel",
      "watch the processor",
      'my $a = pack("II", 1, 112) . "\\0" x 104; exit(syscall(298, $a, 0, -1, -1, 0) >= 0 ? 0 : 1)',
    ),
    perl("kernel", "load a module", 'my $a = ""; exit(syscall(175, $a, 0, $a) == 0 ? 0 : 1)'),
    perl("kernel", "load another kernel", "exit(syscall(246, 0, 0, 0, 0) == 0 ? 0 : 1)"),
    perl("kernel", "reach the ports of devices", "exit(syscall(172, 3) == 0 ? 0 : 1)"),
    perl("kernel", "make another file system the root", 'my $d = "."; exit(syscall(155, $d, $d) == 0 ? 0 : 1)'),
  ];
}
