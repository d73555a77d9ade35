/**
 * Small programs in the language of every `sh`, run inside the boundary, so that whatever a link leads to is at most what
 * a command could reach. Each holds the folder or the file first and asks where it really is afterwards: nothing can be
 * swapped in between. They answer with one word on the first line.
 */

/** `inside <path>`: is it the workspace or below it? `enter <path>`: goes there folder by folder, making what is missing. */
const common = `
exec 2>/dev/null
say() { printf '%s\\n' "$1"; exit 0; }
cd -P -- "$1" || say missing
root=$(pwd -P)
inside() { case "$1/" in "$root"/*) return 0 ;; esac; return 1; }
enter() {
  rest=$1
  while [ -n "$rest" ]; do
    part=\${rest%%/*}
    case $rest in */*) rest=\${rest#*/} ;; *) rest= ;; esac
    [ -n "$part" ] || continue
    if [ "$2" = make ] && ! [ -e "./$part" ] && ! [ -L "./$part" ]; then mkdir "./$part"; fi
    if ! [ -e "./$part" ]; then [ -L "./$part" ] && say outside; say missing; fi
    [ -d "./$part" ] || say notfolder
    cd -P -- "./$part" || say denied
    inside "$(pwd -P)" || say outside
  done
}
`;

/** Arguments: the workspace, the path below it, the first byte, the number of bytes. `ok <size>`, then the bytes. */
export const readScript = `${common}
[ -L "./$2" ] && ! [ -e "./$2" ] && say missing
[ -e "./$2" ] || say missing
[ -f "./$2" ] || say notfile
[ -r "./$2" ] || say denied
exec 3<"./$2"
real=$(readlink /proc/self/fd/3)
inside "$real" || say outside
[ -f /proc/self/fd/3 ] || say notfile
size=$(stat -L -c %s /proc/self/fd/3)
printf 'ok %s\\n' "$size"
tail -c "+$3" <&3 | head -c "$4"
`;

/** Arguments: the workspace, the folder below it, the file's name, the number of bytes. The bytes come on stdin. */
export const writeScript = `${common}
umask 022
enter "$2" make
name=$3
if [ -L "./$name" ]; then
  real=$(readlink -f "./$name") || say outside
  inside "$real" || say outside
  cd -P -- "\${real%/*}" || say denied
  inside "$(pwd -P)" || say outside
  name=\${real##*/}
  [ -L "./$name" ] && say outside
fi
[ -d "./$name" ] && say notfile
mode=644
if [ -e "./$name" ]; then
  [ -f "./$name" ] || say notfile
  mode=$(stat -c %a "./$name")
fi
part=$(mktemp ./.write-XXXXXX) || say denied
trap 'rm -f "$part"' EXIT
cat >"$part" || say full
[ "$(stat -c %s "$part")" = "$4" ] || say full
chmod "$mode" "$part" && mv -f "$part" "./$name" || say denied
say ok
`;

/** Arguments: the workspace, the folder below it, the most names. Names, each ended by NUL, an empty one, then a line each. */
export const listScript = `${common}
enter "$2" stay
printf 'ok\\n'
names() {
  count=0
  for name in * .[!.]* ..?*; do
    [ -e "./$name" ] || [ -L "./$name" ] || continue
    [ "$count" -lt "$1" ] || break
    count=$((count + 1))
    printf './%s\\0' "$name"
  done
}
all=$(mktemp /tmp/.list-XXXXXX) || all=
[ -n "$all" ] || exit 0
names "$3" >"$all"
cat "$all"
printf '\\0'
xargs -0 stat -c '%f %s %Y' <"$all"
rm -f "$all"
`;

/** Arguments: the workspace. `ok`, then its files in the format of tar. What changes meanwhile may be missing or torn. */
export const snapshotScript = `${common}
printf 'ok\n'
tar -cf - . || [ $? = 1 ]
`;

/** Arguments: the workspace, the number of bytes. What comes on stdin takes the place of all files once it was read whole. */
export const restoreScript = `${common}
umask 022
new=$(mktemp -d ./.restore-XXXXXX) || say denied
head -c "$2" | tar -xf - -C "$new" || { chmod -R u+rwX "$new"; rm -rf "$new"; say damaged; }
each() { for one in "$1"/* "$1"/.[!.]* "$1"/..?*; do if [ -e "$one" ] || [ -L "$one" ]; then "$2" "$one" || return 1; fi; done; }
drop() { [ "$1" = "$new" ] || { [ -L "$1" ] || chmod -R u+rwX "$1"; rm -rf "$1"; }; }
keep() {
  if [ -L "$1" ] || ! [ -d "$1" ] || [ -w "$1" ]; then mv "$1" .; return; fi
  mode=$(stat -c %a "$1") && chmod u+w "$1" && mv "$1" . && chmod "$mode" "./\${1##*/}"
}
each . drop && each "$new" keep && chmod u+rwx "$new" && rmdir "$new" || say denied
say ok
`;
