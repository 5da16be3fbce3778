! Images name each other equally often, at different times
!# images 3
!>* ok {i}
program counts
  implicit none
  integer :: i
  select case (this_image())
  case (1)
    do i = 1, 10
      sync images (2)
      if (mod(i, 2) == 0) sync images (3)
    end do
  case (2)
    do i = 1, 10
      sync images (1)
      if (mod(i, 2) == 0) sync images (3)
    end do
  case (3)
    do i = 1, 5
      sync images ([2, 1])
    end do
  end select
  print '(a,i0)', 'ok ', this_image()
end program
