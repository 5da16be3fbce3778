! Reals and complex numbers of each kind, read and written
!# images 2
!>* ok {i}
program kinds_of_reals
  implicit none
  real(8) :: a8[*], b8(4)[*]
  real(10) :: a10[*], b10(4)[*]
  real(16) :: a16[*], b16(4)[*]
  complex(4) :: c4(3)[*]
  complex(8) :: c8(3)[*]
  complex(10) :: c10(3)[*]
  complex(16) :: c16(3)[*]
  integer :: me, o
  me = this_image()
  o = 3 - me
  a8[o] = 1d0/3*me
  a10[o] = 1._10/3*me
  a16[o] = 1._16/3*me
  b8(4:1:-1)[o] = [1, 2, 3, 4]*0.1d0*me
  b10(2:3)[o] = [1._10/7, 1._10/9]*me
  b16(2:3)[o] = [1._16/7, 1._16/9]*me
  c4(:)[o] = cmplx(1, me)
  c8(::2)[o] = cmplx(1d0/3, -me, 8)
  c10(2:2)[o] = cmplx(1._10/3, -me, 10)
  c16(3:3)[o] = cmplx(1._16/3, -me, 16)
  sync all
  if (a8 /= 1d0/3*o .or. a10 /= 1._10/3*o .or. a16 /= 1._16/3*o) error stop 'scalars'
  if (any(b8 /= [4, 3, 2, 1]*0.1d0*o)) error stop 'kind 8'
  if (any(b10(2:3) /= [1._10/7, 1._10/9]*o) .or. any(b16(2:3) /= [1._16/7, 1._16/9]*o)) error stop 'kinds 10 and 16'
  if (any(c4 /= cmplx(1, o)) .or. c8(3) /= cmplx(1d0/3, -o, 8)) error stop 'complex 4 and 8'
  if (c10(2) /= cmplx(1._10/3, -o, 10) .or. c16(3) /= cmplx(1._16/3, -o, 16)) error stop 'complex 10 and 16'
  print '(a,i0)', 'ok ', me
end program
