import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Certified } from "./outage-proxy.ts";

const run = promisify(execFile);
const newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"];

export interface Certificates {
  /** Vouches for `known` alone. */
  readonly authority: string;
  readonly known: Certified;
  readonly stranger: Certified;
}

/** Certificates of these hosts, one of them of an authority that nobody knows. Undefined without `openssl` on this machine. */
export async function makeCertificates(hosts: readonly string[] = ["localhost"]): Promise<Certificates | undefined> {
  const folder = await mkdtemp(join(tmpdir(), "talaria-certificates-"));
  const openssl = (...words: string[]) => run("openssl", words, { cwd: folder });
  const read = (name: string) => readFile(join(folder, name), "utf8");
  const issue = async (authority: string): Promise<Certified> => {
    await openssl(
      "req",
      "-x509",
      ...newKey,
      "-subj",
      `/CN=${authority}`,
      "-keyout",
      "ca.key",
      "-out",
      `${authority}.pem`,
    );
    await openssl("req", "-new", ...newKey, "-subj", "/CN=localhost", "-keyout", "own.key", "-out", "own.csr");
    const signer = ["-CA", `${authority}.pem`, "-CAkey", "ca.key", "-CAcreateserial", "-extfile", "names"];
    await openssl("x509", "-req", "-in", "own.csr", ...signer, "-days", "2", "-out", "own.pem");
    return { key: await read("own.key"), cert: await read("own.pem") };
  };
  const names = hosts.map((host) => `DNS:${host}`).join();
  try {
    await writeFile(join(folder, "names"), `subjectAltName=${names}\nbasicConstraints=critical,CA:FALSE\n`);
    const known = await issue("known");
    const stranger = await issue("stranger");
    return { authority: await read("known.pem"), known, stranger };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
