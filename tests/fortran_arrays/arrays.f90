! The module armature_arrays: each rank says what is wrong, and rank 0 how it went.
module tests
  use, intrinsic :: iso_fortran_env, only: int32, int64, real32, real64
  use armature_arrays
  implicit none
  integer(int32), parameter :: n = 9, m = 7

contains

  subroutine expect(good, what, wrong)
    logical, intent(in) :: good
    character(*), intent(in) :: what
    integer(int32), intent(inout) :: wrong
    if (good) return
    wrong = wrong + 1
    print '(a, i0, 2a)', 'rank ', this_rank(), ': not so: ', what
  end subroutine

  ! i + 100 j, for the element there.
  recursive function expected(i1, i2, j1, j2) result(values)
    integer, intent(in) :: i1, i2, j1, j2
    real(real64) :: values(i1:i2, j1:j2)
    integer :: i, j
    do j = j1, j2
      do i = i1, i2
        values(i, j) = i + 100*j
      end do
    end do
  end function

  recursive subroutine sections(wrong)
    integer(int32), intent(inout) :: wrong
    type(distributed_array) :: a
    type(distribution) :: spread_out(2)
    real(real64) :: all_of(n, m), some(3, 2), one
    integer(int64) :: extents(2)
    spread_out = [by_cyclic(2), by_block()]
    call a%create(array_real64, [n, m], spread_out, name='a')
    extents = a%get_shape()
    call expect(all(extents == [n, m]), 'the shape', wrong)
    if (this_rank() == rank_count() - 1) call a%put(expected(1, n, 1, m))
    call a%fence()
    all_of = 0
    call a%get(all_of)
    call expect(all(all_of == expected(1, n, 1, m)), 'put and get', wrong)
    call a%get(some, section([2, 3], [6, 6], [2, 3]))
    call expect(all(some == all_of(2:6:2, 3:6:3)), 'a section with steps', wrong)
    ! Every other row of what the program has: not in one piece.
    call a%get(all_of(n:1:-2, :), section([1, 1], [n, m], [2, 1]))
    call expect(all(all_of(n:1:-2, :) == real(spread(reshape([1, 3, 5, 7, 9], [5]), 2, m) &
                + 100*spread([1, 2, 3, 4, 5, 6, 7], 1, 5), real64)), 'into every other row, backwards', wrong)
    call a%fence()
    call a%accumulate(2.0_real64, section([n, m], [n, m]), scale=0.5_real64)
    call a%fence()
    call a%get(one, section([n, m], [n, m]))
    call expect(one == n + 100*m + rank_count(), 'accumulate from all', wrong)
    call a%fence()
    call a%destroy()
  end subroutine

  recursive subroutine remaps(wrong)
    integer(int32), intent(inout) :: wrong
    type(distributed_array) :: rows, columns, plane, cube
    integer(int64) :: all_of(m, n), part(2, 3)
    type(distribution) :: by_rows(2), by_columns(2)
    by_rows(1) = by_block()
    by_rows(2) = collapsed()
    by_columns(1) = collapsed()
    by_columns(2) = by_cyclic()
    call rows%create(array_int64, [n, m], by_rows, name='rows')
    call columns%create(array_int64, [m, n], by_columns, name='columns')
    if (this_rank() == 0) call rows%put(int(expected(1, n, 1, m), int64))
    call columns%copy_from(rows, order=[2, 1])
    call columns%get(all_of)
    call expect(all(all_of == transpose(int(expected(1, n, 1, m), int64))), 'a transposing copy', wrong)
    call columns%fence()
    call columns%copy_from(rows, where=section([1, 1], [2, 3]), there=section([4, 2], [5, 4]))
    call columns%get(part, section([1, 1], [2, 3]))
    call expect(all(part == int(expected(4, 5, 2, 4), int64)), 'a copy of a section', wrong)
    call columns%fence()
    call cube%create(array_int64, [3, 4, 5], name='cube')
    call plane%create(array_int64, [3, 4, 5], [replicated(), by_block(), by_block()], name='plane')
    call cube%fill(3_int64)
    call plane%copy_from(cube)
    call expect_sum(plane, 180_int64, wrong)
    call plane%destroy()
    call cube%destroy()
    call columns%destroy()
    call rows%destroy()
  end subroutine

  subroutine expect_sum(array, total, wrong)
    type(distributed_array), intent(in) :: array
    integer(int64), intent(in) :: total
    integer(int32), intent(inout) :: wrong
    integer(int64) :: seen
    call array%sum_all(seen)
    call expect(seen == total, 'a sum', wrong)
  end subroutine

  recursive subroutine blocks(wrong)
    integer(int32), intent(inout) :: wrong
    type(distributed_array) :: a
    integer(int32), pointer :: mine(:, :, :)
    integer(int64) :: lower(3), upper(3)
    integer(int64) :: i, j, k
    logical :: good
    call a%create(array_int32, [6, 5, 4], ghosts=[1, 0, 2], name='a')
    call a%region(lower, upper)
    call a%local(mine)
    if (size(mine) > 0) then
      call expect(all(lbound(mine, kind=int64) == lower - [1, 0, 2]), 'lower bounds', wrong)
      call expect(all(ubound(mine, kind=int64) == upper + [1, 0, 2]), 'upper bounds', wrong)
    end if
    do k = lower(3), upper(3)
      do j = lower(2), upper(2)
        do i = lower(1), upper(1)
          mine(i, j, k) = number(i, j, k)
        end do
      end do
    end do
    call a%exchange_ghosts(periodic=[.true., .false., .true.])
    good = .true.
    do k = lbound(mine, 3), ubound(mine, 3)
      do j = lbound(mine, 2), ubound(mine, 2)
        do i = lbound(mine, 1), ubound(mine, 1)
          good = good .and. mine(i, j, k) == number(1 + modulo(i - 1, 6_int64), j, 1 + modulo(k - 1, 4_int64))
        end do
      end do
    end do
    call expect(good, 'ghosts, periodic', wrong)
    call a%destroy()
  end subroutine

  pure integer(int32) function number(i, j, k)
    integer(int64), intent(in) :: i, j, k
    number = int(i + 10*j + 100*k, int32)
  end function

  recursive subroutine numbers(wrong)
    integer(int32), intent(inout) :: wrong
    type(distributed_array) :: a, b, c, z
    real(real64) :: product(n, n), x(n, m), largest, smallest
    complex(real32) :: total
    integer(int64) :: place(2)
    call a%create(array_real64, [n, m], name='a')
    call b%create(array_real64, [n, m], [by_cyclic(), by_cyclic()], name='b')
    call c%create(array_real64, [n, n], name='c')
    if (this_rank() == 0) call a%put(expected(1, n, 1, m))
    call b%copy_from(a)
    call c%multiply(a, b, alpha=2.0_real64, transposes_b=.true.)
    call c%get(product)
    x = expected(1, n, 1, m)
    call expect(maxval(abs(product - 2*matmul(x, transpose(x)))) < 1e-6_real64, 'a product', wrong)
    call c%fence()
    call a%maximum(largest, place)
    call expect(largest == n + 100*m .and. all(place == [n, m]), 'the largest one and its place', wrong)
    call a%minimum(smallest)
    call expect(smallest == 101, 'the smallest one', wrong)
    call a%dot(b, largest)
    call expect(abs(largest - sum(x*x)) < 1e-6_real64, 'dot', wrong)
    call expect(abs(a%norm2_all() - norm2(x)) < 1e-6_real64, 'norm', wrong)
    call b%add(2.0_real64, a, -1.0_real64, a)
    call b%scale(3.0_real64)
    call b%sum_all(largest)
    call expect(abs(largest - 3*sum(x)) < 1e-6_real64, 'add and scale', wrong)
    call z%create(array_complex32, [5])
    call z%fill((1.0_real32, 2.0_real32))
    call z%sum_all(total)
    call expect(abs(total - (5.0_real32, 10.0_real32)) < 1e-5_real32, 'complex numbers', wrong)
    call z%destroy()
    call c%destroy()
    call b%destroy()
    call a%destroy()
  end subroutine

  recursive subroutine mistakes(wrong)
    integer(int32), intent(inout) :: wrong
    type(distributed_array) :: a, none
    character(200) :: why
    real(real64) :: x(3)
    real(real32) :: y(3)
    real(real64), pointer :: mine(:)
    integer :: status
    call a%create(array_real64, [5, 5], name='matrix')
    call a%get(x, section([3, 1], [5, 1]), stat=status)
    call expect(status == 0, 'no mistake', wrong)
    call a%get(x, section([4, 1], [6, 1]), stat=status, errmsg=why)
    call expect(status /= 0 .and. index(why, "'matrix'") > 0 .and. index(why, 'index 6') > 0 &
                .and. index(why, '1:5') > 0, 'an index that there is not: '//trim(why), wrong)
    call a%get(x, section([1, 1], [2, 1]), stat=status, errmsg=why)
    call expect(status /= 0 .and. index(why, '2 elements and 3 values') > 0, 'another size: '//trim(why), wrong)
    call a%get(y, section([1, 1], [3, 1]), stat=status, errmsg=why)
    call expect(status /= 0 .and. index(why, 'another type') > 0, 'another type: '//trim(why), wrong)
    call a%get(x, section([1], [3]), stat=status, errmsg=why)
    call expect(status /= 0 .and. index(why, '2 dimensions') > 0, 'another number of dimensions', wrong)
    call a%local(mine, stat=status, errmsg=why)
    call expect(status /= 0 .and. index(why, '2 dimensions') > 0, 'a pointer of one dimension', wrong)
    call none%get(x, stat=status, errmsg=why)
    call expect(status /= 0 .and. index(why, 'not been created') > 0, 'no array', wrong)
    call none%create(array_real64, [5, 5], [by_block()], stat=status, errmsg=why)
    call expect(status /= 0 .and. index(why, 'each dimension') > 0, 'too few distributions', wrong)
    call none%create(array_real64, [5], [by_lengths([1, 2])], name='short', stat=status, errmsg=why)
    call expect(status /= 0 .and. index(why, "'short'") > 0, 'lengths that do not fit: '//trim(why), wrong)
    call a%fence()
    call a%destroy()
  end subroutine

  subroutine everything() bind(c)
    type(distributed_array) :: all_wrong
    integer(int32) :: wrong, total
    wrong = 0
    call sections(wrong)
    call remaps(wrong)
    call blocks(wrong)
    call numbers(wrong)
    call mistakes(wrong)
    call all_wrong%create(array_int32, [1])
    call all_wrong%accumulate(wrong)
    call all_wrong%fence()
    call all_wrong%get(total)
    call all_wrong%fence()
    call all_wrong%destroy()
    if (this_rank() == 0 .and. total == 0) print '(a, i0, a)', 'arrays in Fortran: right on ', rank_count(), ' ranks'
    if (this_rank() == 0 .and. total /= 0) call abort_job('arrays in Fortran are wrong')
  end subroutine
end module

program arrays
  use armature_arrays, only: run
  use tests, only: everything
  implicit none
  call run(everything)
end program
