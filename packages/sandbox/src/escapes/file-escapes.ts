import { type Escape, type EscapeTargets, reading } from "./escape.ts";

/** To read and to change what is not the session's. */
export function fileEscapes(t: EscapeTargets): readonly Escape[] {
  return [...reads(t), ...links(t), ...writes(t)];
}

function reads(t: EscapeTargets): readonly Escape[] {
  const files = (name: string, command: string, needs: readonly string[] = []): Escape => ({
    kind: "files",
    name,
    command,
    needs,
  });
  return [
    files("read a file outside", reading(t.secretFile)),
    files("read it with many ..", reading(`../../../../../../../..${t.secretFile}`)),
    files("read it as a path with dots", reading(`/./tmp/../${t.secretFile}`)),
    files(
      "find it anywhere",
      "grep -rhasoE 'canary-[0-9a-f]{24}' /tmp /var /srv /opt /mnt /media /run /etc 2>/dev/null",
    ),
    files("copy it with tar", `tar cf - -P '${t.secretFile}' | tr -d '\\0' | grep -a .`, ["tar"]),
    files("copy it with cp", `cp '${t.secretFile}' copied && ${reading("copied")}`),
    files("run it as a script", `sh '${t.secretFile}' 2>&1 | grep -a 'canary-'`),
    files("read the passwords of the machine", "grep '^[a-z]*:[$*!]' /etc/shadow"),
    files("read the groups' passwords", "grep : /etc/gshadow"),
    files("read keys of the machine", "cat /etc/ssh/ssh_host_*_key /etc/ssl/private/* 2>/dev/null | grep -a ."),
    files("list root's home", "ls -A /root 2>/dev/null | grep ."),
    files("list people's homes", "ls -A /home/* 2>/dev/null | grep ."),
    files("list all workspaces", `ls -A '${t.dataFolder}' 2>/dev/null | grep .`),
    files("read another session's file", reading(t.otherFile)),
    files(
      "write in another session's folder",
      `for f in ${t.otherFile}; do [ -e "$f" ] && echo x >"$f.new" && break; done`,
    ),
  ];
}

function links(t: EscapeTargets): readonly Escape[] {
  const link = (name: string, command: string, needs: readonly string[] = []): Escape => ({
    kind: "links",
    name,
    command,
    needs,
  });
  return [
    link("read it through a link", `ln -sf '${t.secretFile}' l && ${reading("l")}`),
    link("read it through a link to /", `ln -sfn / r && ${reading(`r${t.secretFile}`)}`),
    link(
      "read it through a chain of links",
      `ln -sfn / c1; ln -sfn c1 c2; ln -sfn c2 c3; ${reading(`c3${t.secretFile}`)}`,
    ),
    link("make a hard link to it", `ln -f '${t.secretFile}' h && ${reading("h")}`),
    link("write through a link", `ln -sf '${t.secretFile}' w && echo x >w`),
    link("write through a link to a folder", `ln -sfn '${t.openFolder}' wf && echo x >wf/new`),
    link("move a file out through a link", `ln -sfn '${t.openFolder}' mf && echo x >m && mv m mf/new`),
    link("delete through a link", `ln -sfn '${t.openFolder}' df && rm df/program`),
    link("unpack a link and a file behind it", unpacking(t), ["tar"]),
    link("read it through /proc/self/root", reading(`/proc/self/root${t.secretFile}`)),
    link("read it through the first process' root", reading(`/proc/1/root${t.secretFile}`)),
    link("read it through the first process' folder", reading(`/proc/1/cwd${t.secretFile}`)),
    link("read it through the shell's own folder", reading(`/proc/$$/cwd/../../../../../..${t.secretFile}`)),
    link("read it through any process' root", `cat /proc/[0-9]*/root${t.secretFile} 2>/dev/null | grep -a .`),
    link(
      "read what others hold open",
      "timeout 2 cat /proc/[0-9]*/fd/[3-9] 2>/dev/null </dev/null | head -c 2000 | grep -a canary-",
    ),
  ];
}

/** An archive that makes a link, and puts a file behind it. */
function unpacking(t: EscapeTargets): string {
  return `mkdir -p u1 u2 && ln -sfn '${t.openFolder}' u1/x && tar cf u.tar -C u1 x && mkdir -p u2/x && echo x >u2/x/new && tar rf u.tar -C u2 x/new && mkdir -p u3 && tar xf u.tar -C u3 && [ -e '${t.openFolder}/new' ]`;
}

function writes(t: EscapeTargets): readonly Escape[] {
  const write = (name: string, path: string): Escape => ({ kind: "files", name, command: `echo x >'${path}'` });
  return [
    write("write to a file outside", t.secretFile),
    write("write to a folder outside", `${t.openFolder}/new-file`),
    write("write in the root folder", "/new"),
    write("write in /etc", "/etc/new"),
    write("name a library that everything loads", "/etc/ld.so.preload"),
    write("add a cron table", "/etc/cron.d/new"),
    write("write beside programs", "/usr/bin/new"),
    write("write in /usr/local", "/usr/local/bin/new"),
    write("write in /var", "/var/tmp/talaria-new"),
    write("replace a device", "/dev/new"),
    { kind: "files", name: "cut a file outside", command: `: >'${t.secretFile}'` },
    { kind: "files", name: "change the mode of a file outside", command: `chmod 600 '${t.secretFile}'` },
    {
      kind: "files",
      name: "delete a file outside",
      command: `rm -f '${t.secretFile}' && ! [ -e '${t.secretFile}' ] && [ -d '${t.openFolder}' ]`,
    },
    { kind: "files", name: "change a program's mode", command: "chmod 777 /usr/bin/env" },
    { kind: "files", name: "delete a program", command: 'p=$(command -v yes); [ -e "$p" ] && rm -f $p && ! [ -e $p ]' },
  ];
}
