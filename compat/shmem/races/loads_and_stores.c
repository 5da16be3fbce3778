/* libarmature-shmem-races.a: the functions that compilers call for each load and store of a program
   compiled for -fsanitize=thread. `oshcc --races` compiles so, and links this in place of the
   sanitizer. */
#include <stddef.h>
#include <stdint.h>

void shmem_has_accessed(const void* address, size_t bytes, int is_store, const void* place);

#define ACCESS(name, bytes, is_store)                                          \
  void __tsan_##name(void* address);                                           \
  void __tsan_##name(void* address) {                                          \
    shmem_has_accessed(address, bytes, is_store, __builtin_return_address(0)); \
  }
#define ACCESSES(bytes)                  \
  ACCESS(read##bytes, bytes, 0)          \
  ACCESS(write##bytes, bytes, 1)         \
  ACCESS(volatile_read##bytes, bytes, 0) \
  ACCESS(volatile_write##bytes, bytes, 1)
#define UNALIGNED(bytes)                           \
  ACCESS(unaligned_read##bytes, bytes, 0)          \
  ACCESS(unaligned_write##bytes, bytes, 1)         \
  ACCESS(unaligned_volatile_read##bytes, bytes, 0) \
  ACCESS(unaligned_volatile_write##bytes, bytes, 1)

ACCESSES(1)
ACCESSES(2)
ACCESSES(4)
ACCESSES(8)
ACCESSES(16)
UNALIGNED(2)
UNALIGNED(4)
UNALIGNED(8)
UNALIGNED(16)

void __tsan_init(void);
void __tsan_init(void) {}
void __tsan_func_entry(void* caller);
void __tsan_func_entry(void* caller) { (void)caller; }
void __tsan_func_exit(void);
void __tsan_func_exit(void) {}
void __tsan_read_range(void* address, size_t bytes);
void __tsan_read_range(void* address, size_t bytes) {
  shmem_has_accessed(address, bytes, 0, __builtin_return_address(0));
}
void __tsan_write_range(void* address, size_t bytes);
void __tsan_write_range(void* address, size_t bytes) {
  shmem_has_accessed(address, bytes, 1, __builtin_return_address(0));
}
/* Pointers to virtual functions are the object's own business. */
void __tsan_vptr_update(void** pointer, void* value);
void __tsan_vptr_update(void** pointer, void* value) { (void)pointer, (void)value; }
void __tsan_vptr_read(void** pointer);
void __tsan_vptr_read(void** pointer) { (void)pointer; }

/* The program's own atomics: they are done as written, and order nothing between PEs. */
#define ATOMIC(bits, type)                                                                         \
  type __tsan_atomic##bits##_load(const volatile type* a, int order);                              \
  type __tsan_atomic##bits##_load(const volatile type* a, int order) {                             \
    (void)order;                                                                                   \
    return __atomic_load_n(a, __ATOMIC_SEQ_CST);                                                   \
  }                                                                                                \
  void __tsan_atomic##bits##_store(volatile type* a, type value, int order);                       \
  void __tsan_atomic##bits##_store(volatile type* a, type value, int order) {                      \
    (void)order;                                                                                   \
    __atomic_store_n(a, value, __ATOMIC_SEQ_CST);                                                  \
  }                                                                                                \
  type __tsan_atomic##bits##_exchange(volatile type* a, type value, int order);                    \
  type __tsan_atomic##bits##_exchange(volatile type* a, type value, int order) {                   \
    (void)order;                                                                                   \
    return __atomic_exchange_n(a, value, __ATOMIC_SEQ_CST);                                        \
  }                                                                                                \
  int __tsan_atomic##bits##_compare_exchange_strong(volatile type* a, type* expected, type value,  \
                                                    int order, int otherwise);                     \
  int __tsan_atomic##bits##_compare_exchange_strong(volatile type* a, type* expected, type value,  \
                                                    int order, int otherwise) {                    \
    (void)order, (void)otherwise;                                                                  \
    return __atomic_compare_exchange_n(a, expected, value, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
  }                                                                                                \
  int __tsan_atomic##bits##_compare_exchange_weak(volatile type* a, type* expected, type value,    \
                                                  int order, int otherwise);                       \
  int __tsan_atomic##bits##_compare_exchange_weak(volatile type* a, type* expected, type value,    \
                                                  int order, int otherwise) {                      \
    return __tsan_atomic##bits##_compare_exchange_strong(a, expected, value, order, otherwise);    \
  }                                                                                                \
  FETCH(bits, type, add)                                                                           \
  FETCH(bits, type, sub)                                                                           \
  FETCH(bits, type, and)                                                                           \
  FETCH(bits, type, or)                                                                            \
  FETCH(bits, type, xor)                                                                           \
  FETCH(bits, type, nand)
#define FETCH(bits, type, what)                                                      \
  type __tsan_atomic##bits##_fetch_##what(volatile type* a, type value, int order);  \
  type __tsan_atomic##bits##_fetch_##what(volatile type* a, type value, int order) { \
    (void)order;                                                                     \
    return __atomic_fetch_##what(a, value, __ATOMIC_SEQ_CST);                        \
  }

ATOMIC(8, uint8_t)
ATOMIC(16, uint16_t)
ATOMIC(32, uint32_t)
ATOMIC(64, uint64_t)

void __tsan_atomic_thread_fence(int order);
void __tsan_atomic_thread_fence(int order) {
  (void)order;
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
void __tsan_atomic_signal_fence(int order);
void __tsan_atomic_signal_fence(int order) { (void)order; }
