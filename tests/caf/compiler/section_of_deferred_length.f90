! The compiler takes the length of elements of a deferred length from before they were allocated, in the place of a section.
!# wrong sections begin at the first element
program section_of_deferred_length
  implicit none
  character(:), allocatable :: c(:)[:]
  character(3) :: two(2)
  allocate (character(3) :: c(4)[*])
  c(1) = 'abc'; c(2) = 'def'; c(3) = 'ghi'; c(4) = 'jkl'
  sync all
  two = c(3:4)[1]
  if (two(1) /= 'ghi') error stop 'the first ones'
end program
