import type { Author } from "./config.ts";

const defaultAuthor: Author = { name: "Talaria", email: "talaria@localhost" };

/** What every program finds in its environment. `home` is the workspace. */
export function commonVariables(home: string): Readonly<Record<string, string>> {
  // Last, so that nothing which a command installs there stands before a program of the system.
  return { PATH: `/usr/local/bin:/usr/bin:/bin:${home}/.local/bin`, HOME: home, LANG: "C.UTF-8" };
}

/**
 * For places with a system of their own, where `pip install` can do no harm to the machine's: it installs into the workspace, for the
 * system can't be written, and does not refuse a Python that a distribution manages (PEP 668). `npm install -g` needs to be told.
 * https://pip.pypa.io/en/stable/cli/pip_install/#cmdoption-break-system-packages
 * https://docs.npmjs.com/cli/v11/using-npm/config#prefix
 */
export function ownSystemVariables(home: string): Readonly<Record<string, string>> {
  return { PIP_BREAK_SYSTEM_PACKAGES: "1", npm_config_prefix: `${home}/.local` };
}

/** By which git is told of another file than /etc/gitconfig: https://git-scm.com/docs/git-config#ENVIRONMENT */
export const gitVariable = "GIT_CONFIG_SYSTEM";

/** Who commits unless a repository or a command says otherwise, for git's file with the lowest rank; that of the machine stays in force. */
export function gitConfig({ name, email }: Author = defaultAuthor): string {
  const said = (value: string) => `"${value.replace(/[\\"]/g, "\\$&")}"`;
  return `[user]\n\tname = ${said(name)}\n\temail = ${said(email)}\n[include]\n\tpath = /etc/gitconfig\n`;
}
