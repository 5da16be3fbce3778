! Heat in a plate, as one distributed array with ghosts. As Fortran counts: from 1, and the first index lies nearest.
!     gfortran $(pkg-config --variable=module armature-arrays) examples/heat_array.f90 \
!       $(pkg-config --libs armature-arrays) -o heat && armature run -n 4 ./heat
module heat_in_a_plate
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use armature_arrays
  implicit none
  integer, parameter :: n = 40, steps = 300

contains

  subroutine heat() bind(c)
    type(distributed_array) :: plate
    real(real64), pointer :: t(:, :)
    real(real64), allocatable :: next(:, :)
    real(real64) :: total, hottest
    integer(int64) :: lower(2), upper(2), place(2)
    integer :: step

    call plate%create(array_real64, [n, n], ghosts=[1, 1], name='plate')
    call plate%region(lower, upper)
    call plate%local(t)  ! t(i, j) with global indices, one more on each side
    if (lower(2) == 1) t(:, 0) = 100  ! what lies outside of the plate there stays hot
    associate (i1 => lower(1), i2 => upper(1), j1 => lower(2), j2 => upper(2))
      allocate (next(i1:i2, j1:j2))
      do step = 1, steps
        call plate%exchange_ghosts(parts=ghost_faces)
        next = (t(i1 - 1:i2 - 1, j1:j2) + t(i1 + 1:i2 + 1, j1:j2) + t(i1:i2, j1 - 1:j2 - 1) + t(i1:i2, j1 + 1:j2 + 1))/4
        call plate%fence()  ! nobody writes before all have their ghosts
        t(i1:i2, j1:j2) = next
      end do
    end associate
    call plate%sum_all(total)
    call plate%maximum(hottest, place)
    if (this_rank() == 0) print '(a, f0.3, a, f0.3, a, i0, a, i0, a)', 'heat ', total, ', hottest ', hottest, &
      ' at (', place(1), ', ', place(2), ')'
    call plate%destroy()
  end subroutine
end module

program heat_array
  use armature_arrays, only: run
  use heat_in_a_plate, only: heat
  implicit none
  call run(heat)
end program
