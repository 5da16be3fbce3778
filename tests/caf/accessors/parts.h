/* The parts of the caller that have a file of their own. */
#pragma once

/* Vector subscripts whose length the compiler does not know. */
void arrays_in_data(int me, int images);
/* All that has nothing to do with accessors. */
void entries(int me, int images);
/* Ends the program by one of the entries that do. */
void end_by(const char* way, int me, int images);
