#pragma once

#include <stdio.h>

#include "compiler.h"

#define REQUIRE(condition) \
  if (!(condition)) fail(__FILE__, __LINE__, #condition)

static inline void fail(const char* file, int line, const char* condition) {
  char text[400];
  const int length = snprintf(text, sizeof text, "%s:%d: %s", file, line, condition);
  _gfortran_caf_error_stop_str(text, (size_t)length, false);
}
