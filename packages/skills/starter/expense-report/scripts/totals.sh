#!/bin/sh
# totals.sh FILE: sums of expenses.csv by category, by payer and in all, each currency for itself.
# Its columns: date,payer,category,amount,currency,what. What stands behind the fifth comma may hold commas.
# Ends with 1 when there are lines that it can't read: they are named and in no sum.
set -u
file=${1:-}
if [ ! -r "$file" ]; then
  echo "usage: totals.sh FILE" >&2
  exit 2
fi
awk -F ',' '
  # In cents, so that sums are exact.
  function cents(text,   sign, parts) {
    sign = 1
    if (sub(/^-/, "", text)) sign = -1
    split(text, parts, ".")
    return sign * (parts[1] * 100 + substr(parts[2] "00", 1, 2))
  }
  function money(sum,   sign) {
    sign = sum < 0 ? "-" : ""
    if (sum < 0) sum = -sum
    return sprintf("%s%d.%02d", sign, int(sum / 100), sum % 100)
  }
  function keep(kind, key, sum) {
    if (!((kind, key) in total)) order[++many] = kind SUBSEP key
    total[kind, key] += sum
  }
  { sub(/\r$/, "") }
  NR == 1 {
    if ($0 !~ /^date,payer,category,amount,currency/) { print "line 1: the head must be date,payer,category,amount,currency,what"; bad++ }
    next
  }
  /^$/ { next }
  {
    for (c = 1; c <= 5; c++) gsub(/^ +| +$/, "", $c)
    if (NF < 5) { print "line " NR ": " NF " fields instead of six"; bad++; next }
    if ($1 !~ /^[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]$/) { print "line " NR ": the day is not like 2026-03-31"; bad++; next }
    if ($4 !~ /^-?[0-9]+([.][0-9][0-9]?)?$/) { print "line " NR ": the amount is not like 12.50"; bad++; next }
    if ($5 !~ /^[A-Z][A-Z][A-Z]$/) { print "line " NR ": the currency is not like EUR"; bad++; next }
    sum = cents($4)
    keep("category " $3, $5, sum); keep("payer " $2, $5, sum); keep("all", $5, sum)
    good++
  }
  END {
    for (n = 1; n <= many; n++) {
      split(order[n], key, SUBSEP)
      print key[1] ": " money(total[order[n]]) " " key[2]
    }
    print good + 0 " expenses, " bad + 0 " lines to mend"
    exit bad > 0
  }
' "$file"
