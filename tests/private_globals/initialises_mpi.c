/* A program for MPI, or that MPI, of which the test needs no more. */
int MPI_Init(int* argc, char*** argv);

#ifdef IS_MPI
int MPI_Init(int* argc, char*** argv) {
  (void)argc;
  (void)argv;
  return 0;
}
#else
int main(int argc, char** argv) { return MPI_Init(&argc, &argv); }
#endif
