#!/usr/bin/env bash
# Tests the disk image on macOS: copies the application from it, uses its command line, opens a scenario by its
# file type and takes a picture of the window:  test_image.sh IMAGE PICTURES
# NOT RUN YET: written without a Mac at hand; the workflow runs it.
set -euo pipefail

image=${1:?the disk image is missing}
pictures=${2:?the folder for pictures is missing}
example=tests/data/scenarios/deepseek-v3-2048-h800.mfu
mkdir -p "$pictures"

mount=$(mktemp -d)
applications=$(mktemp -d)
# shellcheck disable=SC2317
clean() {
    hdiutil detach -quiet "$mount" || true
    rm -rf "$applications"
}
trap clean EXIT
hdiutil attach -nobrowse -readonly -mountpoint "$mount" "$image"
ditto "$mount/MFU Calculator.app" "$applications/MFU Calculator.app"
application="$applications/MFU Calculator.app"
program="$application/Contents/MacOS/mfu-gui"

codesign --verify --deep --strict "$application"
plutil -lint "$application/Contents/Info.plist"
if find "$application" \( -name 'QtNetwork*' -o -name 'libssl*' -o -name '_ssl*' -o -name '_socket*' \) | grep .; then
    echo "network code is in the bundle" >&2
    exit 1
fi
"$program" --version
"$program" --self-test
mfu=$("$program" compute "$example" --format json | python3 -c 'import json, sys; print(f"{100 * json.load(sys.stdin)["mfu"]:.2f}")')
[ "$mfu" = 43.73 ] || { echo "the example gives $mfu %, but 43.73 % was published" >&2; exit 1; }
"$program" plan "$example" --format json >/dev/null
"$program" report "$example" -o "$pictures/report.pdf"

# As a double click does it: by the file type, into the application that claims it.
cp "$example" "$applications/Scenario with a space.mfu"
/System/Library/Frameworks/CoreServices.framework/Frameworks/LaunchServices.framework/Support/lsregister -f "$application"
open -a "$application" "$applications/Scenario with a space.mfu"
sleep 10
screencapture -x "$pictures/window.png" || echo "no picture: the runner does not let us look at its screen"
pgrep -f "$program" >/dev/null || { echo "the program is not running" >&2; exit 1; }
osascript -e 'tell application "MFU Calculator" to quit' || pkill -f "$program"
