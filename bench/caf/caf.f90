! Coarrays between two images: the time of one operation in nanoseconds, beside that of the same loop in one image's own
! memory. Compiled with another library for coarrays it measures that one. With -DBESIDE scalars stand beside a call of
! an empty function of a shared library, and collectives beside Armature's own (beside.cpp). The first image prints a line for each
! operation: the least of many short rounds, so that other work on the machine counts less.
program caf_bench
  use iso_fortran_env, only: int64, real64
  use iso_c_binding, only: c_int
  implicit none
#ifdef BESIDE
  interface
    subroutine empty_entry(token, offset, image, from, subscripts, to, from_kind, to_kind, overlaps, stat) bind(c)
      use iso_c_binding, only: c_ptr, c_size_t, c_int, c_bool
      type(c_ptr), value :: token, from, subscripts, to, stat
      integer(c_size_t), value :: offset
      integer(c_int), value :: image, from_kind, to_kind
      logical(c_bool), value :: overlaps
    end subroutine
    subroutine own_barrier() bind(c)
    end subroutine
    subroutine own_sum(values, count) bind(c)
      use iso_c_binding, only: c_double, c_int
      real(c_double), intent(inout) :: values(*)
      integer(c_int), value :: count
    end subroutine
  end interface
#endif
  integer, parameter :: mebi = 131072  ! reals in 1 MiB
  real(real64), save :: word[*]
  real(real64), allocatable :: row(:)[:], wide(:)[:]
  real(real64), allocatable :: here(:), there(:)
  real(real64) :: value, many(1000000)
  integer :: me, other, i, k, length, step
  me = this_image()
  other = 3 - me
  allocate (row(mebi)[*], wide(4*mebi)[*], here(mebi), there(4*mebi))
  row = me; wide = me; here = 0; there = 0; word = me; value = 0; many = 1
  length = mebi; step = 4
  sync all
  if (me == 1) then
    call show('get.scalar', timed(1), empty_ns())
    call show('put.scalar', timed(3), empty_ns())
    call show('get.1MiB', timed(5), timed(6))
    call show('put.1MiB', timed(7), timed(8))
    call show('get.1MiB.strided', timed(9), timed(10))
    call show('put.1MiB.strided', timed(11), timed(12))
  end if
  sync all
  call together('sync all', 1, 500)
  call together('sync images', 2, 500)
  call together('co_sum.1', 3, 500)
  call together('co_sum.1000000', 4, 1)
  if (value < -1) print *, here(1), there(1)
contains
  real(real64) function empty_ns()
    empty_ns = 0
#ifdef BESIDE
    empty_ns = timed(2)
#endif
  end function
  real(real64) function timed(what)
    integer, intent(in) :: what
    integer(int64) :: begin, end, rate
    integer :: round, count
    count = merge(1000, 5, what <= 4)
    timed = huge(timed)
    do round = 1, merge(2000, 60, what <= 4)
      call system_clock(begin, rate)
      select case (what)
      case (1)
        do i = 1, count
          value = value + word[other]
        end do
      case (3)
        do i = 1, count
          word[other] = value
        end do
#ifdef BESIDE
      case (2)
        block
          use iso_c_binding, only: c_null_ptr, c_size_t, c_bool
          do i = 1, count
            call empty_entry(c_null_ptr, 0_c_size_t, other, c_null_ptr, c_null_ptr, c_null_ptr, 8, 8, .false._c_bool, &
                             c_null_ptr)
          end do
        end block
#endif
      case default
        do i = 1, count
          call act(what)
        end do
      end select
      call system_clock(end)
      timed = min(timed, real(end - begin, real64)/rate*1d9/count)
    end do
  end function
  subroutine act(what)
    integer, intent(in) :: what
    select case (what)
    case (5); here(1:length) = row(1:length)[other]
    case (6); here(1:length) = there(1:length)
    case (7); row(1:length)[other] = here(1:length)
    case (8); there(1:length) = here(1:length)
    case (9); here(1:length) = wide(1:step*length:step)[other]
    case (10); here(1:length) = there(1:step*length:step)
    case (11); wide(1:step*length:step)[other] = here(1:length)
    case (12); there(1:step*length:step) = here(1:length)
    end select
  end subroutine
  subroutine together(name, what, count)
    character(*), intent(in) :: name
    integer, intent(in) :: what, count
    integer(int64) :: begin, end, rate
    real(real64) :: best, own, one(1)
    integer :: round
    one = 0
    best = huge(best)
    own = huge(own)
    do round = 1, 60
      sync all
      call system_clock(begin, rate)
      do k = 1, count
        select case (what)
        case (1)
          sync all
        case (2)
          sync images (other)
        case (3)
          call co_sum(value)
          value = 0
        case (4)
          call co_sum(many)
          many(1) = 1
        end select
      end do
      call system_clock(end)
      best = min(best, real(end - begin, real64)/rate*1d9/count)
#ifdef BESIDE
      sync all
      call system_clock(begin, rate)
      do k = 1, count
        select case (what)
        case (1)
          call own_barrier()
        case (3)
          call own_sum(one, 1_c_int)
          one = 0
        case (4)
          call own_sum(many, size(many, kind=c_int))
          many(1) = 1
        end select
      end do
      call system_clock(end)
      own = min(own, real(end - begin, real64)/rate*1d9/count)
#endif
    end do
    if (what == 2 .or. own > 1d18) own = 0
    if (me == 1) call show(name, best, own)
  end subroutine
  subroutine show(name, ns, by_hand_ns)
    character(*), intent(in) :: name
    real(real64), intent(in) :: ns, by_hand_ns
    if (by_hand_ns > 0) then
      print '(a20, f14.1, f14.1, f8.2)', name, ns, by_hand_ns, ns/by_hand_ns
    else
      print '(a20, f14.1)', name, ns
    end if
  end subroutine
end program
