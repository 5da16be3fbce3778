/* Every transfer with every argument wrong in turn: the classical code comes back and no byte
   moves. A good call is spoilt by one defect at a time, so the table is defects times calls. */
#include "harness.h"

enum { bytes = 64 };

typedef struct {
  int datatype;
  void* scale;
  void* src;
  int* src_stride;
  void* dst;
  int* dst_stride;
  int* count;
  int levels;
  armci_giov_t* iov;
  int iov_len;
  int* flag;
  int proc;
  armci_hdl_t* handle;
} arguments;

/* Parts of the arguments that a call looks at. */
enum { contiguous = 1, strided = 2, vector = 4, accumulates = 8, flags = 16, stores = 32 };

typedef struct {
  const char* name;
  int looks_at;
  int (*run)(const arguments* a);
} call;

#define S a->src, a->src_stride, a->dst, a->dst_stride, a->count, a->levels
static int put(const arguments* a) { return ARMCI_Put(a->src, a->dst, a->count[0], a->proc); }
static int get(const arguments* a) { return ARMCI_Get(a->src, a->dst, a->count[0], a->proc); }
static int acc(const arguments* a) {
  return ARMCI_Acc(a->datatype, a->scale, a->src, a->dst, a->count[0], a->proc);
}
static int nb_put(const arguments* a) {
  return ARMCI_NbPut(a->src, a->dst, a->count[0], a->proc, a->handle);
}
static int nb_get(const arguments* a) {
  return ARMCI_NbGet(a->src, a->dst, a->count[0], a->proc, a->handle);
}
static int nb_acc(const arguments* a) {
  return ARMCI_NbAcc(a->datatype, a->scale, a->src, a->dst, a->count[0], a->proc, a->handle);
}
static int put_flag(const arguments* a) {
  return ARMCI_Put_flag(a->src, a->dst, a->count[0], a->flag, 1, a->proc);
}
static int put_s(const arguments* a) { return ARMCI_PutS(S, a->proc); }
static int get_s(const arguments* a) { return ARMCI_GetS(S, a->proc); }
static int acc_s(const arguments* a) { return ARMCI_AccS(a->datatype, a->scale, S, a->proc); }
static int nb_put_s(const arguments* a) { return ARMCI_NbPutS(S, a->proc, a->handle); }
static int nb_get_s(const arguments* a) { return ARMCI_NbGetS(S, a->proc, a->handle); }
static int nb_acc_s(const arguments* a) {
  return ARMCI_NbAccS(a->datatype, a->scale, S, a->proc, a->handle);
}
static int put_s_flag(const arguments* a) { return ARMCI_PutS_flag(S, a->flag, 1, a->proc); }
static int put_s_flag_dir(const arguments* a) {
  return ARMCI_PutS_flag_dir(S, a->flag, 1, a->proc);
}
static int put_v(const arguments* a) { return ARMCI_PutV(a->iov, a->iov_len, a->proc); }
static int get_v(const arguments* a) { return ARMCI_GetV(a->iov, a->iov_len, a->proc); }
static int acc_v(const arguments* a) {
  return ARMCI_AccV(a->datatype, a->scale, a->iov, a->iov_len, a->proc);
}
static int nb_put_v(const arguments* a) {
  return ARMCI_NbPutV(a->iov, a->iov_len, a->proc, a->handle);
}
static int nb_get_v(const arguments* a) {
  return ARMCI_NbGetV(a->iov, a->iov_len, a->proc, a->handle);
}
static int nb_acc_v(const arguments* a) {
  return ARMCI_NbAccV(a->datatype, a->scale, a->iov, a->iov_len, a->proc, a->handle);
}

static const call calls[] = {
    {"Put", contiguous | stores, put},
    {"Get", contiguous, get},
    {"Acc", contiguous | stores | accumulates, acc},
    {"NbPut", contiguous | stores, nb_put},
    {"NbGet", contiguous, nb_get},
    {"NbAcc", contiguous | stores | accumulates, nb_acc},
    {"Put_flag", contiguous | stores | flags, put_flag},
    {"PutS", strided | stores, put_s},
    {"GetS", strided, get_s},
    {"AccS", strided | stores | accumulates, acc_s},
    {"NbPutS", strided | stores, nb_put_s},
    {"NbGetS", strided, nb_get_s},
    {"NbAccS", strided | stores | accumulates, nb_acc_s},
    {"PutS_flag", strided | stores | flags, put_s_flag},
    {"PutS_flag_dir", strided | stores | flags, put_s_flag_dir},
    {"PutV", vector | stores, put_v},
    {"GetV", vector, get_v},
    {"AccV", vector | stores | accumulates, acc_v},
    {"NbPutV", vector | stores, nb_put_v},
    {"NbGetV", vector, nb_get_v},
    {"NbAccV", vector | stores | accumulates, nb_acc_v},
};

typedef struct {
  const char* name;
  int concerns; /* calls that look at any of these */
  int code;
  void (*spoil)(arguments* a);
} defect;

static int private_memory[bytes];

static void null_source(arguments* a) { a->src = a->iov->src_ptr_array[1] = NULL; }
static void null_target(arguments* a) { a->dst = a->iov->dst_ptr_array[1] = NULL; }
static void null_source_strides(arguments* a) { a->src_stride = NULL; }
static void null_target_strides(arguments* a) { a->dst_stride = NULL; }
static void null_counts(arguments* a) { a->count = NULL; }
static void negative_bytes(arguments* a) { a->count[0] = a->iov->bytes = -8; }
static void negative_count_above(arguments* a) { a->count[2] = -1; }
static void negative_levels(arguments* a) { a->levels = -1; }
static void too_many_levels(arguments* a) { a->levels = ARMCI_MAX_STRIDE_LEVEL + 1; }
static void no_descriptors(arguments* a) { a->iov = NULL; }
static void negative_descriptors(arguments* a) { a->iov_len = -1; }
static void null_source_array(arguments* a) { a->iov->src_ptr_array = NULL; }
static void null_target_array(arguments* a) { a->iov->dst_ptr_array = NULL; }
static void negative_segments(arguments* a) { a->iov->ptr_array_len = -1; }
static void negative_process(arguments* a) { a->proc = -1; }
static void process_too_large(arguments* a) { a->proc = nproc; }
static void unknown_type(arguments* a) { a->datatype = 7; }
static void negative_type(arguments* a) { a->datatype = -1; }
static void null_scale(arguments* a) { a->scale = NULL; }
static void half_an_element(arguments* a) { a->count[0] = a->iov->bytes = 4; }
static void null_flag(arguments* a) { a->flag = NULL; }
static void private_flag(arguments* a) { a->flag = private_memory; }
/* The remote side is the target of puts and the source of gets; both stand in the table once. */
static void private_target(arguments* a) { a->dst = a->iov->dst_ptr_array[0] = private_memory; }
static void private_source(arguments* a) { a->src = a->iov->src_ptr_array[0] = private_memory; }

enum { everything = -1, loads = 64 };

static const defect defects[] = {
    {"null source", everything, -1, null_source},
    {"null target", everything, -1, null_target},
    {"null source strides", strided, -2, null_source_strides},
    {"null target strides", strided, -2, null_target_strides},
    {"null counts", strided, -2, null_counts},
    {"negative bytes", everything, -3, negative_bytes},
    {"negative count above", strided, -3, negative_count_above},
    {"negative levels", strided, -4, negative_levels},
    {"too many levels", strided, -4, too_many_levels},
    {"no descriptors", vector, -1, no_descriptors},
    {"negative descriptors", vector, -1, negative_descriptors},
    {"null source array", vector, -2, null_source_array},
    {"null target array", vector, -2, null_target_array},
    {"negative segments", vector, -4, negative_segments},
    {"negative process", everything, -5, negative_process},
    {"process too large", everything, -5, process_too_large},
    {"unknown type", accumulates, -2, unknown_type},
    {"negative type", accumulates, -2, negative_type},
    {"null scale", accumulates, -1, null_scale},
    {"half an element", accumulates, -3, half_an_element},
    {"null flag", flags, -1, null_flag},
    {"a flag of nobody's", flags, -6, private_flag},
    {"a target of nobody's", stores, -6, private_target},
    {"a source of nobody's", loads, -6, private_source},
};

/* A good call between my memory and p's, in both directions the same shape. */
static void try_one(const call* c, const defect* d, pieces p, armci_hdl_t* handle) {
  static double local[bytes];
  const int proc = right_of(me);
  const int remote_is_target = c->looks_at & stores;
  char *near = (char*)local, *far = p.at[proc];
  char *src = remote_is_target ? near : far, *dst = remote_is_target ? far : near;
  double scale = 2;
  int stride[2][2] = {{16, 64}, {16, 64}}, count[3] = {8, 2, 2};
  void *from[2] = {src, src + 16}, *to[2] = {dst, dst + 16};
  armci_giov_t iov = {from, to, 8, 2};
  arguments a = {
      ARMCI_ACC_DBL,           &scale, src,   stride[0], dst, stride[1], count, 2, &iov, 1,
      (int*)(far + bytes * 4), proc,   handle};
  d->spoil(&a);
  const int code = c->run(&a);
  if (code != d->code)
    fprintf(stderr, "ARMCI_%s with %s returned %d, not %d\n", c->name, d->name, code, d->code);
  CHECK_EQUAL(code, d->code);
  int moved = 0;
  for (int i = 0; i < bytes; ++i) moved += local[i] != 0 || private_memory[i] != 0;
  CHECK_EQUAL(moved, 0);
}

static void every_call_with_every_defect(void) {
  pieces p = make_pieces(bytes * sizeof(double));
  armci_hdl_t single = {0, 0}, together = {0, 1};
  armci_hdl_t* const handles[] = {NULL, &single, &together};
  for (size_t i = 0; i < sizeof calls / sizeof *calls; ++i)
    for (size_t k = 0; k < sizeof defects / sizeof *defects; ++k) {
      const call* c = calls + i;
      const defect* d = defects + k;
      const int looks_at = c->looks_at | (c->looks_at & stores ? 0 : loads);
      if (!(looks_at & d->concerns)) continue;
      /* Alone, my own private memory is a good address. */
      if (d->code == -6 && nproc == 1) continue;
      for (int h = 0; h < 3; ++h) try_one(c, d, p, handles[h]);
    }
  CHECK_EQUAL(ARMCI_WaitAll(), 0);
  ARMCI_Barrier();
  const char* own = mine(p);
  int moved = 0;
  for (size_t i = 0; i < bytes * sizeof(double); ++i) moved += own[i] != 0;
  CHECK_EQUAL(moved, 0);
  drop(p);
}

const test_case bad_transfer_tests[] = {
    {"every transfer with every argument wrong in turn", every_call_with_every_defect},
    {NULL, NULL},
};
