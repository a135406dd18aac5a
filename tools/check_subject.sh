#!/bin/sh
# Refuse a commit whose subject is not "scope: what it does", or is longer than 100 characters.
# Usage: check_subject.sh FILE, the file with the message, as git's hook commit-msg names it.
subject=$(sed -n '/^#/!{p;q;}' "$1")
case $subject in
  "Merge "* | "Revert "* | "fixup! "* | "squash! "*) exit 0 ;;
esac
if ! printf '%s' "$subject" | grep -Eq '^[a-z][a-z0-9 ,/._-]*: [a-z]' || [ "${#subject}" -gt 100 ]; then
  echo "The subject is: $subject" >&2
  echo "Write a scope and an imperative, at most 100 characters: \"recall: link statements that replace earlier ones\"." >&2
  exit 1
fi
