! A distributed array of complex numbers, in pencils: transposed by puts to one image after the other, and back
!# images 1 2 4
!>* image {i} has its columns back
module pencils
  implicit none
  type pencil
    complex, allocatable :: values(:, :)
  end type
contains
  pure complex function element(i, j)
    integer, intent(in) :: i, j
    element = cmplx(i, 1000*j)
  end function
end module

program spectral
  use pencils
  implicit none
  integer, parameter :: n = 8
  complex, allocatable :: columns(:, :)[:], rows(:, :)[:]
  type(pencil), allocatable :: mine[:]
  integer :: me, images, width, step, other, i, j
  me = this_image()
  images = num_images()
  width = n/images
  allocate (columns(n, width)[*], rows(n, width)[*], mine[*])
  allocate (mine%values(n, width))
  do j = 1, width
    columns(:, j) = [(element(i, (me - 1)*width + j), i=1, n)]
  end do
  rows = 0
  sync all
  do step = 0, images - 1
    other = 1 + mod(me - 1 + step, images)
    rows((me - 1)*width + 1:me*width, :)[other] = transpose(columns((other - 1)*width + 1:other*width, :))
  end do
  sync all
  do j = 1, width
    do i = 1, n
      if (rows(i, j) /= element((me - 1)*width + j, i)) error stop 'transposed'
    end do
  end do
  mine%values = rows
  columns = 0
  sync all
  ! Back, by reads of the components of others.
  do step = 0, images - 1
    other = 1 + mod(me - 1 + step, images)
    do i = 1, width
      columns((other - 1)*width + i, :) = mine[other]%values((me - 1)*width + 1:me*width, i)
    end do
  end do
  do j = 1, width
    do i = 1, n
      if (columns(i, j) /= element(i, (me - 1)*width + j)) error stop 'back'
    end do
  end do
  print '(a,i0,a)', 'image ', me, ' has its columns back'
end program
