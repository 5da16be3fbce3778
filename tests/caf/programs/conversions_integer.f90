! Assignments between all kinds of integers, both ways
!# images 2
!>* ok {i}
program conversions_integer
  implicit none
  integer(1) :: a1(4)[*]
  integer(2) :: a2(4)[*]
  integer(4) :: a4(4)[*]
  integer(8) :: a8(4)[*]
  integer(16) :: a16(4)[*]
  integer(1) :: b1(4)
  integer(2) :: b2(4)
  integer(4) :: b4(4)
  integer(8) :: b8(4)
  integer(16) :: b16(4)
  integer :: o
  integer, parameter :: v(4) = [1, -2, 127, -128]
  o = mod(this_image(), num_images()) + 1
  a1 = int(v, 1); a2 = int(v, 2); a4 = v; a8 = v; a16 = v
  sync all
  b16 = a1(:)[o]; if (any(b16 /= v)) error stop '1 to 16'
  b8 = a2(:)[o]; if (any(b8 /= v)) error stop '2 to 8'
  b4 = a1(:)[o]; if (any(b4 /= v)) error stop '1 to 4'
  b2 = a16(:)[o]; if (any(b2 /= v)) error stop '16 to 2'
  b1 = a8(:)[o]; if (any(b1 /= v)) error stop '8 to 1'
  b8 = a4(4:1:-1)[o]; if (any(b8 /= v(4:1:-1))) error stop '4 to 8 backwards'
  sync all
  b4 = [5, 6, 7, 8]; b1 = int(b4, 1); b16 = b4
  a16(:)[o] = b1
  a8(:)[o] = b4
  a1(:)[o] = b16
  a2(1:4:2)[o] = b4(1:2)
  a4(2)[o] = 9_8
  sync all
  if (any(a16 /= [5, 6, 7, 8]) .or. any(a8 /= [5, 6, 7, 8]) .or. any(a1 /= [5, 6, 7, 8])) error stop 'put'
  if (any(a2 /= [5, -2, 6, -128]) .or. any(a4 /= [1, 9, 127, -128])) error stop 'put strided'
  print '(a,i0)', 'ok ', this_image()
end program
