! Substrings of all elements of a section.
!# refused internal compiler error
program substring_of_section
  implicit none
  character(5) :: f(4)[*]
  character(2) :: three(3)
  f = 'abcde'
  sync all
  three = f(2:4)[1](1:2)
  if (any(three /= 'ab')) error stop 'substrings'
end program
