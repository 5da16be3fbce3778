! Messages of different lengths from each image to each, by counts and offsets
!# images 2 4
!>* ok {i}
program exchange
  use iso_fortran_env, only: atomic_int_kind
  implicit none
  integer(atomic_int_kind) :: used[*], at
  integer :: box(400)[*], me, n, p, i, length, seen(8)
  me = this_image()
  n = num_images()
  used = 0
  box = 0
  sync all
  do p = 1, n
    length = me + p
    call atomic_fetch_add(used[p], length, at)
    box(at + 1:at + length)[p] = me
  end do
  sync all
  seen = 0
  do i = 1, used
    seen(box(i)) = seen(box(i)) + 1
  end do
  if (any(seen(:n) /= [(i + me, i = 1, n)]) .or. any(box(used + 1:) /= 0)) error stop 'lengths'
  print '(a,i0)', 'ok ', me
end program
