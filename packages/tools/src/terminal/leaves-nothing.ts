/**
 * Commands of shells that change the shell, and programs that make, move or change what the next command may want to find. Where one
 * stands as a word, also in quotes, the command keeps its place in line: that only costs time.
 */
const settling = new Set(
  [
    "cd pushd popd export unset source alias unalias set shopt declare typeset readonly local eval exec exit ulimit umask",
    "trap read mapfile readarray function fg bg jobs disown wait kill pkill killall",
    "mkdir mktemp mv rm rmdir cp ln touch tee install chmod chown dd truncate split rsync patch ed ex",
    "tar zip unzip gzip gunzip bzip2 xz 7z wget scp git svn hg docker make cmake ninja go cargo mvn gradle gradlew",
    "npm npx pnpm yarn bun pip pip3 pipx uv poetry conda apt apt-get dpkg gem bundle composer sqlite3 psql mysql",
  ].flatMap((line) => line.split(" ")),
);

/** What writes a file by an option: `sed -i`, `curl -o`. */
const options = /(?:^|\s)(?:-i\S*|-o|-O|--in-place\S*|--output\S*|--remote-name\S*)(?:\s|=|$)/;
const quietly = /(?:\d|&)?>{1,2}\s?\/dev\/null|\d?>&\d/g;
/** A process that is to stay, a function, a file that is read into the shell, a variable. */
const ofShell = /(?:^|[^&])&(?![&])|\(\)|(?:^|[\n;&|])[ \t]*(?:\.\s|[A-Za-z_]\w*\+?=)/;

/** Whether the next command, as far as the words of this one tell, finds everything as it was: both may run at the same time. */
export function leavesNothing(command: string): boolean {
  const text = command.replace(quietly, " ");
  if (text.includes(">") || options.test(text) || ofShell.test(text)) return false;
  return !text.split(/[^\w.+-]+/).some((word) => settling.has(word));
}
