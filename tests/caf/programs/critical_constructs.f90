! Two critical constructs exclude images, each by itself
!# images 1 2 4
!>* ok {i}
program critical_constructs
  implicit none
  integer :: a[*], b[*], i
  a = 0; b = 0
  sync all
  do i = 1, 50
    critical
      a[1] = a[1] + 1
    end critical
    critical
      b[1] = b[1] + 2
    end critical
  end do
  sync all
  if (this_image() == 1 .and. (a /= 50*num_images() .or. b /= 100*num_images())) error stop 'lost'
  print '(a,i0)', 'ok ', this_image()
end program
