! Arrays and coarrays whose bounds are numbers of images
!# images 1 3 4
!>* ok {i}
program sizes_by_images
  implicit none
  call inner
contains
  subroutine inner
    integer :: per_image(num_images()), o, i
    integer, allocatable :: grid(:, :)[:]
    per_image = this_image()
    o = mod(this_image(), num_images()) + 1
    allocate (grid(num_images(), 0:num_images())[*])
    do i = 1, num_images()
      grid(i, :) = 10*this_image() + i
    end do
    sync all
    per_image = grid(:, num_images())[o]
    if (any(per_image /= [(10*o + i, i = 1, num_images())])) error stop 'values'
    print '(a,i0)', 'ok ', this_image()
  end subroutine
end program
