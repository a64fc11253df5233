#!/bin/sh
# Removes what install.sh put in place. The user's own presets and settings stay.
set -eu

program=$(cd "$(dirname "$0")" && pwd)
prefix=${program%/lib/mfu-gui}

refresh() {
    # Each tool is optional: without it the desktop notices at the next login.
    if command -v update-desktop-database >/dev/null; then
        update-desktop-database -q "$prefix/share/applications" || :
    fi
    if command -v update-mime-database >/dev/null && [ -d "$prefix/share/mime/packages" ]; then
        update-mime-database "$prefix/share/mime" || :
    fi
    if command -v gtk-update-icon-cache >/dev/null && [ -e "$prefix/share/icons/hicolor/index.theme" ]; then
        gtk-update-icon-cache -q "$prefix/share/icons/hicolor" || :
    fi
}

if [ "${1:-}" = --refresh ]; then
    refresh
    exit 0
fi
if [ ! -e "$program/.mfu-gui-installation" ] || [ "$prefix" = "$program" ]; then
    echo "This folder is no installation; nothing was done." >&2
    exit 1
fi
while IFS= read -r file; do
    rm -f "$prefix/share/$file"
    # Folders that became empty go too, up to share itself.
    folder=$(dirname "$file")
    while [ "$folder" != . ] && rmdir "$prefix/share/$folder" 2>/dev/null; do
        folder=$(dirname "$folder")
    done
done <"$program/share-files"
if [ "$(readlink "$prefix/bin/mfu-gui" 2>/dev/null || :)" = ../lib/mfu-gui/mfu-gui ]; then
    rm -f "$prefix/bin/mfu-gui"
fi
refresh
rm -rf "$program"
echo "Removed MFU Calculator."
