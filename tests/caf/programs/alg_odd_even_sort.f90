! Odd-even transposition sort, with a whole block at each image
!# images 1 2 4
!>* ok {i}
program odd_even_sort
  implicit none
  integer, parameter :: m = 20
  integer :: a(m)[*], both(2*m), me, n, step, partner, i
  me = this_image()
  n = num_images()
  do i = 1, m
    a(i) = mod(7919*(i + m*me), 1009)
  end do
  sync all
  do step = 1, n
    partner = merge(me + 1, me - 1, mod(me + step, 2) == 0)
    if (partner >= 1 .and. partner <= n) then
      sync images (partner)
      both(1:m) = a
      both(m + 1:) = a(:)[partner]
      call sort(both)
      sync images (partner)
      a = merge(both(1:m), both(m + 1:), me < partner)
      sync images (partner)
    end if
  end do
  call sort(a)
  sync all
  if (any(a(2:) < a(:m - 1))) error stop 'order'
  if (me > 1) then
    if (a(m)[me - 1] > a(1)) error stop 'order of images'
  end if
  print '(a,i0)', 'ok ', me
contains
  subroutine sort(x)
    integer, intent(inout) :: x(:)
    integer :: i, j, key
    do i = 2, size(x)
      key = x(i)
      j = i - 1
      do while (j >= 1)
        if (x(j) <= key) exit
        x(j + 1) = x(j)
        j = j - 1
      end do
      x(j + 1) = key
    end do
  end subroutine
end program
