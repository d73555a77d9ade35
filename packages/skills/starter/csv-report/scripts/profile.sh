#!/bin/sh
# profile.sh FILE [SEPARATOR] [comma]: what each column of a CSV file holds. The first line names the columns.
set -u
file=${1:-}
if [ ! -r "$file" ]; then
  echo "usage: profile.sh FILE [SEPARATOR] [comma]" >&2
  exit 2
fi
awk -v given="${2:-}" -v decimal="${3:-point}" '
  # Splits a line by the separator, minding quotes; fills `field` and returns how many there are.
  function cut(line,   n, at, char, inside, text) {
    n = 0; inside = 0; text = ""
    for (at = 1; at <= length(line); at++) {
      char = substr(line, at, 1)
      if (inside) {
        if (char != "\"") text = text char
        else if (substr(line, at + 1, 1) == "\"") { text = text "\""; at++ }
        else inside = 0
      } else if (char == "\"" && text == "") inside = 1
      else if (char == separator) { field[++n] = text; text = "" }
      else text = text char
    }
    field[++n] = text
    return n
  }
  function count(line, char,   copy) { copy = line; return gsub(char == "|" ? "[|]" : char, "", copy) }
  { sub(/\r$/, "") }
  NR == 1 {
    sub(/^\357\273\277/, "")
    separator = given
    if (separator == "") {
      separator = ","
      if (count($0, ";") > count($0, separator)) separator = ";"
      if (count($0, "\t") > count($0, separator)) separator = "\t"
      if (count($0, "|") > count($0, separator)) separator = "|"
    }
    columns = cut($0)
    for (c = 1; c <= columns; c++) name[c] = field[c]
    next
  }
  /^$/ { next }
  {
    rows++
    if (cut($0) != columns) uneven++
    if ($0 in line) doubled++
    else line[$0] = 1
    for (c = 1; c <= columns; c++) {
      value = field[c]; field[c] = ""
      gsub(/^ +| +$/, "", value)
      if (value == "") { empty[c]++; continue }
      filled[c]++
      if (!((c, value) in seen)) { seen[c, value] = 1; different[c]++ }
      number = value
      if (decimal == "comma") { gsub(/[.]/, "", number); sub(/,/, ".", number) }
      if (number ~ /^[-+]?[0-9]+([.][0-9]+)?$/) {
        number += 0
        if (!(c in numbers) || number < least[c]) least[c] = number
        if (!(c in numbers) || number > greatest[c]) greatest[c] = number
        numbers[c]++; sum[c] += number
      }
    }
  }
  END {
    if (NR == 0) { print "the file is empty"; exit 1 }
    printf "rows: %d, columns: %d, separator: %s, doubled rows: %d, rows with another number of fields: %d\n", \
      rows, columns, (separator == "\t" ? "tab" : separator), doubled, uneven
    for (c = 1; c <= columns; c++) {
      printf "%s: %d values, %d empty, %d different", name[c], filled[c], empty[c], different[c]
      if (numbers[c] > 0 && numbers[c] == filled[c])
        printf ", least %.10g, greatest %.10g, sum %.10g, mean %.6g", least[c], greatest[c], sum[c], sum[c] / numbers[c]
      else if (numbers[c] > 0) printf ", of these %d numbers", numbers[c]
      printf "\n"
    }
  }
' "$file"
