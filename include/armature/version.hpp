#pragma once

// The version of these headers. The build reads it here, so packages and `armature --version` say
// the same. Versions with the same first two numbers have the same interface, and share it in
// binary form; CHANGELOG.md says what a new one changes.

#define ARMATURE_VERSION_MAJOR 0
#define ARMATURE_VERSION_MINOR 1
#define ARMATURE_VERSION_PATCH 0

/// To compare with: `#if ARMATURE_VERSION >= 100` asks for 0.1.0 or newer.
#define ARMATURE_VERSION \
  (ARMATURE_VERSION_MAJOR * 10000 + ARMATURE_VERSION_MINOR * 100 + ARMATURE_VERSION_PATCH)

#define ARMATURE_VERSION_TEXT(major, minor, patch) #major "." #minor "." #patch
#define ARMATURE_VERSION_EXPANDED(major, minor, patch) ARMATURE_VERSION_TEXT(major, minor, patch)
/// "0.1.0".
#define ARMATURE_VERSION_STRING \
  ARMATURE_VERSION_EXPANDED(ARMATURE_VERSION_MAJOR, ARMATURE_VERSION_MINOR, ARMATURE_VERSION_PATCH)
