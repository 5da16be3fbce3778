! Logicals of all kinds
!# images 2
!>* ok {i}
program conversions_logical
  implicit none
  logical(1) :: a1(4)[*]
  logical(4) :: a4(4)[*]
  logical(8) :: a8(4)[*]
  logical(1) :: b1(4)
  logical(4) :: b4(4)
  logical(8) :: b8(4)
  logical, parameter :: v(4) = [.true., .false., .false., .true.]
  integer :: o
  o = mod(this_image(), num_images()) + 1
  a1 = v; a4 = v; a8 = .not. v
  sync all
  b8 = a1(:)[o]; if (any(b8 .neqv. v)) error stop '1 to 8'
  b4 = a8(:)[o]; if (any(b4 .eqv. v)) error stop '8 to 4'
  b1 = a4(4:1:-1)[o]; if (any(b1 .neqv. v)) error stop '4 to 1'
  sync all
  a4(:)[o] = b1
  a1(2)[o] = .true._8
  sync all
  if (any(a4 .neqv. v) .or. .not. a1(2)) error stop 'put'
  print '(a,i0)', 'ok ', this_image()
end program
