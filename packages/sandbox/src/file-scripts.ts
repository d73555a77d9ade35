/**
 * Small functions in the language of every `sh`, run inside the boundary, so that whatever a link leads to is at most what
 * a command could reach. Each holds the folder or the file first and asks where it really is afterwards: nothing can be
 * swapped in between. They answer with one word on the first line, and with `go` before it where bytes have to follow on stdin.
 */

/**
 * `inside <path>`: is it the workspace or below it? `enter <path>`: goes there folder by folder, making what is missing. The
 * workspace is the first argument of the program, and each function begins in it. `own_folder <name>`: is this that folder of the
 * workspace, and no other one that a link leads to? A file that is to be made is looked for first: opening a pipe would wait.
 * `list_folder` writes no file: where the workspace is over its quota, nothing may, and a list is what helps then. `target <folder> <name>`: goes
 * there and sets `name`, which is another one where a link leads to it, and `mode` of what is there. `put <file>`: in its place.
 * `take_output` does so with a file of the outputs that has so many bytes.
 */
const functions = `
exec 2>/dev/null
nl='
'
workspace=$1
say() { printf '%s\\n' "$1"; exit 0; }
begin() { cd -P -- "$workspace" || say missing; root=$(pwd -P); }
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
each() { for one in "$1"/* "$1"/.[!.]* "$1"/..?*; do if [ -e "$one" ] || [ -L "$one" ]; then "$2" "$one" || return 1; fi; done; }

read_file() {
  [ -e "./$1" ] || say missing
  [ -f "./$1" ] || say notfile
  [ -r "./$1" ] || say denied
  exec 3<"./$1"
  real=$(readlink /proc/self/fd/3)
  inside "$real" || say outside
  [ -f /proc/self/fd/3 ] || say notfile
  size=$(stat -L -c %s /proc/self/fd/3)
  printf 'ok %s\\n' "$size"
  if [ "$2" = 1 ]; then head -c "$3" <&3; else tail -c "+$2" <&3 | head -c "$3"; fi
}

target() {
  umask 022
  enter "$1" make
  name=$2
  if [ -L "./$name" ]; then
    real=$(readlink -f "./$name") || say outside
    inside "$real" || say outside
    cd -P -- "\${real%/*}" || say denied
    inside "$(pwd -P)" || say outside
    name=\${real##*/}
    [ -L "./$name" ] && say outside
  fi
  [ -d "./$name" ] && say notfile
  mode=
  if [ -e "./$name" ]; then
    [ -f "./$name" ] || say notfile
    mode=$(stat -c %a "./$name")
  fi
}

put() {
  if [ -n "$mode" ]; then chmod "$mode" "$1" || fail denied; fi
  mv -f "$1" "./$name" || fail denied
  say ok
}

write_file() {
  target "$1" "$2"
  [ -n "$mode" ] && umask 077
  part=./.write-$4
  set -C
  true >"$part" || say denied
  set +C
  fail() { rm -f "$part"; say "$1"; }
  printf 'go\\n'
  head -c "$3" >>"$part" || fail full
  [ "$(stat -c %s "$part")" = "$3" ] || fail full
  put "$part"
}

own_folder() { [ "$(pwd -P)" = "$root/$1" ] || say outside; }

append_output() {
  umask 022
  enter "$1" make
  own_folder "$1"
  if [ "$3" = 0 ]; then
    if [ -e "./$2" ] || [ -L "./$2" ]; then say denied; fi
    set -C
    true >"./$2" || say denied
    set +C
  else
    [ -f "./$2" ] && ! [ -L "./$2" ] && [ "$(stat -c %s "./$2")" = "$3" ] || say missing
  fi
  printf 'go\\n'
  head -c "$4" >>"./$2" || say full
  say ok
}

take_output() {
  enter "$1" stay
  own_folder "$1"
  [ -f "./$2" ] && ! [ -L "./$2" ] && [ "$(stat -c %s "./$2")" = "$5" ] || say full
  begin
  target "$3" "$4"
  fail() { say "$1"; }
  put "$root/$1/$2"
}

remove_outputs() {
  enter "$1" stay
  own_folder "$1"
  shift
  for name in "$@"; do rm -f "./$name"; done
  say ok
}

list_folder() {
  enter "$1" stay
  most=$2
  printf 'ok\\n'
  set -- * .[!.]* ..?*
  names "$@"
  printf '\\0'
  names "$@" | xargs -0 stat -c '%f %s %Y' || :
}

names() {
  count=0
  for name in "$@"; do
    case $name in '*' | '.[!.]*' | '..?*') [ -e "./$name" ] || [ -L "./$name" ] || continue ;; esac
    [ "$count" -lt "$most" ] || break
    count=$((count + 1))
    printf './%s\\0' "$name"
  done
}

snapshot() {
  printf 'ok\\n'
  if tar --version | grep -q GNU; then tar -cf - --exclude="./$1" . || [ $? = 1 ]; return; fi
  without=$1
  set --
  for one in ./* ./.[!.]* ./..?*; do
    [ "$one" != "./$without" ] || continue
    if [ -e "$one" ] || [ -L "$one" ]; then set -- "$@" "$one"; fi
  done
  # Two empty blocks are an archive of nothing, which tar does not make.
  if [ $# = 0 ]; then head -c 1024 /dev/zero; else tar -cf - "$@" || [ $? = 1 ]; fi
}

restore() {
  umask 022
  new=$(mktemp -d ./.restore-XXXXXX) || say denied
  head -c "$1" | tar -xf - -C "$new" || { chmod -R u+rwX "$new"; rm -rf "$new"; say damaged; }
  drop() { [ "$1" = "$new" ] || { [ -L "$1" ] || chmod -R u+rwX "$1"; rm -rf "$1"; }; }
  keep() {
    if [ -L "$1" ] || ! [ -d "$1" ] || [ -w "$1" ]; then mv "$1" .; return; fi
    mode=$(stat -c %a "$1") && chmod u+w "$1" && mv "$1" . && chmod "$mode" "./\${1##*/}"
  }
  each . drop && each "$new" keep && chmod u+rwx "$new" && rmdir "$new" || say denied
  say ok
}
`;

/** Arguments: the workspace, then a function with its own. */
export const onceScript = `${functions}
shift
begin
"$@"
`;

/**
 * Argument: the workspace. Reads lines: a word that nobody knows before, and a function with its arguments, quoted for a shell; a line
 * break in them is \`$nl\`. Behind each answer it prints the word and the exit status, as \`ShellMarker\` reads them. \`read\` takes no byte
 * behind its line, so what follows is the function's.
 */
export const serverScript = `${functions}
while IFS= read -r line; do
  eval "set -- $line"
  word=$1
  shift
  (begin; "$@")
  printf '\\036%s %d\\036' "$word" "$?"
done
`;
