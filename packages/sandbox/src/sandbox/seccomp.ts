/**
 * System calls that a command has no use for and that have led out of namespaces before, refused with EPERM. Numbers are of
 * Linux' `arch/x86/entry/syscalls/syscall_64.tbl` and `include/uapi/asm-generic/unistd.h`.
 */
const refusedX64 = [
  // mount and its newer kin, other roots, other namespaces
  165, 166, 155, 161, 428, 429, 430, 431, 432, 433, 442, 272, 308,
  // modules, other kernels, restart, swap, accounting, quotas, raw ports, the clock, the kernel's log
  175, 176, 313, 246, 320, 169, 167, 168, 163, 179, 172, 173, 164, 227, 103,
  // bpf, perf_event_open, userfaultfd, io_uring, keys, handles of files, descriptors of others, secret memory
  321, 298, 323, 425, 426, 427, 248, 249, 250, 303, 304, 438, 447,
];
const refusedArm64 = [
  40, 39, 41, 51, 428, 429, 430, 431, 432, 433, 442, 97, 268, 105, 106, 273, 104, 294, 142, 224, 225, 89, 60, 170, 112,
  116, 280, 241, 282, 425, 426, 427, 217, 218, 219, 264, 265, 438, 447,
];

/** Unix, IPv4, IPv6, netlink. Others, such as vsock, know no network namespace and lead to the machine beneath. */
const socketFamilies = [1, 2, 10, 16];

const machines: Readonly<
  Record<string, { readonly audit: number; readonly refused: readonly number[]; readonly socket: number }>
> = {
  x64: { audit: 0xc000003e, refused: refusedX64, socket: 41 },
  arm64: { audit: 0xc00000b7, refused: refusedArm64, socket: 198 },
};

const [eperm, eafnosupport] = [1, 97];
const allow = 0x7fff0000;
const killProcess = 0x80000000;
const refuseWith = (error: number) => 0x00050000 | error;

/** The filter as bubblewrap reads it: `struct sock_filter` after `struct sock_filter`. `undefined` for other processors. */
export function seccompFilter(architecture: string): Uint8Array | undefined {
  const machine = machines[architecture];
  if (machine === undefined) return undefined;
  const code: Instruction[] = [load(4), ...unlessEqual(machine.audit, killProcess), load(0)];
  // The x32 calls have this bit and numbers of their own.
  code.push(...ifAtLeast(0x40000000, refuseWith(eperm)));
  for (const number of machine.refused) code.push(...ifEqual(number, refuseWith(eperm)));
  // The family is the first argument of socket(); its low half stands first on both processors.
  code.push({ code: jumpEqual, yes: 0, no: socketFamilies.length + 2, value: machine.socket }, load(16));
  for (const [index, family] of socketFamilies.entries())
    code.push({ code: jumpEqual, yes: socketFamilies.length - index, no: 0, value: family });
  code.push(answer(refuseWith(eafnosupport)), answer(allow));
  return assemble(code);
}

interface Instruction {
  readonly code: number;
  readonly yes: number;
  readonly no: number;
  readonly value: number;
}

// BPF_JMP|BPF_JEQ|BPF_K and BPF_JMP|BPF_JGE|BPF_K
const [jumpEqual, jumpAtLeast] = [0x15, 0x35];

/** BPF_LD|BPF_W|BPF_ABS: a word of `struct seccomp_data`. */
function load(offset: number): Instruction {
  return { code: 0x20, yes: 0, no: 0, value: offset };
}

/** BPF_RET|BPF_K */
function answer(value: number): Instruction {
  return { code: 0x06, yes: 0, no: 0, value };
}

function ifEqual(value: number, then: number): readonly Instruction[] {
  return [{ code: jumpEqual, yes: 0, no: 1, value }, answer(then)];
}

function unlessEqual(value: number, then: number): readonly Instruction[] {
  return [{ code: jumpEqual, yes: 1, no: 0, value }, answer(then)];
}

function ifAtLeast(value: number, then: number): readonly Instruction[] {
  return [{ code: jumpAtLeast, yes: 0, no: 1, value }, answer(then)];
}

function assemble(instructions: readonly Instruction[]): Uint8Array {
  const bytes = Buffer.alloc(instructions.length * 8);
  for (const [index, { code, yes, no, value }] of instructions.entries()) {
    bytes.writeUInt16LE(code, index * 8);
    bytes.writeUInt8(yes, index * 8 + 2);
    bytes.writeUInt8(no, index * 8 + 3);
    bytes.writeUInt32LE(value >>> 0, index * 8 + 4);
  }
  return bytes;
}
