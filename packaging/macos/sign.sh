#!/usr/bin/env bash
# Signs the application from the inside out:  sign.sh APPLICATION IDENTITY
# IDENTITY is “Developer ID Application: …”, or - for a signature that only this machine accepts.
# NOT RUN YET: written without a Mac at hand.
set -euo pipefail

application=${1:?the application is missing}
identity=${2:?the identity is missing}
here=$(cd "$(dirname "$0")" && pwd)

options=(--force --sign "$identity")
if [ "$identity" != - ]; then
    # Notarisation wants a time stamp and the hardened run time.
    options+=(--timestamp --options runtime)
fi

# Libraries first, the deepest first of all; then frameworks; then the application around them.
find "$application/Contents" -type f \( -name '*.dylib' -o -name '*.so' \) -print0 | sort -rz |
    xargs -0 -n 32 codesign "${options[@]}"
find "$application/Contents" -type d -name '*.framework' -print0 | sort -rz |
    xargs -0 -n 8 codesign "${options[@]}"
codesign "${options[@]}" --entitlements "$here/entitlements.plist" "$application"
codesign --verify --deep --strict --verbose=2 "$application"
