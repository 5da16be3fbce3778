! A substring of another image's element is written with the length of the whole element: blanks follow.
!# wrong what is behind the substring is blank
program substring_of_send
  implicit none
  character(3) :: s(2)[*]
  s = 'abc'
  sync all
  s(1)[this_image()](1:1) = 'Z'
  if (s(1) /= 'Zbc') error stop 'overwritten'
end program
