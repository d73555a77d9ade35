import type { SecretSettings } from "@talaria/foreign-content";

/** How commands are kept apart from everything else. A default stands wherever a field is left out. */
export type SandboxConfig = SandboxBase &
  (
    | ({ readonly backend: "sandbox" } & NamespaceSettings)
    /** No boundary at all: commands run as the worker's own account and read what it reads. */
    | { readonly backend: "local"; readonly unsafe: true }
    | ({ readonly backend: "docker" } & DockerSettings)
    | ({ readonly backend: "ssh" } & SshSettings)
    | ({ readonly backend: "e2b" } & E2bSettings)
    | ({ readonly backend: "modal" } & ModalSettings)
  );

interface SandboxBase {
  /** Workspaces lie in it, one folder for each session. For `ssh`, `e2b` and `modal` a folder of the other machine. */
  readonly folder: string;
  readonly limits?: Partial<SandboxLimits>;
  /** Of commits, unless a repository or a command says otherwise. */
  readonly author?: Author | undefined;
}

/** Neither has a line break. */
export interface Author {
  readonly name: string;
  readonly email: string;
}

export type BaseSettings = Pick<SandboxBase, "folder" | "author">;

export interface SandboxLimits {
  /** Of all processes of one command together; checked every quarter of a second where no cgroup does it. */
  readonly memoryMb: number;
  /** Processes and threads of one command; for `docker` of one session, for `ssh` of the account. */
  readonly processes: number;
  /** The most that a caller may ask for. */
  readonly outputChars: number;
  /** The longest that a caller may wait for a command. */
  readonly seconds: number;
  /** Files of one session, with those in its tmp. */
  readonly quotaMb: number;
  /** Background processes of one session at a time. */
  readonly background: number;
}

export const defaultLimits: SandboxLimits = {
  memoryMb: 1_024,
  processes: 256,
  outputChars: 200_000,
  seconds: 600,
  quotaMb: 1_024,
  background: 8,
};

/** `allow`: names of hosts, `*.example.org` for those below one, optionally with `:port`. */
export type NetworkSettings = "none" | { readonly allow: readonly string[] };

export interface NamespaceSettings {
  /** Default: `none`. */
  readonly network?: NetworkSettings;
  /** Folders that hold secrets or the installation's data; empty for a command, wherever they lie. */
  readonly hidden?: readonly string[];
  /** Folders of this machine that commands may read, beyond `/usr` and what programs need of `/etc`. */
  readonly readable?: readonly string[];
  /** What commands may use without seeing it, each for hosts of its own, which `network` has to allow. */
  readonly secrets?: readonly SecretSettings[];
  /** The account that commands run as where the worker is root. Nothing else may use its number. */
  readonly uid?: number;
}

export interface DockerSettings {
  /** Has `sh` and the usual small programs. Never pulled: an operator chooses what lies on the machine. */
  readonly image: string;
  /** Default: `/var/run/docker.sock`. */
  readonly socket?: string;
  /** Default: 1000. */
  readonly uid?: number;
}

export interface SshSettings {
  readonly host: string;
  /** Default: 22. */
  readonly port?: number;
  readonly user: string;
  /** The private key itself, in OpenSSH's or PEM form. */
  readonly key: string;
  /** The server's public key as `known_hosts` writes it, `ssh-ed25519 AAAA...`, or its `SHA256:` fingerprint. Any other is refused. */
  readonly hostKey: string;
}

export interface E2bSettings {
  readonly apiKey: string;
  /** Name of the template that sandboxes are made of. */
  readonly template: string;
  /** Tells this installation's sandboxes from those of others with the same key. */
  readonly label: string;
  /** Addresses of an own cluster. Default: E2B's. */
  readonly apiUrl?: string | undefined;
  readonly sandboxUrl?: string | undefined;
}

export interface ModalSettings {
  readonly tokenId: string;
  readonly tokenSecret: string;
  /** Sandboxes belong to it, and two installations with the same token have different ones. */
  readonly app: string;
  /** Of a public registry. */
  readonly image: string;
  /** Default: Modal's. */
  readonly serverUrl?: string | undefined;
}
