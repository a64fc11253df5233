#!/bin/sh
# Installs MFU Calculator for the user who runs it: program, command, menu entry, file type, icons, manual page.
# Nothing outside the prefix is touched, no root rights are needed, and no network is used.
set -eu

usage() {
    cat <<'TEXT'
usage: ./install.sh [--prefix FOLDER]

Installs the program below FOLDER (default: ~/.local). Remove it with FOLDER/lib/mfu-gui/uninstall.sh.
It also runs from here without being installed: mfu-gui/mfu-gui
TEXT
}

prefix=${HOME:?}/.local
while [ $# -gt 0 ]; do
    case $1 in
    --prefix) [ $# -ge 2 ] || { usage >&2; exit 2; }; prefix=$2; shift 2 ;;
    --prefix=*) prefix=${1#--prefix=}; shift ;;
    -h | --help) usage; exit 0 ;;
    *) usage >&2; exit 2 ;;
    esac
done
case $prefix in
/*) ;;
*) prefix=$(pwd)/$prefix ;;
esac

here=$(cd "$(dirname "$0")" && pwd)
program=$prefix/lib/mfu-gui
mark=.mfu-gui-installation

# An older installation is replaced as a whole; a folder that is something else is left alone.
if [ -e "$program" ] && [ ! -e "$program/$mark" ]; then
    echo "$program is there already and is not an installation of this program; nothing was done." >&2
    exit 1
fi
mkdir -p "$prefix/lib" "$prefix/bin" "$prefix/share"
new=$program.new
rm -rf "$new"
cp -R "$here/mfu-gui" "$new"
cp "$here/uninstall.sh" "$here/LICENSE.txt" "$new/"
: >"$new/$mark"
(cd "$here/share" && find . -type f) | sed 's|^\./||' >"$new/share-files"
rm -rf "$program"
mv "$new" "$program"

cp -R "$here/share/." "$prefix/share/"
entry=$prefix/share/applications/@APP_ID@.desktop
# In a menu entry a path is quoted: a backslash before four characters, every backslash doubled, and so the percent.
quoted=$(printf '%s' "$program/mfu-gui" | sed 's/[\\"`$]/\\&/g; s/\\/\\\\/g; s/%/%%/g')
program_entry=$quoted awk '/^TryExec=/ { next }
    { at = index($0, "@EXEC@")
      if (at) $0 = substr($0, 1, at - 1) "\"" ENVIRON["program_entry"] "\"" substr($0, at + 6)
      print }' "$here/share/applications/@APP_ID@.desktop" >"$entry"
ln -sf ../lib/mfu-gui/mfu-gui "$prefix/bin/mfu-gui"

"$program/uninstall.sh" --refresh
echo "Installed MFU Calculator @VERSION@ in $program"
case :${PATH:-}: in
*:"$prefix/bin":*) ;;
*) echo "The command is $prefix/bin/mfu-gui; that folder is not in your PATH." ;;
esac
