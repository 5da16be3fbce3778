! Each routine of the Fortran interface. Symmetric variables are saved ones.

module variables
  implicit none
  include 'shmem.fh'
  integer, parameter :: n = 8
  character(n), save :: characters = ''
  complex, save :: complexes(n) = 0
  double precision, save :: doubles(n) = 0
  integer, save :: integers(n) = 0
  logical, save :: logicals(n) = .false.
  real, save :: reals(n) = 0
  integer(8), save :: longs(n) = 0
  real(16), save :: quads(n) = 0
  integer(1), save :: bytes(16*n) = 0
  integer, save :: sync(SHMEM_REDUCE_SYNC_SIZE) = SHMEM_SYNC_VALUE
  integer :: me, pes, next, before
contains
  subroutine check(holds, what)
    logical, intent(in) :: holds
    character(*), intent(in) :: what
    if (holds) return
    write (0, '(a,i0,2a)') 'PE ', me, ': ', what
    call shmem_global_exit(3)
  end subroutine
end module

! Each type is put, got, and so on with strides; the elements go round the PEs.
subroutine moved_integers
  use variables
  implicit none
  integer :: source(n), i
  source = [(10*me + i, i = 1, n)]
  call shmem_integer_put(integers, source, n, next)
  call shmem_barrier_all()
  call check(all(integers == [(10*before + i, i = 1, n)]), 'integer_put')
  source = 0
  call shmem_integer_get(source, integers, n, next)
  call check(all(source == [(10*me + i, i = 1, n)]), 'integer_get')
  call shmem_barrier_all()
  call shmem_integer_put_nbi(integers, -source, n, next)
  call shmem_quiet()
  call shmem_barrier_all()
  source = 0
  call shmem_integer_get_nbi(source, integers, n, next)
  call shmem_quiet()
  call check(all(source == [(-10*me - i, i = 1, n)]), 'integer_get_nbi')
  call shmem_barrier_all()
  integers = 0
  call shmem_barrier_all()
  call shmem_integer_iput(integers, source, 2, 1, n/2, next)
  call shmem_barrier_all()
  call check(all(integers(1::2) == [(-10*before - i, i = 1, n/2)]) .and. all(integers(2::2) == 0), 'integer_iput')
  source = 0
  call shmem_integer_iget(source, integers, 1, 2, n/2, next)
  call check(all(source == [(-10*me - i, i = 1, n/2), (0, i = 1, n/2)]), 'integer_iget')
  call shmem_barrier_all()
end subroutine

subroutine moved_reals
  use variables
  implicit none
  real :: source(n)
  integer :: i
  source = [(me + i/8., i = 1, n)]
  call shmem_real_put(reals, source, n, next)
  call shmem_barrier_all()
  call check(all(reals == [(before + i/8., i = 1, n)]), 'real_put')
  call shmem_real_get(source, reals, n, me)
  call check(all(source == reals), 'real_get')
  call shmem_barrier_all()
  call shmem_real_put_nbi(reals, -source, n, next)
  call shmem_quiet()
  call shmem_barrier_all()
  call shmem_real_get_nbi(source, reals, n, next)
  call shmem_quiet()
  call check(source(n) == -before - 1., 'real_get_nbi')
  call shmem_barrier_all()
  call shmem_real_iput(reals, source, 1, 2, n/2, next)
  call shmem_barrier_all()
  call shmem_real_iget(source, reals, 2, 1, n/2, me)
  call check(source(3) == reals(2), 'real_iget')
  call shmem_barrier_all()
end subroutine

subroutine moved_doubles
  use variables
  implicit none
  double precision :: source(n)
  integer :: i
  source = [(me + i/8d0, i = 1, n)]
  call shmem_double_put(doubles, source, n, next)
  call shmem_barrier_all()
  call check(all(doubles == [(before + i/8d0, i = 1, n)]), 'double_put')
  call shmem_double_get(source, doubles, n, next)
  call check(all(source == [(me + i/8d0, i = 1, n)]), 'double_get')
  call shmem_barrier_all()
  call shmem_double_put_nbi(doubles, source*2, n, next)
  call shmem_quiet()
  call shmem_barrier_all()
  call shmem_double_get_nbi(source, doubles, n, me)
  call shmem_quiet()
  call check(source(4) == 2*before + 1, 'double_get_nbi')
  call shmem_barrier_all()
  call shmem_double_iput(doubles, source, 3, 1, 2, next)
  call shmem_barrier_all()
  call shmem_double_iget(source, doubles, 1, 3, 2, me)
  call check(source(2) == doubles(4), 'double_iget')
  call shmem_barrier_all()
end subroutine

subroutine moved_complexes
  use variables
  implicit none
  complex :: source(n)
  integer :: i
  source = [(cmplx(me, i), i = 1, n)]
  call shmem_complex_put(complexes, source, n, next)
  call shmem_barrier_all()
  call check(all(complexes == [(cmplx(before, i), i = 1, n)]), 'complex_put')
  call shmem_complex_get(source, complexes, n, next)
  call check(source(n) == cmplx(me, n), 'complex_get')
  call shmem_barrier_all()
  call shmem_complex_put_nbi(complexes, conjg(source), n, next)
  call shmem_quiet()
  call shmem_barrier_all()
  call shmem_complex_get_nbi(source, complexes, n, me)
  call shmem_quiet()
  call check(source(2) == cmplx(before, -2), 'complex_get_nbi')
  call shmem_barrier_all()
  call shmem_complex_iput(complexes, source, 2, 2, n/2, me)
  call shmem_complex_iget(source, complexes, 1, 2, n/2, me)
  call check(source(2) == complexes(3), 'complex_iget')
  call shmem_barrier_all()
end subroutine

subroutine moved_logicals
  use variables
  implicit none
  logical :: source(n)
  integer :: i
  source = [(mod(i + me, 3) == 0, i = 1, n)]
  call shmem_logical_put(logicals, source, n, next)
  call shmem_barrier_all()
  call check(all(logicals .eqv. [(mod(i + before, 3) == 0, i = 1, n)]), 'logical_put')
  call shmem_logical_get(source, logicals, n, next)
  call check(all(source .eqv. [(mod(i + me, 3) == 0, i = 1, n)]), 'logical_get')
  call shmem_barrier_all()
  call shmem_logical_put_nbi(logicals, .not. source, n, next)
  call shmem_quiet()
  call shmem_barrier_all()
  call shmem_logical_get_nbi(source, logicals, n, me)
  call shmem_quiet()
  call check(source(1) .neqv. mod(1 + before, 3) == 0, 'logical_get_nbi')
  call shmem_barrier_all()
  call shmem_logical_iput(logicals, [.true., .false.], 1, 1, 2, me)
  call shmem_logical_iget(source, logicals, 1, 1, 2, me)
  call check(source(1) .and. .not. source(2), 'logical_iget')
  call shmem_barrier_all()
end subroutine

subroutine moved_characters
  use variables
  implicit none
  character(n) :: source
  source = 'im'//achar(48 + me)//'abcde'
  call shmem_character_put(characters, source, n, next)
  call shmem_barrier_all()
  call check(characters == 'im'//achar(48 + before)//'abcde', 'character_put')
  call shmem_character_get(source, characters, 3, next)
  call check(source == 'im'//achar(48 + me)//'abcde', 'character_get')
  call shmem_barrier_all()
  call shmem_character_put_nbi(characters, 'xy', 2, next)
  call shmem_quiet()
  call shmem_barrier_all()
  call shmem_character_get_nbi(source, characters, 2, next)
  call shmem_quiet()
  call check(source(1:3) == 'xy'//achar(48 + me), 'character_get_nbi')
  call shmem_barrier_all()
end subroutine

! Elements of each size: the same bytes are put and got.
subroutine moved_sizes
  use variables
  implicit none
  integer(1) :: source(16*n), found(16*n)
  integer :: i
  source = [(int(mod(i, 100) + 1, 1), i = 1, 16*n)]
  call shmem_put4(bytes, source, 2, next)
  call settle(8)
  call shmem_put8(bytes, source, 2, next)
  call settle(16)
  call shmem_put32(bytes, source, 3, next)
  call settle(12)
  call shmem_put64(bytes, source, 3, next)
  call settle(24)
  call shmem_put128(bytes, source, 3, next)
  call settle(48)
  call shmem_putmem(bytes, source, 5, next)
  call settle(5)
  call shmem_put4_nbi(bytes, source, 2, next)
  call settle(8)
  call shmem_put8_nbi(bytes, source, 2, next)
  call settle(16)
  call shmem_put32_nbi(bytes, source, 3, next)
  call settle(12)
  call shmem_put64_nbi(bytes, source, 3, next)
  call settle(24)
  call shmem_put128_nbi(bytes, source, 3, next)
  call settle(48)
  call shmem_putmem_nbi(bytes, source, 5, next)
  call settle(5)
  call shmem_iput4(bytes, source, 1, 1, 4, next)
  call settle(16)
  call shmem_iput8(bytes, source, 1, 1, 4, next)
  call settle(32)
  call shmem_iput32(bytes, source, 1, 1, 2, next)
  call settle(8)
  call shmem_iput64(bytes, source, 1, 1, 2, next)
  call settle(16)
  call shmem_iput128(bytes, source, 1, 1, 2, next)
  call settle(32)
  bytes = source
  call shmem_barrier_all()
  found = 0
  call shmem_get4(found, bytes, 2, next)
  call got(8)
  call shmem_get8(found, bytes, 2, next)
  call got(16)
  call shmem_get32(found, bytes, 3, next)
  call got(12)
  call shmem_get64(found, bytes, 3, next)
  call got(24)
  call shmem_get128(found, bytes, 3, next)
  call got(48)
  call shmem_getmem(found, bytes, 5, next)
  call got(5)
  call shmem_get4_nbi(found, bytes, 2, next)
  call got(8)
  call shmem_get8_nbi(found, bytes, 2, next)
  call got(16)
  call shmem_get32_nbi(found, bytes, 3, next)
  call got(12)
  call shmem_get64_nbi(found, bytes, 3, next)
  call got(24)
  call shmem_get128_nbi(found, bytes, 3, next)
  call got(48)
  call shmem_getmem_nbi(found, bytes, 5, next)
  call got(5)
  call shmem_iget4(found, bytes, 1, 1, 4, next)
  call got(16)
  call shmem_iget8(found, bytes, 1, 1, 4, next)
  call got(32)
  call shmem_iget32(found, bytes, 1, 1, 2, next)
  call got(8)
  call shmem_iget64(found, bytes, 1, 1, 2, next)
  call got(16)
  call shmem_iget128(found, bytes, 1, 1, 2, next)
  call got(32)
  call shmem_barrier_all()
contains
  subroutine settle(count_of_bytes)
    integer, intent(in) :: count_of_bytes
    call shmem_fence()
    call shmem_barrier_all()
    call check(all(bytes(:count_of_bytes) == source(:count_of_bytes)) .and. all(bytes(count_of_bytes + 1:) == 0), 'put of a size')
    bytes = 0
    call shmem_barrier_all()
  end subroutine
  subroutine got(count_of_bytes)
    integer, intent(in) :: count_of_bytes
    call shmem_quiet()
    call check(all(found(:count_of_bytes) == source(:count_of_bytes)) .and. all(found(count_of_bytes + 1:) == 0), 'get of a size')
    found = 0
  end subroutine
end subroutine

subroutine atomics
  use variables
  implicit none
  integer :: old
  integer(8) :: old8
  integers = 5
  longs = 7
  reals = 1
  doubles = 2
  call shmem_barrier_all()
  old = shmem_int4_swap(integers(1), 10 + me, next)
  old8 = shmem_int8_swap(longs(1), 20_8 + me, next)
  call check(old == 5 .and. old8 == 7, 'swap')
  call check(shmem_real4_swap(reals(1), 3., next) == 1 .and. shmem_real8_swap(doubles(1), 4d0, next) == 2, 'real swap')
  call check(shmem_swap(integers(2), 6, next) == 5, 'swap of integers')
  call check(shmem_int4_fetch(integers(1), next) == 10 + me .and. shmem_int8_fetch(longs(1), next) == 20 + me, 'fetch')
  call check(shmem_real4_fetch(reals(1), next) == 3 .and. shmem_real8_fetch(doubles(1), next) == 4, 'real fetch')
  call shmem_int4_set(integers(2), 1, next)
  call shmem_int8_set(longs(2), 2_8, next)
  call shmem_real4_set(reals(2), 3., next)
  call shmem_real8_set(doubles(2), 4d0, next)
  call shmem_barrier_all()
  call check(integers(2) == 1 .and. longs(2) == 2 .and. reals(2) == 3 .and. doubles(2) == 4, 'set')
  call shmem_barrier_all()
  call check(shmem_int4_cswap(integers(2), 1, 8, next) == 1 .and. shmem_int8_cswap(longs(2), 9_8, 8_8, next) == 2, 'cswap')
  call shmem_barrier_all()
  call check(integers(2) == 8 .and. longs(2) == 2, 'behind cswap')
  call shmem_barrier_all()
  old = shmem_int4_fadd(integers(3), 2, 0)
  old8 = shmem_int8_fadd(longs(3), 2_8, 0)
  old = shmem_int4_finc(integers(3), 0)
  old8 = shmem_int8_finc(longs(3), 0)
  call shmem_int4_add(integers(3), 3, 0)
  call shmem_int8_add(longs(3), 3_8, 0)
  call shmem_int4_inc(integers(3), 0)
  call shmem_int8_inc(longs(3), 0)
  call shmem_barrier_all()
  if (me == 0) call check(integers(3) == 5 + 7*pes .and. longs(3) == 7 + 7*pes, 'add')
  call shmem_barrier_all()
end subroutine

subroutine waiting
  use variables
  implicit none
  integers = 0
  longs = 0
  call shmem_barrier_all()
  call shmem_integer_put(integers(1), 1, 1, next)
  call shmem_put8(longs(1), 1_8, 1, next)
  call shmem_wait(integers(1), 0)
  call shmem_int4_wait(integers(1), 0)
  call shmem_int8_wait(longs(1), 0_8)
  call shmem_wait_until(integers(1), SHMEM_CMP_EQ, 1)
  call shmem_int4_wait_until(integers(1), SHMEM_CMP_GE, 1)
  call shmem_int8_wait_until(longs(1), SHMEM_CMP_NE, 5_8)
  call shmem_barrier_all()
end subroutine

subroutine collectives
  use variables
  implicit none
  integer, save :: a(64) = 0
  integer(8), save :: b(64) = 0
  integer :: i
  a(1:2) = [me, -me]
  b(1:2) = [me, -me]
  integers = 0
  longs = 0
  call shmem_barrier(0, 0, pes, sync)
  call shmem_broadcast4(integers, a, 2, pes - 1, 0, 0, pes, sync)
  call shmem_broadcast8(longs, b, 2, pes - 1, 0, 0, pes, sync)
  call check(me == pes - 1 .or. (integers(2) == 1 - pes .and. longs(2) == 1 - pes), 'broadcast')
  call shmem_broadcast32(integers, a, 1, 0, 0, 0, pes, sync)
  call shmem_broadcast64(longs, b, 1, 0, 0, 0, pes, sync)
  call check(me == 0 .or. (integers(1) == 0 .and. longs(1) == 0), 'broadcast of bits')
  call shmem_collect4(integers, a, 1, 0, 0, pes, sync)
  call shmem_collect8(longs, b, 1, 0, 0, pes, sync)
  call check(all(integers(:pes) == [(i, i = 0, pes - 1)]) .and. longs(pes) == pes - 1, 'collect')
  call shmem_collect32(integers, a(2), 1, 0, 0, pes, sync)
  call shmem_collect64(longs, b(2), 1, 0, 0, pes, sync)
  call check(all(integers(:pes) == [(-i, i = 0, pes - 1)]) .and. longs(pes) == 1 - pes, 'collect of bits')
  call shmem_fcollect4(integers, a, 1, 0, 0, pes, sync)
  call shmem_fcollect8(longs, b, 1, 0, 0, pes, sync)
  call check(integers(pes) == pes - 1 .and. longs(pes) == pes - 1, 'fcollect')
  call shmem_fcollect32(integers, a(2), 1, 0, 0, pes, sync)
  call shmem_fcollect64(longs, b(2), 1, 0, 0, pes, sync)
  call check(integers(pes) == 1 - pes .and. longs(pes) == 1 - pes, 'fcollect of bits')
  a = [(100*me + i, i = 0, 63)]
  b = a
  call shmem_barrier_all()
  call shmem_alltoall32(integers, a, 1, 0, 0, pes, sync)
  call shmem_alltoall64(longs, b, 1, 0, 0, pes, sync)
  call check(all(integers(:pes) == [(100*i + me, i = 0, pes - 1)]) .and. longs(pes) == 100*(pes - 1) + me, 'alltoall')
  call shmem_alltoalls32(integers, a, 1, 2, 1, 0, 0, pes, sync)
  call shmem_alltoalls64(longs, b, 1, 2, 1, 0, 0, pes, sync)
  call check(integers(pes) == 100*(pes - 1) + 2*me .and. longs(pes) == 100*(pes - 1) + 2*me, 'alltoalls')
  call shmem_barrier_all()
end subroutine

! The preprocessor joins names around an empty comment, with the blanks of the arguments.
#define REDUCED(type, array, work, verb, result) \
  call shmem_/**/type/**/_/**/verb/**/_to_all(array, array(3), 2, 0, 0, pes, work, sync); \
  call check(array(2) == result, 'type verb')

subroutine reductions
  use variables
  implicit none
  integer(2), save :: i2(n) = 0, w2(n)
  integer, save :: i4(n) = 0, w4(n)
  integer(8), save :: i8(n) = 0, w8(n)
  real, save :: r4(n) = 0, v4(n)
  real(8), save :: r8(n) = 0, v8(n)
  real(16), save :: r16(n) = 0, v16(n)
  complex(4), save :: c4(n) = 0, x4(n)
  complex(8), save :: c8(n) = 0, x8(n)
  integer :: s, p, i, bits
  s = pes*(pes + 1)/2
  p = product([(i, i = 1, pes)])
  i2(3:4) = int([5, me + 1], 2)
  i4(3:4) = [5, me + 1]
  i8(3:4) = [5, me + 1]
  r4(3:4) = [5, me + 1]
  r8(3:4) = [5, me + 1]
  r16(3:4) = [5, me + 1]
  c4(3:4) = [5, me + 1]
  c8(3:4) = [5, me + 1]
  call shmem_barrier_all()
  REDUCED(int2,i2,w2,sum,s)
  REDUCED(int4,i4,w4,sum,s)
  REDUCED(int8,i8,w8,sum,s)
  REDUCED(real4,r4,v4,sum,s)
  REDUCED(real8,r8,v8,sum,s)
  REDUCED(real16,r16,v16,sum,s)
  REDUCED(comp4,c4,x4,sum,s)
  REDUCED(comp8,c8,x8,sum,s)
  REDUCED(int2,i2,w2,prod,p)
  REDUCED(int4,i4,w4,prod,p)
  REDUCED(int8,i8,w8,prod,p)
  REDUCED(real4,r4,v4,prod,p)
  REDUCED(real8,r8,v8,prod,p)
  REDUCED(real16,r16,v16,prod,p)
  REDUCED(comp4,c4,x4,prod,p)
  REDUCED(comp8,c8,x8,prod,p)
  REDUCED(int2,i2,w2,max,pes)
  REDUCED(int4,i4,w4,max,pes)
  REDUCED(int8,i8,w8,max,pes)
  REDUCED(real4,r4,v4,max,pes)
  REDUCED(real8,r8,v8,max,pes)
  REDUCED(real16,r16,v16,max,pes)
  REDUCED(int2,i2,w2,min,1)
  REDUCED(int4,i4,w4,min,1)
  REDUCED(int8,i8,w8,min,1)
  REDUCED(real4,r4,v4,min,1)
  REDUCED(real8,r8,v8,min,1)
  REDUCED(real16,r16,v16,min,1)
  bits = 1
  do i = 2, pes
    bits = iand(bits, i)
  end do
  REDUCED(int2,i2,w2,and,bits)
  REDUCED(int4,i4,w4,and,bits)
  REDUCED(int8,i8,w8,and,bits)
  do i = 1, pes
    bits = ior(bits, i)
  end do
  REDUCED(int2,i2,w2,or,bits)
  REDUCED(int4,i4,w4,or,bits)
  REDUCED(int8,i8,w8,or,bits)
  bits = 0
  do i = 1, pes
    bits = ieor(bits, i)
  end do
  REDUCED(int2,i2,w2,xor,bits)
  REDUCED(int4,i4,w4,xor,bits)
  REDUCED(int8,i8,w8,xor,bits)
  ! Bits of complex numbers: those that all PEs have go out with an even number of PEs.
  c4(3:4) = cmplx(1, 2)
  c8(3:4) = cmplx(1, 2)
  call shmem_barrier_all()
  REDUCED(comp4,c4,x4,xor,merge(cmplx(0, 0), cmplx(1, 2), mod(pes, 2) == 0))
  REDUCED(comp8,c8,x8,xor,merge(cmplx(0, 0), cmplx(1, 2), mod(pes, 2) == 0))
  call shmem_barrier_all()
end subroutine

subroutine memory
  use variables
  implicit none
  integer :: block(100), there(n), code, i
  pointer (address, block)
  pointer (other, there)
  call shpalloc(address, 100, code, 1)
  call check(code == 0, 'shpalloc')
  block = [(i*me, i = 1, 100)]
  call shmem_barrier_all()
  call shmem_integer_get(integers, block(99), 2, next)
  call check(integers(2) == 100*next, 'get from the heap')
  call check(shmem_addr_accessible(block, next) .and. shmem_pe_accessible(next), 'accessible')
  call check(.not. shmem_pe_accessible(pes) .and. .not. shmem_addr_accessible(code, next), 'not accessible')
  call shmem_barrier_all()
  call shpclmove(address, 100000, code, 0)
  call check(code == 0 .or. code == 1, 'shpclmove')
  call check(block(100) == 100*me, 'moved')
  other = shmem_ptr(integers, next)
  call check(other /= 0 .eqv. other /= 0, 'ptr')
  if (other /= 0) call check(loc(there) /= 0, 'ptr of the node')
  call shmem_barrier_all()
  call shpdeallc(address, code, 1)
  call check(code == 0, 'shpdeallc')
  call shpalloc(address, 0, code, 0)
  call check(code == -1, 'shpalloc of nothing')
  call shpdeallc(address, code, 0)
  call check(code == -5, 'shpdeallc twice')
  call shmem_clear_cache_inv()
  call shmem_set_cache_inv()
  call shmem_udcflush()
  call shmem_set_cache_line_inv(integers)
  call shmem_clear_cache_line_inv(integers)
  call shmem_udcflush_line(integers)
end subroutine

subroutine locks
  use variables
  implicit none
  integer, save :: lock = 0, around(2) = [11, 12], counter = 0
  integer :: i, mine
  call shmem_barrier_all()
  do i = 1, 25
    call shmem_set_lock(lock)
    call shmem_integer_get(mine, counter, 1, 0)
    call shmem_integer_put(counter, mine + 1, 1, 0)
    call shmem_clear_lock(lock)
  end do
  do i = 1, 5
    do while (shmem_test_lock(lock) /= 0)
    end do
    call shmem_integer_get(mine, counter, 1, 0)
    call shmem_integer_put(counter, mine + 1, 1, 0)
    call shmem_clear_lock(lock)
  end do
  call shmem_barrier_all()
  call shmem_integer_get(mine, counter, 1, 0)
  call check(mine == 30*pes .and. all(around == [11, 12]), 'locks')
  call shmem_barrier_all()
end subroutine

program conformance
  use variables
  implicit none
  character(20) :: argument
  character(SHMEM_MAX_NAME_LEN) :: name
  integer :: major, minor
  call shmem_init()
  call start_pes(0)
  me = shmem_my_pe()
  pes = shmem_n_pes()
  next = mod(me + 1, pes)
  before = mod(me + pes - 1, pes)
  call check(my_pe() == me .and. num_pes() == pes, 'numbers')
  call shmem_info_get_version(major, minor)
  call check(major == SHMEM_MAJOR_VERSION .and. minor == SHMEM_MINOR_VERSION, 'version')
  call shmem_info_get_name(name)
  call check(name == SHMEM_VENDOR_STRING, 'name')
  call get_command_argument(1, argument)
  if (argument == 'count') call shmem_integer_put(integers, integers, -3, next)
  if (argument == 'lock') call shmem_clear_lock(integers)
  call moved_integers
  call moved_reals
  call moved_doubles
  call moved_complexes
  call moved_logicals
  call moved_characters
  call moved_sizes
  call atomics
  call waiting
  call collectives
  call reductions
  call memory
  call locks
  call shmem_finalize()
  if (me == 0) print '(a)', 'all well'
end program
