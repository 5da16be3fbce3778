! A lock that is a component
!# refused the lock component of derived type at .1. is not yet supported
program lock_component
  use iso_fortran_env, only: lock_type
  implicit none
  type account
    type(lock_type) :: door
  end type
  type(account) :: a[*]
  lock (a[1]%door)
  unlock (a[1]%door)
end program
