! Substrings of another image's elements, up to the last character of a coarray.
!# images 1 2 4
!>* ok {i}
program substrings_read
  implicit none
  character(5) :: f(4)[*]
  character(2) :: two
  integer :: me, other, i
  me = this_image()
  other = mod(me, num_images()) + 1
  do i = 1, 4
    write (f(i), '(a,i0,i0,a)') 'x', i, me, 'yz'
  end do
  sync all
  two = f(4)[other](4:5)
  if (two /= 'yz') error stop 'last'
  two = f(2)[other](2:3)
  if (two(1:1) /= '2' .or. ichar(two(2:2)) - ichar('0') /= other) error stop 'middle'
  print '(a,i0)', 'ok ', me
end program
