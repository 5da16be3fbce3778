! Words that images put together to one text, in the order of their numbers
!# images 3
!> this is coarray text
program strings
  implicit none
  character(20) :: words[*], text
  integer :: i
  select case (this_image())
  case (1); words = 'this is'
  case (2); words = 'coarray'
  case (3); words = 'text'
  end select
  sync all
  if (this_image() == 2) then
    text = ''
    text = trim(words[1])//' '//trim(words)//' '//trim(words[3])
    print '(a)', trim(text)
  end if
  sync all
  do i = 1, num_images()
    if (len_trim(words[i]) == 0) error stop 'word'
  end do
end program
