"""The types of OpenSHMEM's typed routines, by the tables of the specification (1.6), and the sizes."""

PLAIN = {"float": "float", "double": "double", "longdouble": "long double", "char": "char",
         "schar": "signed char", "short": "short", "int": "int", "long": "long",
         "longlong": "long long", "uchar": "unsigned char", "ushort": "unsigned short",
         "uint": "unsigned int", "ulong": "unsigned long", "ulonglong": "unsigned long long"}
FIXED = {f"{sign}int{bits}": f"{sign}int{bits}_t" for sign in ("", "u") for bits in (8, 16, 32, 64)}
SIZES_OF_MEMORY = {"size": "size_t", "ptrdiff": "ptrdiff_t"}
COMPLEX = {"complexf": "shmem_complexf_t", "complexd": "shmem_complexd_t"}
ALL = PLAIN | FIXED | SIZES_OF_MEMORY | COMPLEX


def named(names):
    return {name: ALL[name] for name in names.split()}


RMA = PLAIN | FIXED | SIZES_OF_MEMORY
AMO = named("int long longlong uint ulong ulonglong int32 int64 uint32 uint64 size ptrdiff")
EXTENDED_AMO = named("float double") | AMO
BITWISE_AMO = named("uint ulong ulonglong int32 int64 uint32 uint64")
SYNC = AMO
TEST = named("short ushort") | SYNC
OLD_AMO = named("int long longlong")
OLD_EXTENDED_AMO = named("float double int long longlong")
WAIT = named("short int long longlong")

REDUCE_BITWISE = named("uchar ushort uint ulong ulonglong int8 int16 int32 int64 uint8 uint16 "
                       "uint32 uint64 size")
REDUCE_ORDERED = RMA
REDUCE_NUMBERS = RMA | COMPLEX
TO_ALL_BITWISE = named("short int long longlong")
TO_ALL_ORDERED = TO_ALL_BITWISE | named("float double longdouble")
TO_ALL_NUMBERS = TO_ALL_ORDERED | COMPLEX

BITS = (8, 16, 32, 64, 128)
OLD_BITS = (32, 64)
