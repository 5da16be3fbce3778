! Coarrays of a module, used in its submodule and by a procedure that inherits them
!# images 2
!>* ok {i}
module shared
  implicit none
  integer, private, save :: hidden[*] = 0
  integer, protected, save :: shown[*] = 0
  interface
    module subroutine set(value)
      integer, intent(in) :: value
    end subroutine
    module integer function got(image)
      integer, intent(in) :: image
    end function
  end interface
end module
submodule(shared) inside
contains
  module procedure set
    hidden = value
    shown = 2*value
  end procedure
  module procedure got
    got = hidden[image]
  end procedure
end submodule
program submodules
  use shared, only: set, got, theirs => shown
  implicit none
  integer :: o
  o = 3 - this_image()
  call set(10*this_image())
  sync all
  if (got(o) /= 10*o .or. theirs[o] /= 20*o) error stop 'value'
  print '(a,i0)', 'ok ', this_image()
end program
