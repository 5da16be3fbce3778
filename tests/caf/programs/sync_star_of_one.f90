! `sync images (*)` of one image with others that each name it
!# images 4
!>* ok {i}
program sync_star
  implicit none
  integer :: word[*], round
  word = 0
  sync all
  do round = 1, 50
    if (this_image() == 2) then
      sync images (*)
      word = round
      sync images (*)
    else
      sync images (2)
      sync images (2)
      if (word[2] /= round) error stop 'round'
    end if
    sync all
  end do
  print '(a,i0)', 'ok ', this_image()
end program
