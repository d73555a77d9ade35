import { PassThrough } from "node:stream";
import type Dockerode from "dockerode";
import { plainWord } from "../quote.ts";
import { Lacking, type Remedy } from "../workplace/lacking.ts";

/** Throws `unsupported` when nobody answers or the image isn't there. */
export async function connect(socketPath: string, image: string): Promise<Dockerode> {
  const { default: Docker } = await import("dockerode");
  const docker = new Docker({ socketPath, timeout: 60_000 });
  await docker.ping().catch((cause: NodeJS.ErrnoException) => {
    const said = `Docker does not answer at ${socketPath}; is it running, and may this account use it?`;
    throw new Lacking(said, daemonRemedy(cause.code), cause);
  });
  await docker
    .getImage(image)
    .inspect()
    .catch((cause: unknown) => {
      throw new Lacking(
        `Docker has no image ${image}`,
        { kind: "command", text: `docker pull ${plainWord(image)}` },
        cause,
      );
    });
  return docker;
}

function daemonRemedy(code: string | undefined): Remedy {
  const as = process.getuid?.() === 0 ? "" : "sudo ";
  // Whoever is in this group has the rights of root: https://docs.docker.com/engine/install/linux-postinstall/
  const text = code === "EACCES" ? 'sudo usermod -aG docker "$(id -un)"' : `${as}systemctl start docker`;
  return { kind: "command", text };
}

export interface Attached {
  readonly stdin: NodeJS.WritableStream;
  readonly output: PassThrough;
  readonly errors?: PassThrough;
  /** Its exit code; `undefined` when the container went away with it. */
  readonly ended: Promise<number | undefined>;
  /** Docker answers before it has started the program: whether it has by now, or has even ended. */
  hasBegun(): Promise<boolean>;
  /** Stops reading what still comes. */
  release(): void;
}

/** Runs a program in a container, both its outputs as one unless they are to be apart. */
export async function attach(
  docker: Dockerode,
  container: Dockerode.Container,
  options: Dockerode.ExecCreateOptions,
  stderr?: "apart",
): Promise<Attached> {
  const exec = await container.exec({ AttachStdin: true, AttachStdout: true, AttachStderr: true, ...options });
  const stream = await exec.start({ hijack: true, stdin: true });
  const output = new PassThrough();
  const errors = stderr === "apart" ? new PassThrough() : undefined;
  docker.modem.demuxStream(stream, output, errors ?? output);
  const closed = new Promise<void>((resolve) => {
    for (const event of ["end", "close", "error"]) stream.once(event, () => resolve());
  });
  const ended = closed.then(async () => {
    output.end();
    errors?.end();
    const { ExitCode } = await exec.inspect().catch(() => ({ ExitCode: null }));
    return ExitCode ?? undefined;
  });
  return {
    stdin: stream,
    output,
    ...(errors && { errors }),
    ended,
    // `ContainerExecStart` of moby sets the process' id once it runs; `Running` is true before.
    hasBegun: async () => {
      const { Pid, ExitCode } = await exec.inspect();
      return Pid > 0 || ExitCode !== null;
    },
    release: () => stream.destroy(),
  };
}
