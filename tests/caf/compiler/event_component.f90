! An event that is a component
!# refused the event component of derived type at .1. is not yet supported
program event_component
  use iso_fortran_env, only: event_type
  implicit none
  type station
    type(event_type) :: ready
  end type
  type(station) :: s[*]
  event post (s[1]%ready)
end program
