/* libarmature-caf-main.a: linked with -Wl,--wrap=_FortranAStopStatement and its kin, for programs
   of LLVM Flang. Its own library ends a process where an image stops, and tells no other image. */
#include <stdbool.h>
#include <stddef.h>

void* _FortranAioBeginFlush(int unit, const char* file, int line);
int _FortranAioEndIoStatement(void* statement);

_Noreturn void caf_flang_stop(int code, const char* text, size_t length, bool is_error,
                              bool is_quiet);
_Noreturn void _QMprifPprif_fail_image(void);

_Noreturn void __wrap__FortranAStopStatement(int code, bool is_error, bool is_quiet);
_Noreturn void __wrap__FortranAStopStatementText(const char* text, size_t length, bool is_error,
                                                 bool is_quiet);
_Noreturn void __wrap__FortranAFailImageStatement(void);

/* Writes what the image has printed. */
static void flush_output(void) {
  enum { output_unit = 6 };
  (void)_FortranAioEndIoStatement(_FortranAioBeginFlush(output_unit, __FILE__, __LINE__));
}

_Noreturn void __wrap__FortranAStopStatement(int code, bool is_error, bool is_quiet) {
  flush_output();
  caf_flang_stop(code, NULL, 0, is_error, is_quiet);
}

_Noreturn void __wrap__FortranAStopStatementText(const char* text, size_t length, bool is_error,
                                                 bool is_quiet) {
  flush_output();
  caf_flang_stop(is_error ? 1 : 0, text, length, is_error, is_quiet);
}

_Noreturn void __wrap__FortranAFailImageStatement(void) {
  flush_output();
  _QMprifPprif_fail_image();
}
