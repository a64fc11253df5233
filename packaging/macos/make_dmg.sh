#!/usr/bin/env bash
# Puts the application on a disk image beside a link to Applications:  make_dmg.sh APPLICATION IMAGE NAME
# NOT RUN YET: written without a Mac at hand.
set -euo pipefail

application=${1:?the application is missing}
image=${2:?the disk image is missing}
name=${3:?the name of the volume is missing}

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
ditto "$application" "$folder/$(basename "$application")"
ln -s /Applications "$folder/Applications"
rm -f "$image"
hdiutil create -volname "$name" -srcfolder "$folder" -fs HFS+ -format ULMO "$image"
hdiutil verify "$image"
