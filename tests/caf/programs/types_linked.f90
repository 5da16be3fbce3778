! Each image's list, which others walk by indices
!# images 3
!>* ok {i}
program types_linked
  implicit none
  type node
    integer :: next_image = 0, next_place = 0, value = 0
  end type
  type(node) :: nodes(10)[*]
  integer :: me, n, i, image, place, seen, step
  me = this_image()
  n = num_images()
  ! The list goes round the images, ten times.
  do i = 1, 10
    nodes(i)%value = 100*me + i
    nodes(i)%next_image = mod(me, n) + 1
    nodes(i)%next_place = merge(i + 1, i, me == n)
  end do
  if (me == n) nodes(10)%next_image = 0
  sync all
  image = 1
  place = 1
  seen = 0
  do step = 1, 10*n
    seen = seen + nodes(place)[image]%value
    i = nodes(place)[image]%next_place
    image = nodes(place)[image]%next_image
    place = i
  end do
  if (image /= 0) error stop 'end'
  if (seen /= 10*100*n*(n + 1)/2 + n*55) error stop 'sum'
  print '(a,i0)', 'ok ', me
end program
