#!/bin/sh
# group-errors.sh FILE [MOST]: error and warning lines of a log, grouped by what they say without numbers and ids.
# Prints the MOST (default 20) most frequent groups: count, first line, last line, one example of at most 200 characters.
set -u
file=${1:-}
if [ ! -r "$file" ]; then
  echo "usage: group-errors.sh FILE [MOST]" >&2
  exit 2
fi
awk '
  tolower($0) ~ /error|fatal|panic|exception|warn/ {
    key = substr($0, 1, 2000)
    gsub(/"[^"]*"/, "\"_\"", key)
    gsub(/[0-9a-fA-F]+-[0-9a-fA-F-]+/, "_", key)
    gsub(/0x[0-9a-fA-F]+/, "_", key)
    gsub(/[0-9]+/, "_", key)
    gsub(/_([.:,_T+Z-]*_)+Z?/, "_", key)
    if (!(key in count)) {
      if (groups == 5000) { left++; next }
      groups++
      first[key] = NR; example[key] = substr($0, 1, 200)
    }
    count[key]++; last[key] = NR
    found++
  }
  END {
    for (key in count) printf "%d\tline %d to %d\t%s\n", count[key], first[key], last[key], example[key]
    printf "0\t%d of %d lines in %d groups\t%s\n", found, NR, groups, (left > 0 ? left " lines of further groups left out" : "")
  }
' "$file" | sort -rn -k 1,1 | awk -v most="${2:-20}" -F '\t' '
  $1 == 0 { print $2 ($3 == "" ? "" : ", " $3); next }
  NR <= most { print $1 " times, " $2 ": " $3 }
'
