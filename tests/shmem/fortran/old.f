C     A program of old, in fixed form: oshfort compiles it.
      program old
      include 'mpp/shmem.fh'
      integer counter, psync(SHMEM_BARRIER_SYNC_SIZE)
      common /symmetric/ counter, psync
      data psync /SHMEM_BARRIER_SYNC_SIZE*SHMEM_SYNC_VALUE/
      call start_pes(0)
      counter = 0
      call shmem_barrier_all()
      call shmem_int4_inc(counter, 0)
      call shmem_barrier(0, 0, num_pes(), psync)
      if (my_pe() .eq. 0) print *, 'counted', counter, 'PEs'
      end
