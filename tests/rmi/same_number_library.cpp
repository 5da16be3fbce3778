// Has nothing to do with remote calls.
[[gnu::visibility("default")]] int twice(int number);
int twice(int number) { return 2 * number; }
