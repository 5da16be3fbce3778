/* Entries that do nothing, in a shared library of its own, for scalars.f90: what the calls alone
 * take. */
void empty_get(void);
void empty_send(void);

void empty_get(void) {}
void empty_send(void) {}
