! Assignments between reals of all kinds, integers and complex numbers
!# images 2
!>* ok {i}
program conversions_real
  implicit none
  real(4) :: a4(3)[*]
  real(8) :: a8(3)[*]
  real(10) :: a10(3)[*]
  real(16) :: a16(3)[*]
  integer :: i4(3)[*]
  complex(4) :: c4(3)[*]
  complex(8) :: c8(3)[*]
  complex(16) :: c16(3)[*]
  real(4) :: b4(3)
  real(8) :: b8(3)
  real(10) :: b10(3)
  real(16) :: b16(3)
  integer(8) :: j8(3)
  complex(8) :: d8(3)
  complex(10) :: d10(3)
  real, parameter :: v(3) = [1.5, -2.25, 1024.125]
  integer :: o
  o = mod(this_image(), num_images()) + 1
  a4 = v; a8 = v; a10 = v; a16 = v; i4 = int(v); c4 = cmplx(v, -v); c8 = c4; c16 = c4
  sync all
  b8 = a4(:)[o]; if (any(b8 /= v)) error stop '4 to 8'
  b4 = a8(:)[o]; if (any(b4 /= v)) error stop '8 to 4'
  b16 = a8(:)[o]; if (any(b16 /= v)) error stop '8 to 16'
  b10 = a16(:)[o]; if (any(b10 /= v)) error stop '16 to 10'
  b4 = a10(:)[o]; if (any(b4 /= v)) error stop '10 to 4'
  j8 = a8(:)[o]; if (any(j8 /= [1, -2, 1024])) error stop 'real to integer'
  b16 = i4(:)[o]; if (any(b16 /= [1, -2, 1024])) error stop 'integer to real'
  d8 = c4(:)[o]; if (any(d8 /= cmplx(v, -v))) error stop 'complex'
  d10 = c16(3:1:-1)[o]; if (any(d10 /= cmplx(v(3:1:-1), -v(3:1:-1)))) error stop 'complex 16 to 10'
  d8 = a4(:)[o]; if (any(d8 /= v)) error stop 'real to complex'
  b8 = c8(:)[o]; if (any(b8 /= v)) error stop 'complex to real'
  j8 = c8(:)[o]; if (any(j8 /= [1, -2, 1024])) error stop 'complex to integer'
  d8 = i4(:)[o]; if (any(d8 /= [1, -2, 1024])) error stop 'integer to complex'
  sync all
  a16(:)[o] = [1.5_4, 2.5_4, 3.5_4]
  i4(:)[o] = [1.9_8, -2.9_8, 3.2_8]
  c4(2)[o] = (4.0_8, 5.0_8)
  c8(:)[o] = 7
  a8(1)[o] = 1.0_16/3
  sync all
  if (any(a16 /= [1.5, 2.5, 3.5]) .or. any(i4 /= [1, -2, 3])) error stop 'put'
  if (c4(2) /= (4, 5) .or. c4(1) /= cmplx(v(1), -v(1)) .or. any(c8 /= 7)) error stop 'put complex'
  if (a8(1) /= 1.0_8/3) error stop 'rounded once'
  print '(a,i0)', 'ok ', this_image()
end program
