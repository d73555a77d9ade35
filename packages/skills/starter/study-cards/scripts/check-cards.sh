#!/bin/sh
# check-cards.sh FILE: names cards that a program for cards could not import, and the ones that are there twice.
# Ends with 0 when there is nothing to mend, 1 when there is, 2 when it can't read the file.
set -u
file=${1:-}
if [ ! -r "$file" ]; then
  echo "usage: check-cards.sh FILE (a file with question, tab, answer in each line)" >&2
  exit 2
fi
awk -F '\t' '
  { sub(/\r$/, "") }
  /^$/ { print "line " NR ": empty"; bad++; next }
  NF != 2 { print "line " NR ": " NF - 1 " tabs instead of one"; bad++; next }
  $1 ~ /^ *$/ || $2 ~ /^ *$/ { print "line " NR ": question or answer is empty"; bad++; next }
  ($1 in seen) { print "line " NR ": the same question as in line " seen[$1]; bad++; next }
  { seen[$1] = NR; good++ }
  END { print good + 0 " cards, " bad + 0 " to mend"; exit bad > 0 }
' "$file"
