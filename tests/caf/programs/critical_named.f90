! Critical constructs: named ones, and one in a procedure
!# images 2 4
!>* ok {i}
program critical_named
  implicit none
  integer :: count[*], inner[*], of_procedure[*], i, n
  n = num_images()
  count = 0
  inner = 0
  of_procedure = 0
  sync all
  do i = 1, 20
    outer: critical
      count[1] = count[1] + 1
    end critical outer
    other: critical
      inner[1] = inner[1] + 2
    end critical other
    call add
  end do
  sync all
  if (count[1] /= 20*n .or. inner[1] /= 40*n .or. of_procedure[1] /= 20*n) error stop 'counts'
  print '(a,i0)', 'ok ', this_image()
contains
  subroutine add
    critical
      block
        integer :: before
        before = of_procedure[1]
        of_procedure[1] = before + 1
      end block
    end critical
  end subroutine
end program
