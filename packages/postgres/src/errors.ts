import { type ErrorCode, GatewayError } from "@talaria/protocol";

/** Why the embedded PostgreSQL can't run. Each problem has its own message with a remedy. */
export type PostgresProblem =
  | "disk_full"
  | "not_writable"
  | "other_major"
  | "corrupted"
  | "unsupported_platform"
  | "missing_package"
  | "cannot_execute"
  | "port_taken"
  | "no_socket"
  | "aborted"
  | "start_failed";

const codes: Record<PostgresProblem, ErrorCode> = {
  disk_full: "unavailable",
  not_writable: "forbidden",
  other_major: "unsupported",
  corrupted: "internal",
  unsupported_platform: "unsupported",
  missing_package: "not_found",
  cannot_execute: "unsupported",
  port_taken: "conflict",
  no_socket: "unsupported",
  aborted: "aborted",
  start_failed: "internal",
};

/** `message` is one line that says what is wrong and what to do about it. */
export class PostgresError extends GatewayError {
  override readonly name = "PostgresError";
  readonly problem: PostgresProblem;

  constructor(message: string, options: { readonly problem: PostgresProblem; readonly cause?: unknown }) {
    super(message, { code: codes[options.problem], cause: options.cause, details: { problem: options.problem } });
    this.problem = options.problem;
  }
}

/** Turns a failed file operation in `folder` into a PostgresError; other errors come back unchanged. */
export function explainFileError(error: unknown, folder: string): unknown {
  if (error instanceof PostgresError) return error;
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  switch (code) {
    case "ENOSPC":
    case "EDQUOT":
      return diskFull(folder, error);
    case "EACCES":
    case "EPERM":
    case "EROFS":
    case "ENOTDIR":
    case "EEXIST":
      return notWritable(folder, error);
    default:
      return error;
  }
}

/** Turns what `initdb` or `postgres` wrote before they gave up into a PostgresError. */
export function explainServerOutput(output: string, folder: string): PostgresError {
  if (/unshare: failed to execute .*: No such file/.test(output)) return withoutLoader(output);
  if (/No space left on device|Disk quota exceeded/.test(output)) return diskFull(folder, output);
  if (/incompatible with server/.test(output)) {
    return new PostgresError(
      `The data in ${folder} was written by an incompatible PostgreSQL; start the version that wrote it, or set DATABASE_URL to that server.`,
      { problem: "other_major", cause: output },
    );
  }
  if (/control file|pg_control|checkpoint record|is not a valid data directory|invalid magic number/.test(output)) {
    return corrupted(folder, firstComplaint(output), output);
  }
  if (/could not (create|bind) Unix (socket|address)|could not create any Unix-domain sockets/.test(output)) {
    return new PostgresError(
      `The database in ${folder} can't listen on a Unix socket there (${firstComplaint(output)}); move TALARIA_HOME to a local disk, or set DATABASE_URL.`,
      { problem: "no_socket", cause: output },
    );
  }
  if (/Address already in use|could not create any TCP\/IP sockets/.test(output)) {
    return new PostgresError(
      `No free port on 127.0.0.1 for the database in ${folder}; stop the program that takes them, or set DATABASE_URL.`,
      { problem: "port_taken", cause: output },
    );
  }
  if (/error while loading shared libraries|GLIBC_|not found \(required by/.test(output)) {
    return new PostgresError(
      `The embedded PostgreSQL does not run on this system (${firstComplaint(output)}); set DATABASE_URL to a PostgreSQL server.`,
      { problem: "cannot_execute", cause: output },
    );
  }
  if (/Permission denied|Read-only file system|Operation not permitted/.test(output)) {
    return notWritable(folder, output);
  }
  return new PostgresError(
    `The embedded PostgreSQL in ${folder} did not start (${firstComplaint(output)}); see the log beside the data, or set DATABASE_URL to another server.`,
    { problem: "start_failed", cause: output },
  );
}

export function corrupted(folder: string, detail: string, cause?: unknown): PostgresError {
  return new PostgresError(
    `The database in ${folder} is damaged (${detail}); restore it from a backup, or move the folder away to start with an empty database.`,
    { problem: "corrupted", cause },
  );
}

/** For a program that exists but "is not found" when it is executed: the binaries are made for glibc. */
export function withoutLoader(cause: unknown): PostgresError {
  return new PostgresError(
    "The embedded PostgreSQL needs glibc, which this system (such as Alpine) does not have; set DATABASE_URL to a PostgreSQL server.",
    { problem: "unsupported_platform", cause },
  );
}

export function aborted(cause?: unknown): PostgresError {
  return new PostgresError("Starting the embedded PostgreSQL was cancelled.", { problem: "aborted", cause });
}

function diskFull(folder: string, cause: unknown): PostgresError {
  return new PostgresError(
    `The disk that holds ${folder} is full; free some space (an empty database needs about 60 MB) and start again.`,
    { problem: "disk_full", cause },
  );
}

function notWritable(folder: string, cause: unknown): PostgresError {
  return new PostgresError(
    `The folder ${folder} is not writable; grant this account write access, or set TALARIA_HOME to another folder.`,
    { problem: "not_writable", cause },
  );
}

function firstComplaint(output: string): string {
  const lines = output.split("\n").filter((line) => line.trim() !== "");
  const line = lines.find((each) => /FATAL|PANIC|ERROR|error:/.test(each)) ?? lines.at(-1) ?? "it said nothing";
  return line.replace(/^.*?(FATAL|PANIC|ERROR|error): */, "").trim();
}
