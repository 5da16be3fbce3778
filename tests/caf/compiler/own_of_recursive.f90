! A recursive procedure's own coarray: all calls have one
!# wrong the inner call deallocates the outer one's
program own_of_recursive
  implicit none
  call depth(3)
contains
  recursive subroutine depth(n)
    integer, intent(in) :: n
    integer, allocatable :: own(:)[:]
    allocate (own(n)[*])
    own = n
    if (n > 1) call depth(n - 1)
    sync all
    if (.not. allocated(own)) error stop 'gone'
    if (own(1)[num_images()] /= n) error stop 'another one'
  end subroutine
end program
