#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern "C" {
#include "check.h"
}

#include "generic_forms.h"

extern "C" void test_generics_of_cpp(void) { generic_forms(); }
