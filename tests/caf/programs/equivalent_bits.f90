! Values of other images by `transfer`, bits of them, and logical operations
!# images 2
!>* ok {i}
program equivalent_bits
  implicit none
  real(8) :: r(2)[*]
  integer(8) :: k[*]
  integer :: me, o
  me = this_image()
  o = 3 - me
  r = [me + 0.5d0, -me/3d0]
  k = ior(ishft(1_8, 40), int(me, 8))
  sync all
  if (transfer(transfer(r(2)[o], 0_8), 0d0) /= -o/3d0) error stop 'transfer'
  if (.not. btest(k[o], 40) .or. ibits(k[o], 0, 8) /= o .or. popcnt(k[o]) /= 2) error stop 'bits'
  if (iand(k[o], 255_8) /= o .or. shiftr(k[o], 40) /= 1) error stop 'and'
  if (floor(r(1)[o]) /= o .or. nint(r(1)[o]*2) /= 2*o + 1) error stop 'rounded'
  print '(a,i0)', 'ok ', me
end program
