#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# check_install.sh BUILD_FOLDER SOURCE_FOLDER BINARY: installs the build below a temporary folder,
# with /usr as its prefix, and checks each installed part. Prints every failure, then exits 1.
set -u
build=$1
source=$2
built=$3
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
failures=0

fail() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}

DESTDIR=$stage cmake --install "$build" --prefix /usr >"$stage/log" 2>&1 || { cat "$stage/log"; exit 1; }
usr=$stage/usr
for file in bin/narrows share/man/man1/narrows.1 share/narrows/narrows.schema.json \
    share/bash-completion/completions/narrows share/zsh/vendor-completions/_narrows \
    share/fish/vendor_completions.d/narrows.fish share/doc/narrows/README.md share/doc/narrows/LICENSE; do
    [ -s "$usr/$file" ] || fail "$file is missing or empty"
done

# Every scenario of the source tree is installed, and the copy is the original.
while IFS= read -r path; do
    cmp -s "$source/configs/$path" "$usr/share/narrows/scenarios/$path" || fail "scenario $path differs"
done < <(cd "$source/configs" && find . -name '*.yaml')

# The installed binary works from an empty folder, far from the sources.
mkdir "$stage/empty"
(cd "$stage/empty" && "$usr/bin/narrows" list) >"$stage/list" || fail "narrows list"
[ -s "$stage/list" ] || fail "narrows list prints nothing"
(cd "$stage/empty" && "$usr/bin/narrows" check order-summary) >"$stage/check" 2>&1 ||
    { cat "$stage/check"; fail "narrows check order-summary"; }
"$built" schema | cmp -s - "$usr/share/narrows/narrows.schema.json" || fail "the schema is not the binary's"

# The README's first scenario is one.
sed -n '/^    narrows: 1$/,/^$/s/^    //p' "$source/README.md" >"$stage/empty/service.yaml"
(cd "$stage/empty" && "$usr/bin/narrows" check service.yaml) >"$stage/check" 2>&1 ||
    { cat "$stage/check"; fail "the README's first scenario"; }

# completions/words.txt names exactly the verbs of the binary, and no option it lacks.
"$built" --help >"$stage/help" 2>&1
verbs=$(sed -n 's/^verb \([a-z]*\) .*/\1/p' "$source/completions/words.txt")
for verb in $verbs; do
    grep -qE "^ +$verb( |,|\$)" "$stage/help" || fail "--help does not name the verb $verb"
    "$built" "$verb" --help >>"$stage/options" 2>&1 || fail "narrows $verb --help"
done
sed -n 's/^option \(-[^ ]*\) .*/\1/p' "$source/completions/words.txt" | while IFS= read -r option; do
    grep -qE -- "(^|[ ,])$option([ ,=]|\$)" "$stage/options" || echo "$option"
done >"$stage/unknown"
[ -s "$stage/unknown" ] && fail "options that no verb knows:" $(cat "$stage/unknown")
grep -ohE -- '(^|[ ,])--[a-z][a-z-]+' "$stage/options" | tr -d ' ,' | sort -u | while IFS= read -r option; do
    grep -q "^option $option " "$source/completions/words.txt" || echo "$option"
done >"$stage/unlisted"
[ -s "$stage/unlisted" ] && fail "completions/words.txt lacks:" $(cat "$stage/unlisted")
for option in $(sed -n 's/^option \(-[^ ]*\) .*/\1/p' "$source/completions/words.txt"); do
    grep -qF -- "${option//-/\\-}" "$usr/share/man/man1/narrows.1" || fail "the man page lacks $option"
done

# What bash would offer.
complete_words() {
    bash -c 'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _narrows; echo "${COMPREPLY[*]}"' \
        _ "$usr/share/bash-completion/completions/narrows" "$@"
}
[ "$(complete_words narrows swe)" = sweep ] || fail "bash does not complete swe to sweep"
[[ " $(complete_words narrows run order-s) " = *" order-summary "* ]] || fail "bash does not complete scenarios"
[ "$(complete_words narrows run --threads ev)" = event-loop ] || fail "bash does not complete --threads"

if command -v man >/dev/null; then
    warnings=$(LC_ALL=C.UTF-8 MANROFFSEQ='' MANWIDTH=80 man --warnings -E UTF-8 -l -Tutf8 -Z \
        "$usr/share/man/man1/narrows.1" 2>&1 >/dev/null)
    [ -z "$warnings" ] || fail "man page: $warnings"
else
    echo "skipped: no man to check the page with"
fi

[ $failures = 0 ] || exit 1
echo "everything is in its place"
