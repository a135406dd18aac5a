#!/bin/sh
# Refuse a commit whose subject is not "scope: what it does", or is longer than 100 characters.
# Usage: check_subject.sh FILE, the file with the message, as git's hook commit-msg names it;
# or check_subject.sh --ahead-of REF, for the commits since REF; without that reference nothing is checked.
check() {
  case $1 in
    "Merge "* | "Revert "* | "fixup! "* | "squash! "*) return 0 ;;
  esac
  if ! printf '%s' "$1" | grep -Eq '^[a-z][a-z0-9 ,/._-]*: [a-z]' || [ "${#1}" -gt 100 ]; then
    echo "The subject is: $1" >&2
    echo "Write a scope and an imperative, at most 100 characters: \"recall: link statements that replace earlier ones\"." >&2
    return 1
  fi
}
if [ "$1" != --ahead-of ]; then
  check "$(sed -n '/^#/!{p;q;}' "$1")"
  exit
fi
git rev-parse --verify --quiet "$2^{commit}" >/dev/null 2>&1 || exit 0
failed=0
for commit in $(git rev-list "$2..HEAD"); do
  check "$(git log -1 --format=%s "$commit")" || failed=1
done
exit "$failed"
