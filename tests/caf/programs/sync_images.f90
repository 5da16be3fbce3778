! sync images: neighbours, one with all, sets in any order, (*)
!# images 1 2 4 8
!>* ok {i}
program synchronize_images
  implicit none
  integer :: a[*], i, me, n, left, right
  me = this_image(); n = num_images()
  left = mod(me + n - 2, n) + 1; right = mod(me, n) + 1
  a = 0
  sync all
  do i = 1, 100
    a[right] = i
    if (n == 1) then
      sync images (1)
    else if (left == right) then
      sync images (left)
    else
      sync images ([right, left])
    end if
    if (a < i) error stop 'neighbours'
  end do
  sync all
  a = -me
  if (me == 1) then
    sync images (*)
  else
    sync images (1)
    if (a[1] /= -1) error stop 'one with all'
  end if
  sync all
  ! A chain: each waits for the one before.
  if (me > 1) sync images (me - 1)
  if (me > 1) then
    a = a[me - 1] + 1
  else
    a = 1
  end if
  if (me < n) sync images (me + 1)
  if (a /= me) error stop 'chain'
  sync images (*)
  print '(a,i0)', 'ok ', me
end program
