! `sync images` with lists that differ: a chain, a star, and pairs
!# images 2 5
!>* ok {i}
program sync_pairs
  implicit none
  integer :: a[*], me, n, i, status
  integer, allocatable :: others(:)
  me = this_image()
  n = num_images()
  a = 0
  sync all
  ! A chain.
  if (me > 1) sync images (me - 1)
  if (me == 1) then
    a = 1
  else
    a = a[me - 1] + 1
  end if
  if (me < n) sync images (me + 1)
  if (a /= me) error stop 'chain'
  ! A star.
  others = pack([(i, i = 1, n)], [(i, i = 1, n)] /= 1)
  if (me == 1) then
    sync images (others, stat=status)
    a = sum([(a[i], i = 1, n)])
    sync images (*)
  else
    sync images (1, stat=status)
    sync images ([1])
  end if
  if (status /= 0 .or. a[1] /= n*(n + 1)/2) error stop 'star'
  ! None, and oneself.
  sync images (others(1:0))
  sync images (me)
  sync images ([me])
  print '(a,i0)', 'ok ', me
end program
