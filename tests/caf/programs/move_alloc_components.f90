! Parts of objects behind move_alloc: the bounds are those of the coarray, and not of the variable that it came from
!# images 2 3
!>* ok {i}
program moved
  implicit none
  type cell
    integer, allocatable :: values(:)
    integer :: number = 0
  end type
  type(cell), allocatable :: a(:)[:], b(:)[:], kept(:)[:]
  integer :: me, o, i
  me = this_image()
  o = mod(me, num_images()) + 1
  allocate (a(0:4)[*])
  do i = 0, 4
    a(i)%number = me*10 + i
    allocate (a(i)%values(i + 1))
    a(i)%values = me*100 + i
  end do
  call move_alloc(a, b)
  allocate (a(3)[*])
  do i = 1, 3
    a(i)%number = -i
  end do
  sync all
  if (b(0)[o]%number /= o*10) error stop 'first'
  if (b(4)[o]%number /= o*10 + 4) error stop 'last'
  if (b(4)[o]%values(5) /= o*100 + 4) error stop 'component'
  if (a(3)[o]%number /= -3) error stop 'new'
  sync all
  b(4)[o]%number = me
  b(4)[o]%values(2) = -me
  sync all
  i = merge(num_images(), me - 1, me == 1)
  if (b(4)%number /= i .or. b(4)%values(2) /= -i) error stop 'written'
  ! From a variable that is gone by then, and whose place others have taken.
  call hand_over(kept)
  call take_place
  sync all
  if (kept(-2)[o]%number /= o - 2 .or. kept(2)[o]%number /= o + 2) error stop 'of a procedure'
  sync all
  deallocate (a, b, kept)
  print '(a,i0)', 'ok ', me
contains
  subroutine hand_over(to)
    type(cell), allocatable, intent(inout) :: to(:)[:]
    type(cell), allocatable :: mine(:)[:]
    integer :: j
    allocate (mine(-2:2)[*])
    do j = -2, 2
      mine(j)%number = me + j
    end do
    call move_alloc(mine, to)
  end subroutine
  subroutine take_place
    integer :: noise(200)
    noise = -1000000 - me
    if (sum(noise(::50)) > 0) error stop 'noise'
  end subroutine
end program
