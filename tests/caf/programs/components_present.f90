! allocated() of another image's components
!# images 2
!>* ok {i}
program components_present
  implicit none
  type t
    integer, allocatable :: a(:)
    real, allocatable :: s
  end type
  type(t) :: x[*]
  if (this_image() == 1) allocate (x%a(3), x%s)
  sync all
  if (.not. allocated(x[1]%a)) error stop 'array'
  if (allocated(x[2]%a)) error stop 'no array'
  if (.not. allocated(x[1]%s)) error stop 'scalar'
  if (allocated(x[2]%s)) error stop 'no scalar'
  sync all
  if (this_image() == 1) deallocate (x%a)
  sync all
  if (allocated(x[1]%a)) error stop 'deallocated'
  print '(a,i0)', 'ok ', this_image()
end program
