! A broadcast and a sum over a binary tree of images, by `sync images` with parent and children
!# images 1 3 6
!>* ok {i}
program tree
  implicit none
  integer :: down(3)[*], up[*], me, n, child, i
  me = this_image()
  n = num_images()
  down = 0
  up = me
  sync all
  if (me == 1) down = [4, 5, 6]
  if (me > 1) sync images (me/2)
  do i = 0, 1
    child = 2*me + i
    if (child <= n) then
      down(:)[child] = down
      sync images (child)
    end if
  end do
  if (any(down /= [4, 5, 6])) error stop 'broadcast'
  do i = 0, 1
    child = 2*me + i
    if (child <= n) then
      sync images (child)
      up = up + up[child]
    end if
  end do
  if (me > 1) sync images (me/2)
  sync all
  if (up[1] /= n*(n + 1)/2) error stop 'sum'
  print '(a,i0)', 'ok ', me
end program
