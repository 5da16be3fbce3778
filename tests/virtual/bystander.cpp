// A library that is loaded beside a program. Its two builds differ in one constant.
extern "C" int bystander() { return BYSTANDER; }
