#!/usr/bin/env bash
# Has Apple check the signed disk image and fastens the answer to it:  notarise.sh IMAGE
# Needs a profile of `xcrun notarytool store-credentials`, named in MFU_NOTARY_PROFILE, and the identity that signed
# the application in MFU_CODESIGN_IDENTITY.
# NOT RUN YET: written without a Mac at hand.
set -euo pipefail

image=${1:?the disk image is missing}
profile=${MFU_NOTARY_PROFILE:?MFU_NOTARY_PROFILE names no profile}
identity=${MFU_CODESIGN_IDENTITY:?MFU_CODESIGN_IDENTITY names no identity}

codesign --force --timestamp --sign "$identity" "$image"
xcrun notarytool submit "$image" --keychain-profile "$profile" --wait
xcrun stapler staple "$image"
xcrun stapler validate "$image"
spctl --assess --type open --context context:primary-signature --verbose=2 "$image"
